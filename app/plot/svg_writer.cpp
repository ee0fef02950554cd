#include "app/plot/svg_writer.h"

#include "app/plot/plot_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace app {

namespace {

// Colours stand in the element as light attributes; the class of a role lets a style sheet replace
// them (dark variant), so the picture is right without any style sheet, too.
constexpr std::array<std::pair<ColorRole, const char*>, 33> kRoleClasses = {{
    {ColorRole::Card, "card"},
    {ColorRole::Text1, "text-1"},
    {ColorRole::Text2, "text-2"},
    {ColorRole::Text3, "text-3"},
    {ColorRole::Accent, "accent"},
    {ColorRole::Warn, "warn"},
    {ColorRole::Bad, "bad"},
    {ColorRole::Info, "info"},
    {ColorRole::Grid, "grid"},
    {ColorRole::Axis, "axis"},
    {ColorRole::TtftP50, "p50"},
    {ColorRole::TtftP90, "p90"},
    {ColorRole::TtftP99, "p99"},
    {ColorRole::OutputTokens, "output"},
    {ColorRole::PromptTokens, "prompt"},
    {ColorRole::Running, "running"},
    {ColorRole::Waiting, "waiting"},
    {ColorRole::Kv, "kv"},
    {ColorRole::Memory, "memory"},
    {ColorRole::DeviceBusy, "busy"},
    {ColorRole::SideA, "side-a"},
    {ColorRole::SideB, "side-b"},
    {ColorRole::StageLag, "stage-lag"},
    {ColorRole::StageQueue, "stage-queue"},
    {ColorRole::StageText, "stage-text"},
    {ColorRole::StageKv, "stage-kv"},
    {ColorRole::StageCold, "stage-cold"},
    {ColorRole::StageMates, "stage-mates"},
    {ColorRole::StageWeights, "stage-weights"},
    {ColorRole::StageCompute, "stage-compute"},
    {ColorRole::StageDeliver, "stage-deliver"},
    {ColorRole::StageRemainder, "stage-remainder"},
    {ColorRole::Better, "better"},
}};

const char* roleClass(ColorRole role) {
    const auto* row =
        std::ranges::find(kRoleClasses, role, &std::pair<ColorRole, const char*>::first);
    return row != kRoleClasses.end() ? row->second : "text-2";
}

std::string hex(ThemeKind theme, ColorRole role) {
    return color(theme, role).name().toStdString();
}

// XML has no place for control characters and the two non-characters, escaped or not.
std::string escaped(const QString& text) {
    QString kept;
    for (const QChar c : text) {
        const char16_t code = c.unicode();
        const bool isControl = code < 0x20 && code != '\t' && code != '\n';
        kept += isControl || code >= 0xFFFE ? QChar(QChar::ReplacementCharacter) : c;
    }
    return kept.toHtmlEscaped().toUtf8().toStdString();
}

// One decimal is a tenth of a pixel; whole numbers go without.
std::string number(double value) {
    return QString::number(std::round(value * 10.0) / 10.0 + 0.0, 'g', 8).toStdString();
}

// Advance of Inter at this size, near enough to place a legend: CJK is square.
double estimatedWidth(const QString& text, double pixels) {
    double em = 0.0;
    for (const QChar c : text) {
        em += c.unicode() >= 0x2E80 ? 1.0 : c.isUpper() || c.isDigit() ? 0.64 : 0.54;
    }
    return em * pixels;
}

class SvgWriter {
public:
    SvgWriter(const Plot& plot, QSizeF size)
        : m_plot(plot),
          m_size(size),
          m_layout(plotLayout(plot, QRectF({0, 0}, size), LegendValues::None, estimatedWidth)),
          m_scale(plotScale(plot, m_layout.area)) {}

    std::string write() {
        open();
        head();
        axes();
        data();
        thresholds();
        markers();
        m_out += "</svg>\n";
        return std::move(m_out);
    }

private:
    static std::string fill(ColorRole role) {
        return std::string(" class=\"hw-f-") + roleClass(role) + "\" fill=\"" +
               hex(ThemeKind::Light, role) + "\"";
    }
    static std::string stroke(ColorRole role, double width) {
        return std::string(" class=\"hw-s-") + roleClass(role) + "\" fill=\"none\" stroke=\"" +
               hex(ThemeKind::Light, role) + "\" stroke-width=\"" + number(width) + "\"";
    }
    std::string id(const char* what) const {
        return std::string("hw-") + what + "-" + escaped(m_plot.key) + "-" +
               number(m_size.width()) + "x" + number(m_size.height());
    }

