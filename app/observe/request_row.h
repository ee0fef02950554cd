// A finished request reduced to what tables and waterfalls show: the record without its token
// stamps, times relative to the start of the run. Values; any thread.
#pragma once

#include "engine/events.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

struct RequestRow {
    std::uint64_t id = 0;
    engine::Lane lane = engine::Lane::Realtime;
    engine::Outcome outcome = engine::Outcome::Completed;
    engine::FinishReason reason = engine::FinishReason::Stop;
    std::uint32_t tags = 0; // SampleTag bits
    std::string label;
    std::string message; // why it was refused or failed
    std::int64_t promptTokens = 0, outputTokens = 0, hitTokens = 0;
    std::optional<double> dueSeconds;   // scheduled, else received
    std::optional<double> firstSeconds; // of the first visible text, else of the end
    std::optional<double> ttftMs, ttftFromReceivedMs, ttftFromAdmittedMs, tpotMs, e2eMs;
    std::optional<std::array<float, engine::kStages>> ledgerMs;
    // When it lost its place, from due, and for how long; absent where it never got it back.
    struct Preemption {
        double atMs = 0.0;
        std::optional<double> lengthMs;
    };
    std::vector<Preemption> preemptions;
    double blockedMs = 0.0; // by a closed batch with free places, until blockedBy was answered
    std::uint64_t blockedBy = 0;
};

RequestRow requestRow(const engine::RequestRecord& record, engine::TimePoint start);

// "cold", "idle_start", "warm_up", "preempted", "config_changed", "streamed"; "warm" where none of
// them is set.
std::vector<std::string_view> tagKeys(std::uint32_t tags);
// Why the request is no latency sample ("cold", ...), or empty. Failed and refused ones have none.
bool isLatencySample(const RequestRow& row);

struct OutcomeCounts {
    std::array<std::int64_t, 4> byOutcome{};
    void add(engine::Outcome outcome) { ++byOutcome[static_cast<std::size_t>(outcome)]; }
    std::int64_t of(engine::Outcome outcome) const {
        return byOutcome[static_cast<std::size_t>(outcome)];
    }
    std::int64_t total() const { return byOutcome[0] + byOutcome[1] + byOutcome[2] + byOutcome[3]; }
};

// One stage of a waterfall: where it lies, and its length rounded so that the shown stages add up
// to the shown total (largest remainder).
struct LedgerBar {
    engine::Stage stage = engine::Stage::Lag;
    double beginMs = 0.0, lengthMs = 0.0;
    double shownMs = 0.0;
};
struct LedgerView {
    std::vector<LedgerBar> bars; // in order of time; the cold stage only where it took time
    double totalMs = 0.0;        // TTFT, unrounded
    double shownTotalMs = 0.0;   // the sum of the shown stages
    int decimals = 1;
};
std::optional<LedgerView> ledgerView(const RequestRow& row);

// Parts rounded to `decimals` so that they add up to the rounded total. Parts are not negative.
std::vector<double> roundedParts(const std::vector<double>& parts, int decimals);

// Upper end of the scale that all ledger bars of a table share: a 1-2-5 bound of the 95th
// percentile, so that one cold start does not flatten every other bar.
double ledgerScaleMs(const std::vector<double>& ttftMs);

} // namespace app
