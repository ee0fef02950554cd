// `headway calibrate`: how large what goes into a model's products becomes, kept beside the model.
#include "app/cli_commands.h"
#include "app/cli_database.h"
#include "app/interrupt.h"
#include "app/load/workload.h"
#include "app/progress_line.h"
#include "engine/calibrate.h"

#include <QCoreApplication>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <fstream>
#include <memory>
#include <thread>

namespace app {

namespace {

struct CalibrateArguments {
    std::string model, samples;
    std::int64_t threads = 0;
    bool asJson = false;
};

// Passages of the prompts that are built in, English, Chinese and code in turn, of many lengths.
std::vector<std::string> builtInSamples() {
    constexpr int kSamples = 512;
    const PromptLibrary library = orFail(PromptLibrary::fromResources());
    const std::vector<std::string> sets = library.sets();
    std::vector<std::string> samples;
    for (int i = 0; i < kSamples; ++i) {
        const auto set = static_cast<std::size_t>(i) % sets.size();
        const int tokens = 32 + i * 37 % 97;
        samples.push_back(
            library.passage(sets[set], tokens, static_cast<std::uint64_t>(i) / sets.size()));
    }
    return samples;
}

// One a line.
std::vector<std::string> samplesIn(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw CommandError(ExitStatus::Failed, fmt::format("{} can't be read.", file));
    }
    std::vector<std::string> samples;
    for (std::string line; std::getline(stream, line);) {
        if (line.find_first_not_of(" \t\r") != std::string::npos) {
            samples.push_back(line);
        }
    }
    if (samples.empty()) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("{} has no sample: it has one on each line.", file));
    }
    return samples;
}

struct Progress {
    std::atomic<std::int64_t> done{0};
    std::atomic<bool> hasEnded{false};
};

// On a thread of its own, so that the main one shows how far it is and takes an interrupt.
engine::Result<engine::Calibration> calibrateWatched(const std::filesystem::path& model,
                                                     engine::CalibrateOptions options) {
    std::string name = "headway";
    char* argumentList[] = {name.data(), nullptr};
    int count = 1;
    const QCoreApplication application(count, argumentList);
    Progress progress;
    std::stop_source stop;
    options.stop = stop.get_token();
    options.progress = [&](std::int64_t done, std::int64_t) { progress.done = done; };
    engine::Result<engine::Calibration> result =
        std::unexpected(engine::Error{.code = engine::ErrorCode::Internal, .message = {}});
    const InterruptWatch watch([&] { stop.request_stop(); });
    ProgressLine line;
    QTimer tick;
    QObject::connect(&tick, &QTimer::timeout, [&] {
        if (progress.hasEnded) {
            QCoreApplication::quit();
            return;
        }
        line.showText(progress.done == 0 ? "loading the model"
                                         : fmt::format("{} of {} samples", progress.done.load(),
                                                       options.samples.size()));
    });
    tick.start(std::chrono::milliseconds(100));
    const std::jthread worker([&] {
        result = engine::calibrate(model, options);
        progress.hasEnded = true;
    });
    QCoreApplication::exec();
    line.clear();
    return result;
}

void printResult(const engine::Calibration& calibration, const std::filesystem::path& file,
                 bool asJson) {
    if (asJson) {
        const nlohmann::ordered_json json = {{"file", file.string()},
                                             {"model_digest", calibration.modelDigest},
                                             {"samples", calibration.samples},
                                             {"tokens", calibration.tokens},
                                             {"matrices", calibration.largest.size()}};
        printOut(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
        return;
    }
    printOut(fmt::format("{} samples of {} tokens, {} matrices: {}\n", calibration.samples,
                         calibration.tokens, calibration.largest.size(), file.string()));
}

ExitStatus runCalibrate(const CalibrateArguments& arguments) {
    const std::filesystem::path model = modelToOpen(arguments.model, "headway calibrate MODEL");
    engine::CalibrateOptions options;
    options.threads = arguments.threads;
    options.samples = arguments.samples.empty() ? builtInSamples() : samplesIn(arguments.samples);
    if (static_cast<std::int64_t>(options.samples.size()) < engine::kLeastSamples) {
        printNote(fmt::format("headway calibrate: {} samples; fewer than {} leave rare channels "
                              "out.",
                              options.samples.size(), engine::kLeastSamples));
    }
    const auto calibration = calibrateWatched(model, std::move(options));
    if (!calibration && calibration.error().code == engine::ErrorCode::Cancelled) {
        printNote("headway calibrate: Interrupted; nothing was written.");
        return ExitStatus::Interrupted;
    }
    const engine::Calibration& made = orFail(calibration);
    const std::filesystem::path file = orFail(engine::saveCalibration(model, made));
    printResult(made, file, arguments.asJson);
    return ExitStatus::Done;
}

} // namespace

void declareCalibrate(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<CalibrateArguments>();
    command.add_option("MODEL", arguments->model,
                       "Model file or folder (default: the default model)");
    command.add_option("--samples,SAMPLES", arguments->samples,
                       "Text file of your own samples, one on each line");
    command.add_option("--threads", arguments->threads, "Processor threads that compute")
        ->check(CLI::Range(0, 1024));
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback(
        [arguments, &chosen] { chosen = [arguments] { return runCalibrate(*arguments); }; });
}

} // namespace app
