#include "ui/widgets/drop_zone.h"

#include "ui/theme.h"

#include <QPainter>

namespace ui {

DropZone::DropZone(QWidget* parent) : QWidget(parent) {
    setMinimumHeight(72);
}

void DropZone::setLit(bool isLit) {
    if (isLit != m_isLit) {
        m_isLit = isLit;
        update();
    }
}

void DropZone::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPen pen(color(m_isLit ? ColorRole::Accent : ColorRole::LineStrong), 1);
    pen.setDashPattern({4, 3});
    painter.setPen(pen);
    painter.setBrush(m_isLit ? QBrush(color(ColorRole::AccentTint)) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius::kCard,
                            radius::kCard);
}

} // namespace ui
