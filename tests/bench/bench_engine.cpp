// Tokens a second of a whole model, through the code that serves requests: prefill, decode, decode
// of batches and at depth, as shares of what the machine allows.
//   bench_engine MODEL... [-p 128,512,2048] [-n 64] [-b 1,2,4,8,16] [-d 0,2048] [--json]
// Shares: measured INT8 products in registers and bytes read from memory; attention is not in them.
#include "engine/evaluate.h"
#include "kernels/ops.h"
#include "tests/bench/roofline.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

namespace {

constexpr std::int64_t kChunk = 512; // tokens of a prompt computed at once

struct Arguments {
    std::vector<std::string> models;
    std::vector<std::int64_t> prompts{128, 512, 2048}, outputs{64}, batches{1, 2, 4, 8, 16},
        depths{0};
    int repetitions = 5;
    bool asJson = false;
    engine::EvaluatorOptions options;
};

struct Result {
    std::string kind;
    std::int64_t tokens = 0, batch = 1, depth = 0;
    std::vector<double> perSecond; // ascending
    double most = 0.0;             // tokens a second that the machine allows

    double median() const {
        const std::size_t middle = perSecond.size() / 2;
        return perSecond.size() % 2 == 1 ? perSecond[middle]
                                         : (perSecond[middle - 1] + perSecond[middle]) / 2.0;
    }
};

template <class T>
T orThrow(engine::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    return std::move(*result);
}

Result resultOf(std::string kind, std::int64_t tokens, std::int64_t batch, std::int64_t depth,
                const std::vector<double>& seconds, double most) {
    Result result{.kind = std::move(kind),
                  .tokens = tokens,
                  .batch = batch,
                  .depth = depth,
                  .perSecond = {},
                  .most = most};
    for (const double one : seconds) {
        result.perSecond.push_back(static_cast<double>(tokens * batch) / one);
    }
    std::sort(result.perSecond.begin(), result.perSecond.end());
    return result;
}

std::vector<Result> measure(engine::Evaluator& evaluator, const Arguments& arguments,
                            const kernels::Ceilings& machine, const bench::Demand& demand) {
    std::vector<Result> results;
    for (const std::int64_t depth : arguments.depths) {
        for (const std::int64_t tokens : arguments.prompts) {
            if (tokens > 0) {
                const auto step = static_cast<double>(std::min(tokens, kChunk));
                results.push_back(resultOf(
                    "prefill", tokens, 1, depth,
                    orThrow(evaluator.timePrefill(tokens, depth, kChunk, arguments.repetitions)),
                    bench::mostTokensPerSecond(machine, demand, step, 1.0)));
            }
        }
        for (const std::int64_t tokens : arguments.outputs) {
            for (const std::int64_t batch : arguments.batches) {
                if (tokens > 0) {
                    const auto rows = static_cast<double>(batch);
                    results.push_back(resultOf(
                        "decode", tokens, batch, depth,
                        orThrow(evaluator.timeDecode(tokens, batch, depth, arguments.repetitions)),
                        bench::mostTokensPerSecond(machine, demand, rows, rows)));
                }
            }
        }
    }
    return results;
}

void printTable(const engine::Capabilities& model, const kernels::Ceilings& machine, int threads,
                const std::vector<Result>& results) {
    fmt::print("{}, {} computed as {}\n{}, {}, {} threads: {:.0f} GOPS of INT8 products, {:.1f} "
               "GB/s\n{:8} {:>6} {:>6} {:>6} {:>10} {:>8} {:>8} {:>3} {:>6}\n",
               model.modelName, model.fileFormat, model.computing, model.cpu, model.isa, threads,
               1e-9 * machine.int8PerSecond.value_or(0.0), 1e-9 * machine.readBytesPerSecond,
               "kind", "tokens", "batch", "depth", "tok/s", "min", "max", "n", "share");
    for (const Result& result : results) {
        const std::string share =
            result.most > 0.0 ? fmt::format("{:.0f} %", 100.0 * result.median() / result.most) : "";
        fmt::print("{:8} {:>6} {:>6} {:>6} {:>10.1f} {:>8.1f} {:>8.1f} {:>3} {:>6}\n", result.kind,
                   result.tokens, result.batch, result.depth, result.median(),
                   result.perSecond.front(), result.perSecond.back(), result.perSecond.size(),
                   share);
    }
}

nlohmann::ordered_json document(const engine::Capabilities& model, const kernels::Ceilings& machine,
                                int threads, const std::vector<Result>& results) {
    const kernels::Machine described = kernels::describeMachine();
    nlohmann::ordered_json json;
    json["model"] = model.modelName;
    json["format"] = model.fileFormat;
    json["computing"] = model.computing;
    json["parameters"] = model.parameters;
    json["machine"] = {{"cpu", model.cpu},
                       {"flags", described.flags},
                       {"cores", described.cores},
                       {"isa", model.isa},
                       {"threads", threads},
                       {"int8_operations_per_s",
                        machine.int8PerSecond ? nlohmann::ordered_json(*machine.int8PerSecond)
                                              : nlohmann::ordered_json()},
                       {"read_bytes_per_s", machine.readBytesPerSecond}};
    json["results"] = nlohmann::ordered_json::array();
    for (const Result& result : results) {
        nlohmann::ordered_json row = {{"kind", result.kind},
                                      {"tokens", result.tokens},
                                      {"batch", result.batch},
                                      {"depth", result.depth},
                                      {"tokens_per_s",
                                       {{"median", result.median()},
                                        {"min", result.perSecond.front()},
                                        {"max", result.perSecond.back()}}},
                                      {"n", result.perSecond.size()}};
        if (result.most > 0.0) {
            row["share_of_roofline"] = result.median() / result.most;
        }
        json["results"].push_back(std::move(row));
    }
    return json;
}

Arguments parse(CLI::App& app, int argc, char** argv) {
    Arguments arguments;
    const auto list = [&](const char* flag, std::vector<std::int64_t>& values, const char* help) {
        app.add_option(flag, values, help)->delimiter(',')->capture_default_str();
    };
    app.add_option("MODEL", arguments.models, "Model files (GGUF)")->required();
    list("-p,--prompt-tokens", arguments.prompts, "Prompt lengths; 0: none");
    list("-n,--output-tokens", arguments.outputs, "Answer lengths; 0: none");
    list("-b,--batch", arguments.batches, "Sequences decoded together");
    list("-d,--depth", arguments.depths, "Tokens that are in the cache before");
    app.add_option("-r,--repetitions", arguments.repetitions, "Measurements of each")
        ->check(CLI::Range(1, 1000));
    app.add_option("-t,--threads", arguments.options.threads, "0: every core");
    app.add_option("--isa", arguments.options.isa, "Instruction set; default: the best");
    app.add_flag("--json", arguments.asJson, "One JSON document");
    app.parse(argc, argv);
    return arguments;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Tokens a second of whole models and their share of the roofline.");
    try {
        const Arguments arguments = parse(app, argc, argv);
        const int threads = arguments.options.threads > 0
                                ? static_cast<int>(arguments.options.threads)
                                : static_cast<int>(std::thread::hardware_concurrency());
        nlohmann::ordered_json all = nlohmann::ordered_json::array();
        for (const std::string& path : arguments.models) {
            const kernels::Ceilings machine = [&] {
                kernels::ThreadPool pool(threads); // gone before the model's own works
                return kernels::measureCeilings(pool, arguments.options.isa);
            }();
            const auto evaluator = orThrow(engine::openEvaluator(path, arguments.options));
            const auto results = measure(*evaluator, arguments, machine, bench::demandOf(path));
            if (arguments.asJson) {
                all.push_back(document(evaluator->capabilities(), machine, threads, results));
            } else {
                printTable(evaluator->capabilities(), machine, threads, results);
            }
        }
        if (arguments.asJson) {
            fmt::print("{}\n", all.dump(2));
        }
        return 0;
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    } catch (const std::exception& e) {
        fmt::print(stderr, "bench_engine: {}\n", e.what());
        return 1;
    }
}
