#include "ui/widgets/paint.h"

#include "ui/theme.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QStaticText>

#include <algorithm>

namespace ui {

namespace {

// A text ready to be drawn.
struct KnownText {
    QStaticText text;
    double width = 0.0;
};

struct KnownFont {
    double height = 0.0;
    QHash<QString, KnownText> texts;
};

KnownFont& knownFont(const QFont& font) {
    static QHash<QFont, KnownFont> known;
    KnownFont& entry = known[font];
    if (entry.height == 0.0) {
        entry.height = QFontMetricsF(font).height();
    }
    return entry;
}

// Shaping a text costs twenty times what drawing the shaped one does, and most words and figures of
// a console are those of the last picture. GUI thread only, like everything that paints here.
const KnownText& knownText(KnownFont& known, const QFont& font, const QString& text) {
    constexpr qsizetype kMost = 1000; // figures change for ever
    const auto found = known.texts.constFind(text);
    if (found != known.texts.constEnd()) {
        return *found;
    }
    if (known.texts.size() >= kMost) {
        known.texts.clear();
    }
    KnownText entry{.text = QStaticText(text),
                    .width = QFontMetricsF(font).horizontalAdvance(text)};
    entry.text.setTextFormat(Qt::PlainText);
    return *known.texts.insert(text, std::move(entry));
}

// The border's straight parts as thin boxes: one antialiased path around a large box costs ten
// times what filling the box does.
void paintBorder(QPainter& painter, const QRectF& bounds, const QColor& color, double round) {
    const QRectF across = bounds.adjusted(round, 0, -round, 0);
    const QRectF along = bounds.adjusted(0, round, 0, -round);
    painter.fillRect(QRectF(across.left(), bounds.top(), across.width(), 1.0), color);
    painter.fillRect(QRectF(across.left(), bounds.bottom() - 1.0, across.width(), 1.0), color);
    painter.fillRect(QRectF(bounds.left(), along.top(), 1.0, along.height()), color);
    painter.fillRect(QRectF(bounds.right() - 1.0, along.top(), 1.0, along.height()), color);
    if (round < 1.0) {
        return;
    }
    painter.setPen(QPen(color, 1.0, Qt::SolidLine, Qt::FlatCap));
    painter.setBrush(Qt::NoBrush);
    const QSizeF corner(2.0 * round - 1.0, 2.0 * round - 1.0);
    const double left = bounds.left() + 0.5, top = bounds.top() + 0.5;
    const double right = bounds.right() - 0.5 - corner.width();
    const double bottom = bounds.bottom() - 0.5 - corner.height();
    constexpr int kQuarter = 90 * 16;
    painter.drawArc(QRectF(QPointF(right, top), corner), 0, kQuarter);
    painter.drawArc(QRectF(QPointF(left, top), corner), kQuarter, kQuarter);
    painter.drawArc(QRectF(QPointF(left, bottom), corner), 2 * kQuarter, kQuarter);
    painter.drawArc(QRectF(QPointF(right, bottom), corner), 3 * kQuarter, kQuarter);
}

} // namespace

void paintBox(QPainter& painter, const QRectF& bounds, const QColor& fill, const QColor& border,
              double radius) {
    painter.setRenderHint(QPainter::Antialiasing);
    const bool hasBorder = border.alpha() > 0;
    const double round = std::min({radius, bounds.width() / 2.0, bounds.height() / 2.0});
    if (fill.alpha() > 0) {
        const double inset = hasBorder ? 0.5 : 0.0;
        painter.setPen(Qt::NoPen);
        painter.setBrush(fill);
        painter.drawRoundedRect(bounds.adjusted(inset, inset, -inset, -inset), round, round);
    }
    if (hasBorder) {
        paintBorder(painter, bounds, border, round);
    }
}

void paintFocusRing(QPainter& painter, const QRectF& bounds, double radius) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color(ColorRole::Accent), 2.0));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(bounds.adjusted(1, 1, -1, -1), radius, radius);
}

double paintText(QPainter& painter, const QRectF& bounds, const QString& text, const QFont& font,
                 const QColor& color, Qt::Alignment alignment) {
    KnownFont& known = knownFont(font);
    const KnownText& whole = knownText(known, font, text);
    const double wanted = whole.width;
    const double used = std::min(wanted, bounds.width());
    double left = bounds.left();
    if (alignment.testFlag(Qt::AlignRight)) {
        left = bounds.right() - used;
    } else if (alignment.testFlag(Qt::AlignHCenter)) {
        left = bounds.center().x() - used / 2.0;
    }
    const QPointF place(left, bounds.top() + (bounds.height() - known.height) / 2.0);
    painter.setFont(font);
    painter.setPen(color);
    if (wanted <= bounds.width() + 0.5) {
        painter.drawStaticText(place, whole.text);
    } else {
        const QString cut = QFontMetricsF(font).elidedText(text, Qt::ElideRight, bounds.width());
        painter.drawStaticText(place, knownText(known, font, cut).text);
    }
    return used;
}

double textWidth(const QFont& font, const QString& text) {
    return knownText(knownFont(font), font, text).width;
}

void paintMark(QPainter& painter, const QRectF& bounds) {
    const double unit = bounds.width() / 32.0;
    paintBox(painter, bounds, color(ColorRole::AccentTint),
             mix(color(ColorRole::Accent), color(ColorRole::AccentTint), 0.35), 7.0 * unit);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color(ColorRole::Accent));
    const auto bar = [&](double x, double y, double width, double height) {
        painter.drawRoundedRect(
            QRectF(bounds.x() + x * unit, bounds.y() + y * unit, width * unit, height * unit),
            1.4 * unit, 1.4 * unit);
    };
    bar(7.0, 8.5, 5.0, 15.0);
    bar(20.0, 8.5, 5.0, 15.0);
    bar(13.4, 14.7, 5.2, 2.6);
}

} // namespace ui
