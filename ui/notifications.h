// Messages of the desktop, for what happens while nobody looks at the window. UI thread.
#pragma once

#include <QString>

namespace ui {

// Asks the desktop to show it; nothing happens where it has no such service. Never blocks.
void notifyDesktop(const QString& title, const QString& text);

} // namespace ui
