// What the live page feeds, and how often: charts in turn, then tiles and events. See live_page.h.
#include "app/labels.h"
#include "app/session.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/pages/live_events.h"
#include "ui/pages/live_page.h"
#include "ui/pages/live_tiles.h"
#include "ui/widgets/event_strip.h"

#include <QPushButton>
#include <QThread>
#include <QTimer>

#include <algorithm>

namespace ui {

namespace {

constexpr qint64 kCycleMs = 100;
constexpr qint64 kBusyCycleMs = 250;   // where the engine takes every core
constexpr qint64 kStillCycleMs = 1000; // of a view that does not follow
constexpr qint64 kTilesMs = 250;
constexpr qint64 kJitterMs = 15; // of the pump's timer

} // namespace

bool LivePage::takesEveryCore() const {
    return m_session.snapshot().threads >= QThread::idealThreadCount() &&
           m_session.snapshot().running > 0;
}

std::vector<LivePage::Slot> LivePage::seen() const {
    std::vector<Slot> slots;
    if (m_isShown && !window()->isMinimized()) {
        slots = m_charts;
    }
    for (const Window& each : m_windows) {
        if (each.window->isSeen()) {
            slots.push_back(each.slot);
        }
    }
    return slots;
}

void LivePage::tick() {
    if (seen().empty()) {
        return;
    }
    m_group->setEnd(m_session.history().endSeconds());
    const qint64 interval = takesEveryCore() ? kBusyCycleMs : kCycleMs;
    const bool isMoving = m_group->view().isFollowing() || m_isViewNew;
    const qint64 wait = isMoving ? std::max(interval, movedMs()) : kStillCycleMs;
    if (!m_cycleClock.isValid() || m_cycleClock.elapsed() >= wait - kJitterMs) {
        beginCycle();
    } else if (!m_feedTimer->isActive()) {
        feedNumbers();
    }
}

// How long the view needs to move by a pixel: a chart drawn anew before that is the same picture.
// By three where drawing takes its time from the engine. A new marker doesn't wait.
qint64 LivePage::movedMs() const {
    if (m_session.history().markers().size() != m_cycleMarkers) {
        return 0;
    }
    int widest = 1;
    for (const Slot& slot : seen()) {
        widest = std::max(widest, slot.view->plotWidth());
    }
    const double span = m_group->view().to() - m_group->view().from();
    const double pixels = takesEveryCore() ? 3.0 : 1.0;
    return static_cast<qint64>(std::min(1000.0 * pixels * span / widest, double{kStillCycleMs}));
}

// As they are set now, also over what was measured before.
app::ChartLimits LivePage::limits() const {
    const engine::EngineConfig config =
        m_session.hasModel() ? m_session.config().effective : engine::EngineConfig{};
    app::ChartLimits limits = app::limitsOf(config, m_session.serviceTtftMs());
    limits.memoryPercent = m_session.alarms().limit("memory");
    limits.busyTo = m_session.alarms().limit("device_busy");
    return limits;
}

void LivePage::beginCycle() {
    const std::size_t count = seen().size();
    if (count == 0) {
        return;
    }
    const bool isRunning = m_feedTimer->isActive();
    if (isRunning && !m_isViewNew) {
        return; // where the machine is slow a cycle may take longer than a tick
    }
    m_cycleClock.start();
    m_cycleMarkers = m_session.history().markers().size();
    m_isViewNew = false;
    m_cycleRange = {.from = m_group->view().from(),
                    .to = m_group->view().to(),
                    .filter = m_filter,
                    .edge = m_edge,
                    .limits = limits()};
    // The turn goes on round the charts, so that a view that moves often starves none.
    m_remaining = count;
    if (!isRunning) {
        feedNext();
        m_feedTimer->start();
    }
}

void LivePage::feedNext() {
    const std::vector<Slot> slots = seen();
    if (m_remaining > 0 && !slots.empty()) {
        --m_remaining;
        m_next = (m_next + 1) % slots.size();
        const Slot& slot = slots[m_next];
        m_cycleRange.maxPoints = slot.view->plotWidth();
        app::Plot plot = slot.row->make(m_session.history(), m_cycleRange);
        if (m_next == 0) {
            feedMarkers();
        }
        slot.view->setPlot(std::move(plot));
        return;
    }
    m_feedTimer->stop();
    feedNumbers();
}

// At most four times a second; in a turn of their own.
void LivePage::feedNumbers() {
    if (!m_tileClock.isValid() || m_tileClock.elapsed() >= kTilesMs - kJitterMs) {
        feedTiles();
        feedEvents();
        showWorkload();
    }
}

// For the keys that walk them: all, also those out of view, made anew only when there are others.
void LivePage::feedMarkers() {
    const app::History& history = m_session.history();
    const auto& markers = history.markers();
    const std::tuple known(history.start(), markers.size(),
                           markers.empty() ? 0 : markers.back().number);
    if (known != m_knownMarkers) {
        m_knownMarkers = known;
        m_group->setMarkers(app::chartMarkers(history));
    }
}

void LivePage::feedTiles() {
    if (!m_isShown) {
        return;
    }
    m_tileClock.start();
    const app::History& history = m_session.history();
    const auto selection = m_group->selection();
    const app::FigureSpans spans = selection
                                       ? app::selectedSpans(selection->first, selection->second)
                                       : app::newestSpans(history);
    const app::LiveFigures figures = app::liveFigures(history, spans, m_filter, m_edge, m_target);
    const engine::Snapshot snapshot = m_session.snapshot();
    if (selection) { // how many answers it holds, beside its times
        m_selection->setText(
            tr("%1 · n %2")
                .arg(spanText(*selection), app::numberText(static_cast<double>(figures.requests))));
    }
    m_tiles->setContext({.figures = figures,
                         .snapshot = snapshot,
                         .target = m_target,
                         .isSelection = selection.has_value(),
                         .alarms = m_session.alarms()});
}

void LivePage::feedEvents() {
    if (!m_isShown) {
        return;
    }
    m_events->setCanSplit(m_session.shownRun().has_value());
    m_liveEvents->advance(m_session.history(), m_filter);
    m_events->setRows(m_liveEvents->rows(m_session.history(), m_group->selection()));
}

} // namespace ui
