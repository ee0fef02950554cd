// One block of an experiment: when it was measured, what may have spoiled it, and its figures; and
// how these are made from the requests that ended. Pure; any thread.
#pragma once

#include "app/experiment/experiment.h"
#include "engine/events.h"
#include "engine/metrics.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace app {

struct BlockFigure {
    double value = 0.0;
    std::int64_t n = 0; // requests, gaps, seconds, or 1
    bool operator==(const BlockFigure&) const = default;
};

// Why a block's figures may not be what they seem. `kind`: edit, preemption, clock, prefix_hits,
// lag, other_requests, unfinished, failed, busy_elsewhere, cold.
struct Contamination {
    std::string kind;
    double value = 0.0; // how many, or what share in percent
    std::string detail; // of an edit: the setting
    bool operator==(const Contamination&) const = default;
};

struct Block {
    int number = 0; // from 1
    int round = 0;  // from 0
    int side = 0;   // index into the experiment's sides
    // Seconds of the run: the switch, the first measured moment, the last one, the end of drain.
    double begin = 0.0, from = 0.0, to = 0.0, end = 0.0;
    bool isWhole = false;                       // measured for its full time
    std::map<std::string, BlockFigure> figures; // by key of the measure
    std::vector<Contamination> contamination;
    bool operator==(const Block&) const = default;
};

std::string blockLabel(const Experiment& experiment, const Block& block); // "A1", "16, 2"

using Records = std::vector<std::shared_ptr<const engine::RequestRecord>>;

struct MeasuredWindow {
    engine::TimePoint from, to;
    std::string lane;                        // empty: every lane
    double sloTtftMs = 800, sloTpotMs = 100; // of goodput
    // Someone who types leaves the engine idle between requests; such a sample is what is asked
    // for.
    bool takesIdleStarts = false;
};
// Latencies of warm, completed requests that were due in the window; rates of what happened in it.
std::map<std::string, BlockFigure> measureBlock(const Records& records,
                                                const MeasuredWindow& window);
// What blocks that are kept for prompts to come take, in percent of what they take unpacked; empty
// where none is kept.
std::optional<BlockFigure> keptKv(const engine::Snapshot& snapshot);
// What the records themselves tell against a block: preempted, cold or unfinished requests, failed
// ones, prefix hits, late sends.
std::vector<Contamination> contaminationOf(const Records& records, const MeasuredWindow& window,
                                           bool variesPrefixes);

// A block as the run log keeps it, and back. An Error where the text is no block.
std::string blockJson(const Block& block);
engine::Result<Block> blockOfJson(std::string_view json);

} // namespace app
