#include "ui/widgets/chip.h"

#include "app/labels.h"
#include "ui/icons.h"

#include <QCoreApplication>
#include <QFontMetrics>

#include <cmath>

namespace ui {

namespace {

constexpr int kTagHeight = 18;
constexpr int kTagPadding = 6;
constexpr int kTagIcon = 10;
constexpr int kChipPadding = 9;

QFont tagFont() {
    return ui::font(type::kCaption);
}

int textWidth(const QFont& face, const QString& text) {
    return QFontMetrics(face).horizontalAdvance(text);
}

} // namespace

ToneColors toneColors(Tone tone) {
    switch (tone) {
    case Tone::Accent:
        return {color(ColorRole::AccentTint), color(ColorRole::Accent), color(ColorRole::Accent)};
    case Tone::Info:
        return {color(ColorRole::InfoTint), color(ColorRole::Info), color(ColorRole::Info)};
    case Tone::Warn:
        return {color(ColorRole::WarnTint), color(ColorRole::Warn), color(ColorRole::WarnBorder)};
    case Tone::Bad:
        return {color(ColorRole::BadTint), color(ColorRole::Bad), color(ColorRole::BadBorder)};
    case Tone::Better:
        return {color(ColorRole::BetterTint), color(ColorRole::Better), color(ColorRole::Better)};
    case Tone::Worse:
        return {color(ColorRole::WorseTint), color(ColorRole::Worse), color(ColorRole::Worse)};
    case Tone::Neutral:
        break;
    }
    return {color(ColorRole::Hover), color(ColorRole::Text2), color(ColorRole::LineStrong)};
}

int tagWidth(const QString& text, bool hasIcon) {
    return textWidth(tagFont(), text) + 2 * kTagPadding + (hasIcon ? kTagIcon + 4 : 0);
}

double paintTag(QPainter& painter, QPointF at, const QString& text, Tone tone,
                const QString& iconName) {
    const ToneColors colors = toneColors(tone);
    const QRectF box(at.x(), at.y() - kTagHeight / 2.0, tagWidth(text, !iconName.isEmpty()),
                     kTagHeight);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.tint);
    painter.drawRoundedRect(box, radius::kChip, radius::kChip);
    double left = box.left() + kTagPadding;
    if (!iconName.isEmpty()) {
        paintIcon(painter, iconName, QRectF(left, at.y() - kTagIcon / 2.0, kTagIcon, kTagIcon),
                  colors.text);
        left += kTagIcon + 4;
    }
    painter.setPen(colors.text);
    painter.setFont(tagFont());
    painter.drawText(QRectF(left, box.top(), box.right() - left, box.height()),
                     Qt::AlignLeft | Qt::AlignVCenter, text);
    painter.restore();
    return box.right();
}

VerdictLook verdictLook(app::Verdict verdict) {
    switch (verdict) {
    case app::Verdict::Better:
        return {QCoreApplication::translate("verdict", "better"), QStringLiteral("check"),
                Tone::Better};
    case app::Verdict::Worse:
        return {QCoreApplication::translate("verdict", "worse"), QStringLiteral("cross"),
                Tone::Worse};
    case app::Verdict::Same:
        return {QCoreApplication::translate("verdict", "same"), {}, Tone::Neutral};
    case app::Verdict::NotResolved:
        return {QCoreApplication::translate("verdict", "not resolved"), QStringLiteral("tilde"),
                Tone::Neutral};
    case app::Verdict::None:
        break;
    }
    return {};
}

Tag::Tag(const QString& text, Tone tone, QWidget* parent)
    : QWidget(parent),
      m_text(text),
      m_tone(tone) {
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

void Tag::setText(const QString& text) {
    if (text != m_text) {
        m_text = text;
        setAccessibleName(text);
        updateGeometry();
        update();
    }
}

void Tag::setTone(Tone tone) {
    if (tone != m_tone) {
        m_tone = tone;
        update();
    }
}

void Tag::setIconName(const QString& name) {
    m_iconName = name;
    updateGeometry();
    update();
}

QSize Tag::sizeHint() const {
    return {tagWidth(m_text, !m_iconName.isEmpty()), kTagHeight + 2};
}

void Tag::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    paintTag(painter, QPointF(0, height() / 2.0), m_text, m_tone, m_iconName);
}

Chip::Chip(const QString& text, QWidget* parent) : QAbstractButton(parent) {
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleName(text);
}

void Chip::setCount(std::optional<qint64> count) {
    const QString shown = count ? app::numberText(static_cast<double>(*count)) : QString();
    if (shown != m_count) {
        m_count = shown;
        setAccessibleDescription(shown);
        updateGeometry();
        update();
    }
}

QSize Chip::sizeHint() const {
    const int count = m_count.isEmpty() ? 0 : 6 + textWidth(ui::font(type::kControl), m_count);
    return {2 * kChipPadding + textWidth(ui::font(type::kControl, QFont::Medium), text()) + count,
            size::kPanelControl};
}

void Chip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isOn = isChecked();
    const double pen = hasFocus() ? 2.0 : 1.0;
    painter.setPen(
        QPen(color(hasFocus() || isOn ? ColorRole::Accent : ColorRole::LineStrong), pen));
    painter.setBrush(color(isOn           ? ColorRole::AccentTint
                           : underMouse() ? ColorRole::Hover
                                          : ColorRole::Input));
    const QRectF box = QRectF(rect()).adjusted(pen / 2, pen / 2, -pen / 2, -pen / 2);
    painter.drawRoundedRect(box, radius::kField, radius::kField);
    painter.setPen(color(isOn ? ColorRole::Accent : ColorRole::Text1));
    painter.setFont(ui::font(type::kControl, QFont::Medium));
    const QRect inner = rect().adjusted(kChipPadding, 0, -kChipPadding, 0);
    painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter, text());
    painter.setFont(ui::font(type::kControl));
    painter.setPen(color(isOn ? ColorRole::Accent : ColorRole::Text3));
    painter.drawText(inner, Qt::AlignRight | Qt::AlignVCenter, m_count);
}

} // namespace ui
