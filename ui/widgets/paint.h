// Small pieces that hand-painted widgets share: boxes with crisp borders, the focus ring, elided
// text.
#pragma once

#include <QColor>
#include <QFont>
#include <QRectF>
#include <QString>

class QPainter;

namespace ui {

// A rounded box; the border lies inside `bounds`. A transparent colour draws nothing.
void paintBox(QPainter& painter, const QRectF& bounds, const QColor& fill, const QColor& border,
              double radius);
// The 2 px ring of whatever has the keyboard.
void paintFocusRing(QPainter& painter, const QRectF& bounds, double radius);
// One line, elided at the right; returns the width used.
double paintText(QPainter& painter, const QRectF& bounds, const QString& text, const QFont& font,
                 const QColor& color, Qt::Alignment alignment = Qt::AlignLeft | Qt::AlignVCenter);
double textWidth(const QFont& font, const QString& text);
// The product's mark: an H whose bar leaves a gap on both sides.
void paintMark(QPainter& painter, const QRectF& bounds);

} // namespace ui
