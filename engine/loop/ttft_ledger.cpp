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
    ensure(stamps.received && stamps.admitted && stamps.planned && stamps.firstVisible,
           "a ledger needs the stamps of a first token");
    const TimePoint begin = stamps.scheduled.value_or(*stamps.received);
    const TimePoint tokenized = stamps.tokenized.value_or(*stamps.received);
    TtftLedger whole = *this;
    whole.add(Stage::Lag, *stamps.received - begin);
    whole.add(Stage::Tokenize, tokenized - *stamps.received - Nanoseconds(of(Stage::ChatFormat)));
    whole.add(Stage::Admission, *stamps.admitted - tokenized);
    whole.add(Stage::Queue, *stamps.planned - *stamps.admitted);
    const std::int64_t total = Nanoseconds(*stamps.firstVisible - begin).count();
    const std::int64_t known =
        std::accumulate(whole.m_stages.begin(), whole.m_stages.end(), std::int64_t{0});
    ensure(known <= total, "the stages of a ledger do not overlap");
    whole.add(Stage::Remainder, Nanoseconds(total - known));
    return whole.m_stages;
}

} // namespace engine
