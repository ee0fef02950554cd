// Rows of text under aligned columns, for a terminal. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

enum class Align : std::uint8_t { Left, Right };

class TextTable {
public:
    struct Column {
        std::string title;
        Align align = Align::Left;
    };
    explicit TextTable(std::vector<Column> columns) : m_columns(std::move(columns)) {}

    void add(std::vector<std::string> cells); // as they are printable
    bool isEmpty() const { return m_rows.empty(); }
    std::string text() const; // lines end with a line break, none with a space

private:
    std::vector<Column> m_columns;
    std::vector<std::vector<std::string>> m_rows;
};

// Without what a terminal would obey: control characters (and bytes that are no UTF-8 of their own)
// become U+FFFD. Names come from files that others wrote.
std::string printable(std::string_view utf8);
// Columns that a UTF-8 text takes on a terminal: East Asian wide characters take two.
int displayWidth(std::string_view utf8);
// Cuts to at most `columns`, ending in an ellipsis.
std::string elided(std::string_view utf8, int columns);

} // namespace app
