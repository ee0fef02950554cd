// `headway-probe synth`: a valid random model of a known shape, to learn how fast the shape runs.
#include "app/probe/interrupt_stop.h"
#include "app/probe/probe_commands.h"
#include "engine/model_file.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

namespace app {

namespace {

struct SynthArguments {
    engine::SynthOptions options;
    std::int64_t layers = 0;
    std::string out;
};

std::string shapesText() {
    std::string text = "Shapes:";
    for (const engine::SynthShape& shape : engine::synthShapes()) {
        text += fmt::format("\n  {:<18} {}", shape.name, shape.summary);
    }
    return text;
}

ExitStatus synthesize(SynthArguments arguments) {
    if (arguments.layers > 0) {
        arguments.options.layers = arguments.layers;
    }
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kLineEvery{10}; // where it is no terminal
    const bool isTerminal = isatty(STDERR_FILENO) != 0;
    const auto progress = [isTerminal, shown = std::uint64_t{0},
                           last = Clock::now()](std::uint64_t done, std::uint64_t total) mutable {
        const std::uint64_t percent = total > 0 ? done * 100 / total : 0;
        if (isTerminal && percent != shown) {
            shown = percent;
            fmt::print(stderr, "\rWriting: {} %", percent);
        } else if (!isTerminal && Clock::now() - last >= kLineEvery) {
            last = Clock::now();
            printNote(fmt::format("Writing: {} %", percent));
        }
    };
    const InterruptStop interrupt;
    const auto written =
        engine::synthesizeModel(arguments.options, arguments.out, progress, interrupt.token());
    if (isTerminal) {
        fmt::print(stderr, "\r\033[K");
    }
    if (!written && interrupt.isRequested()) {
        throw CommandError(ExitStatus::Interrupted, "Interrupted; nothing was written.");
    }
    if (!written && written.error().code == engine::ErrorCode::Invalid) { // names and numbers
        throw CommandError(ExitStatus::Usage, written.error().message);
    }
    orFail(written);
    std::error_code ignored;
    printNote(fmt::format("Wrote {}, {}; its weights are random, its speed is real.", arguments.out,
                          bytesText(std::filesystem::file_size(arguments.out, ignored))));
    return ExitStatus::Done;
}

} // namespace

void declareSynth(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<SynthArguments>();
    command.add_option("--shape", arguments->options.shape, "Name of the shape")->required();
    command.add_option("--layers", arguments->layers, "Other number of layers than the shape's")
        ->check(CLI::Range(1, 1000));
    command.add_option("--format", arguments->options.format, "Weight format of the matrices")
        ->capture_default_str();
    command.add_option("--seed", arguments->options.seed, "Of the random weights")
        ->capture_default_str();
    command.add_option("--out", arguments->out, "File to write (GGUF)")->required();
    command.footer(shapesText() + "\n" + command.get_footer());
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return synthesize(*arguments); }; });
}

} // namespace app
