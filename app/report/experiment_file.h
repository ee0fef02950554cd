// Reports of experiments and of the claims table as the ending of their file asks. Any thread but
// for translations, which are the main thread's to change.
#pragma once

#include "app/experiment/claims.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Of .html, .pdf, .md, .json and .csv.
bool isReportEnding(std::string_view ending);
// What the file holds. `runLog` has the requests behind the pictures; without them a report has
// none. Precondition: isReportEnding(ending).
std::string experimentAs(std::string_view ending, const ExperimentResult& result,
                         const std::filesystem::path& runLog);
std::string claimsAs(std::string_view ending, const std::vector<ClaimRow>& rows);

} // namespace app
