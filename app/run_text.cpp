#include "app/run_text.h"

#include "app/command/text_table.h"
#include "app/durations.h"
#include "app/labels.h"
#include "app/load/load_generator.h"
#include "app/store/event_json.h"
#include "app/store/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace app {

namespace {

std::string grouped(std::string digits) {
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), 1, ',');
    }
    return digits;
}

std::string countText(std::int64_t value) {
    return grouped(std::to_string(value));
}

bool isThin(const Quantiles& quantiles) {
    return (quantiles.p99 && quantiles.n < leastCount(0.99)) ||
           (quantiles.p90 && quantiles.n < leastCount(0.9));
}

void addQuantiles(TextTable& table, const char* name, const Quantiles& quantiles) {
    // Below these counts a tail has no bound; it is shown in brackets.
    const auto cell = [&](const std::optional<double>& value, double q) {
        const std::string text = figureText(value);
        return value && quantiles.n < leastCount(q) ? "(" + text + ")" : text;
    };
    table.add({name, cell(quantiles.p50, 0.5), cell(quantiles.p90, 0.9), cell(quantiles.p99, 0.99),
               figureText(quantiles.maximum), countText(quantiles.n)});
}

std::string arrivalText(const RunSummary& summary) {
    std::string line =
        summary.wantedRate
            ? fmt::format("{} of {} wanted requests/s", figureText(summary.achievedRate),
                          figureText(summary.wantedRate))
            : fmt::format("{} requests/s sent", figureText(summary.achievedRate));
    if (summary.lagP50Ms) {
        line += fmt::format(", lag p50 {} ms, p99 {} ms", figureText(summary.lagP50Ms),
                            figureText(summary.lagP99Ms));
        if (*summary.lagP50Ms > kLagLimitMs) {
            line += "  ! the load generator is the bottleneck";
        }
    }
    return line;
}

std::string shortTime(const std::string& iso) { // "2031-05-04 12:33:09" of an ISO 8601 time
    std::string text = iso.substr(0, 19);
    if (text.size() > 10 && text[10] == 'T') {
        text[10] = ' ';
    }
    return text;
}

// What became of requests that were not answered: a row a reason, the most frequent first.
std::string unansweredText(const std::vector<StoredRequest>& requests) {
    constexpr std::size_t kMost = 20;
    constexpr int kColumns = 160;
    std::map<std::pair<engine::FinishReason, std::string>, std::int64_t> counts;
    for (const StoredRequest& request : requests) {
        if (engine::outcome(request.record.reason) != engine::Outcome::Completed) {
            ++counts[{request.record.reason, request.record.message}];
        }
    }
    std::vector<std::pair<std::pair<engine::FinishReason, std::string>, std::int64_t>> rows(
        counts.begin(), counts.end());
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [](const auto& row) { return row.second; });
    TextTable table({{"  requests", Align::Right}, {"outcome"}, {"reason"}, {"message"}});
    for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
        const auto& [reason, message] = rows[i].first;
        table.add({countText(rows[i].second), std::string(name(engine::outcome(reason))),
                   std::string(name(reason)), elided(message, kColumns)});
    }
    const std::string more =
        rows.size() > kMost ? fmt::format("  {} more reasons\n", rows.size() - kMost) : "";
    return table.isEmpty() ? std::string() : "\n" + table.text() + more;
}

} // namespace

std::string machineText(const std::string& json) {
    const auto machine = nlohmann::json::parse(json, nullptr, false);
    if (!machine.is_object()) {
        return {};
    }
    const auto text = [&](const char* key) {
        const auto found = machine.find(key);
        return found != machine.end() && found->is_string() ? found->get<std::string>()
                                                            : std::string();
    };
    std::string line = text("cpu");
    if (const auto threads = machine.find("threads");
        threads != machine.end() && threads->is_number_integer()) {
        line += fmt::format(", {} threads", threads->get<std::int64_t>());
    }
    return text("isa").empty() ? line : line + ", " + text("isa");
}

std::string figureText(const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) {
        return "\u2013";
    }
    const double magnitude = std::abs(*value);
    const int decimals = magnitude >= 99.95 ? 0 : magnitude >= 9.995 ? 1 : 2;
    std::string text = fmt::format("{:.{}f}", magnitude, decimals);
    const std::size_t point = text.find('.');
    std::string whole = grouped(text.substr(0, point));
    return (*value < 0 ? "\u2212" : "") + whole +
           (point == std::string::npos ? "" : text.substr(point));
}

