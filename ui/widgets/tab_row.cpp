#include "ui/widgets/tab_row.h"

#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

namespace ui {

namespace {

constexpr int kHeight = 40;
constexpr int kGap = 20;
constexpr int kLeft = 16;

QFont faceOf(bool isCurrent) {
    return ui::font(type::kBody, isCurrent ? QFont::DemiBold : QFont::Normal);
}

} // namespace

TabRow::TabRow(QWidget* parent) : QWidget(parent) {
    setFixedHeight(kHeight);
    setFocusPolicy(Qt::TabFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TabRow::setItems(const QStringList& items) {
    m_items = items;
    m_current = std::clamp(m_current, 0, std::max(0, static_cast<int>(items.size()) - 1));
    describe();
    updateGeometry();
    update();
}

void TabRow::setCurrentIndex(int index) {
    if (index >= 0 && index < m_items.size() && index != m_current) {
        m_current = index;
        describe();
        update();
        Q_EMIT currentChanged(index);
    }
}

void TabRow::describe() {
    setAccessibleName(m_items.value(m_current));
    setAccessibleDescription(m_items.join(QStringLiteral(", ")));
}

QSize TabRow::sizeHint() const {
    return {static_cast<int>(place(static_cast<int>(m_items.size())).left()), kHeight};
}

QRectF TabRow::place(int index) const {
    double left = kLeft;
    for (int i = 0; i < index && i < m_items.size(); ++i) {
        left += textWidth(faceOf(true), m_items[i]) + kGap;
    }
    const double width = index < m_items.size() ? textWidth(faceOf(true), m_items[index]) : 0.0;
    return {left, 0.0, width, double(kHeight)};
}

int TabRow::indexAt(QPointF position) const {
    for (int i = 0; i < m_items.size(); ++i) {
        if (place(i).adjusted(-kGap / 2.0, 0, kGap / 2.0, 0).contains(position)) {
            return i;
        }
    }
    return -1;
}

void TabRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), color(ColorRole::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(ColorRole::Line));
    for (int i = 0; i < m_items.size(); ++i) {
        const QRectF at = place(i);
        const bool isCurrent = i == m_current;
        const ColorRole role = isCurrent || i == m_hovered ? ColorRole::Text1 : ColorRole::Text2;
        paintText(painter, at.adjusted(0, 0, 2, 0), m_items[i], faceOf(isCurrent), color(role));
        if (isCurrent) {
            painter.fillRect(QRectF(at.left(), kHeight - 2, at.width(), 2),
                             color(ColorRole::Accent));
        }
    }
    if (hasFocus() && !m_items.isEmpty()) {
        paintFocusRing(painter, place(m_current).adjusted(-6, 6, 6, -6), radius::kChip);
    }
}

void TabRow::mousePressEvent(QMouseEvent* event) {
    setCurrentIndex(indexAt(event->position()));
}

void TabRow::mouseMoveEvent(QMouseEvent* event) {
    const int hovered = indexAt(event->position());
    if (hovered != m_hovered) {
        m_hovered = hovered;
        update();
    }
}

void TabRow::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void TabRow::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        setCurrentIndex(m_current + (event->key() == Qt::Key_Right ? 1 : -1));
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace ui
