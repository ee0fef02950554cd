// Experiments of a run log, and the claims table made from the newest of each. Any thread with a
// log of its own.
#pragma once

#include "app/experiment/verdict.h"
#include "app/store/run_store.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace app {

// An experiment as it was recorded, and what its blocks say.
struct ExperimentResult {
    RunInfo run;
    Experiment experiment;
    std::vector<Block> blocks;
    ExperimentVerdict verdict;
};
// Error where what was stored is no experiment of this program.
engine::Result<ExperimentResult> resultOf(const StoredExperiment& stored);
// Newest first; what can't be read is left out. A file that does not exist is an empty log.
engine::Result<std::vector<ExperimentResult>> experimentResults(const std::filesystem::path& log);

struct ClaimRow {
    Experiment experiment; // as it was measured, else as the library has it
    ExperimentVerdict verdict;
    std::optional<RunInfo> run; // empty: not run
    bool isShortened = false;   // fewer rounds, or shorter ones, than the library asks for
};
// Whether a run was measured on the processor, with as many threads and the GPU, of `machineJson`
// (store/machine_json.h).
bool isOfMachine(const RunInfo& run, const std::string& machineJson);
// The results of one machine: a log may hold runs of others, which say nothing about this one.
std::vector<ExperimentResult> resultsOfMachine(std::vector<ExperimentResult> results,
                                               const std::string& machineJson);
// The library in its order, each with its newest result on this model (empty digest: on any): of
// the same experiment, a file of the same name is none; one that was shortened where there is no
// other.
std::vector<ClaimRow> claimRows(const std::vector<ExperimentResult>& results,
                                const std::string& modelDigest,
                                const engine::Capabilities* capabilities);

// For programs.
std::string experimentJson(const ExperimentResult& result);
std::string claimsJson(const std::vector<ClaimRow>& rows);
// For a terminal; English.
std::string experimentText(const ExperimentResult& result);
std::string claimsText(const std::vector<ClaimRow>& rows);
std::string claimedText(const Experiment& experiment); // "≥ 1.52 ×", "8 to 16 req", "not stated"
std::string needSentence(const std::string& need);

} // namespace app
