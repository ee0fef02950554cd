#include "ui/pages/live_events.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/observe/bookmark.h"
#include "app/plot/charts.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

constexpr double kEverySeconds = 5.0; // while a marker's span still grows

QString who(const engine::Event& event) {
    // The engine applies at a step boundary what the operator asked for.
    const bool isApplied = std::holds_alternative<engine::ConfigApplied>(event.body) &&
                           event.source == engine::EventSource::Engine;
    return app::sourceLabel(isApplied ? engine::EventSource::Operator : event.source);
}

// Tenths beside hundreds of milliseconds say nothing.
QString differenceText(double milliseconds) {
    return app::numberText(milliseconds, std::abs(milliseconds) < 100.0 ? 1 : 0);
}

void describe(EventRow& row, const app::MarkerEffect& effect) {
    row.effectName = QStringLiteral("TTFT p50 ");
    row.effect =
        QStringLiteral("%1 → %2 ms")
            .arg(app::millisecondsText(effect.beforeMs), app::millisecondsText(effect.afterMs));
    row.effectDetail =
        QStringLiteral(" [%1, %2] · n %3 / %4")
            .arg(differenceText(effect.difference.low), differenceText(effect.difference.high),
                 app::numberText(static_cast<double>(effect.nBefore)),
                 app::numberText(static_cast<double>(effect.nAfter)));
    row.verdict = effect.verdict;
}

} // namespace

std::vector<EventRow> LiveEvents::rows(const app::History& history,
                                       std::optional<std::pair<double, double>> span) const {
    std::vector<EventRow> result;
    const auto& events = history.markers();
    for (std::size_t index = events.size(); index-- > 0 && result.size() < kMostRows;) {
        const app::HistoryMarker& marker = events[index];
        if (span && (marker.seconds < span->first || marker.seconds > span->second)) {
            continue;
        }
        EventRow row{.number = marker.number,
                     .kind = app::markerKind(marker.event),
                     .seconds = marker.seconds,
                     .who = who(marker.event),
                     .what = app::eventText(marker.event)};
        row.isBookmark = app::bookmarkOf(marker.event).has_value();
        row.canUndo = std::holds_alternative<engine::ConfigApplied>(marker.event.body);
        const auto effect = m_effects.find(marker.number);
        if (!row.isBookmark && effect != m_effects.end() && effect->second.value) {
            describe(row, *effect->second.value);
        }
        result.push_back(std::move(row));
    }
    return result;
}

void LiveEvents::reset() {
    m_effects.clear();
    ++m_generation;
}

void LiveEvents::advance(const app::History& history, app::SampleFilter filter,
                         std::size_t watched) {
    if (history.start() != m_start || filter != m_filter) {
        reset();
        m_start = history.start();
        m_filter = filter;
    }
    if (m_isComputing) {
        return;
    }
    const auto& markers = history.markers();
    const double now = history.endSeconds();
    const std::size_t first = markers.size() > watched ? markers.size() - watched : 0;
    for (std::size_t index = markers.size(); index-- > first;) {
        const int number = markers[index].number;
        if (number <= 0 || app::bookmarkOf(markers[index].event)) {
            continue; // it changed nothing
        }
        while (m_effects.size() > 2 * kMostRows) { // no row shows the oldest any more
            m_effects.erase(m_effects.begin());
        }
        Effect& known = m_effects[number];
        if (known.isFinal || now - known.computedAt < kEverySeconds) {
            continue;
        }
        known.computedAt = now;
        app::MarkerSpans spans = app::markerSpans(history, index, filter);
        m_isComputing = true;
        const bool isFinal = spans.isFinal;
        app::runInBackground(
            this, [spans = std::move(spans)] { return app::markerEffect(spans); },
            [this, number, isFinal,
             generation = m_generation](std::optional<app::MarkerEffect> effect) {
                m_isComputing = false;
                if (generation == m_generation) { // else of another run or choice
                    m_effects[number].value = effect;
                    m_effects[number].isFinal = isFinal;
                }
                Q_EMIT effectChanged(); // also then: the next one is due
            });
        return;
    }
}

} // namespace ui
