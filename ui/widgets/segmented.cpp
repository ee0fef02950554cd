#include "ui/widgets/segmented.h"

#include "ui/theme.h"

#include <QFontMetrics>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace ui {

namespace {

constexpr int kPadding = 10; // left and right of a word
constexpr int kInset = 2;    // between the frame and the segments

int wordWidth(const QString& word) {
    return QFontMetrics(ui::font(type::kControl, QFont::Medium)).horizontalAdvance(word) +
           2 * kPadding;
}

} // namespace

Segmented::Segmented(const QStringList& items, QWidget* parent) : QWidget(parent), m_items(items) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleDescription(m_items.value(m_current));
}

void Segmented::setItems(const QStringList& items) {
    m_items = items;
    m_current = std::clamp(m_current, 0, std::max(0, static_cast<int>(items.size()) - 1));
    setAccessibleDescription(m_items.value(m_current));
    updateGeometry();
    update();
}

void Segmented::setCurrentIndex(int index) {
    if (index == m_current || index < 0 || index >= m_items.size()) {
        return;
    }
    m_current = index;
    setAccessibleDescription(m_items.value(m_current));
    update();
    Q_EMIT currentChanged(index);
}

QSize Segmented::sizeHint() const {
    int width = 2 * kInset;
    for (const QString& item : m_items) {
        width += wordWidth(item);
    }
    return {width, ui::size::kControl};
}

QRectF Segmented::segment(int index) const {
    double left = kInset;
    for (int i = 0; i < index; ++i) {
        left += wordWidth(m_items[i]);
    }
    return {left, kInset, static_cast<double>(wordWidth(m_items[index])),
            static_cast<double>(height() - 2 * kInset)};
}

int Segmented::indexAt(QPointF position) const {
    for (int i = 0; i < m_items.size(); ++i) {
        if (segment(i).contains(position)) {
            return i;
        }
    }
    return -1;
}

void Segmented::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(isEnabled() ? 1.0 : 0.5);
    const double pen = hasFocus() ? 2.0 : 1.0;
    painter.setPen(QPen(color(hasFocus() ? ColorRole::Accent : ColorRole::LineStrong), pen));
    painter.setBrush(color(ColorRole::Input));
    painter.drawRoundedRect(QRectF(rect()).adjusted(pen / 2, pen / 2, -pen / 2, -pen / 2),
                            radius::kField, radius::kField);
    const bool isDark = themeKind() == ThemeKind::Dark;
    painter.setFont(ui::font(type::kControl, QFont::Medium));
    for (int i = 0; i < m_items.size(); ++i) {
        const QRectF box = segment(i);
        if (i == m_current) {
            painter.setPen(isDark ? Qt::NoPen : QPen(color(ColorRole::LineStrong), 1));
            painter.setBrush(color(isDark ? ColorRole::LineStrong : ColorRole::Card));
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius::kChip,
                                    radius::kChip);
        }
        painter.setPen(
            color(i == m_current || i == m_hovered ? ColorRole::Text1 : ColorRole::Text2));
        painter.drawText(box, Qt::AlignCenter, m_items[i]);
    }
}

void Segmented::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        setCurrentIndex(indexAt(event->position()));
    }
}

void Segmented::mouseMoveEvent(QMouseEvent* event) {
    const int hovered = indexAt(event->position());
    if (hovered != m_hovered) {
        m_hovered = hovered;
        update();
    }
}

void Segmented::leaveEvent(QEvent*) {
    m_hovered = -1;
    update();
}

void Segmented::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        setCurrentIndex(m_current + (event->key() == Qt::Key_Right ? 1 : -1));
        return;
    }
    QWidget::keyPressEvent(event);
}

} // namespace ui
