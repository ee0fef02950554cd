#include "app/cli_database.h"

#include "app/command/command.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace app {

namespace {

std::optional<std::int64_t> runIdOf(const std::string& text) {
    std::int64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    const bool isWhole = error == std::errc{} && end == text.data() + text.size();
    return isWhole && id > 0 ? std::optional(id) : std::nullopt;
}

} // namespace

RunArguments parseRunArguments(const std::vector<std::string>& arguments) {
    RunArguments parsed{.runLog = defaultRunLog(), .runs = {}};
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        if (const auto id = runIdOf(arguments[at])) {
            parsed.runs.push_back(*id);
        } else if (at == 0) {
            parsed.runLog = arguments[at];
        } else {
            throw CommandError(
                ExitStatus::Usage,
                fmt::format("\"{}\" is no run id; ids are whole numbers from `headway runs`.",
                            arguments[at]));
        }
    }
    return parsed;
}

std::unique_ptr<RunStore> openForReading(const std::filesystem::path& runLog) {
    std::error_code ignored;
    if (!std::filesystem::exists(runLog, ignored)) {
        throw CommandError(
            ExitStatus::Failed,
            runLog == defaultRunLog()
                ? fmt::format("There is no run yet in {}; record one with: headway "
                              "load demo MODEL",
                              runLog.string())
                : fmt::format("There is no database {}; check the name.", runLog.string()));
    }
    return orFail(RunStore::open(runLog, StoreMode::ReadOnly));
}

} // namespace app
