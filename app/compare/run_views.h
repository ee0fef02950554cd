// What the Runs page shows, read and computed whole from a log file so that it can happen in the
// background: the list, one run with its charts, two runs against each other. Any thread with a log
// of its own; chart texts are translated, so the language must not change meanwhile.
#pragma once

#include "app/compare/comparison.h"
#include "app/compare/run_slice.h"
#include "app/plot/charts.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace app {

// Newest first. A file that does not exist yet is an empty log.
engine::Result<std::vector<RunSummary>> listRuns(const std::filesystem::path& log);

// Of a long run the data is an overview: what needs its requests reads them then.
struct OpenedRun {
    std::shared_ptr<const RunData> data;
    std::vector<Plot> plots; // charts with data, over the whole run, with its markers
    std::filesystem::path log;
    bool isExperiment = false; // it was recorded for one: there are blocks and a verdict
};
// What its charts draw beside the data: its own target and levels.
ChartLimits runLimits(const RunSummary& run);
engine::Result<OpenedRun> openRun(const std::filesystem::path& log, std::int64_t run);
// Up to here a run is read whole.
inline constexpr RunSize kReadWhole{.requests = 20'000, .samples = 30'000};

// All of an opened run, read now where it was not before.
engine::Result<std::shared_ptr<const RunData>> wholeRun(const OpenedRun& opened);
// The figures of a span of it, s.
engine::Result<RunSummary> spanFigures(const OpenedRun& opened, double from, double to);

// The seconds of a part of a long run, for charts that show no more than it.
struct FinePart {
    double from = 0.0, to = 0.0;
    History history; // its samples and the run's markers; no requests
};
// Whether a view of this span shows more than minutes tell.
bool needsSeconds(const RunData& run, double from, double to);
engine::Result<std::shared_ptr<const FinePart>> readFinePart(const OpenedRun& opened, double from,
                                                             double to);

struct RunPair {
    std::shared_ptr<const RunData> a, b;
    Comparison comparison;
    Plot distribution;               // share of requests at or below a TTFT
    Plot overTime;                   // TTFT over the run
    std::optional<SplitFacts> split; // where both sides are of one run: before and after
};
RunPair comparePair(std::shared_ptr<const RunData> a, std::shared_ptr<const RunData> b);
engine::Result<RunPair> openPair(const std::filesystem::path& log, std::int64_t a, std::int64_t b);
// One run cut at a time of it, within a span or whole.
RunPair compareSplit(RunSplit split);
engine::Result<RunPair> openSplit(const std::filesystem::path& log, std::int64_t run, double at,
                                  std::optional<std::pair<double, double>> span);

enum class SplitSide : std::uint8_t { Before, After };
QString sideName(SplitSide side); // "before"

// Three runs and more, each against the first of them.
inline constexpr std::size_t kMostCompared = 5;
struct RunSet {
    std::vector<std::shared_ptr<const RunData>> runs;
    std::vector<Comparison> againstFirst; // one fewer than runs; rows in the order of measures()
    std::vector<Plot> overTime;           // TTFT, one a run, on one scale
};
RunSet compareSet(std::vector<std::shared_ptr<const RunData>> runs);
engine::Result<RunSet> openSet(const std::filesystem::path& log,
                               const std::vector<std::int64_t>& runs);

// The tag of the run that others are held against.
inline constexpr std::string_view kBaselineTag = "baseline";
bool isBaseline(const RunSummary& run);
// TTFT p99 against the baseline's, only where both did the same work for about as long.
enum class BaselineBar : std::uint8_t {
    None,
    Itself,
    OtherWorkload,
    OtherModel,
    TooShort,
    NoValue
};
struct ToBaseline {
    std::optional<double> differenceMs;
    BaselineBar bar = BaselineBar::None; // why there is no difference
};
ToBaseline toBaseline(const RunSummary& run, const RunSummary& baseline);

// A row's difference and interval as shares of side a; empty where a is absent or zero.
struct RelativeDifference {
    double share = 0.0;
    std::optional<Interval> interval;
};
std::optional<RelativeDifference> relativeDifference(const ComparisonRow& row);
// True where the difference is too small to show with the row's decimals.
bool isAboutZero(const ComparisonRow& row, int decimals);
// Decimals that show both sides with about three digits.
int shownDecimals(const ComparisonRow& row);

} // namespace app
