// The colours of both themes: one struct a theme, and roles so that data never names a colour.
// Lives in app because reports and exports use the same colours as the window.
#pragma once

#include <QColor>

#include <cstdint>

namespace app {

enum class ColorRole : std::uint8_t {
    Window,
    Panel,
    Card,
    Input,
    Hover,
    Line,
    LineStrong,
    Text1,
    Text2,
    Text3,
    Accent,
    OnAccent,
    AccentTint,
    Warn,
    WarnTint,
    WarnBorder,
    Bad,
    BadTint,
    BadBorder,
    Info,
    InfoTint,
    Better,
    BetterTint,
    Worse,
    WorseTint,
    Grid,
    Axis,
    Crosshair,
    TtftP50,
    TtftP90,
    TtftP99,
    OutputTokens,
    PromptTokens,
    Running,
    Waiting,
    Kv,
    Memory,
    DeviceBusy,
    SideA,
    SideB,
    StageLag,
    StageQueue,
    StageText,
    StageKv,
    StageCold,
    StageMates,
    StageWeights,
    StageCompute,
    StageDeliver,
    StageRemainder,
    Count,
};

enum class ThemeKind : std::uint8_t { Dark, Light };

QColor color(ThemeKind theme, ColorRole role);

} // namespace app
