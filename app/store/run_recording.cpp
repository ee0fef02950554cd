#include "app/store/run_recording.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace app {

namespace {

using engine::TimePoint;

// An engine publishes every 20 ms while it works and not at all while it is idle: figures older
// than this still hold.
constexpr std::chrono::milliseconds kFresh{100};
constexpr std::size_t kMostSamples = 86'400; // a day

bool isEssential(const engine::Event& event) {
    return std::holds_alternative<engine::RequestFinished>(event.body) ||
           std::holds_alternative<engine::ConfigApplied>(event.body);
}

double kvShare(const engine::Snapshot& snapshot) {
    return snapshot.kvBlocksTotal > 0 ? static_cast<double>(snapshot.kvBlocksUsed) /
                                            static_cast<double>(snapshot.kvBlocksTotal)
                                      : 0.0;
}

} // namespace

RunRecording::RunRecording(std::int64_t run, TimePoint start, RecorderLimits limits)
    : m_run(run),
      m_start(start),
      m_limits(limits) {}

void RunRecording::addEvents(const std::vector<engine::Event>& events) {
    for (const engine::Event& event : events) {
        if (std::holds_alternative<engine::FirstToken>(event.body)) {
            continue; // what it says is in the request's row
        }
        const bool essential = isEssential(event);
        const std::size_t essentials = m_pending.events.size() - m_ordinaryEvents;
        if (essential ? essentials >= m_limits.requests : m_ordinaryEvents >= m_limits.events) {
            m_isIncomplete = true;
            continue;
        }
        m_pending.events.push_back(event);
        m_ordinaryEvents += essential ? 0 : 1;
    }
}

void RunRecording::addSnapshot(engine::Snapshot snapshot, TimePoint now) {
    const TimePoint published{engine::Nanoseconds(snapshot.timeNs)};
    if (published < m_start || now - published > kFresh) {
        snapshot.timeNs = now.time_since_epoch().count();
    }
    m_latest = snapshot;
    if (!m_before) {
        m_before = snapshot;
    }
    m_kvSharePeak = std::max(m_kvSharePeak, kvShare(snapshot));
    m_processBytesPeak = std::max(m_processBytesPeak, static_cast<double>(snapshot.processBytes));
    const double seconds = std::chrono::duration<double>(now - m_start).count();
    if (std::floor(seconds) > std::floor(m_lastSampleSeconds)) {
        addSample(now);
    }
}

void RunRecording::addSample(TimePoint now) {
    // The window's own way from two snapshots to a sample.
    History pair;
    pair.reset(m_start);
    pair.addSnapshot(*m_before);
    pair.addSnapshot(*m_latest);
    if (pair.samples().empty()) {
        return;
    }
    SampleRow row;
    row.sample = pair.samples().back();
    row.sample.seconds = std::chrono::duration<double>(now - m_start).count();
    row.kvSharePeak = m_kvSharePeak;
    row.processBytesPeak = m_processBytesPeak;
    for (const engine::Metric& metric : engine::metricTable()) {
        const double value = metric.get(*m_latest);
        row.metrics.push_back(std::isfinite(value) ? std::optional(value) : std::nullopt);
    }
    m_lastSampleSeconds = row.sample.seconds;
    m_before = m_latest;
    m_kvSharePeak = m_processBytesPeak = 0;
    if (m_pending.samples.size() >= kMostSamples) {
        m_isIncomplete = true;
        return;
    }
    m_pending.samples.push_back(std::move(row));
}

// The step boundary where a field took its value, if its event is among the ones not written yet.
std::int64_t RunRecording::changedAt(const engine::FieldStatus& field, TimePoint now) const {
    TimePoint time = now;
    for (const engine::Event& event : m_pending.events) {
        if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body)) {
            const bool isThis =
                std::ranges::any_of(applied->changes, [&field](const engine::FieldChange& change) {
                    return change.key == field.key && change.after == field.effective;
                });
            time = isThis ? event.time : time;
        }
    }
    return (time - m_start).count();
}

void RunRecording::addConfig(const engine::ConfigStatus& config, TimePoint now) {
    const bool isFirst = m_settings.empty();
    for (SettingRow& row : settingRows(config, 0)) {
        const auto last = std::ranges::find(m_settings, row.field, &SettingRow::field);
        const bool isSame = last != m_settings.end() && last->requested == row.requested &&
                            last->effective == row.effective && last->state == row.state &&
                            last->reason == row.reason;
        if (isSame) {
            continue;
        }
        const auto field = std::ranges::find(config.fields, std::string_view(row.field),
                                             &engine::FieldStatus::key);
        row.timeNs = changedAt(*field, now);
        if (last == m_settings.end()) {
            m_settings.push_back(row);
        } else {
            *last = row;
        }
        if (!isFirst) { // the first state is written with the run
            m_pending.settings.push_back(row);
        }
    }
}

void RunRecording::forgetFigures() {
    m_before.reset();
    m_latest.reset();
}

void RunRecording::close(TimePoint now) {
    constexpr double kLeast = 0.2; // s: rates of less say nothing
    const double seconds = std::chrono::duration<double>(now - m_start).count();
    if (m_before && m_latest && seconds - m_lastSampleSeconds >= kLeast) {
        addSample(now);
    }
}

std::size_t RunRecording::pendingRows() const {
    return m_pending.events.size() + m_pending.samples.size() + m_pending.settings.size();
}

std::int64_t RunRecording::pendingRequests() const {
    return std::ranges::count_if(m_pending.events, [](const engine::Event& event) {
        return std::holds_alternative<engine::RequestFinished>(event.body);
    });
}

void RunRecording::written() {
    m_pending = {};
    m_ordinaryEvents = 0;
}

} // namespace app
