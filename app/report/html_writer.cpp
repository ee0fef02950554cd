#include "app/report/html_writer.h"

#include "app/plot/svg_writer.h"

#include <QFile>
#include <QLocale>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace app::report {

namespace {

// Wide charts are as tall as in the window; a pair shares the width.
constexpr QSizeF kWide{880, 264};
constexpr QSizeF kHalf{426, 232};

constexpr const char* kMark =
    "<svg width=\"28\" height=\"28\" viewBox=\"0 0 28 28\" aria-hidden=\"true\">"
    "<rect x=\"0.5\" y=\"0.5\" width=\"27\" height=\"27\" rx=\"7\" fill=\"var(--accent-tint)\" "
    "stroke=\"var(--accent)\" stroke-opacity=\"0.35\"/>"
    "<path d=\"M9 8.5v11M19 8.5v11\" stroke=\"var(--accent)\" stroke-width=\"3\" "
    "stroke-linecap=\"round\"/>"
    "<path d=\"M12.5 14h3\" stroke=\"var(--accent)\" stroke-width=\"2\" "
    "stroke-linecap=\"round\"/></svg>";

const char* className(Tone tone) {
    switch (tone) {
    case Tone::Plain:
        break;
    case Tone::Strong:
        return "strong";
    case Tone::Muted:
        return "muted";
    case Tone::Better:
        return "better";
    case Tone::Worse:
        return "worse";
    case Tone::Warn:
        return "warn";
    }
    return nullptr;
}

const char* className(MarkerKind kind) {
    switch (kind) {
    case MarkerKind::Operator:
        return "operator";
    case MarkerKind::Warning:
        return "warning";
    case MarkerKind::Alarm:
        return "alarm";
    case MarkerKind::Workload:
    case MarkerKind::Note:
        break;
    }
    return "note";
}

std::string html(const Text& text) {
    std::string out;
    for (const Span& span : text.spans) {
        const char* name = className(span.tone);
        const std::string content = escapedHtml(span.text);
        out +=
            name == nullptr ? content : fmt::format("<span class=\"{}\">{}</span>", name, content);
    }
    return out;
}

// A difference as a bar about the middle, full at 100 %.
std::string bar(double share, Tone tone) {
    constexpr double kHalfWidth = 45;
    const double length = kHalfWidth * std::min(1.0, std::abs(share));
    const double left = share < 0 ? kHalfWidth + 1 - length : kHalfWidth + 1;
    const char* name = className(tone);
    return fmt::format("<svg width=\"92\" height=\"14\" viewBox=\"0 0 92 14\" aria-hidden=\"true\">"
                       "<rect class=\"{}\" x=\"{:.1f}\" y=\"3\" width=\"{:.1f}\" height=\"8\"/>"
                       "<path class=\"zero\" d=\"M46 0v14\"/></svg>",
                       name == nullptr ? "plain" : name, left, length);
}

// One overload a kind of block: a new kind does not compile until it is written here.
struct BlockWriter {
    std::string& out;
    int& charts; // numbers the charts, so that ids within the page stay apart

    void operator()(const Paragraph& block) const {
        out +=
            fmt::format("<p{}>{}</p>\n", block.isLead ? " class=\"lead\"" : "", html(block.text));
    }
    void operator()(const Bullets& block) const {
        out += "<ul>\n";
        for (const Text& item : block.items) {
            out += "<li>" + html(item) + "</li>\n";
        }
        out += "</ul>\n";
    }
    void operator()(const Figures& block) const {
        out += "<div class=\"figures\">\n";
        for (const Figure& figure : block.figures) {
            out += fmt::format("<div class=\"figure\"><div class=\"label\">{}</div>"
                               "<div class=\"value\">{}<span class=\"unit\">{}</span></div>"
                               "<div class=\"detail\">{}</div></div>\n",
                               escapedHtml(figure.label), escapedHtml(figure.value),
                               escapedHtml(figure.unit), html(figure.detail));
        }
        out += "</div>\n";
    }
    void operator()(const Chart& block) const { chart(block.plot, kWide); }
    void operator()(const ChartRowOf2& block) const {
        out += "<div class=\"pair\">\n";
        for (const Plot& plot : block.plots) {
            chart(plot, kHalf);
        }
        out += "</div>\n";
    }
    void operator()(const Table& block) const;
    void operator()(const Facts& block) const {
        out += fmt::format("<h3>{}</h3>\n<dl>\n", escapedHtml(block.title));
        for (const auto& [label, value] : block.rows) {
            out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escapedHtml(label), html(value));
        }
        out += "</dl>\n";
    }
    void operator()(const FactsRowOf2& block) const {
        out += "<div class=\"pair\">\n<div>\n";
        (*this)(block.left);
        out += "</div>\n<div>\n";
        (*this)(block.right);
        out += "</div>\n</div>\n";
    }

private:
    void chart(const Plot& plot, QSizeF size) const {
        Plot numbered = plot;
        numbered.key += QString::number(++charts);
        out += "<figure>\n" + writeSvg(numbered, size) + "</figure>\n";
    }
};

