// The look of the window: palette and one style sheet made from the colour tokens, fonts, sizes.
// Widgets that paint themselves read colours at paint time, so a theme switch is a repaint. UI
// thread; the theme in force belongs to the QApplication.
#pragma once

#include "app/plot/palette.h"

#include <QFont>
#include <QString>

class QApplication;
class QLabel;
class QPushButton;
class QVariant;
class QWidget;

namespace ui {

using app::ColorRole;
using app::ThemeKind;

// Fusion, palette, style sheet, base font. Live: no restart. Widgets hear of it by
// QEvent::PaletteChange and StyleChange.
void applyTheme(QApplication& application, ThemeKind theme);
ThemeKind themeKind(); // in force; Dark before the first applyTheme()

QColor color(ColorRole role);                        // in the theme in force
QColor color(ColorRole role, double opacity);        // 0..1
QColor mix(QColor over, QColor under, double share); // opaque: `share` of `over` on `under`

// Lengths in logical pixels, on a 4 px grid.
namespace space {
inline constexpr int kHalf = 4;
inline constexpr int kBetweenCards = 8;
inline constexpr int kInsideCard = 12;
inline constexpr int kPanel = 14;
} // namespace space

namespace radius {
inline constexpr double kCard = 8, kMenu = 6, kField = 5, kChip = 4, kPin = 3;
} // namespace radius

namespace size {
inline constexpr int kRow = 26;     // of tables
inline constexpr int kControl = 28; // buttons, fields
inline constexpr int kPanelControl = 26;
inline constexpr int kRail = 72;
inline constexpr int kTopStrip = 48;
inline constexpr int kIcon = 16; // in buttons; the rail uses 20
} // namespace size

namespace type {
inline constexpr int kCaption = 11; // captions, tags, axis labels
inline constexpr int kControl = 12; // tables and controls
inline constexpr int kBody = 13;    // body; card titles at 600
inline constexpr int kPage = 16;    // page title at 600
inline constexpr int kTile = 20;    // tile value at 600
inline constexpr int kTtft = 24;    // TTFT tile value at 600
inline constexpr int kVerdict = 30;
} // namespace type

// Tabular digits where the product's font is present.
QFont font(int pixels, QFont::Weight weight = QFont::Normal);

// What a label is for: size, weight and colour come from the style sheet.
enum class TextRole { Caption, Small, SmallTitle, Body, CardTitle, PageTitle, Muted, Value };
QLabel* makeLabel(const QString& text, TextRole role, QWidget* parent = nullptr);
void setTextRole(QLabel* label, TextRole role);

// Primary: one a view. Quiet: no border until hovered. Danger: what destroys.
enum class ButtonKind { Normal, Primary, Quiet, Danger };
QPushButton* makeButton(const QString& text, ButtonKind kind = ButtonKind::Normal,
                        QWidget* parent = nullptr);
void setButtonKind(QPushButton* button, ButtonKind kind);

// What a plain widget or frame is: a card has a 1 px border and radius 8.
enum class Surface { Window, Panel, Card, Strip };
void setSurface(QWidget* widget, Surface surface);

// Outline of a control by its state (CONSOLE.md section 5): "", "info", "warn", "bad", "off".
void setControlState(QWidget* widget, const char* state);
// Sets a dynamic property that the sheet selects on, and makes the sheet look again.
void setSheetProperty(QWidget* widget, const char* name, const QVariant& value);

} // namespace ui
