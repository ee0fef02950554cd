// The look of the window: palette and style sheet made from the colour tokens. UI thread.
#pragma once

#include "app/plot/palette.h"

class QApplication;

namespace ui {

void applyTheme(QApplication& application, app::ThemeKind theme);

} // namespace ui
