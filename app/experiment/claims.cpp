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
    // What is computed on; the instruction set is a setting, and memory is what a kernel leaves of
    // it.
    constexpr std::array kParts = {"cpu", "gpu", "threads"};
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

namespace {

// How long they take apart.
bool isSame(const Experiment& one, Experiment other) {
    other.blocks = one.blocks;
    other.measureSeconds = one.measureSeconds;
    other.warmupSeconds = one.warmupSeconds;
    other.drainSeconds = one.drainSeconds;
    other.stopAt = one.stopAt;
    if (!one.workload.stages.empty() && !other.workload.stages.empty()) { // a block's length
        other.workload.stages.front().seconds = one.workload.stages.front().seconds;
    }
    return one == other;
}

// By what was asked of it, or because it was stopped; the stop rule ends a run as it should.
bool isShorter(const ExperimentResult& result, const Experiment& asked) {
    const Experiment& one = result.experiment;
    return (one.stopAt == 0.0 && result.verdict.wholeRounds < asked.rounds()) ||
           one.blocks < asked.blocks || one.measureSeconds < asked.measureSeconds ||
           one.warmupSeconds < asked.warmupSeconds || one.stopAt > asked.stopAt;
}

} // namespace

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
        const auto newest = [&](bool takesShorter) {
            return std::ranges::find_if(results, [&](const ExperimentResult& result) {
                return isSame(result.experiment, row.experiment) &&
                       (takesShorter || !isShorter(result, row.experiment)) &&
                       result.verdict.wholeRounds > 0 &&
                       (modelDigest.empty() || result.run.modelDigest == modelDigest);
            });
        };
        auto found = newest(false);
        row.isShortened = found == results.end();
        found = row.isShortened ? newest(true) : found;
        row.isShortened = row.isShortened && found != results.end();
        if (found != results.end()) {
            row.experiment = found->experiment;
            row.verdict = found->verdict;
            row.run = found->run;
        } else if (const auto need = missingNeed(row.experiment, capabilities)) {
            row.verdict.claim.verdict = ClaimVerdict::Needs;
            row.verdict.claim.need = *need;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

} // namespace app
