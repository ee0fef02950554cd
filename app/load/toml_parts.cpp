#include "app/load/toml_parts.h"

#include "app/durations.h"
#include "engine/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <tuple>

namespace app {

namespace {

double checked(const WorkloadLimit& limit, double value, const toml::node& node) {
    if (const auto problem = outsideLimit(limit, value)) {
        refuse(node.source(), *problem);
    }
    return value;
}

void collectSettings(const toml::table& table, const std::string& prefix,
                     std::vector<TomlSetting>& settings) {
    for (const auto& [key, node] : table) {
        const std::string path = prefix + std::string(key.str());
        if (const toml::table* nested = node.as_table()) {
            collectSettings(*nested, path + ".", settings);
        } else {
            settings.push_back(
                {.key = &key, .node = &node, .path = path, .value = settingText(node)});
        }
    }
}

} // namespace

void refuse(const toml::source_region& where, std::string message) {
    throw TomlRefusal{where.begin.line, std::move(message)};
}

void allowOnly(const toml::table& table, std::string_view section, const TomlKeys& allowed) {
    for (const auto& [key, value] : table) {
        if (std::find(allowed.begin(), allowed.end(), key.str()) == allowed.end()) {
            refuse(key.source(), fmt::format("unknown key \"{}\" in {}; known are {}", key.str(),
                                             section, fmt::join(allowed, ", ")));
        }
    }
}

double numberOf(const toml::node& node, const WorkloadLimit& limit) {
    if (!node.is_number()) {
        refuse(node.source(), fmt::format("{} must be a number", limit.key));
    }
    return checked(limit, node.value<double>().value_or(0.0), node);
}

std::int64_t integerOf(const toml::node& node, const WorkloadLimit& limit) {
    const double value = numberOf(node, limit);
    if (const auto integer = node.value_exact<std::int64_t>()) {
        return *integer;
    }
    if (value != std::floor(value)) {
        refuse(node.source(), fmt::format("{} is {}: it must be a whole number", limit.key, value));
    }
    return static_cast<std::int64_t>(value);
}

double secondsOf(const toml::node& node, const WorkloadLimit& limit) {
    if (const auto text = node.value_exact<std::string>()) {
        const auto seconds = parseDuration(*text);
        if (!seconds) {
            refuse(node.source(), fmt::format("{} is \"{}\": write it as 500ms, 60s, 5min or 1h",
                                              limit.key, *text));
        }
        return checked(limit, *seconds, node);
    }
    return numberOf(node, limit);
}

std::string stringOf(const toml::node& node, std::string_view key) {
    const auto text = node.value_exact<std::string>();
    if (!text) {
        refuse(node.source(), fmt::format("{} must be a text in quotes", key));
    }
    return *text;
}

const toml::table* tableOf(const toml::table& root, std::string_view key) {
    const toml::node* node = root.get(key);
    if (node != nullptr && !node->is_table()) {
        refuse(node->source(), fmt::format("{} must be a table: [{}]", key, key));
    }
    return node == nullptr ? nullptr : node->as_table();
}

std::string settingText(const toml::node& node) {
    if (const auto text = node.value_exact<std::string>()) {
        return *text;
    }
    if (const auto integer = node.value_exact<std::int64_t>()) {
        return std::to_string(*integer);
    }
    if (const auto isOn = node.value_exact<bool>()) {
        return *isOn ? "on" : "off";
    }
    refuse(node.source(), "a setting's value must be a text, a whole number, true or false");
}

std::vector<TomlSetting> settingsOf(const toml::table& table) {
    std::vector<TomlSetting> settings;
    collectSettings(table, "", settings);
    std::ranges::stable_sort(settings, {}, [](const TomlSetting& setting) {
        return std::tuple(setting.key->source().begin.line, setting.path);
    });
    return settings;
}

void requireSetting(const TomlSetting& setting) {
    const engine::Field* field = engine::findField(setting.path);
    if (field == nullptr || field->key != setting.path) {
        refuse(
            setting.key->source(),
            fmt::format("there is no setting \"{}\"; `headway fields` lists them", setting.path));
    }
    engine::EngineConfig config;
    if (const auto set = engine::setFromText(*field, config, setting.value); !set) {
        refuse(setting.node->source(), set.error().message);
    }
}

engine::Error refusalError(std::string_view sourceName, std::uint32_t line,
                           std::string_view message) {
    const std::string place =
        line > 0 ? fmt::format("{}:{}", sourceName, line) : std::string(sourceName);
    const std::string_view end = message.ends_with('.') ? "" : "."; // some are whole sentences
    return {engine::ErrorCode::Invalid, fmt::format("{}: {}{}", place, message, end)};
}

std::string tomlQuoted(std::string_view text) {
    std::ostringstream stream;
    // Literal strings are off: a quote or a line break is written as an escape.
    stream << toml::toml_formatter(toml::value<std::string>{std::string(text)},
                                   toml::format_flags::none);
    return stream.str();
}

} // namespace app
