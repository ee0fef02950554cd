#include "app/run_import.h"

#include "app/experiment/claims.h"
#include "app/json_depth.h"
#include "app/report/report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
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

// Documents of other commands, by keys that a run's document does not have.
struct OtherDocument {
    std::string_view key, what;
};
constexpr std::array kOthers = {
    OtherDocument{"toml", "the result of an experiment (headway experiment)"},
    OtherDocument{"claims", "the claims table (headway experiment claims)"},
    OtherDocument{"against_first", "a comparison of runs (headway compare)"},
    OtherDocument{"run_a", "a comparison of two runs (headway compare)"},
    OtherDocument{"rule_choice", "the result of a search (headway tune)"},
    OtherDocument{"rule", "an advice (headway advise)"},
    OtherDocument{"error_of_simulation", "the figures of a replay (headway replay)"},
    OtherDocument{"is_same_workload", "the figures of a simulation (headway simulate)"},
    OtherDocument{"outcomes", "the summary of a run (headway load)"},
};

// Where a run's own document failed: what the file is instead, and what to import. The requests
// and events behind such figures are only in the log, so that no run can be made of them.
std::optional<engine::Error> otherDocument(const std::filesystem::path& file,
                                           std::string_view content) {
    const auto json = parseBounded<nlohmann::json>(content);
    const bool isRun = json.contains("request_list");
    const auto kind = std::ranges::find_if(
        kOthers, [&json](const OtherDocument& other) { return json.contains(other.key); });
    if (!json.is_object() || isRun || kind == kOthers.end()) {
        return std::nullopt;
    }
    std::string runs;
    for (const char* key : {"run_id", "run_a", "run_b"}) {
        if (const auto run = json.find(key); run != json.end() && run->is_number_integer()) {
            runs += fmt::format("{}{}", runs.empty() ? "" : " or ", run->get<std::int64_t>());
        }
    }
    return engine::Error{
        engine::ErrorCode::Unsupported,
        fmt::format("{} holds {}, not a run: the requests behind it are in the run log. There, "
                    "write {} with `headway report DB RUN --json FILE` or `headway archive DB RUN "
                    "--out FILE`, and import that.",
                    file.string(), kind->what, runs.empty() ? "the run" : "run " + runs)};
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
        return std::unexpected(otherDocument(file, *content).value_or(run.error()));
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
