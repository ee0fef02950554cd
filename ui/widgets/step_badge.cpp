#include "ui/widgets/step_badge.h"

#include "ui/theme.h"

#include <QPainter>

namespace ui {

namespace {

constexpr int kSize = 20;

} // namespace

StepBadge::StepBadge(int number, bool isCurrent, QWidget* parent)
    : QWidget(parent),
      m_number(number),
      m_isCurrent(isCurrent) {
    setFixedSize(kSize, kSize);
}

void StepBadge::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(m_isCurrent ? ColorRole::Accent : ColorRole::Hover));
    painter.drawEllipse(rect());
    painter.setPen(color(m_isCurrent ? ColorRole::OnAccent : ColorRole::Text2));
    painter.setFont(ui::font(type::kCaption, QFont::DemiBold));
    painter.drawText(rect(), Qt::AlignCenter, QString::number(m_number));
}

} // namespace ui
