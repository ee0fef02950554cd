// What is noted of a step: who ended, gave up, started or waited for whom, and what the step cost.
#include "engine/loop/engine.h"

#include <fmt/format.h>

namespace engine {

namespace {

constexpr auto kTellCostEvery = std::chrono::seconds(2);

std::string messageOf(FinishReason reason) {
    switch (reason) {
    case FinishReason::Cancelled:
        return "The request was cancelled.";
    case FinishReason::Deadline:
        return "The deadline passed before the answer was complete.";
    default:
        return {};
    }
}

} // namespace

// Who left, gave up or started with this plan.
void Engine::notePlan(const StepPlan& plan, const StepTimes& times) {
    for (const Start& start : plan.started) { // first: an end publishes figures that count them
        if (!start.sequence->isOpen) {
            leaveWaiting(answerOf(*start.sequence));
        }
    }
    for (const Ending& ending : plan.ended) {
        finish(answerOf(*ending.sequence), ending.reason, messageOf(ending.reason));
    }
    for (const Sequence* sequence : plan.preempted) {
        Answer& answer = answerOf(*sequence);
        answer.tag(SampleTag::Preempted);
        answer.preemptions.push_back({.begin = times.planned, .end = std::nullopt});
        ++m_figures.preemptions;
        emit(Preempted{.id = answer.id, .tokens = sequence->known()}, Delivery::Droppable);
    }
    if (!plan.members.empty()) {
        std::vector<RequestId> members;
        for (const Sequence* member : plan.members) {
            members.push_back(member->id());
        }
        m_batchWatch.open(m_schedule.batches, members, times.planned);
    }
    noteStarts(plan, times);
    noteSlices(plan, times);
}

void Engine::noteStarts(const StepPlan& plan, const StepTimes& times) {
    for (const Start& start : plan.started) {
        if (start.sequence->isOpen) {
            continue;
        }
        Answer& answer = answerOf(*start.sequence);
        if (!answer.preemptions.empty()) {
            answer.preemptions.back().end = times.planned;
            continue;
        }
        if (start.sequence->batch == 0) { // others have had their batch's place for a while
            noteBlocked(answer, times);
        }
        answer.hitTokens = start.sequence->hitTokens;
        answer.countedPrompt = std::max(answer.countedPrompt, answer.hitTokens);
        if (answer.origin == Origin::Served && m_schedule.keepsPrefixes) {
            m_figures.prefixQueries += static_cast<std::uint64_t>(answer.promptTokens);
            m_figures.prefixHits += static_cast<std::uint64_t>(answer.hitTokens);
        }
    }
    for (const Sequence* sequence : plan.members) {
        noteBlocked(answerOf(*sequence), times);
    }
}

void Engine::noteBlocked(Answer& answer, const StepTimes& times) {
    if (const auto blocked = m_batchWatch.blocked(answer.heldBefore, times.planned)) {
        answer.blockedNs = blocked->time.count();
        answer.blockedBy = blocked->by;
        m_figures.blockedNs += static_cast<std::uint64_t>(answer.blockedNs);
    }
}

void Engine::noteSlices(const StepPlan& plan, const StepTimes& times) {
    const std::uint64_t step = m_step.load(std::memory_order_relaxed);
    for (const Slice& slice : plan.slices) {
        if (slice.sequence->isOpen) {
            continue;
        }
        Answer& answer = answerOf(*slice.sequence);
        if (!answer.stamps.planned) {
            answer.stamps.planned = times.planned;
            answer.stamps.kvReady = times.ready;
            if (m_isCold) {
                answer.tag(SampleTag::Cold);
            }
        } else if (!answer.stamps.firstSampled && answer.lastStep + 1 < step) {
            answer.ledger.addWait(times);
        }
        answer.lastStep = step;
    }
}

// Who held up whom, once the batch is at its end.
void Engine::noteBatch(const Answer& answer) {
    auto ended =
        m_batchWatch.end(answer.sequence->batch, answer.id, m_schedule.queue.size(), Clock::now());
    if (ended) {
        emit(std::move(*ended), Delivery::Droppable);
    }
}

// The engine learns what its steps cost; a recorded run keeps it for simulations.
void Engine::measureStep(const StepShape& shape, const StepTimes& times) {
    const TimePoint now = Clock::now();
    m_costFit.add(shape, static_cast<double>(Nanoseconds(now - times.begun).count()));
    if (now - m_costTold >= kTellCostEvery) {
        m_costTold = now;
        Notice notice{.kind = "step_cost", .values = {}};
        const CostModel& model = m_costFit.model();
        for (std::size_t i = 0; i < model.ns.size(); ++i) {
            notice.values.emplace_back(fmt::format("ns_{}", i), fmt::format("{:.3f}", model.ns[i]));
        }
        // What the steps since the last notice had of each term, and took: the machine's pace then.
        const CostFit::Sum sum = m_costFit.takeSum();
        for (std::size_t i = 0; i < sum.terms.size(); ++i) {
            notice.values.emplace_back(fmt::format("sum_{}", i),
                                       fmt::format("{:.3f}", sum.terms[i]));
        }
        notice.values.emplace_back("took_ns", fmt::format("{:.0f}", sum.ns));
        emit(std::move(notice), Delivery::Droppable);
    }
}

void Engine::countOutcome(const RequestRecord& record) {
    if (const auto met = record.metDeadline(); met && record.lane == Lane::Batch) {
        ++(*met ? m_figures.deadlinesMet : m_figures.deadlinesMissed);
    }
    switch (outcome(record.reason)) {
    case Outcome::Completed:
        ++m_figures.completed;
        break;
    case Outcome::Cancelled:
        ++m_figures.cancelled;
        break;
    case Outcome::Failed:
        ++m_figures.failed;
        break;
    case Outcome::Rejected:
        ++m_figures.rejected;
        break;
    }
}

void Engine::leaveWaiting(Answer& answer) {
    if (!answer.hasLeftWaiting && answer.origin == Origin::Served) {
        m_leftWaiting.fetch_add(1, std::memory_order_relaxed);
    }
    answer.hasLeftWaiting = true;
}

} // namespace engine
