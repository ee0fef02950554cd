#include "engine/output_place.h"

namespace engine {

std::filesystem::path outputPlace(const std::filesystem::path& file, std::string_view suffix) {
    std::error_code ignored;
    const auto status = std::filesystem::symlink_status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return file;
    }
    std::filesystem::path beside = file;
    beside += suffix;
    return beside;
}

} // namespace engine
