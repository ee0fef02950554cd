#include "tests/support/default_model.h"

#include <cstdlib>

namespace tests {

std::filesystem::path defaultModel() {
    namespace fs = std::filesystem;
    fs::path file;
    if (const char* named = std::getenv("HEADWAY_MODEL")) {
        file = named;
    } else {
        const char* data = std::getenv("XDG_DATA_HOME");
        const char* home = std::getenv("HOME");
        const fs::path folder = data != nullptr && *data != '\0'
                                    ? fs::path(data)
                                    : fs::path(home != nullptr ? home : "") / ".local/share";
        file = folder / "headway/models/SmolLM2-135M-Instruct.Q4_1.gguf";
    }
    std::error_code ignored;
    return fs::is_regular_file(file, ignored) ? file : fs::path{};
}

} // namespace tests
