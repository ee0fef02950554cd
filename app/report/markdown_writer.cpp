#include "app/report/markdown_writer.h"

#include "app/report/html_writer.h"

#include <algorithm>
#include <array>

namespace app::report {

namespace {

// Begins a link, or names somebody, where a program reads the dialect of GitHub; and what breaks
// it without being seen.
struct Broken {
    std::string_view text, written;
};
constexpr std::array kLinks = {Broken{"://", "\\://"}, Broken{"www.", "www\\."},
                               Broken{"@", "@<!-- -->"}};

// Markup of HTML is escaped first, since Markdown lets HTML through; line ends would end a table
// or begin a block.
std::string escaped(const QString& text) {
    std::string out;
    const std::string html = escapedHtml(text);
    for (std::string_view rest = html; !rest.empty();) {
        constexpr std::string_view kSpecial = "\\`*_{}[]|~#$";
        const auto link = std::ranges::find_if(
            kLinks, [rest](const Broken& each) { return rest.starts_with(each.text); });
        if (link != kLinks.end()) {
            out += link->written;
            rest.remove_prefix(link->text.size());
            continue;
        }
        const char c = rest.front();
        if (kSpecial.find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
        rest.remove_prefix(1);
    }
    return out;
}

// What stands first in a line or in an item of a list, escaped already: blanks would make it code,
// a dash, a plus or a number with a dot a list, and a row of = or - a heading or a rule.
std::string atLineStart(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
    const bool isMark =
        digits < line.size() &&
        std::string_view(digits == 0 ? "-+=" : ".)").find(line[digits]) != std::string_view::npos;
    return isMark ? std::string(line.substr(0, digits)) + '\\' + std::string(line.substr(digits))
                  : std::string(line);
}

std::string markdown(const Text& text) {
    std::string out;
    for (const Span& span : text.spans) {
        const bool isStrong = span.tone == Tone::Strong || span.tone == Tone::Better ||
                              span.tone == Tone::Worse || span.tone == Tone::Warn;
        const std::string content = escaped(span.text);
        const bool isPadded = content.starts_with(' ') || content.ends_with(' ');
        out += isStrong && !content.empty() && !isPadded ? "**" + content + "**" : content;
    }
    return out;
}

struct BlockWriter {
    std::string& out;

    void operator()(const Paragraph& block) const {
        out += atLineStart(markdown(block.text)) + "\n\n";
    }
    void operator()(const Bullets& block) const {
        for (const Text& item : block.items) {
            out += "- " + atLineStart(markdown(item)) + "\n";
        }
        out += "\n";
    }
    void operator()(const Figures& block) const {
        std::string heads = "|", rule = "|", values = "|", details = "|";
        for (const Figure& figure : block.figures) {
            heads += " " + escaped(figure.label) + " |";
            rule += " --- |";
            values += " **" + escaped(figure.value) + "** " + escaped(figure.unit) + " |";
            details += " " + markdown(figure.detail) + " |";
        }
        out += heads + "\n" + rule + "\n" + values + "\n" + details + "\n\n";
    }
    void operator()(const Chart&) const {} // pictures are in the HTML report
    void operator()(const ChartRowOf2&) const {}
    void operator()(const Table& block) const {
        std::string head = "|", rule = "|";
        for (const Column& column : block.columns) {
            if (column.isBar) {
                continue; // the number beside it says the same
            }
            head += " " + escaped(column.head) + " |";
            rule += column.align == Align::Right ? " ---: |" : " --- |";
        }
        out += head + "\n" + rule + "\n";
        for (const Row& row : block.rows) {
            out += "|";
            for (std::size_t i = 0; i < row.cells.size(); ++i) {
                if (i < block.columns.size() && block.columns[i].isBar) {
                    continue;
                }
                out += " ";
                out += i == 0 && row.pin > 0 ? std::to_string(row.pin) : markdown(row.cells[i]);
                out += " |";
            }
            out += "\n";
        }
        out += "\n";
        if (!block.more.isEmpty()) {
            out += atLineStart(escaped(block.more)) + "\n\n";
        }
    }
    void operator()(const Facts& block) const {
        out += "**" + escaped(block.title) + "**\n\n";
        for (const auto& [label, value] : block.rows) {
            out += "- " + atLineStart(escaped(label)) + ": " + markdown(value) + "\n";
        }
        out += "\n";
    }
    void operator()(const FactsRowOf2& block) const {
        (*this)(block.left);
        (*this)(block.right);
    }
};

bool isOnlyCharts(const Section& section) {
    return std::ranges::all_of(section.blocks, [](const Block& block) {
        return std::holds_alternative<Chart>(block) || std::holds_alternative<ChartRowOf2>(block);
    });
}

} // namespace

std::string writeMarkdown(const Document& document) {
    std::string out =
        "# " + escaped(document.title) + "\n\n" + atLineStart(escaped(document.headline)) + "\n\n";
    for (const Section& section : document.sections) {
        if (isOnlyCharts(section)) {
            continue;
        }
        if (!section.title.isEmpty()) {
            out += "## " + escaped(section.title) + "\n\n";
            out += section.note.isEmpty() ? std::string()
                                          : atLineStart(escaped(section.note)) + "\n\n";
        }
        for (const Block& block : section.blocks) {
            std::visit(BlockWriter{out}, block);
        }
    }
    return out + "---\n\n" + atLineStart(escaped(document.footer)) + "\n";
}

} // namespace app::report
