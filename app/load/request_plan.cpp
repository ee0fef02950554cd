// The request list of a workload and its digest. See workload.h.
#include "app/load/draws.h"
#include "app/load/workload.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace app {

namespace {

// Streams of random numbers of one stage. Their numbers are part of what a seed means.
enum class Stream : std::uint64_t {
    Gap,
    Set,
    Prompt,
    PromptLength,
    OutputLength,
    Lane,
    Sampling,
    Attention
};
constexpr std::uint64_t kStreams = 8;

Draws drawsOf(const Workload& workload, int stage, Stream stream) {
    return {workload.seed,
            static_cast<std::uint64_t>(stage) * kStreams + static_cast<std::uint64_t>(stream)};
}

// Makes the requests of one stage, each a function of its index.
class RequestMaker {
public:
    RequestMaker(const Workload& workload, int stage)
        : m_workload(workload),
          m_stage(stage),
          m_set(drawsOf(workload, stage, Stream::Set)),
          m_prompt(drawsOf(workload, stage, Stream::Prompt)),
          m_promptLength(drawsOf(workload, stage, Stream::PromptLength)),
          m_outputLength(drawsOf(workload, stage, Stream::OutputLength)),
          m_lane(drawsOf(workload, stage, Stream::Lane)),
          m_sampling(drawsOf(workload, stage, Stream::Sampling)),
          m_attention(drawsOf(workload, stage, Stream::Attention)) {}

    PlannedRequest make(std::uint64_t index, double atSeconds) const {
        const auto& sets = m_workload.promptSets;
        return {.atSeconds = atSeconds,
                .stage = m_stage,
                .promptSet = sets[m_set.bits(index) % sets.size()],
                .promptTokens = length(m_workload.promptTokens, m_promptLength.uniform(index)),
                .draw = m_prompt.bits(index),
                .maxTokens = length(m_workload.outputTokens, m_outputLength.uniform(index)),
                .lane = m_lane.uniform(index) < m_workload.batchShare ? engine::Lane::Batch
                                                                      : engine::Lane::Realtime,
                .seed = m_sampling.bits(index),
                .isSparse = m_attention.uniform(index) < m_workload.sparseShare};
    }

private:
    // Each length l has the share log((l + 1) / l) of the whole.
    static int length(const LengthMix& mix, double uniform) {
        const double low = std::log(mix.minimum);
        const double high = std::log(mix.maximum + 1.0);
        const double drawn = std::floor(std::exp(low + uniform * (high - low)));
        return std::clamp(static_cast<int>(drawn), mix.minimum, mix.maximum);
    }

    const Workload& m_workload;
    int m_stage;
    Draws m_set, m_prompt, m_promptLength, m_outputLength, m_lane, m_sampling, m_attention;
};

// When `count` arrivals are expected since the stage began: the inverse of
// rate * t + (end - rate) / (2 * seconds) * t^2. NaN past the end of a ramp down to zero.
double timeOfExpected(const Stage& stage, double count) {
    const double slope = (stage.endRatePerSecond - stage.ratePerSecond) / stage.seconds;
    if (slope == 0.0) {
        return count / stage.ratePerSecond;
    }
    const double root = std::sqrt(stage.ratePerSecond * stage.ratePerSecond + 2.0 * slope * count);
    // This form of the solution does not cancel for small slopes.
    return 2.0 * count / (stage.ratePerSecond + root);
}

// Microseconds: fine enough for any schedule, and far above what differs between math libraries,
// so that the digest of a list is the same on every machine.
double rounded(double seconds) {
    return std::round(seconds * 1e6) / 1e6;
}

void planOpen(const Workload& workload, int stageIndex, double begin,
              std::vector<PlannedRequest>& requests) {
    const Stage& stage = workload.stages[static_cast<std::size_t>(stageIndex)];
    const RequestMaker maker(workload, stageIndex);
    const Draws gaps = drawsOf(workload, stageIndex, Stream::Gap);
    double expected = 0.0;
    for (std::uint64_t index = 0;; ++index) {
        expected += stage.kind == ArrivalKind::Gamma ? gaps.gamma(index, stage.burstiness)
                                                     : gaps.exponential(index);
        const double at = timeOfExpected(stage, expected);
        if (!(at < stage.seconds)) { // also ends at NaN
            return;
        }
        requests.push_back(maker.make(index, rounded(begin + at)));
    }
}

// More than the fastest answers could use up in most runs; the list starts again where it is.
std::uint64_t closedCount(const Stage& stage) {
    const double wanted = stage.users * (2.0 * stage.seconds + 2.0);
    return static_cast<std::uint64_t>(std::clamp(wanted, 64.0, 100'000.0));
}

} // namespace

std::vector<PlannedRequest> planRequests(const Workload& workload) {
    std::vector<PlannedRequest> requests;
    double begin = 0.0;
    for (int index = 0; index < static_cast<int>(workload.stages.size()); ++index) {
        const Stage& stage = workload.stages[static_cast<std::size_t>(index)];
        if (stage.kind != ArrivalKind::Closed) {
            planOpen(workload, index, begin, requests);
        } else {
            const RequestMaker maker(workload, index);
            for (std::uint64_t entry = 0; entry < closedCount(stage); ++entry) {
                requests.push_back(maker.make(entry, rounded(begin)));
            }
        }
        begin += stage.seconds;
    }
    return requests;
}

std::string requestListDigest(const std::vector<PlannedRequest>& requests,
                              const PromptLibrary& library) {
    const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                         &XXH3_freeState);
    XXH3_64bits_reset_withSeed(state.get(), library.hash());
    for (const PlannedRequest& request : requests) {
        const std::string line =
            fmt::format("{:.6f}|{}|{}|{}|{}|{}|{}|{}\n", request.atSeconds, request.stage,
                        request.promptSet, request.promptTokens, request.draw, request.maxTokens,
                        static_cast<int>(request.lane), request.seed);
        XXH3_64bits_update(state.get(), line.data(), line.size());
        if (request.isSparse) { // lists without any have the digest that they always had
            XXH3_64bits_update(state.get(), "sparse", 6);
        }
    }
    return fmt::format("xxh3:{:016x}", XXH3_64bits_digest(state.get()));
}

} // namespace app
