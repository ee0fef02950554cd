#include "app/probe/precision_flags.h"

#include "app/command/command.h"
#include "app/command/field_text.h"
#include "app/probe/probe_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace app {

namespace {

struct Row {
    std::string PrecisionFlags::*value;
    const char* flag;
};
constexpr Row kRows[] = {
    {&PrecisionFlags::weights, "--precision"},       {&PrecisionFlags::kv, "--kv-precision"},
    {&PrecisionFlags::keys, "--k-precision"},        {&PrecisionFlags::values, "--v-precision"},
    {&PrecisionFlags::attention, "--attention"},     {&PrecisionFlags::first, "--attention-first"},
    {&PrecisionFlags::window, "--attention-window"}, {&PrecisionFlags::share, "--attention-share"}};

} // namespace

void PrecisionFlags::declare(CLI::App& command, const std::string& prefix) {
    for (const Row& row : kRows) {
        const engine::Field& field = *engine::findField(row.flag);
        command
            .add_option("--" + prefix + std::string(row.flag).substr(2), this->*row.value,
                        std::string(field.help))
            ->type_name(allowedText(field));
    }
}

void PrecisionFlags::applyTo(engine::EvaluatorOptions& options) const {
    engine::EngineConfig config;
    for (const Row& row : kRows) {
        const engine::Field& field = *engine::findField(row.flag);
        const std::string& text = this->*row.value;
        if (text.empty()) {
            continue;
        }
        if (const auto set = engine::setFromText(field, config, text); !set) {
            throw CommandError(ExitStatus::Usage,
                               fmt::format("{}: {}", row.flag, set.error().message));
        }
    }
    options.attention = config.attention;
    options.attentionFirst = config.attentionFirst;
    options.attentionWindow = config.attentionWindow;
    options.attentionShare = config.attentionShare;
    options.precision = config.precision;
    options.kvPrecision = config.kvPrecision;
    options.keyPrecision = config.keyPrecision;
    options.valuePrecision = config.valuePrecision;
}

} // namespace app
