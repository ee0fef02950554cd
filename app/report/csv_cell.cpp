#include "app/report/csv_cell.h"

#include <QList>
#include <QString>

#include <fmt/format.h>

#include <cmath>

namespace app {

namespace {

// What a spreadsheet may skip before it looks for a formula: blanks of every script, control
// characters, and what takes no width (zero-width space, byte order mark, marks of direction).
bool isSkipped(char32_t c) {
    return QChar::isSpace(c) || QChar::category(c) == QChar::Other_Control ||
           QChar::category(c) == QChar::Other_Format;
}

// Also the wide forms, which an input method of Chinese or Japanese writes and Excel takes.
bool beginsFormula(char32_t c) {
    return std::u32string_view(U"=+-@\uFF1D\uFF0B\uFF0D\uFF20\u2212").find(c) !=
           std::u32string_view::npos;
}

bool looksLikeFormula(std::string_view value) {
    if (!value.empty() && std::string_view("\t\r\n").find(value.front()) != value.npos) {
        return true; // some programs run what follows them, whatever it is
    }
    const QString text = QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
    for (const uint c : text.toUcs4()) {
        if (!isSkipped(c)) {
            return beginsFormula(c);
        }
    }
    return false;
}

} // namespace

std::string csvField(std::string_view value) {
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string(value);
    }
    std::string quoted = "\"";
    for (const char c : value) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

std::string csvText(std::string_view value) {
    return csvField(looksLikeFormula(value) ? "'" + std::string(value) : std::string(value));
}

std::string csvNumber(const std::optional<double>& value) {
    return value && std::isfinite(*value) ? fmt::format("{:.9g}", *value) : std::string();
}

std::string csvNumber(const std::optional<double>& value, int decimals) {
    return value && std::isfinite(*value) ? fmt::format("{:.{}f}", *value, decimals)
                                          : std::string();
}

} // namespace app