    void rect(const QRectF& r, const std::string& attributes) {
        m_out += "<rect x=\"" + number(r.x()) + "\" y=\"" + number(r.y()) + "\" width=\"" +
                 number(r.width()) + "\" height=\"" + number(r.height()) + "\"" + attributes +
                 "/>\n";
    }
    void text(QPointF at, const QString& content, ColorRole role, double pixels,
              const char* extra = "") {
        if (content.isEmpty()) {
            return;
        }
        m_out += "<text x=\"" + number(at.x()) + "\" y=\"" + number(at.y()) + "\" font-size=\"" +
                 number(pixels) + "\"" + fill(role) + extra + ">" + escaped(content) + "</text>\n";
    }
    void line(QPointF from, QPointF to, const std::string& attributes) {
        m_out += "<line x1=\"" + number(from.x()) + "\" y1=\"" + number(from.y()) + "\" x2=\"" +
                 number(to.x()) + "\" y2=\"" + number(to.y()) + "\"" + attributes + "/>\n";
    }
    std::string coordinates(std::span<const QPointF> points) const {
        std::string list;
        for (const QPointF& point : points) {
            list += number(m_scale.x(point.x())) + "," + number(m_scale.y(point.y())) + " ";
        }
        return list;
    }

    void open();
    void head();
    void axes();
    void data();
    void stacks();
    void lineSeries(const Series& series);
    void thresholds();
    void markers();

