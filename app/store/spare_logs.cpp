#include "app/store/spare_logs.h"

#include "app/store/run_store.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>

namespace app {

namespace {

// The number of "runs-2.db" beside "runs.db"; 0 for other files.
int numberOf(const std::filesystem::path& file, const std::filesystem::path& log) {
    const std::string stem = file.stem().string();
    const std::string begin = log.stem().string() + "-";
    if (file.extension() != log.extension() || !stem.starts_with(begin)) {
        return 0;
    }
    int number = 0;
    const char* end = stem.data() + stem.size();
    const auto [at, error] = std::from_chars(stem.data() + begin.size(), end, number);
    return error == std::errc{} && at == end ? number : 0;
}

std::vector<RunSummary> runsOf(const std::filesystem::path& log) {
    std::error_code ignored;
    if (!std::filesystem::exists(log, ignored)) {
        return {};
    }
    auto store = RunStore::open(log, StoreMode::ReadOnly);
    auto runs = store ? (*store)->runs() : engine::Result<std::vector<RunSummary>>{};
    return runs ? std::move(*runs) : std::vector<RunSummary>{};
}

} // namespace

std::vector<SpareLog> spareLogs(const std::filesystem::path& log) {
    std::map<int, std::filesystem::path> found;
    std::error_code error;
    for (std::filesystem::directory_iterator at(log.parent_path(), error), end; !error && at != end;
         at.increment(error)) {
        if (const int number = numberOf(at->path(), log); number > 0) {
            found.emplace(number, at->path());
        }
    }
    if (found.empty()) {
        return {};
    }
    std::set<std::string> known;
    for (const RunSummary& run : runsOf(log)) {
        known.insert(run.run.uuid);
    }
    std::vector<SpareLog> spares;
    for (const auto& [number, file] : found) {
        const std::vector<RunSummary> runs = runsOf(file);
        const bool isWritten = std::ranges::any_of(
            runs, [](const RunSummary& run) { return run.run.state == RunState::Recording; });
        const auto missing = std::ranges::count_if(
            runs, [&known](const RunSummary& run) { return !known.contains(run.run.uuid); });
        if (!isWritten && missing > 0) {
            spares.push_back({.file = file, .missing = static_cast<int>(missing)});
        }
    }
    return spares;
}

} // namespace app
