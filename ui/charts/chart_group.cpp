#include "ui/charts/chart_group.h"

#include "ui/charts/chart_view.h"

#include <QKeyEvent>

#include <algorithm>

namespace ui {

namespace {

constexpr double kZoomIn = 0.8;
constexpr double kZoomOut = 1.25;
constexpr double kPanShare = 0.15;
constexpr double kLongStep = 10.0; // pixels of the crosshair with Shift

} // namespace

void ChartGroup::add(ChartView* chart) {
    m_charts.push_back(chart);
    chart->setCrosshair(m_crosshair);
    chart->setSelection(m_selection);
}

void ChartGroup::alignCharts() {
    double left = 0.0;
    for (const ChartView* chart : m_charts) {
        if (!chart->isHidden()) {
            left = std::max(left, chart->neededLeft());
        }
    }
    if (left != m_left) {
        m_left = left;
        for (ChartView* chart : m_charts) {
            chart->alignLeft();
        }
    }
}

void ChartGroup::remove(ChartView* chart) {
    std::erase(m_charts, chart);
}

void ChartGroup::setEnd(double seconds) {
    const bool isOtherRun = seconds < m_view.end();
    m_view.setEnd(seconds);
    if (isOtherRun) {
        select(std::nullopt);
        Q_EMIT viewChanged();
    }
}

void ChartGroup::beginRun(double end, double firstSpan) {
    m_view = TimeView(firstSpan);
    m_view.setEnd(end);
    select(std::nullopt);
    setCrosshair(std::nullopt);
    Q_EMIT viewChanged();
}

void ChartGroup::choose(SpanChoice span) {
    m_view.choose(span);
    Q_EMIT viewChanged();
}

void ChartGroup::setFollowing(bool isFollowing) {
    if (isFollowing) {
        m_view.follow();
    } else {
        m_view.release();
    }
    Q_EMIT viewChanged();
}

void ChartGroup::fit() {
    m_view.fit();
    Q_EMIT viewChanged();
}

void ChartGroup::zoom(double factor, double at) {
    m_view.zoom(factor, at);
    Q_EMIT viewChanged();
}

void ChartGroup::pan(double share) {
    m_view.pan(share);
    Q_EMIT viewChanged();
}

void ChartGroup::center(double seconds) {
    m_view.center(seconds);
    setCrosshair(seconds);
    Q_EMIT viewChanged();
}

void ChartGroup::goToMarker(int number) {
    const auto marker = std::ranges::find(m_markers, number, &app::Marker::number);
    if (marker != m_markers.end()) {
        center(marker->x);
    }
}

void ChartGroup::stepMarker(int direction) {
    const double at = m_crosshair.value_or(direction > 0 ? m_view.from() : m_view.to());
    constexpr double kSame = 1e-6;
    const app::Marker* target = nullptr;
    for (const app::Marker& marker : m_markers) {
        if (direction > 0 && marker.x > at + kSame) {
            target = &marker;
            break;
        }
        if (direction < 0 && marker.x < at - kSame) {
            target = &marker;
        }
    }
    if (target != nullptr) {
        center(target->x);
    }
}

void ChartGroup::setCrosshair(std::optional<double> x) {
    if (x == m_crosshair) {
        return;
    }
    m_crosshair = x;
    for (ChartView* chart : m_charts) {
        chart->setCrosshair(x);
    }
    Q_EMIT crosshairChanged(x);
}

void ChartGroup::select(std::optional<Overlay::SpanOfTime> span) {
    if (span && span->first > span->second) {
        std::swap(span->first, span->second);
    }
    if (span == m_selection) {
        return;
    }
    m_selection = span;
    for (ChartView* chart : m_charts) {
        chart->setSelection(span);
    }
    Q_EMIT selectionChanged();
}

void ChartGroup::zoomToSelection() {
    if (m_selection) {
        m_view.show(m_selection->first, m_selection->second);
        Q_EMIT viewChanged();
    }
}

void ChartGroup::stepCrosshair(double pixels) {
    const int width = m_charts.empty() ? 1 : m_charts.front()->plotWidth();
    const double pixel = (m_view.to() - m_view.from()) / width;
    const double now = m_crosshair.value_or((m_view.from() + m_view.to()) / 2.0);
    setCrosshair(std::clamp(now + pixels * pixel, m_view.from(), m_view.to()));
}

void ChartGroup::selectFromCrosshair() {
    const double at = m_crosshair.value_or(m_view.from());
    const double to = m_selection ? m_selection->second : std::min(m_view.to(), m_view.end());
    select(Overlay::SpanOfTime(at, std::max(at, to)));
}

void ChartGroup::selectToCrosshair() {
    const double at = m_crosshair.value_or(m_view.to());
    const double from = m_selection ? m_selection->first : m_view.from();
    select(Overlay::SpanOfTime(std::min(from, at), at));
}

void ChartGroup::requestBookmark(std::optional<double> seconds) {
    if (m_takesBookmarks) {
        Q_EMIT bookmarkRequested(seconds.value_or(m_crosshair.value_or(m_view.end())));
    }
}

bool ChartGroup::pressKey(QKeyEvent* event) {
    const bool isArrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    const Qt::KeyboardModifiers modifiers = event->modifiers() & ~Qt::KeypadModifier;
    if (isArrow && (modifiers == Qt::NoModifier || modifiers == Qt::ShiftModifier)) {
        const double length = modifiers == Qt::ShiftModifier ? kLongStep : 1.0;
        stepCrosshair(event->key() == Qt::Key_Left ? -length : length);
        return true;
    }
    if (modifiers != Qt::NoModifier) {
        return false;
    }
    const double at = m_crosshair.value_or((m_view.from() + m_view.to()) / 2.0);
    switch (event->key()) {
    case Qt::Key_W:
        zoom(kZoomIn, at);
        return true;
    case Qt::Key_S:
        zoom(kZoomOut, at);
        return true;
    case Qt::Key_A:
        pan(-kPanShare);
        return true;
    case Qt::Key_D:
        pan(kPanShare);
        return true;
    case Qt::Key_F:
        fit();
        return true;
    case Qt::Key_Z:
        zoomToSelection();
        return m_selection.has_value();
    case Qt::Key_M:
        requestBookmark();
        return m_takesBookmarks;
    case Qt::Key_BracketLeft:
        selectFromCrosshair();
        return true;
    case Qt::Key_BracketRight:
        selectToCrosshair();
        return true;
    case Qt::Key_Comma:
        stepMarker(-1);
        return true;
    case Qt::Key_Period:
        stepMarker(1);
        return true;
    case Qt::Key_Space:
        setFollowing(!m_view.isFollowing());
        return true;
    case Qt::Key_Escape: {
        const bool hadSomething = m_selection.has_value() || m_crosshair.has_value();
        select(std::nullopt);
        setCrosshair(std::nullopt);
        return hadSomething;
    }
    default:
        return false;
    }
}

} // namespace ui
