#include "app/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace app {

namespace {

// In the order of time; warm-up is not part of what was asked.
std::vector<PlannedRequest> recordedRequests(const RunData& run, const PromptLibrary& library) {
    const auto sets = library.sets();
    std::vector<PlannedRequest> planned;
    for (const StoredRequest& stored : run.requests) {
        const engine::RequestRecord& record = stored.record;
        const auto due = record.stamps.scheduled ? record.stamps.scheduled : record.stamps.received;
        const bool isWarmUp =
            (record.tags & static_cast<std::uint32_t>(engine::SampleTag::WarmUp)) != 0;
        if (!due || isWarmUp || record.promptTokens < 1 || record.maxTokens < 1) {
            continue;
        }
        const bool isKnown = std::ranges::find(sets, record.label) != sets.end();
        planned.push_back({.atSeconds = std::max(
                               0.0, std::chrono::duration<double>(due->time_since_epoch()).count()),
                           .stage = 0,
                           .promptSet = isKnown ? record.label : sets.front(),
                           .promptTokens = static_cast<int>(record.promptTokens),
                           .draw = static_cast<std::uint64_t>(stored.n),
                           .maxTokens = static_cast<int>(record.maxTokens),
                           .lane = record.lane,
                           .seed = static_cast<std::uint64_t>(stored.n)});
    }
    std::ranges::stable_sort(planned, {}, &PlannedRequest::atSeconds);
    return planned;
}

using Value = std::optional<double>;
struct Figure {
    std::string_view key, name;
    Value (*of)(const RunSummary& summary);
};
constexpr std::array kFigures = {
    Figure{"requests", "requests", [](const RunSummary& s) { return Value(double(s.requests)); }},
    Figure{"completed", "completed",
           [](const RunSummary& s) { return Value(double(s.completed)); }},
    Figure{"output_tokens_per_s", "output tok/s",
           [](const RunSummary& s) { return s.outputPerSecond; }},
    Figure{"requests_per_s", "requests/s", [](const RunSummary& s) { return s.requestsPerSecond; }},
    Figure{"goodput_per_s", "goodput/s", [](const RunSummary& s) { return s.goodputPerSecond; }},
    Figure{"ttft_p50_ms", "TTFT p50 ms", [](const RunSummary& s) { return s.ttftMs.p50; }},
    Figure{"ttft_p90_ms", "TTFT p90 ms", [](const RunSummary& s) { return s.ttftMs.p90; }},
    Figure{"ttft_p99_ms", "TTFT p99 ms", [](const RunSummary& s) { return s.ttftMs.p99; }},
    Figure{"tpot_p50_ms", "TPOT p50 ms", [](const RunSummary& s) { return s.tpotMs.p50; }},
    Figure{"e2e_p50_ms", "E2EL p50 ms", [](const RunSummary& s) { return s.e2eMs.p50; }},
};

} // namespace

engine::Result<Replay> replayOf(const RunData& run) {
    const auto library = PromptLibrary::fromResources();
    if (!library) {
        return std::unexpected(library.error());
    }
    const RunInfo& info = run.summary.run;
    Replay replay;
    replay.origin = fmt::format("run {}", info.id);
    if (auto workload = parseWorkload(info.workloadToml, info.workloadName)) {
        replay.requests = planRequests(*workload);
        replay.isOwnList = requestListDigest(replay.requests, *library) == info.requestDigest;
        replay.workload = std::move(*workload);
    }
    if (!replay.isOwnList) {
        replay.requests = recordedRequests(run, *library);
        if (replay.requests.empty()) {
            return std::unexpected(engine::Error{
                engine::ErrorCode::Invalid,
                fmt::format("Run {} holds no request that could be sent again.", info.id)});
        }
        Trace list;
        list.requests = replay.requests;
        replay.workload = traceWorkload(list, replay.origin);
    }
    replay.workload.settings.clear();
    return replay;
}

Replay replayOf(const Trace& trace, const std::string& traceName) {
    return {.workload = traceWorkload(trace, traceName),
            .requests = trace.requests,
            .isOwnList = false,
            .origin = fmt::format("{} trace", name(trace.kind)),
            .skipped = trace.skipped};
}

engine::Result<Replay> loadReplay(const std::filesystem::path& trace) {
    const auto read = loadTrace(trace.string());
    if (!read) {
        return std::unexpected(read.error());
    }
    return replayOf(*read, trace.stem().string());
}

bool isTraceFile(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    return ending == ".csv" || ending == ".jsonl";
}

Replay shortened(Replay replay, double seconds) {
    std::erase_if(replay.requests,
                  [seconds](const PlannedRequest& request) { return request.atSeconds > seconds; });
    replay.workload = withDuration(std::move(replay.workload), seconds);
    return replay;
}

std::vector<ReplayRow> replayRows(const std::optional<RunSummary>& recorded,
                                  const std::optional<RunSummary>& simulated,
                                  const std::optional<RunSummary>& real) {
    std::vector<ReplayRow> rows;
    for (const Figure& figure : kFigures) {
        const auto of = [&figure](const std::optional<RunSummary>& summary) {
            return summary ? figure.of(*summary) : std::nullopt;
        };
        ReplayRow row{.key = figure.key,
                      .name = figure.name,
                      .recorded = of(recorded),
                      .simulated = of(simulated),
                      .real = of(real),
                      .error = {}};
        if (row.simulated && row.real && *row.real > 0) {
            row.error = *row.simulated / *row.real - 1;
        }
        rows.push_back(row);
    }
    return rows;
}

} // namespace app
