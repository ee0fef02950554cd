#include "app/experiment/claims.h"

#include "app/json_depth.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace app {

engine::Result<ExperimentResult> resultOf(const StoredExperiment& stored) {
    auto experiment = parseExperiment(stored.toml, stored.name);
    if (!experiment) {
        return std::unexpected(experiment.error());
    }
    ExperimentResult result{
        .run = stored.run, .experiment = std::move(*experiment), .blocks = {}, .verdict = {}};
    result.experiment.name = stored.name;
    for (const StoredBlock& each : stored.blocks) {
        auto block = blockOfJson(each.json);
        if (!block) {
            return std::unexpected(block.error());
        }
        if (static_cast<std::size_t>(block->side) >= result.experiment.sides.size()) {
            return std::unexpected(
                engine::Error{engine::ErrorCode::Corrupt,
                              fmt::format("Block {} is of a side that the experiment doesn't have.",
                                          block->number)});
        }
        result.blocks.push_back(std::move(*block));
    }
    result.verdict = evaluate(result.experiment, result.blocks);
    return result;
}

engine::Result<std::vector<ExperimentResult>> experimentResults(const std::filesystem::path& log) {
    std::error_code error;
    std::vector<ExperimentResult> results;
    if (!std::filesystem::exists(log, error)) {
        return results;
    }
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    if (!store) {
        return std::unexpected(store.error());
    }
    auto stored = (*store)->experiments();
    if (!stored) {
        return std::unexpected(stored.error());
    }
    for (const StoredExperiment& each : *stored) {
        if (auto result = resultOf(each)) {
            results.push_back(std::move(*result));
        }
    }
    return results;
}

bool isOfMachine(const RunInfo& run, const std::string& machineJson) {
    using Json = nlohmann::json;
    const Json ofRun = parseBounded<Json>(run.machineJson),
               machine = parseBounded<Json>(machineJson);
    // What is computed on; threads and instruction sets are settings.
    constexpr std::array kParts = {"cpu", "gpu"};
    return ofRun.is_object() && machine.is_object() &&
           std::ranges::all_of(kParts, [&](const char* part) {
               return ofRun.value(part, Json()) == machine.value(part, Json());
           });
}

std::vector<ExperimentResult> resultsOfMachine(std::vector<ExperimentResult> results,
                                               const std::string& machineJson) {
    std::erase_if(results, [&](const ExperimentResult& result) {
        return !isOfMachine(result.run, machineJson);
    });
    return results;
}

std::vector<ClaimRow> claimRows(const std::vector<ExperimentResult>& results,
                                const std::string& modelDigest,
                                const engine::Capabilities* capabilities) {
    std::vector<ClaimRow> rows;
    for (const BuiltInExperiment& builtIn : builtInExperiments()) {
        auto experiment = parseExperiment(builtIn.toml, builtIn.name);
        if (!experiment) {
            continue; // a test reads every one of them
        }
        ClaimRow row{.experiment = std::move(*experiment), .verdict = {}, .run = {}};
        const auto newest = std::ranges::find_if(results, [&](const ExperimentResult& result) {
            return result.experiment.name == builtIn.name && result.verdict.wholeRounds > 0 &&
                   (modelDigest.empty() || result.run.modelDigest == modelDigest);
        });
        if (newest != results.end()) {
            row.experiment = newest->experiment;
            row.verdict = newest->verdict;
            row.run = newest->run;
        } else if (const auto need = missingNeed(row.experiment, capabilities)) {
            row.verdict.claim.verdict = ClaimVerdict::Needs;
            row.verdict.claim.need = *need;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace app
