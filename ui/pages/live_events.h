// The event strip's rows: markers of the history in words, with what followed them. Effects are
// computed off the UI thread, one at a time, and kept. UI thread.
#pragma once

#include "app/observe/marker_effect.h"
#include "ui/widgets/event_strip.h"

#include <QElapsedTimer>
#include <QObject>

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ui {

class LiveEvents final : public QObject {
    Q_OBJECT

public:
    explicit LiveEvents(QObject* parent) : QObject(parent) {}

    // Rows of the newest markers, or of those in a span; newest first. The Log page has all.
    static constexpr std::size_t kMostRows = 500;
    std::vector<EventRow> rows(const app::History& history,
                               std::optional<std::pair<double, double>> span) const;
    // Starts the next due effect, if any. Cheap; call a few times a second.
    // `watched`: of so many newest markers.
    void advance(const app::History& history, app::SampleFilter filter,
                 std::size_t watched = kWatched);
    static constexpr std::size_t kWatched = 50; // while a run goes on
    void reset();                               // another history follows

Q_SIGNALS:
    void effectChanged();

private:
    struct Effect {
        std::optional<app::MarkerEffect> value;
        bool isFinal = false;
        double computedAt = -1e9; // seconds of the history
    };

    engine::TimePoint m_start{}; // of the history that the effects belong to
    app::SampleFilter m_filter = app::SampleFilter::Warm;
    std::map<int, Effect> m_effects; // by marker number
    bool m_isComputing = false;
    int m_generation = 0; // of the effects; what was begun for an older one is dropped
};

} // namespace ui
