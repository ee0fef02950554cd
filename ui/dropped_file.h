// Where a file belongs that was dropped on the window: the page that opens it, by its ending.
#pragma once

#include <QString>

namespace ui {

// Empty: not one of a page's files.
QString pageOfFile(const QString& file);
bool isModelFile(const QString& file);

} // namespace ui
