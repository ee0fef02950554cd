#include "ui/charts/chart_group.h"

#include "ui/charts/chart_view.h"

#include <QKeyEvent>

#include <algorithm>

namespace ui {

namespace {

constexpr double kZoomIn = 0.8;
constexpr double kZoomOut = 1.25;
constexpr double kPanShare = 0.15;

} // namespace

void ChartGroup::add(ChartView* chart) {
    m_charts.push_back(chart);
    chart->setCrosshair(m_crosshair);
    chart->setSelection(m_selection);
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

bool ChartGroup::pressKey(QKeyEvent* event) {
    if ((event->modifiers() & ~Qt::KeypadModifier) != Qt::NoModifier) {
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
