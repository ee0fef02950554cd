#include "app/cli_database.h"

#include "app/command/command.h"
#include "app/observe/default_model.h"
#include "app/remote/remote_address.h"

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

std::filesystem::path modelToOpen(const std::string& named, const std::string& command) {
    if (isRemoteAddress(named)) {
        return named;
    }
    if (!named.empty()) {
        std::error_code ignored;
        if (!std::filesystem::exists(named, ignored)) {
            throw CommandError(ExitStatus::Failed,
                               fmt::format("There is no model file {}; check the name.", named));
        }
        return named;
    }
    const DefaultModel standard = findDefaultModel(modelsFolder());
    if (standard.presence != ModelPresence::Present) {
        throw CommandError(ExitStatus::Usage,
                           fmt::format("Name a model file: {}. The default model is not at {}; "
                                       "packaging/model fetches it.",
                                       command, standard.file.string()));
    }
    return standard.file;
}

RunData loadProfileRun(const std::string& text) {
    const auto colon = text.rfind(':');
    std::vector<std::string> words;
    if (colon != std::string::npos) {
        words.push_back(text.substr(0, colon));
    }
    words.push_back(colon == std::string::npos ? text : text.substr(colon + 1));
    const RunArguments arguments = parseRunArguments(words);
    if (arguments.runs.size() != 1) {
        throw CommandError(ExitStatus::Usage,
                           "Name the run whose costs are used: --profile DB:RUN, or --profile RUN "
                           "of your own run log.");
    }
    return orFail(openForReading(arguments.runLog)->load(arguments.runs.front()));
}

std::unique_ptr<RunStore> usableRunLog(const std::string& named) {
    const std::filesystem::path wanted =
        named.empty() ? defaultRunLog() : std::filesystem::path(named);
    auto store = RunStore::open(wanted, StoreMode::Write);
    if (store) {
        for (const std::int64_t run : (*store)->interruptedAtOpen()) {
            printNote(fmt::format("Run {} in {} was interrupted; what was recorded of it is kept.",
                                  run, wanted.string()));
        }
        return std::move(*store);
    }
    if (store.error().code != engine::ErrorCode::Busy) {
        throw CommandError(ExitStatus::Failed, store.error().message);
    }
    auto spare = orFail(openSpareRunLog(wanted));
    printNote(fmt::format("{} Recording into {} instead.", store.error().message,
                          spare->file().string()));
    return spare;
}

} // namespace app
