// The colours keep their promises: text and lines stand out from what they lie on, and what lies
// side by side stays apart for people who see fewer colours. A token that fails has to move.
#include "app/plot/charts.h"
#include "app/plot/palette.h"
#include "tests/support/example_history.h"

#include <QTest>

#include <array>
#include <cmath>

using namespace app;

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

Vector linearRgb(const QColor& color) {
    return {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
}

Vector times(const Matrix& m, const Vector& v) {
    Vector out{};
    for (std::size_t row = 0; row < 3; ++row) {
        out[row] = m[row][0] * v[0] + m[row][1] * v[1] + m[row][2] * v[2];
    }
    return out;
}

// WCAG 2.1 relative luminance and contrast ratio.
double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& color) {
        const Vector rgb = linearRgb(color);
        return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];
    };
    const double first = luminance(a);
    const double second = luminance(b);
    return (std::max(first, second) + 0.05) / (std::min(first, second) + 0.05);
}

// CIE L*a*b* under D65 from linear sRGB.
Vector lab(const Vector& rgb) {
    constexpr Matrix kToXyz = {
        {{0.4124, 0.3576, 0.1805}, {0.2126, 0.7152, 0.0722}, {0.0193, 0.1192, 0.9505}}};
    constexpr Vector kWhite = {0.95047, 1.0, 1.08883};
    Vector f = times(kToXyz, rgb);
    for (std::size_t i = 0; i < 3; ++i) {
        const double t = std::max(0.0, f[i]) / kWhite[i];
        f[i] = t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
    }
    return {116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])};
}

struct Vision {
    const char* name;
    Matrix matrix; // on linear RGB; Machado, Oliveira, Fernandes 2009, severity 1.0
};
constexpr std::array<Vision, 4> kVisions = {{
    {"usual", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
    {"protan",
     {{{0.152286, 1.052583, -0.204868},
       {0.114503, 0.786281, 0.099216},
       {-0.003882, -0.048116, 1.051998}}}},
    {"deutan",
     {{{0.367322, 0.860646, -0.227968},
       {0.280085, 0.672501, 0.047413},
       {-0.011820, 0.042940, 0.968881}}}},
    {"tritan",
     {{{1.255528, -0.076749, -0.178779},
       {-0.078411, 0.930809, 0.147602},
       {0.004733, 0.691367, 0.303900}}}},
}};

// The least ΔE76 over all visions, and which vision it is.
std::pair<double, const char*> leastDifference(const QColor& a, const QColor& b) {
    std::pair<double, const char*> least = {1e9, ""};
    for (const Vision& vision : kVisions) {
        const Vector x = lab(times(vision.matrix, linearRgb(a)));
        const Vector y = lab(times(vision.matrix, linearRgb(b)));
        const double difference = std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]);
        if (difference < least.first) {
            least = {difference, vision.name};
        }
    }
    return least;
}

void verifyApart(ThemeKind theme, ColorRole a, ColorRole b) {
    constexpr double kLeast = 14.0;
    const auto [difference, vision] = leastDifference(color(theme, a), color(theme, b));
    QVERIFY2(difference >= kLeast,
             qPrintable(QStringLiteral("%1 and %2 differ by %3 (%4)")
                            .arg(color(theme, a).name(), color(theme, b).name())
                            .arg(difference, 0, 'f', 1)
                            .arg(QLatin1String(vision))));
}

constexpr std::array kThemes = {ThemeKind::Dark, ThemeKind::Light};

} // namespace

class TstPalette : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void textIsReadableOnEverySurface();
    void linesStandOutFromTheirCard();
    void seriesOfOneChartStayApart();
    void neighboursOfTheLedgerStayApart();
};

void TstPalette::textIsReadableOnEverySurface() {
    for (const ThemeKind theme : kThemes) {
        for (const ColorRole text : {ColorRole::Text1, ColorRole::Text2, ColorRole::Text3}) {
            for (const ColorRole surface :
                 {ColorRole::Window, ColorRole::Panel, ColorRole::Card, ColorRole::Input}) {
                const double ratio = contrast(color(theme, text), color(theme, surface));
                QVERIFY2(ratio >= 4.5, qPrintable(QStringLiteral("%1 on %2: %3")
                                                      .arg(color(theme, text).name(),
                                                           color(theme, surface).name())
                                                      .arg(ratio)));
            }
        }
        for (const auto& [text, surface] : {std::pair{ColorRole::OnAccent, ColorRole::Accent},
                                            std::pair{ColorRole::Warn, ColorRole::WarnTint},
                                            std::pair{ColorRole::Bad, ColorRole::BadTint},
                                            std::pair{ColorRole::Info, ColorRole::InfoTint},
                                            std::pair{ColorRole::Better, ColorRole::BetterTint},
                                            std::pair{ColorRole::Worse, ColorRole::WorseTint}}) {
            QVERIFY(contrast(color(theme, text), color(theme, surface)) >= 4.5);
        }
    }
}

void TstPalette::linesStandOutFromTheirCard() {
    for (const ThemeKind theme : kThemes) {
        for (int role = static_cast<int>(ColorRole::TtftP50);
             role <= static_cast<int>(ColorRole::SideB); ++role) {
            const QColor line = color(theme, static_cast<ColorRole>(role));
            const double ratio = contrast(line, color(theme, ColorRole::Card));
            QVERIFY2(ratio >= 3.0,
                     qPrintable(QStringLiteral("%1: %2").arg(line.name()).arg(ratio)));
        }
    }
}

void TstPalette::seriesOfOneChartStayApart() {
    const History history = tests::exampleHistory({.seconds = 60});
    std::vector<Plot> plots;
    for (const ChartRow& row : chartTable()) {
        plots.push_back(row.make(history, {}));
    }
    for (const ThemeKind theme : kThemes) {
        for (const Plot& plot : plots) {
            for (std::size_t i = 0; i < plot.series.size(); ++i) {
                for (std::size_t j = i + 1; j < plot.series.size(); ++j) {
                    // Of a stack only neighbours touch; the legend names the others.
                    if (plot.series[i].kind != SeriesKind::Stack || j == i + 1) {
                        verifyApart(theme, plot.series[i].color, plot.series[j].color);
                    }
                }
            }
        }
        verifyApart(theme, ColorRole::SideA, ColorRole::SideB);
    }
}

void TstPalette::neighboursOfTheLedgerStayApart() {
    // In the order of a request's stages, as bars and waterfalls draw them.
    constexpr std::array kOrder = {ColorRole::StageLag,     ColorRole::StageText,
                                   ColorRole::StageQueue,   ColorRole::StageKv,
                                   ColorRole::StageCold,    ColorRole::StageMates,
                                   ColorRole::StageWeights, ColorRole::StageCompute,
                                   ColorRole::StageDeliver, ColorRole::StageRemainder};
    for (const ThemeKind theme : kThemes) {
        for (std::size_t i = 1; i < kOrder.size(); ++i) {
            verifyApart(theme, kOrder[i - 1], kOrder[i]);
        }
    }
}

QTEST_GUILESS_MAIN(TstPalette)
#include "tst_palette.moc"
