// Experiments and claims as tables for spreadsheets; English, fixed names. Any thread.
#pragma once

#include "app/experiment/claims.h"

#include <string>

namespace app {

// A row a figure of a block: "block", "round", "side", "metric", "value", "n", "is_whole",
// "contamination".
std::string experimentCsv(const ExperimentResult& result);
// A row a claim; what was not measured is empty.
std::string claimsCsv(const std::vector<ClaimRow>& rows);

} // namespace app
