// What tokenize-bench encodes: texts of one's own, or three that are built in. Main thread.
#pragma once

#include <string>
#include <vector>

namespace app {

struct BenchText {
    std::string name;
    std::string text; // valid UTF-8
};

// The *.txt files of a folder by name, or the built-in texts where it is empty. CommandError where
// there is none.
std::vector<BenchText> benchTexts(const std::string& folder);

} // namespace app
