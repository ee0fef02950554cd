// `headway-probe logits`: raw little-endian F32 logits of given token ids. Needs no tokenizer.
#include "app/probe/interrupt_stop.h"
#include "app/probe/precision_flags.h"
#include "app/probe/probe_commands.h"
#include "engine/evaluate.h"
#include "engine/output_place.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <bit>
#include <filesystem>
#include <fstream>
#include <memory>

namespace app {

namespace {

static_assert(std::endian::native == std::endian::little, "the file's order is the memory's order");

struct LogitsArguments {
    std::string model, ids, out;
    bool wantsAll = false;
    std::int64_t chunk = 256;
    engine::EvaluatorOptions options;
    PrecisionFlags precision;
};

// The file appears whole or not at all.
void writeRows(engine::Evaluator& evaluator, const std::vector<engine::TokenId>& ids,
               const LogitsArguments& arguments, const InterruptStop& interrupt) {
    const std::filesystem::path part = engine::outputPlace(arguments.out, ".part");
    std::ofstream stream(part, std::ios::binary | std::ios::trunc);
    const auto computed = evaluator.logits(
        ids, arguments.chunk, arguments.wantsAll ? engine::LogitRows::All : engine::LogitRows::Last,
        [&](std::int64_t, std::span<const float> logits) {
            stream.write(reinterpret_cast<const char*>(logits.data()),
                         static_cast<std::streamsize>(logits.size_bytes()));
        });
    stream.close();
    std::error_code error;
    if (!computed || !stream) {
        if (part != arguments.out) {
            std::filesystem::remove(part, error);
        }
        if (interrupt.isRequested()) {
            throw CommandError(ExitStatus::Interrupted, "Interrupted; nothing was written.");
        }
        orFail(computed);
        throw CommandError(
            ExitStatus::Failed,
            fmt::format("{} can't be written; check folder and free space.", arguments.out));
    }
    if (part != arguments.out) {
        std::filesystem::rename(part, arguments.out, error);
    }
    if (error) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("{} can't be written: {}.", arguments.out, error.message()));
    }
}

ExitStatus writeLogits(const LogitsArguments& arguments) {
    const auto ids = parseIds(arguments.ids);
    if (ids.empty()) {
        throw CommandError(ExitStatus::Usage, "--ids is empty; give at least one token id.");
    }
    engine::EvaluatorOptions options = arguments.options;
    arguments.precision.applyTo(options);
    const InterruptStop interrupt;
    auto opened = engine::openEvaluator(arguments.model, options, {}, interrupt.token());
    if (!opened && interrupt.isRequested()) {
        throw CommandError(ExitStatus::Interrupted, "Interrupted; nothing was written.");
    }
    const auto evaluator = orFail(std::move(opened));
    writeRows(*evaluator, ids, arguments, interrupt);
    printNote(fmt::format("Wrote {} x {} F32 to {}", arguments.wantsAll ? ids.size() : 1,
                          evaluator->capabilities().vocabulary, arguments.out));
    return ExitStatus::Done;
}

} // namespace

void declareLogits(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<LogitsArguments>();
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    command.add_option("--ids", arguments->ids, "Token ids, 1,2,3")->required();
    command.add_flag("--all", arguments->wantsAll, "A row a position; else the last only");
    command.add_option("--chunk", arguments->chunk, "Tokens computed at a time")
        ->check(CLI::Range(1, 65'536));
    command.add_option("--threads", arguments->options.threads, "0: every core")
        ->check(CLI::Range(0, 1024));
    addIsa(command, arguments->options.isa);
    arguments->precision.declare(command);
    command.add_option("--out", arguments->out, "File to write")->required();
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return writeLogits(*arguments); }; });
}

} // namespace app
