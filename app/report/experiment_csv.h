// Experiments and claims as tables for spreadsheets; English, fixed names. Any thread.
#pragma once

#include "app/experiment/claims.h"

#include <string>

namespace app {

// A row a block and a metric that any block has, or the claim is about; empty where the block has
// none. A block that was to come and never did is a row too; "left_out" says why a round is not in
// the claim.
std::string experimentCsv(const ExperimentResult& result);
// A row a claim; what was not measured is empty.
std::string claimsCsv(const std::vector<ClaimRow>& rows);

} // namespace app
