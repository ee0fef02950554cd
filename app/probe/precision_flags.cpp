#include "app/probe/precision_flags.h"

#include "app/command/command.h"
#include "app/command/field_text.h"
#include "app/probe/probe_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

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

constexpr std::string_view kScales[] = {"group", "row", "smooth"};

} // namespace

void PrecisionFlags::declare(CLI::App& command, const std::string& prefix) {
    for (const Row& row : kRows) {
        const engine::Field& field = *engine::findField(row.flag);
        command
            .add_option("--" + prefix + std::string(row.flag).substr(2), this->*row.value,
                        std::string(field.help))
            ->type_name(allowedText(field));
    }
    command
        .add_option("--" + prefix + "int8-scales", int8Scales,
                    "What shares a scale in INT8: 32 columns; a row and a token, in feed-forward "
                    "matrices; that, smoothed by `headway calibrate`")
        ->type_name("group|row|smooth");
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
    if (!int8Scales.empty()) {
        const auto found = std::ranges::find(kScales, int8Scales);
        if (found == std::end(kScales)) {
            throw CommandError(
                ExitStatus::Usage,
                fmt::format("--int8-scales: {} is none of group, row, smooth.", int8Scales));
        }
        options.int8Scales = static_cast<engine::Int8Scales>(found - std::begin(kScales));
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
