// A run cut at its changes: what each part measured, and what each change of settings did. Pure but
// for the words (translations: main thread).
#pragma once

#include "app/compare/comparison.h"

#include <QString>

#include <optional>
#include <vector>

namespace app::report {

// Between two changes (settings applied, a stage of the workload). A request belongs to the phase
// of its first visible text, as in the charts.
struct Phase {
    QString letter;
    QString settings;           // "Max batch 4, 12 req/s"
    double from = 0, to = 0;    // seconds
    std::vector<double> ttftMs; // warm and completed, ascending
    std::int64_t outputTokens = 0, goodRequests = 0;
    std::optional<double> outputPerSecond, goodputPerSecond; // empty where it has no length
    std::optional<double> running;                           // mean
};
std::vector<Phase> phases(const RunData& run);

// TTFT p50 in up to a minute before and after a change of settings, no further than the next one.
struct Effect {
    std::optional<double> before, after;
    std::int64_t nBefore = 0, nAfter = 0;
    std::optional<Interval> interval; // of the difference
    Verdict verdict = Verdict::None;
};
// Empty for markers that change no setting.
std::optional<Effect> effectOf(const RunData& run, std::size_t marker);

} // namespace app::report
