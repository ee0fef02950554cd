// Pictures and sentences of a load: planned arrivals before it starts, achieved over wanted while
// it runs. Pure; planning takes as long as the list is, so not on the UI thread; text is
// translated.
#pragma once

#include "app/load/load_generator.h"
#include "app/plot/plot.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace app {

struct LoadPreview {
    Plot plot;                 // arrivals a second over the run, stages named
    std::int64_t requests = 0; // of open-loop stages
    bool hasClosedLoop = false;
    double seconds = 0.0;
    double meanPromptTokens = 0.0, meanOutputTokens = 0.0;
};
LoadPreview previewLoad(const Workload& workload);
// Of a list that the workload only stands for: a trace, a recorded run.
LoadPreview previewLoad(const Workload& workload, const std::vector<PlannedRequest>& requests);

// What a run achieved so far, one point every half second.
class RateTrace {
public:
    void clear() { m_points.clear(); }
    void add(const LoadProgress& progress);
    // The preview with the achieved rate over it; nothing is added before the first point.
    Plot over(Plot preview) const;
    bool isEmpty() const { return m_points.empty(); }

private:
    std::vector<QPointF> m_points;
};

double shareDone(const LoadProgress& progress); // of the time, 0..1
double secondsLeft(const LoadProgress& progress);
// Answers that are still under way once sending has ended; empty before and after that time.
std::optional<std::int64_t> leftToAnswer(const LoadProgress& progress);
double meanRate(const LoadProgress& progress); // sent a second, over the schedule

} // namespace app
