// A run while it is recorded: what is not written yet, and how seconds and changed settings are
// made from a backend's figures. Values only, time is an argument; belongs to the recorder thread.
#pragma once

#include "app/store/recorder.h"

#include <optional>
#include <vector>

namespace app {

class RunRecording {
public:
    RunRecording(std::int64_t run, engine::TimePoint start, RecorderLimits limits);

    std::int64_t run() const { return m_run; }
    engine::TimePoint start() const { return m_start; }

    void addEvents(const std::vector<engine::Event>& events);
    // Every tick: keeps the highest values and adds a sample when a second is over.
    void addSnapshot(engine::Snapshot snapshot, engine::TimePoint now);
    // Adds a row for each field that says something else than its last row.
    void addConfig(const engine::ConfigStatus& config, engine::TimePoint now);
    // Counters of another backend begin anew.
    void forgetFigures();
    // The last part of a second.
    void close(engine::TimePoint now);

    const RunStore::Batch& pending() const { return m_pending; }
    std::size_t pendingRows() const;
    std::int64_t pendingRequests() const;
    void written(); // what was pending is in the log
    bool isIncomplete() const { return m_isIncomplete; }

private:
    void addSample(engine::TimePoint now);
    std::int64_t changedAt(const engine::FieldStatus& field, engine::TimePoint now) const;

    std::int64_t m_run;
    engine::TimePoint m_start;
    RecorderLimits m_limits;
    RunStore::Batch m_pending;
    std::size_t m_ordinaryEvents = 0;
    bool m_isIncomplete = false;

    std::optional<engine::Snapshot> m_before, m_latest; // at the last sample, at the last tick
    double m_kvSharePeak = 0, m_processBytesPeak = 0;
    double m_lastSampleSeconds = 0;
    std::vector<SettingRow> m_settings; // the last row of each field
};

} // namespace app
