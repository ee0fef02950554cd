// The product's own icons: SVGs on a 20 px grid, 1.5 px strokes, tinted by the theme. Names are the
// files of resources/icons. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QIcon>
#include <QPixmap>
#include <QString>

class QPainter;

namespace ui {

// A tinted icon that follows the theme in force when it is painted; disabled is paler.
QIcon icon(const QString& name, app::ColorRole role = app::ColorRole::Text2);
// For painting by hand, sharp at the painter's scale.
void paintIcon(QPainter& painter, const QString& name, const QRectF& bounds, const QColor& color);
bool hasIcon(const QString& name);

} // namespace ui