void BlockWriter::operator()(const Table& block) const {
    out += "<div class=\"scroll\"><table>\n";
    const bool hasHead = std::ranges::any_of(
        block.columns, [](const Column& column) { return !column.head.isEmpty(); });
    if (hasHead) {
        out += "<thead><tr>";
        for (const Column& column : block.columns) {
            out += fmt::format("<th scope=\"col\"{}>{}</th>",
                               column.align == Align::Right ? " class=\"right\"" : "",
                               escapedHtml(column.head));
        }
        out += "</tr></thead>\n";
    }
    out += "<tbody>\n";
    for (const Row& row : block.rows) {
        out += "<tr>";
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            if (i == 0 && row.pin > 0) {
                out += fmt::format("<td class=\"pin\"><b class=\"{}\">{}</b></td>",
                                   className(row.pinKind), row.pin);
                continue;
            }
            if (i < block.columns.size() && block.columns[i].isBar) {
                out += "<td class=\"bar\">" + (row.bar ? bar(*row.bar, row.barTone) : "") + "</td>";
                continue;
            }
            const bool isRight = i < block.columns.size() && block.columns[i].align == Align::Right;
            out +=
                fmt::format("<td{}>{}</td>", isRight ? " class=\"right\"" : "", html(row.cells[i]));
        }
        out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
    if (!block.more.isEmpty()) {
        out += "<p class=\"more\">" + escapedHtml(block.more) + "</p>\n";
    }
}

std::string styleSheet() {
    QFile file(QStringLiteral(":/headway/report/style.css"));
    return (file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string()) +
           svgStyle();
}

} // namespace

std::string escapedHtml(const QString& text) {
    QString kept;
    kept.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const char16_t code = c.unicode();
        const bool isControl = (code < 0x20 && code != '\t' && code != '\n') ||
                               (code >= 0x7f && code < 0xa0) || code >= 0xFFFE;
        // Embedded direction marks could show a run under another one's name.
        const bool isDirection =
            (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
        const bool isPair =
            c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        if (isPair) {
            kept += c;
            kept += text[++i];
        } else {
            kept += isControl || isDirection || c.isSurrogate() ? QChar(QChar::ReplacementCharacter)
                                                                : c;
        }
    }
    return kept.toHtmlEscaped().toUtf8().toStdString();
}

std::string writeHtml(const Document& document) {
    const std::string language = QLocale().bcp47Name().toStdString();
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'\"/>\n"
        "<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n",
        escapedHtml(QString::fromStdString(language)), escapedHtml(document.title), styleSheet());
    out += fmt::format("<header>{}<span class=\"brand\">Headway</span>"
                       "<span class=\"kind\">{}</span><span class=\"headline\">{}</span></header>\n"
                       "<main>\n<h1>{}</h1>\n",
                       kMark, escapedHtml(document.kind), escapedHtml(document.headline),
                       escapedHtml(document.title));
    int charts = 0;
    for (const Section& section : document.sections) {
        out += section.startsPage ? "<section class=\"page\">\n" : "<section>\n";
        if (!section.title.isEmpty()) {
            out += "<h2>" + escapedHtml(section.title);
            if (!section.note.isEmpty()) {
                out += "<small>" + escapedHtml(section.note) + "</small>";
            }
            out += "</h2>\n";
        }
        for (const Block& block : section.blocks) {
            std::visit(BlockWriter{out, charts}, block);
        }
        out += "</section>\n";
    }
    return out + "</main>\n<footer>" + escapedHtml(document.footer) +
           "</footer>\n</body>\n</html>\n";
}

} // namespace app::report
