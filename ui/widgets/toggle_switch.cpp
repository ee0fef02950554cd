#include "ui/widgets/toggle_switch.h"

#include "ui/theme.h"

#include <QKeyEvent>
#include <QPainter>

namespace ui {

namespace {

constexpr double kTrackWidth = 30.0, kTrackHeight = 16.0, kKnob = 10.0;
constexpr int kRing = 3; // room for the focus ring

} // namespace

ToggleSwitch::ToggleSwitch(QWidget* parent) : QAbstractButton(parent) {
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::ArrowCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
}

void ToggleSwitch::setEffective(std::optional<bool> effective) {
    if (effective != m_effective) {
        m_effective = effective;
        update();
    }
}

QSize ToggleSwitch::sizeHint() const {
    return {static_cast<int>(kTrackWidth) + 2 * kRing, static_cast<int>(kTrackHeight) + 2 * kRing};
}

void ToggleSwitch::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setOpacity(isEnabled() ? 1.0 : 0.5);
    const bool differs = m_effective && *m_effective != isChecked();
    const bool isOn = m_effective.value_or(isChecked());
    const QRectF track((width() - kTrackWidth) / 2, (height() - kTrackHeight) / 2, kTrackWidth,
                       kTrackHeight);
    if (differs) {
        painter.setPen(QPen(color(ColorRole::Warn), 1.5));
        painter.setBrush(color(ColorRole::WarnTint));
        painter.drawRoundedRect(track.adjusted(0.75, 0.75, -0.75, -0.75), kTrackHeight / 2,
                                kTrackHeight / 2);
    } else {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color(isOn           ? ColorRole::Accent
                               : underMouse() ? ColorRole::Text3
                                              : ColorRole::LineStrong));
        painter.drawRoundedRect(track, kTrackHeight / 2, kTrackHeight / 2);
    }
    const double margin = (kTrackHeight - kKnob) / 2;
    const QRectF knob(isOn ? track.right() - margin - kKnob : track.left() + margin,
                      track.top() + margin, kKnob, kKnob);
    painter.setPen(Qt::NoPen);
    const QColor light =
        themeKind() == ThemeKind::Dark ? color(ColorRole::Text1) : color(ColorRole::Card);
    painter.setBrush(differs ? color(ColorRole::Warn) : isOn ? color(ColorRole::OnAccent) : light);
    painter.drawEllipse(knob);
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(color(ColorRole::Accent), 2));
        const double ring = kRing - 1.0;
        painter.drawRoundedRect(track.adjusted(-ring, -ring, ring, ring), kTrackHeight / 2 + ring,
                                kTrackHeight / 2 + ring);
    }
}

void ToggleSwitch::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        click();
        return;
    }
    QAbstractButton::keyPressEvent(event);
}

} // namespace ui
