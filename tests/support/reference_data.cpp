#include "tests/support/reference_data.h"

namespace tests {

std::filesystem::path referenceData() {
    const char* variable = std::getenv("HEADWAY_REFERENCE_DATA");
    const std::filesystem::path folder =
        variable != nullptr
            ? std::filesystem::path(variable)
            : std::filesystem::path(HEADWAY_SOURCE_DIR).parent_path() / "shared/reference/data";
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored) ? folder : std::filesystem::path{};
}

} // namespace tests
