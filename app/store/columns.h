// The columns of the run log that follow tables of the program: stamps, ledger stages, samples,
// metrics; and the words that stand for enumerators.
#pragma once

#include "app/store/run_store.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace app {

struct StampColumn {
    std::string_view name;
    std::optional<engine::TimePoint> engine::Stamps::*member;
};
std::span<const StampColumn> stampColumns(); // in order of time

struct SampleColumn {
    std::string_view name;
    double Sample::*member;
};
std::span<const SampleColumn> sampleColumns();

// Integers that came after the first version of the table.
std::span<const std::string_view> addedRequestColumns();

std::string stageColumn(engine::Stage stage);           // "ledger_queue_ns"
std::string metricColumn(const engine::Metric& metric); // "metric_running"

std::string_view laneName(engine::Lane lane);
// Unknown words (a newer log) read as the last resort: Failed, Realtime, Engine.
engine::FinishReason finishReasonOf(std::string_view name);
engine::Lane laneOf(std::string_view name);
engine::EventSource eventSourceOf(std::string_view name);
RunState runStateOf(std::string_view name);

// "cold, warm-up": the tags of a request in words; "warm" without any.
std::string tagWords(std::uint32_t tags);

} // namespace app
