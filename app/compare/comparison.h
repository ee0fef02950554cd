// Two runs side by side: differences with intervals and verdicts, settings that differ, what makes
// them hard to compare.
#pragma once

#include "app/compare/statistics.h"
#include "app/store/run_store.h"

#include <string>
#include <vector>

namespace app {

enum class Verdict : std::uint8_t { Better, Worse, Same, NotResolved, None };
std::string_view name(Verdict verdict); // "better", ...

struct ComparisonRow {
    std::string metric; // "ttft_p50_ms"
    std::string unit;
    std::optional<double> a, b, difference;
    std::optional<Interval> interval; // of b - a
    Verdict verdict = Verdict::None;
    std::int64_t nA = 0, nB = 0;
};

struct SettingDifference {
    std::string field;
    std::string requestedA, effectiveA, requestedB, effectiveB;
};

struct Comparison {
    std::vector<ComparisonRow> rows;
    std::vector<SettingDifference> settings;
    std::int64_t equalSettings = 0;
    std::vector<std::string>
        cautions; // kinds: "sequential", "request_list_differs", "machine_differs",
                  // "model_differs", "length_differs", "interrupted"
};

// Sequential runs: percentile bootstrap over requests, so drift between them is not excluded
// (caution "sequential").
Comparison compareRuns(const RunData& a, const RunData& b);

} // namespace app
