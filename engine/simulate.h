// The scheduler in virtual time: the policies, queue, lanes and block pool of the engine, with a
// measured cost in the place of a model. Pure; any thread.
#pragma once

#include "engine/config.h"
#include "engine/request.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace engine {

// What a step consists of, as far as its time depends on it.
struct StepShape {
    std::int64_t tokens = 0;
    std::int64_t logitRows = 0;
    // Over all tokens, how many keys each looks at.
    double attended = 0.0;
};

// Time of a step: piecewise linear in its tokens (a handful costs little more than one, as weights
// are read once), and linear in logit rows and attended keys.
struct CostModel {
    static constexpr std::size_t kTerms = 7;
    std::array<double, kTerms> ns{}; // of each term; none is negative
    double arrivalNs = 0.0;          // mean time from a request's schedule to the queue

    static std::array<double, kTerms> terms(const StepShape& shape);
    double stepNs(const StepShape& shape) const;
    bool isKnown() const;
};

// Least squares over the steps seen, with no negative term; each step weighs by the inverse of the
// time that was expected of it, so that short and long steps are both met and the sum of all times
// is that of the steps: weighing by the time it took would give a slow step less say than a fast
// one of the same shape. Old steps fade: a thousand later a third is left.
class CostFit {
public:
    static constexpr std::size_t kTerms = CostModel::kTerms;
    // The steps of a while, summed: what a model expects of them all is its product with the terms.
    struct Sum {
        std::array<double, kTerms> terms{};
        double ns = 0.0; // that they took
    };

    void add(const StepShape& shape, double ns);
    // Of some steps ago at most.
    const CostModel& model() const { return m_model; }
    // The steps since this was last asked.
    Sum takeSum() { return std::exchange(m_sum, {}); }

private:
    CostModel solved() const;

    std::array<std::array<double, kTerms>, kTerms> m_products{};
    std::array<double, kTerms> m_targets{};
    std::uint64_t m_steps = 0;
    CostModel m_model;
    Sum m_sum;
};

// How much longer than the model says steps take, up to a time from the start: machines are slower
// at some times than at others, and near saturation that decides how long queues are.
struct Pace {
    Nanoseconds until{};
    double factor = 1.0;
};

struct Arrival {
    Nanoseconds at{}; // from the start
    std::int64_t promptTokens = 1;
    std::int64_t outputTokens = 1;
    Lane lane = Lane::Realtime;
    std::optional<Nanoseconds> deadline;    // from the start
    std::optional<Nanoseconds> cancelledAt; // from the start
    std::int64_t tag = 0;                   // the caller's own
};

struct SimulatedRequest {
    Arrival arrival;
    FinishReason reason = FinishReason::Failed;
    std::optional<Nanoseconds> started, firstToken; // from the start
    Nanoseconds finished{};
    std::int64_t outputTokens = 0;
    std::int64_t preemptions = 0;
};

struct Simulation {
    std::vector<SimulatedRequest> requests; // in the order of their arrival
    Nanoseconds duration{};                 // to the last end
    std::uint64_t steps = 0;
    std::uint64_t preemptions = 0;
    std::int64_t blocksLeft = 0; // taken at the end: a leak where it is not 0
};

// Called when a request ends: may add arrivals, which makes a closed loop.
using OnEnded =
    std::function<void(const Arrival& ended, Nanoseconds now, std::vector<Arrival>& more)>;

struct SimulationSetup {
    EngineConfig config;           // kvBlocks must be given
    std::vector<Arrival> arrivals; // in any order
    CostModel cost;
    std::vector<Pace> paces{}; // one after the other; behind the last, what the model says
    OnEnded onEnded;
};

// Error where the configuration can't be simulated. Prompts are taken to have nothing in common.
Result<Simulation> simulate(const SimulationSetup& setup);

} // namespace engine
