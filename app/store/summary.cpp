#include "app/store/summary.h"

#include "app/load/workload.h"

#include <algorithm>

namespace app {

namespace {

double seconds(engine::TimePoint time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// Arrivals per second: n - 1 gaps over the span that they fill.
std::optional<double> arrivalRate(const std::vector<double>& times) {
    if (times.size() < 2) {
        return std::nullopt;
    }
    const auto [first, last] = std::ranges::minmax(times);
    return last > first ? std::optional(static_cast<double>(times.size() - 1) / (last - first))
                        : std::nullopt;
}

// A closed loop wants no rate: its users wait for answers.
bool isClosedLoop(const RunInfo& info) {
    if (info.workloadToml.empty()) {
        return false;
    }
    const auto workload = parseWorkload(info.workloadToml, info.workloadName);
    return workload && std::ranges::any_of(workload->stages, [](const Stage& stage) {
               return stage.kind == ArrivalKind::Closed;
           });
}

} // namespace

std::vector<SettingRow> lastOfEachField(const std::vector<SettingRow>& rows) {
    std::vector<SettingRow> last;
    for (const SettingRow& row : rows) {
        const auto place = std::ranges::find(last, row.field, &SettingRow::field);
        if (place == last.end()) {
            last.push_back(row);
        } else {
            *place = row;
        }
    }
    return last;
}

bool isWarm(std::uint32_t tags) {
    constexpr auto kNotWarm = static_cast<std::uint32_t>(engine::SampleTag::Cold) |
                              static_cast<std::uint32_t>(engine::SampleTag::IdleStart) |
                              static_cast<std::uint32_t>(engine::SampleTag::WarmUp) |
                              static_cast<std::uint32_t>(engine::SampleTag::Mixed) |
                              engine::kNotComputed;
    return (tags & kNotWarm) == 0;
}

double milliseconds(engine::Nanoseconds span) {
    return std::chrono::duration<double, std::milli>(span).count();
}

std::optional<double> milliseconds(const std::optional<engine::Nanoseconds>& span) {
    return span ? std::optional(milliseconds(*span)) : std::nullopt;
}

std::optional<engine::TimePoint> promptComputed(const engine::Stamps& stamps) {
    return stamps.prefillDone ? stamps.prefillDone : stamps.firstVisible;
}

bool isGood(const engine::RequestRecord& record, const RunInfo& info) {
    const auto ttft = milliseconds(record.ttft());
    const auto tpot = milliseconds(record.tpot());
    return engine::outcome(record.reason) == engine::Outcome::Completed &&
           (record.tags & engine::kNotComputed) == 0 && ttft && *ttft <= info.sloTtftMs &&
           (!tpot || *tpot <= info.sloTpotMs);
}

bool haveSameLimits(const RunInfo& a, const RunInfo& b) {
    return a.sloTtftMs == b.sloTtftMs && a.sloTpotMs == b.sloTpotMs;
}

bool isLimit(double milliseconds) {
    return milliseconds < kNoLimitMs / 10;
}

void SummaryBuilder::Gaps::add(double gap) {
    const bool isFirst = m_exact.empty() && !m_buckets;
    m_least = isFirst ? gap : std::min(m_least, gap);
    m_greatest = isFirst ? gap : std::max(m_greatest, gap);
    if (m_buckets) {
        m_buckets->add(gap);
        return;
    }
    m_exact.push_back(gap);
    if (m_exact.size() > kExact) {
        m_buckets.emplace();
        for (const double known : m_exact) {
            m_buckets->add(known);
        }
        m_exact = {};
    }
}

Quantiles SummaryBuilder::Gaps::finish() {
    if (!m_buckets) {
        return quantiles(std::move(m_exact));
    }
    const auto at = [this](double q) {
        return std::clamp(m_buckets->quantile(q).value_or(m_least), m_least, m_greatest);
    };
    return {.p50 = at(0.50),
            .p90 = at(0.90),
            .p95 = at(0.95),
            .p99 = at(0.99),
            .minimum = m_least,
            .maximum = m_greatest,
            .n = m_buckets->count()};
}

SummaryBuilder::SummaryBuilder(RunInfo info) {
    m_summary.run = std::move(info);
}

bool SummaryBuilder::isInRun(engine::TimePoint time) const {
    const double at = seconds(time);
    return at >= 0 && at <= m_summary.run.seconds;
}

void SummaryBuilder::add(const engine::RequestRecord& record) {
    ++m_summary.requests;
    switch (engine::outcome(record.reason)) {
    case engine::Outcome::Completed:
        ++m_summary.completed;
        addLatency(record);
        break;
    case engine::Outcome::Cancelled:
        ++m_summary.cancelled;
        break;
    case engine::Outcome::Failed:
        ++m_summary.failed;
        break;
    case engine::Outcome::Rejected:
        ++m_summary.rejected;
        break;
    }
    addRates(record);
    addArrival(record);
}

void SummaryBuilder::addLatency(const engine::RequestRecord& record) {
    if (!isWarm(record.tags)) {
        return;
    }
    const auto push = [](std::vector<double>& values, const std::optional<double>& value) {
        if (value) {
            values.push_back(*value);
        }
    };
    push(m_ttft, milliseconds(record.ttft()));
    if (record.stamps.prefillDone) { // an attached server doesn't tell
        m_hits.add(record.hitTokens, record.promptTokens);
    }
    push(m_tpot, milliseconds(record.tpot()));
    push(m_e2e, milliseconds(record.e2e()));
    for (std::size_t i = 1; i < record.steps.size(); ++i) {
        m_itl.add(milliseconds(record.steps[i].time - record.steps[i - 1].time));
    }
}

void SummaryBuilder::addRates(const engine::RequestRecord& record) {
    for (const engine::TokenStep& step : record.steps) {
        if (isInRun(step.time)) {
            m_outputTokens += step.tokens;
        }
    }
    const engine::Stamps& stamps = record.stamps;
    const auto computed = promptComputed(stamps);
    if (computed && isInRun(*computed)) {
        m_promptTokens += static_cast<double>(record.promptTokens - record.hitTokens);
    }
    const bool isCompleted = engine::outcome(record.reason) == engine::Outcome::Completed;
    if (isCompleted && stamps.finished && isInRun(*stamps.finished)) {
        m_finished += 1;
        m_good += isGood(record, m_summary.run) ? 1 : 0;
    }
}

void SummaryBuilder::addArrival(const engine::RequestRecord& record) {
    const engine::Stamps& stamps = record.stamps;
    if (stamps.scheduled && stamps.received) {
        m_scheduled.push_back(seconds(*stamps.scheduled));
        m_received.push_back(seconds(*stamps.received));
        m_lag.push_back(milliseconds(*stamps.received - *stamps.scheduled));
    } else if (stamps.received) {
        m_unscheduled.push_back(seconds(*stamps.received));
    }
}

RunSummary SummaryBuilder::finish(const std::vector<SettingRow>& settings) {
    RunSummary& summary = m_summary;
    summary.ttftMs = quantiles(std::move(m_ttft));
    summary.tpotMs = quantiles(std::move(m_tpot));
    summary.e2eMs = quantiles(std::move(m_e2e));
    summary.itlMs = m_itl.finish();
    summary.hitShare = m_hits.share();
    if (summary.run.seconds > 0) {
        summary.outputPerSecond = m_outputTokens / summary.run.seconds;
        summary.promptPerSecond = m_promptTokens / summary.run.seconds;
        summary.requestsPerSecond = m_finished / summary.run.seconds;
        summary.goodputPerSecond = m_good / summary.run.seconds;
    }
    if (!isClosedLoop(summary.run)) {
        summary.wantedRate = arrivalRate(m_scheduled);
    }
    summary.achievedRate = arrivalRate(m_received.empty() ? m_unscheduled : m_received);
    const Quantiles lag = quantiles(std::move(m_lag));
    summary.lagP50Ms = lag.p50;
    summary.lagP99Ms = lag.p99;
    summary.settings = lastOfEachField(settings);
    return std::move(m_summary);
}

} // namespace app
