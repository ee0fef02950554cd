#include "app/observe/request_row.h"

#include "app/observe/history.h"
#include "app/plot/plot.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {

namespace {

constexpr double kMillisecond = 1e6; // ns

std::optional<double> milliseconds(std::optional<engine::Nanoseconds> time) {
    return time ? std::optional(static_cast<double>(time->count()) / kMillisecond) : std::nullopt;
}

std::optional<double> secondsAfter(engine::TimePoint start, std::optional<engine::TimePoint> time) {
    return time ? std::optional(std::chrono::duration<double>(*time - start).count())
                : std::nullopt;
}

} // namespace

RequestRow requestRow(const engine::RequestRecord& record, engine::TimePoint start) {
    RequestRow row;
    row.id = static_cast<std::uint64_t>(record.id);
    row.lane = record.lane;
    row.outcome = engine::outcome(record.reason);
    row.reason = record.reason;
    row.tags = record.tags;
    row.label = record.label;
    row.message = record.message;
    row.promptTokens = record.promptTokens;
    row.outputTokens = record.outputTokens;
    row.hitTokens = record.hitTokens;
    const engine::Stamps& stamps = record.stamps;
    row.dueSeconds = secondsAfter(start, stamps.scheduled ? stamps.scheduled : stamps.received);
    row.firstSeconds =
        secondsAfter(start, stamps.firstVisible ? stamps.firstVisible : stamps.finished);
    row.ttftMs = milliseconds(record.ttft());
    row.ttftFromReceivedMs = milliseconds(record.ttftFromReceived());
    row.ttftFromAdmittedMs = milliseconds(record.ttftFromAdmitted());
    row.tpotMs = milliseconds(record.tpot());
    row.e2eMs = milliseconds(record.e2e());
    row.blockedMs = static_cast<double>(record.blockedNs) / kMillisecond;
    row.blockedBy = static_cast<std::uint64_t>(record.blockedBy);
    const auto due = stamps.scheduled ? stamps.scheduled : stamps.received;
    for (const engine::PreemptionSpan& span : record.preemptions) {
        const auto toMs = [](auto time) {
            return std::chrono::duration<double, std::milli>(time).count();
        };
        row.preemptions.push_back(
            {.atMs = due ? toMs(span.begin - *due) : 0.0,
             .lengthMs = span.end ? std::optional(toMs(*span.end - span.begin)) : std::nullopt});
    }
    if (record.ledgerNs) {
        row.ledgerMs.emplace();
        std::ranges::transform(*record.ledgerNs, row.ledgerMs->begin(), [](std::int64_t ns) {
            return static_cast<float>(static_cast<double>(ns) / kMillisecond);
        });
    }
    return row;
}

std::vector<std::string_view> tagKeys(std::uint32_t tags) {
    constexpr std::array<std::pair<engine::SampleTag, std::string_view>, 10> kKeys = {{
        {engine::SampleTag::Cold, "cold"},
        {engine::SampleTag::IdleStart, "idle_start"},
        {engine::SampleTag::WarmUp, "warm_up"},
        {engine::SampleTag::Preempted, "preempted"},
        {engine::SampleTag::ConfigChanged, "config_changed"},
        {engine::SampleTag::Streamed, "streamed"},
        {engine::SampleTag::Mixed, "mixed"},
        {engine::SampleTag::Degraded, "degraded"},
        {engine::SampleTag::Cached, "cached"},
        {engine::SampleTag::LightModel, "light_model"},
    }};
    std::vector<std::string_view> keys;
    for (const auto& [tag, key] : kKeys) {
        if ((tags & static_cast<std::uint32_t>(tag)) != 0) {
            keys.push_back(key);
        }
    }
    if (keys.empty()) {
        keys.push_back("warm");
    }
    return keys;
}

bool isLatencySample(const RequestRow& row) {
    constexpr auto kDegraded = static_cast<std::uint32_t>(engine::SampleTag::Degraded);
    return row.ttftMs.has_value() && (row.tags & ~kDegraded) == 0 &&
           row.outcome == engine::Outcome::Completed;
}

std::vector<double> roundedParts(const std::vector<double>& parts, int decimals) {
    const double unit = std::pow(10.0, decimals);
    const double total = std::accumulate(parts.begin(), parts.end(), 0.0);
    std::vector<double> units(parts.size());
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    double given = 0.0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        units[i] = std::floor(parts[i] * unit);
        given += units[i];
    }
    // The missing units go to the parts that lost most by rounding down.
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return parts[a] * unit - units[a] > parts[b] * unit - units[b];
    });
    const double missing = std::round(total * unit) - given;
    for (std::size_t i = 0; i < order.size() && static_cast<double>(i) + 0.5 < missing; ++i) {
        units[order[i]] += 1.0;
    }
    for (double& value : units) {
        value /= unit;
    }
    return units;
}

std::optional<LedgerView> ledgerView(const RequestRow& row) {
    if (!row.ledgerMs) {
        return std::nullopt;
    }
    LedgerView view;
    std::vector<double> parts;
    double at = 0.0;
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        const auto stage = static_cast<engine::Stage>(i);
        const double length = std::max(0.0, static_cast<double>((*row.ledgerMs)[i]));
        if (stage == engine::Stage::ColdLoad && length == 0.0) {
            continue;
        }
        view.bars.push_back({.stage = stage, .beginMs = at, .lengthMs = length});
        parts.push_back(length);
        at += length;
    }
    view.totalMs = at;
    view.decimals = at >= 10'000.0 ? 0 : 1;
    const std::vector<double> shown = roundedParts(parts, view.decimals);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        view.bars[i].shownMs = shown[i];
        view.shownTotalMs += shown[i];
    }
    return view;
}

double ledgerScaleMs(const std::vector<double>& ttftMs) {
    return niceTicks(quantiles(ttftMs).p95.value_or(0.0)).bound;
}

} // namespace app
