#include "app/report/pdf_text.h"

#include <QFontMetricsF>
#include <QTextLayout>

#include <cmath>

namespace app::report::pdf {

namespace {

constexpr double kLineHeight = 1.35;

ColorRole roleOf(Tone tone, ColorRole plain) {
    switch (tone) {
    case Tone::Muted:
        return ColorRole::Text3;
    case Tone::Better:
        return ColorRole::Better;
    case Tone::Worse:
        return ColorRole::Worse;
    case Tone::Warn:
        return ColorRole::Warn;
    case Tone::Plain:
    case Tone::Strong:
        break;
    }
    return plain;
}

// What PDF text has no glyph for, and what would turn lines around, becomes U+FFFD.
QString cleaned(const QString& text) {
    QString clean = text;
    for (QChar& c : clean) {
        const char16_t code = c.unicode();
        const bool isControl = (code < 0x20 && code != '\n') || (code >= 0x7f && code < 0xa0);
        const bool isDirection =
            (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
        if (isControl || isDirection) {
            c = code == '\t' ? QChar(u' ') : QChar(QChar::ReplacementCharacter);
        }
    }
    return clean.replace(QLatin1Char('\n'), QChar(QChar::LineSeparator));
}

// Lays the text out; the height is that of its lines.
double layOut(QTextLayout& layout, const Text& text, const TextStyle& style, double width) {
    QList<QTextLayout::FormatRange> formats;
    int at = 0;
    for (const Span& span : text.spans) {
        QTextLayout::FormatRange range;
        range.start = at;
        range.length = static_cast<int>(span.text.size());
        range.format.setForeground(ink(roleOf(span.tone, style.color)));
        const bool isStrong =
            span.tone == Tone::Strong || span.tone == Tone::Better || span.tone == Tone::Worse;
        range.format.setFont(font(style.pixels, isStrong ? QFont::DemiBold : style.weight));
        at += range.length;
        formats << range;
    }
    layout.setFormats(formats);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    option.setAlignment(style.align == Align::Right ? Qt::AlignRight : Qt::AlignLeft);
    layout.setTextOption(option);
    const double step = std::ceil(style.pixels * kLineHeight);
    double y = 0.0;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        line.setPosition({0.0, y + (step - line.height()) / 2});
        y += step;
    }
    layout.endLayout();
    return std::max(y, step);
}

} // namespace

QFont font(int pixels, QFont::Weight weight) {
    QFont face;
    face.setFamilies({QStringLiteral("Headway Sans"), QStringLiteral("Inter"),
                      QStringLiteral("Noto Sans CJK SC"), QStringLiteral("Noto Sans")});
    face.setPixelSize(pixels);
    face.setWeight(weight);
    face.setHintingPreference(QFont::PreferNoHinting);
    return face;
}

QColor ink(ColorRole role) {
    return color(ThemeKind::Light, role);
}

double naturalWidth(const Text& text, const TextStyle& style) {
    // Strong spans are wider; a little room saves a break.
    return QFontMetricsF(font(style.pixels, QFont::DemiBold)).horizontalAdvance(text.plain()) + 1;
}

double textHeight(const Text& text, const TextStyle& style, double width) {
    QTextLayout layout(cleaned(text.plain()), font(style.pixels, style.weight));
    return layOut(layout, text, style, width);
}

double paintText(QPainter& painter, QPointF at, const Text& text, const TextStyle& style,
                 double width) {
    QTextLayout layout(cleaned(text.plain()), font(style.pixels, style.weight));
    const double height = layOut(layout, text, style, width);
    painter.setPen(ink(style.color));
    layout.draw(&painter, at);
    return height;
}

} // namespace app::report::pdf
