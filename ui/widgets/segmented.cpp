#include "ui/widgets/segmented.h"

#include "ui/theme.h"

#include <QFontMetrics>
#include <QPainter>

namespace ui {

namespace {

constexpr int kPadding = 10; // left and right of a word
constexpr int kInset = 2;    // between the frame and the segments

int wordWidth(const QString& word) {
    return QFontMetrics(ui::font(type::kControl, QFont::Medium)).horizontalAdvance(word) +
           2 * kPadding;
}

} // namespace

Segmented::Segmented(const QStringList& items, QWidget* parent) : ChoiceRow(items, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    describe();
}

void Segmented::describe() {
    setAccessibleDescription(items().value(currentIndex()));
}

QSize Segmented::sizeHint() const {
    int width = 2 * kInset;
    for (const QString& item : items()) {
        width += wordWidth(item);
    }
    return {width, ui::size::kControl};
}

QRectF Segmented::target(int index) const {
    double left = kInset;
    for (int i = 0; i < index; ++i) {
        left += wordWidth(items()[i]);
    }
    return {left, kInset, static_cast<double>(wordWidth(items()[index])),
            static_cast<double>(height() - 2 * kInset)};
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
    for (int i = 0; i < count(); ++i) {
        const QRectF box = target(i);
        if (i == currentIndex()) {
            painter.setPen(isDark ? Qt::NoPen : QPen(color(ColorRole::LineStrong), 1));
            painter.setBrush(color(isDark ? ColorRole::LineStrong : ColorRole::Card));
            painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius::kChip,
                                    radius::kChip);
        }
        painter.setPen(color(isLit(i) ? ColorRole::Text1 : ColorRole::Text2));
        painter.drawText(box, Qt::AlignCenter, items()[i]);
    }
}

} // namespace ui
