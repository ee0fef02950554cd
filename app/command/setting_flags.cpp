#include "app/command/setting_flags.h"

#include "app/command/command.h"
#include "app/command/field_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace app {

void SettingFlags::declare(CLI::App& command) {
    command
        .add_option_function<std::string>(
            "--device",
            [](const std::string& device) {
                if (device != "cpu") {
                    throw CommandError(ExitStatus::Usage,
                                       fmt::format("--device {}: requests are computed on \"cpu\" "
                                                   "in this version; headway-probe check takes "
                                                   "cuda.",
                                                   device));
                }
            },
            "What computes: cpu")
        ->type_name("cpu")
        ->group("Engine settings");
    for (const engine::Field& field : engine::fieldTable()) {
        std::optional<std::string>& value = m_values.emplace_back();
        command
            .add_option(std::string(field.flag), value,
                        fmt::format("{} Default {}.", field.help, defaultText(field)))
            ->type_name(allowedText(field))
            ->group("Engine settings");
    }
}

std::vector<std::pair<std::string, std::string>> SettingFlags::changed() const {
    std::vector<std::pair<std::string, std::string>> changed;
    engine::EngineConfig scratch;
    for (std::size_t index = 0; index < m_values.size(); ++index) {
        const engine::Field& field = engine::fieldTable()[index];
        if (!m_values[index]) {
            continue;
        }
        if (const auto set = engine::setFromText(field, scratch, *m_values[index]); !set) {
            throw CommandError(ExitStatus::Usage,
                               fmt::format("{}: {}", field.flag, set.error().message));
        }
        changed.emplace_back(field.key, engine::valueText(field, scratch));
    }
    return changed;
}

engine::EngineConfig
SettingFlags::applied(const std::vector<std::pair<std::string, std::string>>& settings) {
    engine::EngineConfig config;
    for (const auto& [key, value] : settings) {
        if (const engine::Field* field = engine::findField(key)) {
            if (const auto set = engine::setFromText(*field, config, value); !set) {
                throw CommandError(ExitStatus::Usage, set.error().message);
            }
        }
    }
    if (const auto valid = engine::validate(config); !valid) {
        throw CommandError(ExitStatus::Usage, valid.error().message);
    }
    return config;
}

} // namespace app
