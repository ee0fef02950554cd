#include "engine/simulate.h"

#include "engine/schedule/admission.h"
#include "engine/schedule/limits.h"

#include <queue>

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace engine {

namespace {

class Simulator {
public:
    explicit Simulator(const SimulationSetup& setup)
        : m_setup(setup),
          m_policy(policyFor(setup.config.batching)),
          m_capacity{.contextTokens = setup.config.maxContext > 0
                                          ? setup.config.maxContext
                                          : setup.config.kvBlocks * setup.config.blockTokens,
                     .poolTokens = setup.config.kvBlocks * setup.config.blockTokens} {
        m_schedule.blockTokens = setup.config.blockTokens;
        m_schedule.resetBlocks(setup.config.kvBlocks);
        for (const Arrival& arrival : setup.arrivals) {
            m_due.push(arrival);
        }
    }

    Simulation run() {
        while (step()) {
        }
        m_result.duration = m_now - TimePoint{};
        m_result.blocksLeft = m_schedule.pool.used();
        return std::move(m_result);
    }

private:
    struct Later {
        bool operator()(const Arrival& left, const Arrival& right) const {
            return left.at > right.at;
        }
    };
    struct Cancellation {
        TimePoint at;
        std::size_t index = 0;
        bool operator>(const Cancellation& other) const { return at > other.at; }
    };

    // False when everything has ended.
    bool step() {
        admitDue();
        while (!m_cancellations.empty() && m_cancellations.top().at <= m_now) {
            if (Sequence* sequence = m_sequences[m_cancellations.top().index].get()) {
                sequence->isCancelled = true;
            }
            m_cancellations.pop();
        }
        Limits limits = limitsOf(m_setup.config, m_schedule);
        limits.cost = promptCost(m_setup.cost, m_schedule);
        const StepPlan plan = m_policy.plan(m_schedule.queue, m_schedule.running, limits, m_now);
        if (plan.isEmpty()) {
            return skip(plan);
        }
        commitPlan(plan, m_schedule, ++m_result.steps, m_now);
        note(plan);
        if (!plan.slices.empty()) {
            const double ns = m_setup.cost.stepNs(shapeOf(plan)) * pace();
            m_now += Nanoseconds(std::max<std::int64_t>(1, static_cast<std::int64_t>(ns)));
            commitComputed(plan, m_schedule);
            sample(plan);
        }
        return true;
    }

    double pace() {
        while (m_pace < m_setup.paces.size() &&
               TimePoint{} + m_setup.paces[m_pace].until <= m_now) {
            ++m_pace;
        }
        return m_pace < m_setup.paces.size() ? m_setup.paces[m_pace].factor : 1.0;
    }

    // To the next time at which something happens.
    bool skip(const StepPlan& plan) {
        TimePoint next = plan.wakeAt.value_or(TimePoint::max());
        if (!m_due.empty()) {
            next = std::min(next, inQueue(m_due.top()));
        }
        if (!m_cancellations.empty()) {
            next = std::min(next, m_cancellations.top().at);
        }
        if (next == TimePoint::max()) {
            return false;
        }
        m_now = std::max(m_now, next);
        return true;
    }

    TimePoint inQueue(const Arrival& arrival) const {
        return TimePoint{} + arrival.at +
               Nanoseconds(static_cast<std::int64_t>(m_setup.cost.arrivalNs));
    }

    void admitDue() {
        while (!m_due.empty() && inQueue(m_due.top()) <= m_now) {
            const Arrival arrival = m_due.top();
            m_due.pop();
            const std::size_t index = m_result.requests.size();
            m_result.requests.emplace_back();
            m_result.requests.back().arrival = arrival;
            m_sequences.push_back(nullptr);
            if (refuseLength(arrival.promptTokens, m_capacity)) {
                end(index, FinishReason::TooLong);
            } else if (m_schedule.queue.size() >= m_setup.config.maxWaiting) {
                end(index, FinishReason::Overloaded);
            } else {
                enqueue(index, arrival);
            }
        }
    }

    void enqueue(std::size_t index, const Arrival& arrival) {
        auto sequence = std::make_unique<Sequence>(
            RequestId{index}, std::vector<TokenId>(static_cast<std::size_t>(arrival.promptTokens)),
            answerLimit(arrival.promptTokens, arrival.outputTokens, m_capacity));
        sequence->lane = arrival.lane;
        sequence->arrival = m_now;
        sequence->turn = m_result.steps;
        const auto own = arrival.deadline ? std::optional(TimePoint{} + *arrival.deadline)
                                          : std::optional<TimePoint>{};
        sequence->deadline =
            deadlineOf(own, arrival.lane, m_setup.config, TimePoint{} + arrival.at);
        if (arrival.cancelledAt) {
            m_cancellations.push({TimePoint{} + *arrival.cancelledAt, index});
        }
        m_schedule.queue.push(*sequence);
        m_sequences[index] = std::move(sequence);
    }

    static std::size_t indexOf(const Sequence& sequence) {
        return static_cast<std::size_t>(sequence.id());
    }

    SimulatedRequest& requestOf(const Sequence& sequence) {
        return m_result.requests[indexOf(sequence)];
    }

    void note(const StepPlan& plan) {
        for (const Ending& ending : plan.ended) {
            end(indexOf(*ending.sequence), ending.reason);
        }
        for (const Sequence* sequence : plan.preempted) {
            ++requestOf(*sequence).preemptions;
            ++m_result.preemptions;
        }
        for (const Start& start : plan.started) {
            SimulatedRequest& request = requestOf(*start.sequence);
            request.started = request.started.value_or(m_now - TimePoint{});
        }
    }

    void sample(const StepPlan& plan) {
        for (const Slice& slice : plan.slices) {
            if (!slice.wantsLogits) {
                continue;
            }
            Sequence& sequence = *slice.sequence;
            SimulatedRequest& request = requestOf(sequence);
            sequence.commitToken(0);
            ++request.outputTokens;
            request.firstToken = request.firstToken.value_or(m_now - TimePoint{});
            if (sequence.isAnswerFull()) {
                commitEnd(sequence, m_schedule, m_now);
                end(indexOf(sequence), FinishReason::Length);
            }
        }
    }

    void end(std::size_t index, FinishReason reason) {
        m_result.requests[index].reason = reason;
        m_result.requests[index].finished = m_now - TimePoint{};
        m_sequences[index].reset();
        if (m_setup.onEnded) {
            m_more.clear();
            m_setup.onEnded(m_result.requests[index].arrival, m_now - TimePoint{}, m_more);
            for (const Arrival& arrival : m_more) {
                m_due.push(arrival);
            }
        }
    }

    const SimulationSetup& m_setup;
    const Policy& m_policy;
    const Capacity m_capacity;
    Schedule m_schedule;
    TimePoint m_now{};
    std::size_t m_pace = 0; // of the setup's, in force now
    std::priority_queue<Arrival, std::vector<Arrival>, Later> m_due;
    std::priority_queue<Cancellation, std::vector<Cancellation>, std::greater<>> m_cancellations;
    std::vector<std::unique_ptr<Sequence>> m_sequences; // by index; null once ended
    std::vector<Arrival> m_more;
    Simulation m_result;
};

} // namespace

Result<Simulation> simulate(const SimulationSetup& setup) {
    if (const auto valid = validate(setup.config); !valid) {
        return std::unexpected(valid.error());
    }
    if (setup.config.kvBlocks < 1) {
        return std::unexpected(Error{ErrorCode::Invalid,
                                     "A simulation needs a number of KV blocks; set --kv-blocks."});
    }
    if (!setup.cost.isKnown()) {
        return std::unexpected(
            Error{ErrorCode::Invalid, "The cost of a step is not known: no step was measured."});
    }
    return Simulator(setup).run();
}

} // namespace engine
