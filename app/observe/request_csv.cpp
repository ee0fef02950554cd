#include "app/observe/request_csv.h"

#include "app/report/csv_cell.h"

#include <fmt/format.h>

namespace app {

std::string requestCsvHeader() {
    std::string line = "id,due_s,lane,label,outcome,reason,tags,prompt_tokens,hit_tokens,"
                       "output_tokens,ttft_ms,ttft_from_received_ms,ttft_from_admitted_ms,tpot_ms,"
                       "e2e_ms,preemptions";
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        line += fmt::format(",{}_ms", engine::name(static_cast<engine::Stage>(i)));
    }
    return line + ",message\r\n";
}

std::string requestCsvLine(const RequestRow& row) {
    std::string tags;
    for (const std::string_view tag : tagKeys(row.tags)) {
        tags += (tags.empty() ? "" : " ") + std::string(tag);
    }
    std::string line = fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", row.id, csvNumber(row.dueSeconds, 6),
        row.lane == engine::Lane::Batch ? "batch" : "realtime", csvText(row.label),
        engine::name(row.outcome), engine::name(row.reason), tags, row.promptTokens, row.hitTokens,
        row.outputTokens, csvNumber(row.ttftMs, 3), csvNumber(row.ttftFromReceivedMs, 3),
        csvNumber(row.ttftFromAdmittedMs, 3), csvNumber(row.tpotMs, 3), csvNumber(row.e2eMs, 3),
        row.preemptions.size());
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        line +=
            "," +
            csvNumber(row.ledgerMs ? std::optional<double>((*row.ledgerMs)[i]) : std::nullopt, 3);
    }
    return line + "," + csvText(row.message) + "\r\n";
}

std::string requestCsv(std::span<const RequestRow> rows) {
    std::string text = requestCsvHeader();
    for (const RequestRow& row : rows) {
        text += requestCsvLine(row);
    }
    return text;
}

} // namespace app
