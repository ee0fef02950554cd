#include "app/run_import.h"

#include "app/experiment/claims.h"
#include "app/report/report.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

namespace app {

namespace {

engine::Result<std::string> contentOf(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Io, fmt::format("{} can't be read.", file.string())});
    }
    return content.str();
}

} // namespace

engine::Result<std::vector<std::int64_t>> importFile(RunStore& log,
                                                     const std::filesystem::path& file) {
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound,
                          fmt::format("There is no file {}; check the name.", file.string())});
    }
    if (file.extension() != ".json") {
        return log.importRuns(file);
    }
    const auto content = contentOf(file);
    if (!content) {
        return std::unexpected(content.error());
    }
    const auto run = parseRunJson(*content);
    if (!run) {
        return std::unexpected(run.error());
    }
    if (run->experiment) { // one that nobody can read is not taken in
        if (const auto readable = resultOf(*run->experiment); !readable) {
            return std::unexpected(
                engine::Error{readable.error().code,
                              fmt::format("{} was not imported, its experiment can't be read: {}",
                                          file.string(), readable.error().message)});
        }
    }
    const auto id = log.importRun(*run);
    return id ? engine::Result<std::vector<std::int64_t>>(std::vector{*id})
              : std::unexpected(id.error());
}

} // namespace app
