#include "app/compare/run_slice.h"

#include "app/observe/alarms.h"
#include "app/observe/bookmark.h"
#include "app/plot/plot.h"
#include "app/store/event_json.h"
#include "app/store/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

constexpr double kSettleSeconds = 2.0; // as for the effect of a marker
constexpr double kLeastSide = 1.0;

using engine::Nanoseconds;
using engine::RequestRecord;
using engine::TimePoint;

TimePoint timeOf(double seconds) {
    return TimePoint{} +
           std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(seconds));
}

std::optional<TimePoint> arrivalOf(const RequestRecord& record) {
    return record.stamps.scheduled ? record.stamps.scheduled : record.stamps.received;
}

std::optional<TimePoint> endOf(const RequestRecord& record) {
    return record.stamps.finished ? record.stamps.finished : record.stamps.lastToken;
}

void shift(RequestRecord& record, Nanoseconds by) {
    engine::Stamps& stamps = record.stamps;
    for (auto* stamp : {&stamps.scheduled, &stamps.received, &stamps.tokenized, &stamps.admitted,
                        &stamps.planned, &stamps.kvReady, &stamps.prefillDone, &stamps.firstSampled,
                        &stamps.firstVisible, &stamps.lastToken, &stamps.finished}) {
        if (*stamp) {
            **stamp -= by;
        }
    }
    if (record.deadline) {
        *record.deadline -= by;
    }
    for (engine::TokenStep& step : record.steps) {
        step.time -= by;
    }
    for (engine::PreemptionSpan& span : record.preemptions) {
        span.begin -= by;
        if (span.end) {
            *span.end -= by;
        }
    }
}

// One that reaches over an edge: what it computed within counts, its latencies say nothing here.
void markCarried(RequestRecord& record, bool arrivedBefore) {
    record.tags |= static_cast<std::uint32_t>(engine::SampleTag::WarmUp);
    if (arrivedBefore) { // no arrival of this part; TTFT, for goodput, stays what it was
        record.stamps.scheduled = arrivalOf(record);
        record.stamps.received.reset();
    }
}

void sliceRequests(RunData& part, const RunData& run, TimePoint from, TimePoint to, bool isLast) {
    for (const StoredRequest& request : run.requests) {
        const auto arrival = arrivalOf(request.record);
        const auto end = endOf(request.record);
        const bool arrivedBefore = arrival && *arrival < from;
        const bool endsAfter = end && *end > to;
        if ((end && *end < from) || (arrival && *arrival > to)) {
            continue;
        }
        StoredRequest& copy = part.requests.emplace_back(request);
        shift(copy.record, from.time_since_epoch());
        // What ends after the run has no later part to belong to.
        if (arrivedBefore || (endsAfter && !isLast)) {
            markCarried(copy.record, arrivedBefore);
        }
    }
}

void sliceEvents(RunData& part, const RunData& run, double from, double to) {
    const auto shiftNs = static_cast<std::int64_t>(std::llround(from * 1e9));
    for (const StoredEvent& event : run.events) {
        StoredEvent copy = event;
        double seconds = static_cast<double>(event.timeNs) / 1e9;
        if (event.kind == kBookmark) {
            engine::Event decoded = eventOf(event);
            if (auto bookmark = bookmarkOf(decoded)) {
                seconds = bookmark->seconds;
                bookmark->seconds = std::max(0.0, seconds - from);
                decoded.body = bookmarkNotice(*bookmark);
                copy.payloadJson = eventRow(decoded).payloadJson;
            }
        }
        if (seconds >= from && seconds <= to) {
            copy.timeNs -= shiftNs;
            part.events.push_back(std::move(copy));
        }
    }
    for (const SettingRow& row : run.settings) {
        if (static_cast<double>(row.timeNs) / 1e9 < to || row.timeNs == 0) {
            part.settings.push_back(row);
            part.settings.back().timeNs = std::max<std::int64_t>(0, row.timeNs - shiftNs);
        }
    }
}

// Each request ends in one part, so that the counts of the parts add up.
void countEnds(RunSummary& summary, const std::vector<StoredRequest>& requests) {
    summary.requests = summary.completed = summary.cancelled = summary.failed = summary.rejected =
        0;
    const TimePoint length = timeOf(summary.run.seconds);
    for (const StoredRequest& request : requests) {
        const auto end = endOf(request.record);
        if (!end || *end < TimePoint{} || *end > length) {
            continue;
        }
        ++summary.requests;
        switch (engine::outcome(request.record.reason)) {
        case engine::Outcome::Completed:
            ++summary.completed;
            break;
        case engine::Outcome::Cancelled:
            ++summary.cancelled;
            break;
        case engine::Outcome::Failed:
            ++summary.failed;
            break;
        case engine::Outcome::Rejected:
            ++summary.rejected;
            break;
        }
    }
}

