// Where the default model is, if the tester has it: HEADWAY_MODEL, else the user's data folder.
#pragma once

#include <filesystem>

namespace tests {

// Empty where the file is absent: the test is skipped with that reason.
std::filesystem::path defaultModel();

} // namespace tests
