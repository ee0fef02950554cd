// A report as data: sections of blocks. Sections make it from runs, writers turn it into HTML or
// Markdown. Values; text is already translated and not escaped.
#pragma once

#include "app/plot/plot.h"

#include <QSizeF>
#include <QString>

#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace app::report {

enum class Tone : std::uint8_t { Plain, Strong, Muted, Better, Worse, Warn };

struct Span {
    QString text;
    Tone tone = Tone::Plain;
};

// A cell, a sentence, a value: pieces one after the other.
struct Text {
    Text() = default;
    Text(QString text, Tone tone = Tone::Plain); // a plain QString is a Text
    Text& add(QString text, Tone tone = Tone::Plain);
    QString plain() const;
    std::vector<Span> spans;
};

enum class Align : std::uint8_t { Left, Right };

struct Paragraph {
    Text text;
    bool isLead = false; // the result, under the title
};
struct Bullets {
    std::vector<Text> items;
};
struct Figure { // one large number
    QString label, value, unit;
    Text detail; // interval or n
};
struct Figures {
    std::vector<Figure> figures;
};
struct Chart {
    Plot plot;
};
struct ChartRowOf2 { // side by side
    std::vector<Plot> plots;
};
struct Column {
    QString head;
    Align align = Align::Left;
    bool isBar = false; // its cells are the rows' bars
};
struct Row {
    std::optional<double> bar = {}; // -1 .. 1, drawn in the column of bars
    Tone barTone = Tone::Plain;
    int pin = 0; // number of a marker shown before the first cell; 0: none
    MarkerKind pinKind = MarkerKind::Note;
    std::vector<Text> cells;
};
struct Table {
    std::vector<Column> columns;
    std::vector<Row> rows;
    QString more; // a line under it: what is not listed
};
struct Facts { // label and value
    QString title;
    std::vector<std::pair<QString, Text>> rows;
};
struct FactsRowOf2 {
    Facts left, right;
};
using Block =
    std::variant<Paragraph, Bullets, Figures, Chart, ChartRowOf2, Table, Facts, FactsRowOf2>;

struct Section {
    QString title; // empty: continues the one before
    QString note;  // small, beside the title
    std::vector<Block> blocks;
    bool startsPage = false; // on paper
};

struct Document {
    QString kind;     // "run report": beside the brand
    QString headline; // right of it: run, time, length
    QString title;
    std::vector<Section> sections;
    QString footer;
};

} // namespace app::report
