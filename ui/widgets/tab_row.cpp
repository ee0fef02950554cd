#include "ui/widgets/tab_row.h"

#include "ui/theme.h"
#include "ui/widgets/paint.h"

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

TabRow::TabRow(QWidget* parent) : ChoiceRow({}, parent) {
    setFixedHeight(kHeight);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TabRow::describe() {
    setAccessibleName(items().value(currentIndex()));
    setAccessibleDescription(items().join(QStringLiteral(", ")));
}

QSize TabRow::sizeHint() const {
    return {static_cast<int>(place(count()).left()), kHeight};
}

QRectF TabRow::place(int index) const {
    double left = kLeft;
    for (int i = 0; i < index && i < count(); ++i) {
        left += textWidth(faceOf(true), items()[i]) + kGap;
    }
    const double width = index < count() ? textWidth(faceOf(true), items()[index]) : 0.0;
    return {left, 0.0, width, double(kHeight)};
}

QRectF TabRow::target(int index) const {
    return place(index).adjusted(-kGap / 2.0, 0, kGap / 2.0, 0);
}

void TabRow::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), color(ColorRole::Panel));
    painter.fillRect(QRect(0, height() - 1, width(), 1), color(ColorRole::Line));
    for (int i = 0; i < count(); ++i) {
        const QRectF at = place(i);
        const bool isCurrent = i == currentIndex();
        const ColorRole role = isLit(i) ? ColorRole::Text1 : ColorRole::Text2;
        paintText(painter, at.adjusted(0, 0, 2, 0), items()[i], faceOf(isCurrent), color(role));
        if (isCurrent) {
            painter.fillRect(QRectF(at.left(), kHeight - 2, at.width(), 2),
                             color(ColorRole::Accent));
        }
    }
    if (hasFocus() && !items().isEmpty()) {
        paintFocusRing(painter, place(currentIndex()).adjusted(-6, 6, 6, -6), radius::kChip);
    }
}

} // namespace ui
