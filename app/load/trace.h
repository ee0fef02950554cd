// Recorded arrivals of other systems as request lists: the Azure LLM inference trace, BurstGPT,
// Mooncake. A damaged file is refused with its line; nothing of it is used. Pure; any thread.
#pragma once

#include "app/load/workload.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace app {

enum class TraceKind : std::uint8_t { Azure, BurstGpt, Mooncake };
std::string_view name(TraceKind kind); // "Azure", "BurstGPT", "Mooncake"

struct Trace {
    TraceKind kind = TraceKind::Azure;
    std::vector<PlannedRequest> requests; // by time, from the first arrival
    std::int64_t skipped = 0;             // without an answer when they were recorded
    double seconds() const;
};

// The kind is told by the first line. Texts come from the prompt library, by length: traces hold
// none.
engine::Result<Trace> parseTrace(std::string_view text, std::string_view sourceName);
engine::Result<Trace> loadTrace(const std::string& file);
// A workload of one stage that stands for the list in forms and reports.
Workload traceWorkload(const Trace& trace, const std::string& traceName);

} // namespace app
