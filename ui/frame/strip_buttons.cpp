#include "ui/frame/strip_buttons.h"

#include "ui/icons.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

QFont nameFont() {
    return ui::font(type::kBody, QFont::DemiBold);
}
QFont detailFont() {
    return ui::font(type::kCaption);
}
QFont buttonFont() {
    return ui::font(type::kControl, QFont::Medium);
}
QFont timeFont() {
    return ui::font(type::kControl, QFont::DemiBold);
}

int rounded(double width) {
    return static_cast<int>(std::ceil(width));
}

} // namespace

StripButton::StripButton(QWidget* parent) : QAbstractButton(parent) {
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
}

void StripButton::enterEvent(QEnterEvent*) {
    update();
}
void StripButton::leaveEvent(QEvent*) {
    update();
}

void ModelButton::setModel(const QString& name, const QString& detail) {
    if (name != m_name || detail != m_detail) {
        m_name = name;
        m_detail = detail;
        setAccessibleName(detail.isEmpty() ? name : name + QStringLiteral(", ") + detail);
        updateGeometry();
        update();
    }
}

QSize ModelButton::sizeHint() const {
    const double width =
        std::max(textWidth(nameFont(), m_name) + 24.0, textWidth(detailFont(), m_detail));
    return {rounded(width) + 16, 40};
}

QSize ModelButton::minimumSizeHint() const {
    return {120, 40};
}

void ModelButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (underMouse()) {
        paintBox(painter, QRectF(rect()), color(ColorRole::Hover), Qt::transparent, radius::kField);
    }
    if (hasFocus()) {
        paintFocusRing(painter, QRectF(rect()), radius::kField);
    }
    const bool hasDetail = !m_detail.isEmpty();
    const QRectF name(8, hasDetail ? 4 : 11, width() - 40, 18);
    const double used = paintText(painter, name, m_name, nameFont(), color(ColorRole::Text1));
    paintIcon(painter, QStringLiteral("chevron-down"),
              QRectF(name.x() + used + 7, name.y() + 3, 12, 12), color(ColorRole::Text3));
    if (hasDetail) {
        paintText(painter, QRectF(8, 21, width() - 16, 15), m_detail, detailFont(),
                  color(ColorRole::Text2));
    }
}

QSize PaletteField::sizeHint() const {
    return {240, size::kControl};
}
QSize PaletteField::minimumSizeHint() const {
    return {120, size::kControl};
}

void PaletteField::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box(rect());
    paintBox(painter, box, color(ColorRole::Input),
             color(underMouse() ? ColorRole::Text3 : ColorRole::LineStrong), radius::kField);
    if (hasFocus()) {
        paintFocusRing(painter, box, radius::kField);
    }
    paintIcon(painter, QStringLiteral("search"), QRectF(9, box.center().y() - 7, 14, 14),
              color(ColorRole::Text2));
    const QString keys = QStringLiteral("Ctrl K");
    const double keysWidth = textWidth(detailFont(), keys) + 10;
    const QRectF key(box.right() - keysWidth - 6, box.center().y() - 9, keysWidth, 18);
    paintBox(painter, key, Qt::transparent, color(ColorRole::LineStrong), radius::kPin);
    paintText(painter, key, keys, detailFont(), color(ColorRole::Text2), Qt::AlignCenter);
    paintText(painter, QRectF(29, 0, key.left() - 36, box.height()), text(),
              ui::font(type::kControl), color(ColorRole::Text3));
}

void AlarmButton::setCounts(int fresh, int raised, const QString& words) {
    const QString shown = !words.isEmpty() ? words
                          : raised > 0     ? QString::number(raised)
                                           : QString();
    if (fresh != m_fresh || raised != m_raised || shown != text()) {
        m_fresh = fresh;
        m_raised = raised;
        setText(shown);
        updateGeometry();
        update();
    }
}

QSize AlarmButton::sizeHint() const {
    const double width = text().isEmpty() ? 30.0 : 36 + textWidth(buttonFont(), text());
    return {rounded(width), size::kControl};
}

void AlarmButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box(rect());
    const bool isFresh = m_fresh > 0;
    if (isFresh) {
        paintBox(painter, box, color(ColorRole::BadTint), color(ColorRole::BadBorder),
                 radius::kField);
    } else if (underMouse()) {
        paintBox(painter, box, color(ColorRole::Hover), Qt::transparent, radius::kField);
    }
    if (hasFocus()) {
        paintFocusRing(painter, box, radius::kField);
    }
    const QColor ink = color(isFresh        ? ColorRole::Bad
                             : m_raised > 0 ? ColorRole::Text2
                                            : ColorRole::Text3);
    paintIcon(painter, QStringLiteral("bell"), QRectF(8, box.center().y() - 7, 14, 14), ink);
    paintText(painter, QRectF(27, 0, box.width() - 31, box.height()), text(), buttonFont(), ink);
}

void LevelButton::setLevel(int level, const QString& words) {
    if (level != m_level || words != text()) {
        m_level = level;
        setText(words);
        updateGeometry();
        update();
    }
}

QSize LevelButton::sizeHint() const {
    const double width = text().isEmpty() ? 30.0 : 36 + textWidth(buttonFont(), text());
    return {rounded(width), size::kControl};
}

void LevelButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box(rect());
    if (m_level > 0) {
        paintBox(painter, box, color(m_level > 1 ? ColorRole::BadTint : ColorRole::WarnTint),
                 color(m_level > 1 ? ColorRole::BadBorder : ColorRole::WarnBorder), radius::kField);
    } else if (underMouse()) {
        paintBox(painter, box, color(ColorRole::Hover), Qt::transparent, radius::kField);
    }
    if (hasFocus()) {
        paintFocusRing(painter, box, radius::kField);
    }
    const QColor ink = color(m_level > 1         ? ColorRole::Bad
                             : m_level > 0       ? ColorRole::Warn
                             : !text().isEmpty() ? ColorRole::Text2
                                                 : ColorRole::Text3);
    paintIcon(painter, QStringLiteral("shield"), QRectF(8, box.center().y() - 7, 14, 14), ink);
    paintText(painter, QRectF(27, 0, box.width() - 31, box.height()), text(), buttonFont(), ink);
}

void RecordButton::setLook(Look look, const QString& words, const QString& time) {
    if (look == m_look && words == text() && time == m_time) {
        return;
    }
    const bool isResized = look != m_look || words != text() || time.size() != m_time.size();
    m_look = look;
    m_time = time;
    setText(words);
    if (isResized) {
        updateGeometry();
    }
    update();
}

QSize RecordButton::sizeHint() const {
    double width = 12 + 16 + textWidth(buttonFont(), text()) + 12;
    if (!m_time.isEmpty()) {
        // As wide as the widest time of that many digits, so that the strip doesn't wander.
        QString widest = m_time;
        for (QChar& digit : widest) {
            digit = digit.isDigit() ? QChar(u'0') : digit;
        }
        width += 6 + textWidth(timeFont(), widest);
    }
    return {rounded(width), size::kControl};
}

void RecordButton::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const QRectF box(rect());
    ColorRole ink = ColorRole::Text1;
    ColorRole fill = underMouse() ? ColorRole::Hover : ColorRole::Input;
    ColorRole border = ColorRole::LineStrong;
    if (m_look == Look::Recording) {
        ink = ColorRole::Bad;
        fill = ColorRole::BadTint;
        border = underMouse() ? ColorRole::Bad : ColorRole::BadBorder;
    } else if (m_look == Look::Blocked) {
        ink = ColorRole::Warn;
        fill = ColorRole::WarnTint;
        border = ColorRole::WarnBorder;
    }
    paintBox(painter, box, color(fill), color(border), radius::kField);
    if (hasFocus()) {
        paintFocusRing(painter, box, radius::kField);
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(m_look == Look::Blocked ? ColorRole::Warn : ColorRole::Bad));
    const QRectF sign(12, box.center().y() - 4, 8, 8);
    if (m_look == Look::Recording) {
        painter.drawRoundedRect(sign, 1.5, 1.5);
    } else {
        painter.drawEllipse(sign);
    }
    const double used = paintText(painter, QRectF(26, 0, box.width() - 32, box.height()), text(),
                                  buttonFont(), color(ink));
    if (!m_time.isEmpty()) {
        paintText(painter, QRectF(26 + used + 6, 0, box.width() - 32 - used, box.height()), m_time,
                  timeFont(), color(ink));
    }
}

} // namespace ui