    const Plot& m_plot;
    const QSizeF m_size;
    const PlotLayout m_layout;
    const PlotScale m_scale;
    std::string m_out;
};

void SvgWriter::open() {
    const std::string width = number(m_size.width());
    const std::string height = number(m_size.height());
    m_out +=
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hw-plot\" role=\"img\" viewBox=\"0 0 " +
        width + " " + height + "\" width=\"" + width + "\" height=\"" + height +
        "\" font-family=\"Inter, 'Noto Sans CJK SC', sans-serif\">\n<title>" +
        escaped(m_plot.unit.isEmpty() ? m_plot.title
                                      : m_plot.title + QStringLiteral(", ") + m_plot.unit) +
        "</title>\n<defs><clipPath id=\"" + id("clip") + "\">";
    rect(m_layout.area.adjusted(0, -1, 0, 1), "");
    m_out += "</clipPath>";
    if (std::ranges::any_of(m_plot.series, &Series::hatched)) {
        m_out += "<pattern id=\"" + id("hatch") +
                 "\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
                 "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\"" +
                 stroke(ColorRole::Card, 1.5) + " stroke-opacity=\"0.45\"/></pattern>";
    }
    m_out += "</defs>\n";
}

void SvgWriter::head() {
    text({0, m_layout.titleBaseline}, m_plot.title, ColorRole::Text1, 13, " font-weight=\"600\"");
    text({estimatedWidth(m_plot.title, 13) + 8.0, m_layout.titleBaseline}, m_plot.unit,
         ColorRole::Text3, 11);
    for (const LegendEntry& entry : m_layout.legend) {
        rect(entry.isBlock ? QRectF(entry.x, entry.y - 8.0, 8.0, 8.0)
                           : QRectF(entry.x, entry.y - 5.0, 10.0, 2.0),
             fill(entry.color));
        text({entry.x + 14.0, entry.y}, entry.name, ColorRole::Text2, 11);
    }
}

void SvgWriter::axes() {
    const QRectF& area = m_layout.area;
    for (const AxisLabel& label : yLabels(m_plot)) {
        const double y = std::round(m_scale.y(label.value)) + 0.5;
        line({area.left(), y}, {area.right(), y},
             stroke(label.value == 0 ? ColorRole::Axis : ColorRole::Grid, 1.0));
        text({area.left() - 6.0, y + 3.5}, label.text, ColorRole::Text3, 11,
             " text-anchor=\"end\"");
    }
    for (const AxisLabel& label : xLabels(m_plot, area.width())) {
        const double x = m_scale.x(label.value);
        line({x, area.bottom()}, {x, area.bottom() + 4.0}, stroke(ColorRole::Axis, 1.0));
        text({x, area.bottom() + 16.0}, label.text, ColorRole::Text3, 11,
             " text-anchor=\"middle\"");
    }
}

void SvgWriter::data() {
    m_out += "<g clip-path=\"url(#" + id("clip") + ")\" stroke-linejoin=\"round\">\n";
    for (const Shade& shade : m_plot.shades) {
        const double left = m_scale.x(std::max(shade.from, m_plot.xMin));
        const double right = m_scale.x(std::min(shade.to, m_plot.xMax));
        if (right > left) {
            m_out += "<g><title>" + escaped(shade.name) + "</title>";
            rect({left, m_layout.area.top(), right - left, m_layout.area.height()},
                 fill(shade.color) + " fill-opacity=\"" +
                     QString::number(shade.opacity).toStdString() + "\"");
            m_out += "</g>\n";
        }
    }
    for (const Band& band : m_plot.bands) {
        const std::size_t count = std::min(band.lower.size(), band.upper.size());
        std::vector<QPointF> both(band.upper.begin(),
                                  band.upper.begin() + static_cast<std::ptrdiff_t>(count));
        for (std::size_t i = 0; i < count; ++i) {
            both[i].ry() += band.lower[i].y();
        }
        for (const Segment& part : segments(both, {})) {
            const auto slice = [&part](const std::vector<QPointF>& points) {
                return std::vector(points.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                   points.begin() + static_cast<std::ptrdiff_t>(part.end));
            };
            std::vector<QPointF> back = slice(band.lower);
            std::ranges::reverse(back);
            m_out += "<polygon points=\"" + coordinates(slice(band.upper)) + coordinates(back) +
                     "\"" + fill(band.color) + " fill-opacity=\"" +
                     QString::number(band.opacity).toStdString() + "\"/>\n";
        }
    }
    stacks();
    for (const Series& series : m_plot.series) {
        if (series.kind != SeriesKind::Stack) {
            lineSeries(series);
        }
    }
    m_out += "</g>\n";
    if (const auto note = unsureNote(m_plot)) {
        text({m_scale.x(note->at.x()),
              std::max(m_layout.area.top() + 10.0, m_scale.y(note->at.y()) - 8.0)},
             note->text, ColorRole::Text3, 11);
    }
    if (!hasData(m_plot)) {
        text(m_layout.area.center(), m_plot.emptyText, ColorRole::Text3, 12,
             " text-anchor=\"middle\"");
    }
}

void SvgWriter::stacks() {
    const std::vector<QPointF> total = stackTotal(m_plot);
    const std::vector<Segment> parts = segments(total, {});
    std::vector<QPointF> lower = total;
    for (QPointF& point : lower) {
        if (std::isfinite(point.y())) {
            point.setY(0.0);
        }
    }
    for (const Series& series : m_plot.series) {
        if (series.kind != SeriesKind::Stack || series.points.size() < total.size()) {
            continue;
        }
        std::vector<QPointF> upper = lower;
        for (std::size_t i = 0; i < upper.size(); ++i) {
            upper[i].ry() += series.points[i].y();
        }
        m_out += "<g><title>" + escaped(series.name) + "</title>\n";
        for (const Segment& part : parts) {
            const std::size_t size = part.end - part.begin;
            const std::span<const QPointF> top = std::span(upper).subspan(part.begin, size);
            std::vector<QPointF> bottom(lower.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                        lower.begin() + static_cast<std::ptrdiff_t>(part.end));
            std::ranges::reverse(bottom);
            const std::string shape = coordinates(top) + coordinates(bottom);
            m_out += "<polygon points=\"" + shape + "\"" + fill(series.color) + "/>\n";
            if (series.hatched) {
                m_out += "<polygon points=\"" + shape + "\" fill=\"url(#" + id("hatch") + ")\"/>\n";
            }
        }
        m_out += "</g>\n";
        lower = std::move(upper);
    }
    if (m_plot.showsTotal) {
        for (const Segment& part : parts) {
            m_out += "<polyline points=\"" +
                     coordinates(std::span(total).subspan(part.begin, part.end - part.begin)) +
                     "\"" + stroke(ColorRole::Text1, 1.0) + "/>\n";
        }
    }
}

void SvgWriter::lineSeries(const Series& series) {
    m_out += "<g><title>" + escaped(series.name) + "</title>\n";
    for (const Segment& part : segments(series.points, series.unsure)) {
        std::vector<QPointF> points(series.points.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                    series.points.begin() + static_cast<std::ptrdiff_t>(part.end));
        if (series.kind == SeriesKind::Step) {
            std::vector<QPointF> steps;
            for (const QPointF& point : points) {
                if (!steps.empty()) {
                    steps.emplace_back(point.x(), steps.back().y());
                }
                steps.push_back(point);
            }
            points = std::move(steps);
        }
        if (points.size() == 1) {
            m_out += "<circle cx=\"" + number(m_scale.x(points.front().x())) + "\" cy=\"" +
                     number(m_scale.y(points.front().y())) + "\" r=\"2\"" + fill(series.color) +
                     "/>\n";
            continue;
        }
        if (series.kind == SeriesKind::Area) {
            const double bottom = m_layout.area.bottom();
            m_out += "<polygon points=\"" + coordinates(points) +
                     number(m_scale.x(points.back().x())) + "," + number(bottom) + " " +
                     number(m_scale.x(points.front().x())) + "," + number(bottom) + "\"" +
                     fill(series.color) + " fill-opacity=\"0.28\"/>\n";
        }
        m_out +=
            "<polyline points=\"" + coordinates(points) + "\"" +
            (part.isUnsure ? stroke(ColorRole::Text3, series.width) + " stroke-dasharray=\"3 3\""
                           : stroke(series.color, series.width)) +
            "/>\n";
    }
    m_out += "</g>\n";
}

void SvgWriter::thresholds() {
    const QRectF& area = m_layout.area;
    for (const Threshold& threshold : m_plot.thresholds) {
        if (threshold.y > m_plot.yMax) {
            continue;
        }
        const double y = m_scale.y(threshold.y);
        line({area.left(), y}, {area.right(), y},
             stroke(threshold.color, 1.0) + " stroke-dasharray=\"1.5 2.5\"");
        text({area.right() - 6.0, y - 5.0}, threshold.name, threshold.color, 11,
             " text-anchor=\"end\"");
    }
}

void SvgWriter::markers() {
    for (const Shade& shade : m_plot.shades) { // names above the area, where there is room
        const double left = m_scale.x(std::max(shade.from, m_plot.xMin));
        const double right = m_scale.x(std::min(shade.to, m_plot.xMax));
        const double wanted = estimatedWidth(shade.name, 10) + 8.0;
        if (!shade.name.isEmpty() && right - left >= wanted) {
            const double middle = (left + right) / 2.0;
            rect({middle - wanted / 2.0, m_layout.pinTop, wanted, 14.0},
                 fill(shade.color) + " rx=\"3\"");
            text({middle, m_layout.pinTop + 10.5}, shade.name, ColorRole::Card, 10,
                 " text-anchor=\"middle\" font-weight=\"600\"");
        }
    }
    for (const Marker& marker : m_plot.markers) {
        if (marker.x < m_plot.xMin || marker.x > m_plot.xMax) {
            continue;
        }
        const double x = m_scale.x(marker.x);
        line({x, m_layout.pinTop + 14.0}, {x, m_layout.area.bottom()},
             stroke(markerColor(marker.kind), 1.0) + " stroke-dasharray=\"4 3\"");
    }
    for (const Pin& pin : pins(m_plot, m_scale)) {
        const double width = std::max(14.0, estimatedWidth(pin.label, 10) + 7.0);
        rect({pin.x - width / 2.0, m_layout.pinTop, width, 14.0},
             fill(markerColor(pin.kind)) + " rx=\"3\"");
        text({pin.x, m_layout.pinTop + 10.5}, pin.label, ColorRole::Card, 10,
             " text-anchor=\"middle\" font-weight=\"600\"");
        if (width + 4.0 + estimatedWidth(pin.text, 11) <= pin.room) {
            text({pin.x + width / 2.0 + 4.0, m_layout.pinTop + 11.0}, pin.text, ColorRole::Text2,
                 11);
        }
    }
}

} // namespace

std::string writeSvg(const Plot& plot, QSizeF size) {
    return SvgWriter(plot, size).write();
}

std::string svgStyle() {
    std::string light, dark;
    for (const auto& [role, name] : kRoleClasses) {
        const auto rules = [role = role, name = name](ThemeKind theme) {
            const std::string value = hex(theme, role);
            return std::string(".hw-f-") + name + "{fill:" + value + "}.hw-s-" + name +
                   "{stroke:" + value + "}\n";
        };
        light += rules(ThemeKind::Light);
        dark += rules(ThemeKind::Dark);
    }
    // Paper stays light.
    return ".hw-plot{max-width:100%;height:auto}\n" + light +
           "@media screen and (prefers-color-scheme: dark){\n" + dark + "}\n";
}

} // namespace app