bool isChange(const engine::Event& event) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    return std::holds_alternative<engine::ConfigApplied>(event.body) ||
           (notice != nullptr &&
            (notice->kind == "stage" || notice->kind == "degradation_changed"));
}

// Of those that the run has; the cut itself is none, nor what came with it at the same moment.
std::int64_t otherChanges(const RunData& run, const SplitFacts& facts) {
    constexpr double kSameMoment = 0.5;
    return std::ranges::count_if(run.history.markers(), [&](const HistoryMarker& marker) {
        const bool isInside = marker.seconds > facts.from + kSameMoment &&
                              marker.seconds < facts.to &&
                              std::abs(marker.seconds - facts.at) > kSameMoment;
        return isInside && isChange(marker.event);
    });
}

// One that is still being recorded has no length yet: as far as it came.
double lengthOf(const RunData& run) {
    const double known = run.summary.run.seconds;
    return known > 0.0 ? known : run.history.endSeconds();
}

} // namespace

RunData sliceRun(const RunData& run, double from, double to) {
    const double end = std::max(lengthOf(run), run.history.endSeconds());
    from = std::clamp(from, 0.0, end);
    to = std::clamp(to, from, end);
    RunData part;
    part.hasMinutes = run.hasMinutes;
    sliceRequests(part, run, timeOf(from), timeOf(to), to >= lengthOf(run));
    for (const SampleRow& row : run.samples) {
        if (row.sample.seconds > from && row.sample.seconds <= to) {
            part.samples.push_back(row);
            part.samples.back().sample.seconds -= from;
        }
    }
    sliceEvents(part, run, from, to);
    RunInfo info = run.summary.run;
    info.seconds = to - from;
    info.name +=
        fmt::format(" · {} – {}", runTimeText(from).toStdString(), runTimeText(to).toStdString());
    SummaryBuilder builder(std::move(info));
    for (const StoredRequest& request : part.requests) {
        builder.add(request.record);
    }
    part.summary = builder.finish(part.settings);
    countEnds(part.summary, part.requests);
    part.summary.alarms = std::ranges::count(part.events, kAlarmRaised, &StoredEvent::kind);
    part.digest = run.digest;
    fillHistory(part);
    return part;
}

engine::Result<RunSplit> splitRun(const RunData& run, double at,
                                  std::optional<std::pair<double, double>> span) {
    const double end = lengthOf(run);
    RunSplit split;
    SplitFacts& facts = split.facts;
    facts.from = span ? std::clamp(span->first, 0.0, end) : 0.0;
    facts.to = span ? std::clamp(span->second, 0.0, end) : end;
    facts.at = at;
    facts.settleSeconds = kSettleSeconds;
    if (!std::isfinite(at) || at - facts.from < kLeastSide ||
        facts.to - at - kSettleSeconds < kLeastSide) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("At {} there is too little of run {} on one side: {} s before, {} s from "
                        "{} s after it. Choose a place further inside.",
                        runTimeText(std::isfinite(at) ? at : 0.0).toStdString(), run.summary.run.id,
                        std::llround(std::max(0.0, at - facts.from)),
                        std::llround(std::max(0.0, facts.to - at - kSettleSeconds)),
                        std::llround(kSettleSeconds))});
    }
    split.before = sliceRun(run, facts.from, at);
    split.after = sliceRun(run, at + kSettleSeconds, facts.to);
    // Of one list, but of other places in it: nothing pairs up second by second.
    split.before.summary.run.requestDigest.clear();
    split.after.summary.run.requestDigest.clear();
    const TimePoint cut = timeOf(at), settled = timeOf(at + kSettleSeconds);
    facts.inFlight = std::ranges::count_if(run.requests, [&](const StoredRequest& request) {
        const auto arrival = arrivalOf(request.record), ended = endOf(request.record);
        return arrival && ended && *arrival<settled&& * ended> cut;
    });
    facts.otherChanges = otherChanges(run, facts);
    return split;
}

Comparison compareSides(const RunSplit& split) {
    Comparison comparison = compareRuns(split.before, split.after);
    std::erase(comparison.cautions, "request_list_differs");
    std::ranges::replace(comparison.cautions, std::string("sequential"), std::string("split"));
    if (split.facts.inFlight > 0) {
        comparison.cautions.emplace_back("split_in_flight");
    }
    if (split.facts.otherChanges > 0) {
        comparison.cautions.emplace_back("split_changes");
    }
    return comparison;
}

} // namespace app
