#include "ui/widgets/icon.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QPainter>

#include <cmath>

namespace ui {

Icon::Icon(const QString& name, app::ColorRole role, int size, QWidget* parent)
    : QWidget(parent),
      m_name(name),
      m_role(role) {
    setFixedSize(size, size);
}

void Icon::setIcon(const QString& name, app::ColorRole role) {
    if (name != m_name || role != m_role) {
        m_name = name;
        m_role = role;
        update();
    }
}

void Icon::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintIcon(painter, m_name, QRectF(rect()), color(m_role, isEnabled() ? 1.0 : 0.5));
}

StateDot::StateDot(QWidget* parent) : QWidget(parent) {
    setFixedSize(10, 10);
}

void StateDot::setState(DotShape shape, app::ColorRole role) {
    if (shape != m_shape || role != m_role) {
        m_shape = shape;
        m_role = role;
        update();
    }
}

void StateDot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_shape == DotShape::Dot) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(m_role));
        painter.drawEllipse(QRectF(1, 1, 8, 8));
    } else {
        painter.setPen(QPen(color(m_role), 2.0));
        painter.setBrush(Qt::NoBrush);
        painter.drawEllipse(QRectF(2, 2, 6, 6));
    }
}

ElidedText::ElidedText(int pixels, app::ColorRole role, QFont::Weight weight, QWidget* parent)
    : QWidget(parent),
      m_pixels(pixels),
      m_role(role),
      m_weight(weight) {
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void ElidedText::setText(const QString& text) {
    if (text != m_text) {
        m_text = text;
        setToolTip(text);
        setAccessibleName(text);
        updateGeometry();
        update();
    }
}

void ElidedText::setAlignment(Qt::Alignment alignment) {
    m_alignment = alignment;
    update();
}

QSize ElidedText::sizeHint() const {
    const double width = textWidth(ui::font(m_pixels, m_weight), m_text);
    return {static_cast<int>(std::ceil(width)) + 1, static_cast<int>(m_pixels * 1.35)};
}

QSize ElidedText::minimumSizeHint() const {
    return {0, static_cast<int>(m_pixels * 1.35)};
}

void ElidedText::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintText(painter, QRectF(rect()), m_text, ui::font(m_pixels, m_weight),
              color(m_role, isEnabled() ? 1.0 : 0.5), m_alignment);
}

Mark::Mark(int size, QWidget* parent) : QWidget(parent) {
    setFixedSize(size, size);
}

void Mark::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintMark(painter, QRectF(rect()));
}

} // namespace ui
