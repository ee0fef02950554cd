// What the readers of TOML files share: typed values with limits, refusals that name their line.
// For app/load and app/experiment; any thread.
#pragma once

#include "app/load/workload.h"
#include "app/load/workload_limits.h"

#include <toml++/toml.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Thrown inside a reader, an Error at its door.
struct TomlRefusal {
    std::uint32_t line = 0;
    std::string message;
};

[[noreturn]] void refuse(const toml::source_region& where, std::string message);

using TomlKeys = std::initializer_list<std::string_view>;
void allowOnly(const toml::table& table, std::string_view section, const TomlKeys& allowed);

double numberOf(const toml::node& node, const WorkloadLimit& limit);
std::int64_t integerOf(const toml::node& node, const WorkloadLimit& limit);
// A number of seconds, or a text with its unit: "250ms", "60s", "5min".
double secondsOf(const toml::node& node, const WorkloadLimit& limit);
std::string stringOf(const toml::node& node, std::string_view key);
const toml::table* tableOf(const toml::table& root, std::string_view key);

// A setting's value as text: texts, whole numbers, true and false.
std::string settingText(const toml::node& node);
struct TomlSetting {
    const toml::key* key = nullptr;
    const toml::node* node = nullptr;
    std::string path, value;
};
// Keys have a dot in them; TOML makes tables of them unless they are quoted. Both forms are read,
// in the order of the file.
std::vector<TomlSetting> settingsOf(const toml::table& table);
// Refuses what the field table does not know or allow.
void requireSetting(const TomlSetting& setting);

// The tables [workload], [[stage]], [lengths], [prompts], [lanes] and [settings] of a file that may
// hold more. Stages without a duration get `seconds`, where that is given.
Workload workloadOfToml(const toml::table& root, std::string_view sourceName,
                        std::optional<double> seconds = {});
// "name:7: message."
engine::Error refusalError(std::string_view sourceName, std::uint32_t line,
                           std::string_view message);
// A text in quotes, escaped as TOML wants it.
std::string tomlQuoted(std::string_view text);

} // namespace app
