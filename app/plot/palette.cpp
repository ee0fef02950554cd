#include "app/plot/palette.h"

#include <array>

namespace app {

namespace {

struct Token {
    ColorRole role;
    QRgb dark;
    QRgb light;
};

constexpr std::array<Token, static_cast<std::size_t>(ColorRole::Count)> kTokens = {{
    {ColorRole::Window, 0xFF0E1116, 0xFFF1F3F6},
    {ColorRole::Panel, 0xFF14181F, 0xFFFFFFFF},
    {ColorRole::Card, 0xFF181D25, 0xFFFFFFFF},
    {ColorRole::Input, 0xFF1F2530, 0xFFF4F6F9},
    {ColorRole::Hover, 0xFF252C38, 0xFFE9EDF2},
    {ColorRole::Line, 0xFF272E3A, 0xFFDFE4EA},
    {ColorRole::LineStrong, 0xFF3A4453, 0xFFC3CBD6},
    {ColorRole::Text1, 0xFFE9EDF3, 0xFF151A21},
    {ColorRole::Text2, 0xFFB3BDCA, 0xFF3F4A58},
    {ColorRole::Text3, 0xFF8B97A7, 0xFF5F6B7A},
    {ColorRole::Accent, 0xFF35C9B4, 0xFF08736A},
    {ColorRole::OnAccent, 0xFF06201C, 0xFFFFFFFF},
    {ColorRole::AccentTint, 0xFF12332F, 0xFFDDF2EE},
    {ColorRole::Warn, 0xFFF4B740, 0xFF8A5A00},
    {ColorRole::WarnTint, 0xFF33290F, 0xFFFFF3D6},
    {ColorRole::WarnBorder, 0xFF6B5313, 0xFFE3BE67},
    {ColorRole::Bad, 0xFFFF7A6B, 0xFFB42318},
    {ColorRole::BadTint, 0xFF3A1C1A, 0xFFFDE7E4},
    {ColorRole::BadBorder, 0xFF7A332D, 0xFFEFA69E},
    {ColorRole::Info, 0xFF7FB2FF, 0xFF1D5FBF},
    {ColorRole::InfoTint, 0xFF172740, 0xFFE4EEFC},
    {ColorRole::Better, 0xFF5CB8FF, 0xFF0B63B8},
    {ColorRole::BetterTint, 0xFF122A40, 0xFFE1EEFB},
    {ColorRole::Worse, 0xFFFF9A56, 0xFFA84B00},
    {ColorRole::WorseTint, 0xFF3A2413, 0xFFFDEBDD},
    {ColorRole::Grid, 0xFF222934, 0xFFE9EDF1},
    {ColorRole::Axis, 0xFF4A5565, 0xFF9AA5B3},
    {ColorRole::Crosshair, 0xFFD5DCE6, 0xFF2A3340},
    {ColorRole::TtftP50, 0xFFA8DCFF, 0xFF2C8CC9},
    {ColorRole::TtftP90, 0xFF4FA0F5, 0xFF1F5FBF},
    {ColorRole::TtftP99, 0xFFE57CC6, 0xFFB0368F},
    {ColorRole::OutputTokens, 0xFFF0C04C, 0xFFA87900},
    {ColorRole::PromptTokens, 0xFF8E86F5, 0xFF5A4FD0},
    {ColorRole::Running, 0xFF9CD68C, 0xFF2C6427},
    {ColorRole::Waiting, 0xFFE5702F, 0xFFCC5F12},
    {ColorRole::Kv, 0xFFB993EC, 0xFF7B4FC0},
    {ColorRole::Memory, 0xFF93A6BC, 0xFF56687D},
    {ColorRole::DeviceBusy, 0xFF57CFE0, 0xFF0B8496},
    {ColorRole::SideA, 0xFFE3C9A0, 0xFF8A6D3B},
    {ColorRole::SideB, 0xFF1FA592, 0xFF08736A},
    {ColorRole::StageLag, 0xFF6C7888, 0xFF8A96A5},
    {ColorRole::StageQueue, 0xFFE5702F, 0xFFCC5F12},
    {ColorRole::StageText, 0xFFE4D27C, 0xFFC9AE2E},
    {ColorRole::StageKv, 0xFFB993EC, 0xFF8E62D3},
    {ColorRole::StageCold, 0xFFE5605E, 0xFFC93C3A},
    {ColorRole::StageMates, 0xFF5B6AA8, 0xFF27497F},
    {ColorRole::StageWeights, 0xFF2F7BD9, 0xFF1F66C2},
    {ColorRole::StageCompute, 0xFF7DBBFF, 0xFF6AAEF2},
    {ColorRole::StageDeliver, 0xFF4FB286, 0xFF2F9468},
    {ColorRole::StageRemainder, 0xFFC3CBD6, 0xFFC3CBD6},
}};

} // namespace

QColor color(ThemeKind theme, ColorRole role) {
    const Token& token = kTokens[static_cast<std::size_t>(role)];
    return QColor::fromRgba(theme == ThemeKind::Dark ? token.dark : token.light);
}

} // namespace app
