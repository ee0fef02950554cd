// `headway-probe check`: every operator of the device against the double-precision reference.
#include "kernels/check.h"

#include "app/command/text_table.h"
#include "app/probe/probe_commands.h"
#include "kernels/cores.h"
#include "kernels/cuda_module.h"
#include "kernels/thread_pool.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace app {

namespace {

struct CheckArguments {
    std::string device = "cpu", isa;
    int threads = 0;
    std::uint64_t seed = 1;
    bool asJson = false;
};

std::string resultsText(const std::vector<kernels::CheckResult>& results) {
    TextTable table(
        {{""}, {"operator"}, {"error", Align::Right}, {"bound", Align::Right}, {"worst element"}});
    for (const kernels::CheckResult& result : results) {
        table.add({result.passed ? "ok" : "FAILED", result.name,
                   fmt::format("{:.2e}", result.error), fmt::format("{:.2e}", result.bound),
                   result.passed ? "" : result.detail});
    }
    return table.text();
}

std::string resultsJson(const std::vector<kernels::CheckResult>& results, const std::string& isa,
                        std::uint64_t seed) {
    nlohmann::ordered_json document;
    document["isa"] = isa;
    document["seed"] = seed;
    document["results"] = nlohmann::ordered_json::array();
    for (const kernels::CheckResult& result : results) {
        document["results"].push_back({{"name", result.name},
                                       {"passed", result.passed},
                                       {"error", result.error},
                                       {"bound", result.bound},
                                       {"detail", result.detail}});
    }
    return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::unique_ptr<kernels::Ops> makeOps(const CheckArguments& arguments, kernels::ThreadPool& pool) {
    if (arguments.device == "cpu") {
        return kernels::makeCpuOps(pool, arguments.isa);
    }
    constexpr std::string_view kCuda = "cuda";
    const std::string_view device = arguments.device;
    int index = 0;
    const std::string_view number = device.substr(std::min(device.size(), kCuda.size() + 1));
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
    const bool isNumbered = device.size() > kCuda.size() + 1 && device[kCuda.size()] == ':' &&
                            error == std::errc() && end == number.data() + number.size();
    if (!device.starts_with(kCuda) || (device != kCuda && !isNumbered)) {
        throw CommandError(
            ExitStatus::Usage,
            fmt::format("--device {}: cpu, cuda, or cuda:1 for the second GPU.", arguments.device));
    }
    try {
        return kernels::loadCudaOps(pool, index);
    } catch (const std::runtime_error& reason) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("--device {}: {}.", arguments.device, reason.what()));
    }
}

ExitStatus check(const CheckArguments& arguments) {
    const int threads = arguments.threads > 0 ? arguments.threads : kernels::usableCores();
    kernels::ThreadPool pool(threads);
    const auto ops = makeOps(arguments, pool);
    const auto results = kernels::checkOps(*ops, arguments.seed);
    const auto failed = std::count_if(results.begin(), results.end(),
                                      [](const auto& result) { return !result.passed; });
    if (arguments.asJson) {
        printOut(resultsJson(results, ops->isa(), arguments.seed));
    } else {
        printOut(fmt::format("{} on {} threads, seed {}\n\n{}\n{} passed, {} failed\n", ops->isa(),
                             threads, arguments.seed, resultsText(results),
                             static_cast<std::ptrdiff_t>(results.size()) - failed, failed));
    }
    return failed == 0 ? ExitStatus::Done : ExitStatus::Failed;
}

} // namespace

void declareCheck(CLI::App& command, ChosenCommand& chosen) {
    const auto arguments = std::make_shared<CheckArguments>();
    command.add_option("--device", arguments->device, "cpu, cuda, cuda:1, ...")
        ->capture_default_str();
    addIsa(command, arguments->isa);
    command.add_option("--threads", arguments->threads, "0: every core")
        ->check(CLI::Range(0, 1024));
    command.add_option("--seed", arguments->seed, "Of the random inputs")->capture_default_str();
    command.add_flag("--json", arguments->asJson, "One JSON document on standard output");
    command.callback([arguments, &chosen] { chosen = [arguments] { return check(*arguments); }; });
}

} // namespace app
