// `headway-probe bench`: prefill, decode, batched and at-depth tokens/s of a model on this machine.
#include "app/command/text_table.h"
#include "app/probe/precision_flags.h"
#include "app/probe/probe_commands.h"
#include "engine/evaluate.h"
#include "kernels/cores.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

namespace app {

namespace {

constexpr std::int64_t kChunk = 512; // tokens of a prompt computed at once

struct BenchArguments {
    std::string model;
    std::vector<std::int64_t> prompts{512}, outputs{128}, batches{1}, depths{0};
    int repetitions = 5;
    bool asJson = false;
    engine::EvaluatorOptions options;
    PrecisionFlags precision;
};

struct BenchResult {
    std::string kind;
    std::int64_t tokens = 0, batch = 1, depth = 0;
    std::vector<double> perSecond; // ascending
};

double median(const std::vector<double>& sorted) {
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0;
}

BenchResult resultOf(std::string kind, std::int64_t tokens, std::int64_t batch, std::int64_t depth,
                     const std::vector<double>& seconds) {
    BenchResult result{
        .kind = std::move(kind), .tokens = tokens, .batch = batch, .depth = depth, .perSecond = {}};
    for (const double one : seconds) {
        result.perSecond.push_back(static_cast<double>(tokens * batch) / one);
    }
    std::sort(result.perSecond.begin(), result.perSecond.end());
    return result;
}

// Rows are printed as they are measured; a long bench that is interrupted has shown something.
std::vector<BenchResult> measure(engine::Evaluator& evaluator, const BenchArguments& arguments) {
    std::vector<BenchResult> results;
    const auto add = [&](BenchResult result) {
        printNote(fmt::format("{} {} tokens, batch {}, depth {}: {:.1f} tok/s", result.kind,
                              result.tokens, result.batch, result.depth, median(result.perSecond)));
        results.push_back(std::move(result));
    };
    for (const std::int64_t depth : arguments.depths) {
        for (const std::int64_t tokens : arguments.prompts) {
            if (tokens > 0) {
                add(resultOf(
                    "prefill", tokens, 1, depth,
                    orFail(evaluator.timePrefill(tokens, depth, kChunk, arguments.repetitions))));
            }
        }
        for (const std::int64_t tokens : arguments.outputs) {
            for (const std::int64_t batch : arguments.batches) {
                if (tokens > 0) {
                    add(resultOf(
                        "decode", tokens, batch, depth,
                        orFail(evaluator.timeDecode(tokens, batch, depth, arguments.repetitions))));
                }
            }
        }
    }
    return results;
}

std::int64_t threadsOf(const BenchArguments& arguments) {
    return arguments.options.threads > 0 ? arguments.options.threads : kernels::usableCores();
}

std::string benchJson(const std::vector<BenchResult>& results, const engine::Capabilities& model,
                      std::int64_t threads) {
    nlohmann::ordered_json document;
    document["model"] = model.modelName;
    document["format"] = model.fileFormat;
    document["computing"] = model.computing;
    document["parameters"] = model.parameters;
    document["machine"] = {{"cpu", model.cpu},
                           {"isa", model.isa},
                           {"threads", threads},
                           {"device", model.device},
                           {"read_bytes_per_s", model.readBytesPerSecond}};
    document["results"] = nlohmann::ordered_json::array();
    for (const BenchResult& result : results) {
        document["results"].push_back({{"kind", result.kind},
                                       {"tokens", result.tokens},
                                       {"batch", result.batch},
                                       {"depth", result.depth},
                                       {"tokens_per_s",
                                        {{"median", median(result.perSecond)},
                                         {"min", result.perSecond.front()},
                                         {"max", result.perSecond.back()}}},
                                       {"n", result.perSecond.size()}});
    }
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string benchText(const std::vector<BenchResult>& results, const engine::Capabilities& model,
                      std::int64_t threads) {
    std::string text =
        fmt::format("{}, {} computed as {}\n{}, {}, {} threads\n\n", model.modelName,
                    model.fileFormat, model.computing, model.cpu, model.isa, threads);
    TextTable table({{"kind"},
                     {"tokens", Align::Right},
                     {"batch", Align::Right},
                     {"depth", Align::Right},
                     {"tok/s median", Align::Right},
                     {"min", Align::Right},
                     {"max", Align::Right},
                     {"n", Align::Right}});
    for (const BenchResult& result : results) {
        table.add({result.kind, std::to_string(result.tokens), std::to_string(result.batch),
                   std::to_string(result.depth), fmt::format("{:.1f}", median(result.perSecond)),
                   fmt::format("{:.1f}", result.perSecond.front()),
                   fmt::format("{:.1f}", result.perSecond.back()),
                   std::to_string(result.perSecond.size())});
    }
    return text + table.text();
}

ExitStatus bench(const BenchArguments& arguments) {
    engine::EvaluatorOptions options = arguments.options;
    arguments.precision.applyTo(options);
    const auto evaluator = orFail(engine::openEvaluator(arguments.model, options));
    const auto results = measure(*evaluator, arguments);
    if (results.empty()) {
        throw CommandError(ExitStatus::Usage, "Nothing to measure: -p and -n are both 0.");
    }
    const auto model = evaluator->capabilities();
    printOut(arguments.asJson ? benchJson(results, model, threadsOf(arguments)) + "\n"
                              : benchText(results, model, threadsOf(arguments)));
    return ExitStatus::Done;
}

} // namespace

void declareBench(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<BenchArguments>();
    const auto list = [&](const char* flags, std::vector<std::int64_t>& values, const char* help,
                          std::int64_t least, std::int64_t most) {
        command.add_option(flags, values, help)
            ->delimiter(',')
            ->allow_extra_args(false) // a model may follow
            ->check(CLI::Range(least, most))
            ->capture_default_str();
    };
    command.add_option("MODEL", arguments->model, "Model file or folder (GGUF, safetensors)")
        ->required();
    list("-p,--prompt-tokens", arguments->prompts, "Prompt lengths; 0: no prefill", 0, 131'072);
    list("-n,--output-tokens", arguments->outputs, "Answer lengths; 0: no decode", 0, 131'072);
    list("-b,--batch", arguments->batches, "Sequences decoded together", 1, 1024);
    list("-d,--depth", arguments->depths, "Tokens that are in the cache before", 0, 1'048'576);
    command.add_option("-t,--threads", arguments->options.threads, "0: every core")
        ->check(CLI::Range(0, 1024));
    command.add_option("-r,--repetitions", arguments->repetitions, "Measurements of each")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    addIsa(command, arguments->options.isa);
    arguments->precision.declare(command);
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback([arguments, &chosen] { chosen = [arguments] { return bench(*arguments); }; });
}

} // namespace app
