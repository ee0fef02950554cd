#include "ui/theme.h"

namespace ui {

void applyTheme(QApplication& application, app::ThemeKind theme) {
    static_cast<void>(application);
    static_cast<void>(theme);
}

} // namespace ui
