#include "ui/widgets/key_button.h"

#include <QFontMetrics>
#include <QStyleOptionButton>
#include <QStylePainter>

namespace ui {

namespace {

constexpr int kBadgeHeight = 16;
constexpr int kBadgePadding = 5;
constexpr int kGap = 7;

QFont keyFont() {
    return ui::font(10, QFont::Medium);
}

} // namespace

KeyButton::KeyButton(ButtonKind kind, const QString& keys, QWidget* parent)
    : QPushButton(parent),
      m_keys(keys) {
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setButtonKind(this, kind);
}

void KeyButton::setKeys(const QString& keys) {
    if (keys != m_keys) {
        m_keys = keys;
        updateGeometry();
        update();
    }
}

int KeyButton::keysWidth() const {
    return m_keys.isEmpty() ? 0
                            : QFontMetrics(keyFont()).horizontalAdvance(m_keys) + 2 * kBadgePadding;
}

QSize KeyButton::sizeHint() const {
    const QSize plain = QPushButton::sizeHint();
    return {plain.width() + (m_keys.isEmpty() ? 0 : keysWidth() + kGap), plain.height()};
}

void KeyButton::paintEvent(QPaintEvent* event) {
    if (m_keys.isEmpty()) {
        QPushButton::paintEvent(event);
        return;
    }
    QStylePainter painter(this);
    QStyleOptionButton option;
    initStyleOption(&option);
    painter.drawControl(QStyle::CE_PushButtonBevel, option);
    const int width = keysWidth();
    QStyleOptionButton label = option;
    label.rect.adjust(0, 0, -width - kGap / 2, 0);
    painter.drawControl(QStyle::CE_PushButtonLabel, label);
    const bool isPrimary = property("kind").toString() == QLatin1String("primary");
    QColor line = color(isPrimary ? ColorRole::OnAccent : ColorRole::LineStrong);
    QColor text = color(isPrimary ? ColorRole::OnAccent : ColorRole::Text2);
    if (!isEnabled()) {
        line.setAlphaF(0.5F);
        text.setAlphaF(0.5F);
    }
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF badge(this->width() - width - 8.5, (height() - kBadgeHeight) / 2.0 + 0.5, width,
                       kBadgeHeight - 1);
    painter.setPen(QPen(line, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(badge, radius::kPin, radius::kPin);
    painter.setPen(text);
    painter.setFont(keyFont());
    painter.drawText(badge, Qt::AlignCenter, m_keys);
}

} // namespace ui
