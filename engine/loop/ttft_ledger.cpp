#include "engine/loop/ttft_ledger.h"

#include "engine/base/ensure.h"

#include <algorithm>
#include <numeric>

namespace engine {

void TtftLedger::addPrefillStep(const StepTimes& times, std::int64_t ownTokens,
                                std::int64_t allTokens, Nanoseconds weightTraffic) {
    add(Stage::Kv, times.ready - times.planned);
    const Nanoseconds step = times.computed - times.ready;
    const Nanoseconds own = step * ownTokens / allTokens;
    const Nanoseconds weights = std::min(own, weightTraffic * ownTokens / allTokens);
    add(Stage::BatchMates, step - own);
    add(Stage::PrefillWeights, weights);
    add(Stage::PrefillCompute, own - weights);
    m_lastComputed = times.computed;
}

void TtftLedger::addWait(const StepTimes& times) {
    if (m_lastComputed) {
        add(Stage::Queue, times.planned - *m_lastComputed);
    }
}

std::array<std::int64_t, kStages> TtftLedger::close(const Stamps& stamps) const {
    ensure(stamps.received && stamps.firstVisible, "a ledger needs its first and last stamp");
    const TimePoint begin = stamps.scheduled.value_or(*stamps.received);
    const std::int64_t total = Nanoseconds(*stamps.firstVisible - begin).count();
    auto stages = m_stages;
    auto& remainder = stages[static_cast<std::size_t>(Stage::Remainder)];
    remainder = total - std::accumulate(m_stages.begin(), m_stages.end(), std::int64_t{0});
    ensure(remainder >= 0, "the stages of a ledger do not overlap");
    return stages;
}

} // namespace engine
