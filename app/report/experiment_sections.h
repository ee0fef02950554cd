// Reports of an experiment, and of the claims table. Main thread (translations).
#pragma once

#include "app/experiment/claims.h"
#include "app/report/document.h"

namespace app::report {

// `run` has the requests behind the pictures; without it these are left out.
Document experimentDocument(const ExperimentResult& result, const RunData* run);
Document claimsDocument(const std::vector<ClaimRow>& rows);

} // namespace app::report
