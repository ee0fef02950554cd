// Where the optional reference vectors are: HEADWAY_REFERENCE_DATA, else the folder beside the
// checkout.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace tests {

// Empty where the vectors are absent: the test is skipped with that reason.
std::filesystem::path referenceData();

} // namespace tests
