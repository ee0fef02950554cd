#include "app/report/markdown_writer.h"

#include "app/report/html_writer.h"

#include <algorithm>

namespace app::report {

namespace {

// Markup of HTML is escaped first, since Markdown lets HTML through; line ends would end a table.
std::string escaped(const QString& text) {
    std::string out;
    for (const char c : escapedHtml(text)) {
        constexpr std::string_view kSpecial = "\\`*_{}[]|~#";
        if (c == '\n' || c == '\t') {
            out += ' ';
            continue;
        }
        if (kSpecial.find(c) != std::string_view::npos) {
            out += '\\';
        }
        out += c;
    }
    return out;
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

    void operator()(const Paragraph& block) const { out += markdown(block.text) + "\n\n"; }
    void operator()(const Bullets& block) const {
        for (const Text& item : block.items) {
            out += "- " + markdown(item) + "\n";
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
            out += escaped(block.more) + "\n\n";
        }
    }
    void operator()(const Facts& block) const {
        out += "**" + escaped(block.title) + "**\n\n";
        for (const auto& [label, value] : block.rows) {
            out += "- " + escaped(label) + ": " + markdown(value) + "\n";
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
    std::string out = "# " + escaped(document.title) + "\n\n" + escaped(document.headline) + "\n\n";
    for (const Section& section : document.sections) {
        if (isOnlyCharts(section)) {
            continue;
        }
        if (!section.title.isEmpty()) {
            out += "## " + escaped(section.title) + "\n\n";
            out += section.note.isEmpty() ? std::string() : escaped(section.note) + "\n\n";
        }
        for (const Block& block : section.blocks) {
            std::visit(BlockWriter{out}, block);
        }
    }
    return out + "---\n\n" + escaped(document.footer) + "\n";
}

} // namespace app::report
