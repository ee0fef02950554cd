// A table of CSV (RFC 4180, UTF-8, a header line), cell by cell. Any thread.
#pragma once

#include "app/report/csv_cell.h"
#include "engine/request.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

class CsvTable {
public:
    explicit CsvTable(const std::vector<std::string>& heads) {
        for (const std::string& head : heads) {
            text(head);
        }
        endRow();
    }
    void text(std::string_view value) { add(csvText(value)); }
    void field(std::string_view value) { add(csvField(value)); }
    void integer(std::int64_t value) { field(std::to_string(value)); }
    void number(const std::optional<double>& value) { add(csvNumber(value)); }
    void seconds(const std::optional<engine::TimePoint>& time) {
        field(time ? secondsText(time->time_since_epoch().count()) : std::string());
    }
    void nanoseconds(std::int64_t ns) { field(secondsText(ns)); }
    void endRow() {
        m_out += "\r\n";
        m_isFirst = true;
    }
    const std::string& content() const { return m_out; }

private:
    // Exact: nine decimals of the integer, no rounding through a double.
    static std::string secondsText(std::int64_t ns) {
        const std::int64_t size = ns < 0 ? -ns : ns;
        return fmt::format("{}{}.{:09}", ns < 0 ? "-" : "", size / 1'000'000'000,
                           size % 1'000'000'000);
    }
    void add(const std::string& cell) {
        m_out += m_isFirst ? "" : ",";
        m_out += cell;
        m_isFirst = false;
    }

    std::string m_out;
    bool m_isFirst = true;
};

} // namespace app
