#include "app/command/text_table.h"

#include <algorithm>

namespace app {

namespace {

struct CodePoint {
    char32_t value = 0;
    std::size_t bytes = 1;
};

// Bytes that are no valid start count as one character each.
CodePoint codePointAt(std::string_view text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (lead < 0x80 || lead < 0xC0 || at + length > text.size()) {
        return {lead, 1};
    }
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t more = 1; more < length; ++more) {
        value = (value << 6U) | (static_cast<unsigned char>(text[at + more]) & 0x3FU);
    }
    return {value, length};
}

// The blocks that terminals draw two columns wide; Unicode TR 11, reduced to what names contain.
int columnsOf(char32_t value) {
    const bool isWide =
        (value >= 0x1100 && value <= 0x115F) || (value >= 0x2E80 && value <= 0xA4CF) ||
        (value >= 0xAC00 && value <= 0xD7A3) || (value >= 0xF900 && value <= 0xFAFF) ||
        (value >= 0xFE30 && value <= 0xFE6F) || (value >= 0xFF00 && value <= 0xFF60) ||
        (value >= 0x1F300 && value <= 0x1FAFF) || (value >= 0x20000 && value <= 0x3FFFD);
    return isWide ? 2 : 1;
}

std::string padded(const std::string& text, int width, Align align) {
    const auto spaces = static_cast<std::size_t>(std::max(width - displayWidth(text), 0));
    return align == Align::Right ? std::string(spaces, ' ') + text
                                 : text + std::string(spaces, ' ');
}

} // namespace

std::string printable(std::string_view utf8) {
    std::string text;
    for (std::size_t at = 0; at < utf8.size();) {
        const CodePoint point = codePointAt(utf8, at);
        // C0, DEL and C1; and what turns the direction of all that follows.
        const bool isObeyed = point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0) ||
                              (point.value >= 0x202A && point.value <= 0x202E) ||
                              (point.value >= 0x2066 && point.value <= 0x2069);
        const bool isStray = point.bytes == 1 && point.value >= 0x80;
        text += isObeyed || isStray ? std::string_view("\uFFFD") : utf8.substr(at, point.bytes);
        at += point.bytes;
    }
    return text;
}

int displayWidth(std::string_view utf8) {
    int width = 0;
    for (std::size_t at = 0; at < utf8.size();) {
        const CodePoint point = codePointAt(utf8, at);
        width += columnsOf(point.value);
        at += point.bytes;
    }
    return width;
}

std::string elided(std::string_view utf8, int columns) {
    if (displayWidth(utf8) <= columns) {
        return std::string(utf8);
    }
    int width = 0;
    std::size_t at = 0;
    while (at < utf8.size()) {
        const CodePoint point = codePointAt(utf8, at);
        if (width + columnsOf(point.value) > columns - 1) {
            break;
        }
        width += columnsOf(point.value);
        at += point.bytes;
    }
    return columns > 0 ? std::string(utf8.substr(0, at)) + "\u2026" : std::string();
}

void TextTable::add(std::vector<std::string> cells) {
    std::ranges::transform(cells, cells.begin(), printable);
    m_rows.push_back(std::move(cells));
}

std::string TextTable::text() const {
    std::vector<int> widths;
    for (const Column& column : m_columns) {
        widths.push_back(displayWidth(column.title));
    }
    for (const auto& row : m_rows) {
        for (std::size_t at = 0; at < std::min(row.size(), widths.size()); ++at) {
            widths[at] = std::max(widths[at], displayWidth(row[at]));
        }
    }
    std::string text;
    const auto appendRow = [&](const auto& cellAt) {
        std::string line;
        for (std::size_t at = 0; at < m_columns.size(); ++at) {
            line += (at > 0 ? "  " : "") + padded(cellAt(at), widths[at], m_columns[at].align);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    };
    appendRow([&](std::size_t at) { return m_columns[at].title; });
    for (const auto& row : m_rows) {
        appendRow([&](std::size_t at) { return at < row.size() ? row[at] : std::string(); });
    }
    return text;
}

} // namespace app
