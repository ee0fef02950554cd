// The figures of a run as other tools name and define them, so that they can be laid beside theirs:
// every completed request counts, from its arrival, without the workload's schedule. Pure but for
// the notes (translations: main thread).
#pragma once

#include "app/store/run_store.h"

#include <QString>

#include <optional>
#include <vector>

namespace app {

enum class Dialect : std::uint8_t { Vllm, AiPerf, GuideLlm };
inline constexpr std::size_t kDialects = 3;
QString dialectName(Dialect dialect); // "vLLM bench serve"

struct DialectFigure {
    QString name = {}; // as that tool prints it; not translated
    QString unit = {};
    // One value (a rate, a count), or a distribution.
    std::optional<double> value = {}, mean = {}, p50 = {}, p90 = {}, p95 = {}, p99 = {};
    std::int64_t n = 0;
    QString note = {}; // what it is in our words, where that is another thing
};
std::vector<DialectFigure> readAs(Dialect dialect, const RunData& run);

} // namespace app
