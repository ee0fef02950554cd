#include "ui/widgets/line_scroll.h"

#include <QEvent>
#include <QLabel>

#include <algorithm>
#include <cmath>

namespace ui {

LineScroll::LineScroll(QWidget* parent) : QScrollArea(parent) {
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

bool LineScroll::eventFilter(QObject* watched, QEvent* event) {
    const bool isHandled = QScrollArea::eventFilter(watched, event);
    if (watched == widget() &&
        (event->type() == QEvent::Resize || event->type() == QEvent::LayoutRequest)) {
        trim();
    }
    return isHandled;
}

void LineScroll::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    trim();
}

void LineScroll::scrollContentsBy(int dx, int dy) {
    QScrollArea::scrollContentsBy(dx, dy);
    trim();
}

// Hides what the lower edge would cut of a line. The place scrolled to and the bar stay as they
// are: a margin that came and went would move both.
void LineScroll::trim() {
    const int bottom = viewport()->height();
    m_shownHeight = bottom;
    if (widget() == nullptr) {
        return;
    }
    for (const QLabel* label : widget()->findChildren<QLabel*>()) {
        const int top = label->mapTo(viewport(), QPoint(0, 0)).y();
        if (label->isHidden() || top >= bottom || top + label->height() <= bottom) {
            continue;
        }
        const double height = label->height();
        const double lines = std::max(1.0, std::round(height / label->fontMetrics().lineSpacing()));
        const double line = height / lines;
        m_shownHeight = top + static_cast<int>(std::floor((bottom - top) / line) * line);
    }
    if (m_shownHeight > 0 && m_shownHeight < bottom) {
        viewport()->setMask(QRegion(0, 0, viewport()->width(), m_shownHeight));
    } else {
        m_shownHeight = bottom;
        viewport()->clearMask();
    }
}

} // namespace ui