std::string runSummaryText(const RunSummary& summary, const std::filesystem::path& runLog) {
    const RunInfo& run = summary.run;
    std::string text = fmt::format("Run {}  {}  {}  {}\n", run.id, printable(run.name),
                                   name(run.state), durationText(run.seconds));
    text += fmt::format("  model     {}\n", printable(run.modelName));
    if (const std::string machine = machineText(run.machineJson); !machine.empty()) {
        text += fmt::format("  machine   {}\n", printable(machine));
    }
    text += fmt::format("  requests  {} completed, {} cancelled, {} failed, {} rejected\n",
                        countText(summary.completed), countText(summary.cancelled),
                        countText(summary.failed), countText(summary.rejected));
    if (summary.alarms > 0) {
        text += fmt::format("  alarms    {} raised\n", countText(summary.alarms));
    }
    text += fmt::format("  arrivals  {}\n", arrivalText(summary));
    text += fmt::format("  tokens/s  {} output, {} prompt\n", figureText(summary.outputPerSecond),
                        figureText(summary.promptPerSecond));
    const auto limit = [](double milliseconds) {
        return isLimit(milliseconds) ? figureText(milliseconds) + " ms" : "without a limit";
    };
    text += fmt::format("  goodput   {} requests/s within TTFT {} and TPOT {}\n\n",
                        figureText(summary.goodputPerSecond), limit(run.sloTtftMs),
                        limit(run.sloTpotMs));
    TextTable table({{"  ms, warm and completed"},
                     {"p50", Align::Right},
                     {"p90", Align::Right},
                     {"p99", Align::Right},
                     {"max", Align::Right},
                     {"n", Align::Right}});
    addQuantiles(table, "  TTFT, from scheduled", summary.ttftMs);
    addQuantiles(table, "  TPOT, a request", summary.tpotMs);
    addQuantiles(table, "  ITL, a gap", summary.itlMs);
    addQuantiles(table, "  E2EL, from scheduled", summary.e2eMs);
    text += table.text();
    if (summary.hitShare) {
        text += fmt::format("  {} % of these prompts' tokens were found in the prefix cache\n",
                            figureText(100 * *summary.hitShare));
    }
    if (isThin(summary.ttftMs) || isThin(summary.tpotMs)) {
        text += "  ( ) too few for a 95 % bound: p90 takes 29, p99 takes 299\n";
    }
    if (run.isIncomplete) {
        text += "\n  ! Events were lost while it ran; the run is incomplete.\n";
    }
    text += fmt::format("\n  recorded in {}\n", runLog.string());
    return text;
}

std::string runDetailsText(const RunData& run) {
    TextTable settings({{"  setting"}, {"requested"}, {"effective"}, {"state"}, {"reason"}});
    for (const SettingRow& row : run.summary.settings) {
        settings.add({"  " + row.field, row.requested, row.effective, row.state, row.reason});
    }
    TextTable events({{"  time"}, {"source"}, {"event"}, {"values"}});
    for (const StoredEvent& event : run.events) {
        if (!isForPeople(eventOf(event))) {
            continue; // what simulations need is in the documents
        }
        events.add({"  " + durationText(static_cast<double>(event.timeNs) / 1e9), event.source,
                    event.kind, elided(event.payloadJson, 120)});
    }
    return unansweredText(run.requests) + "\n" + settings.text() + "\n" + events.text();
}

std::string runListText(const std::vector<RunSummary>& runs) {
    TextTable table({{"run", Align::Right},
                     {"name"},
                     {"state"},
                     {"started (UTC)"},
                     {"time", Align::Right},
                     {"requests", Align::Right},
                     {"TTFT p50", Align::Right},
                     {"p99 ms", Align::Right},
                     {"out tok/s", Align::Right},
                     {"model"}});
    for (const RunSummary& summary : runs) {
        const RunInfo& run = summary.run;
        table.add({std::to_string(run.id), elided(run.name, 24), std::string(name(run.state)),
                   shortTime(run.startedUtc), durationText(run.seconds),
                   countText(summary.requests), figureText(summary.ttftMs.p50),
                   figureText(summary.ttftMs.p99), figureText(summary.outputPerSecond),
                   elided(run.modelName, 32)});
    }
    return table.text();
}

} // namespace app
