// Text of PDF pages: laid out in lines for a width, then painted. Private to the PDF writer. Main
// thread.
#pragma once

#include "app/plot/palette.h"
#include "app/report/document.h"

#include <QFont>
#include <QPainter>

namespace app::report::pdf {

// Lengths are CSS pixels (96 a inch), as in the HTML report.
QFont font(int pixels, QFont::Weight weight = QFont::Normal);
QColor ink(ColorRole role);

struct TextStyle {
    int pixels = 12;
    ColorRole color = ColorRole::Text1;
    QFont::Weight weight = QFont::Normal;
    Align align = Align::Left;
};
// Width without a break, and height within a width.
double naturalWidth(const Text& text, const TextStyle& style);
double textHeight(const Text& text, const TextStyle& style, double width);
// Returns the height.
double paintText(QPainter& painter, QPointF at, const Text& text, const TextStyle& style,
                 double width);

} // namespace app::report::pdf
