// Fills the style sheet's placeholders with the colours of a theme. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QString>

namespace ui {

// The sheet of resources/style/console.qss. Arrows and check marks of the sheet must be files, so
// tinted copies are written once a colour into `arrowFolder`; where that fails the sheet goes
// without them. An unknown placeholder is a broken build: it throws std::logic_error.
QString makeStyleSheet(app::ThemeKind theme, const QString& arrowFolder);

} // namespace ui
