// Measures and fonts that laying out and painting a chart's words share. Private to overlay*.cpp.
#pragma once

#include "ui/theme.h"

#include <QFont>

namespace ui::overlay {

inline constexpr double kSide = 12.0; // from the card's edge to title and plot
inline constexpr double kTitleMiddle = 18.0;
inline constexpr double kLegendRow = 18.0; // a row of its own where the title leaves no room
inline constexpr double kPinRow = 24.0;    // between head and plot
inline constexpr double kLabelRow = 22.0;  // under the plot
inline constexpr double kLineMark = 16.0;  // of a legend entry with its gap
inline constexpr double kStackMark = 12.0;
inline constexpr double kEntryGap = 12.0;
inline constexpr double kStackGap = 10.0; // of many entries in rows of their own
inline constexpr double kPinHeight = 14.0;

inline QFont captionFont() {
    return font(type::kCaption);
}
// A legend in rows of its own has many entries: one size smaller than beside the title.
inline QFont legendFont(bool isBeside) {
    return font(isBeside ? type::kControl : type::kCaption);
}
inline QFont valueFont(bool isBeside) {
    return font(isBeside ? type::kControl : type::kCaption, QFont::DemiBold);
}
inline QFont titleFont() {
    return font(type::kBody, QFont::DemiBold);
}
inline QFont pinFont() {
    return font(10, QFont::DemiBold);
}

} // namespace ui::overlay
