// A Plot as one SVG element for reports: real text, a <title> a series, classes for the dark
// variant.
#pragma once

#include "app/plot/plot.h"

#include <QSizeF>

#include <string>

namespace app {

std::string writeSvg(const Plot& plot, QSizeF size);
// The CSS that the classes need: light colours, and a dark variant by the reader's preference.
std::string svgStyle();

} // namespace app
