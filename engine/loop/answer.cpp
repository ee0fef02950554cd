#include "engine/loop/answer.h"

#include "engine/base/ensure.h"

#include <array>

namespace engine {

namespace {

void checkOrder(const Stamps& stamps) {
    const std::array ordered = {stamps.scheduled,   stamps.received,     stamps.tokenized,
                                stamps.admitted,    stamps.planned,      stamps.kvReady,
                                stamps.prefillDone, stamps.firstSampled, stamps.firstVisible,
                                stamps.lastToken,   stamps.finished};
    std::optional<TimePoint> previous;
    for (const auto& stamp : ordered) {
        ensure(!stamp || !previous || *previous <= *stamp, "a request's stamps are in order");
        previous = stamp ? stamp : previous;
    }
}

} // namespace

std::shared_ptr<const RequestRecord> makeRecord(const Answer& answer, FinishReason reason,
                                                const std::string& message) {
    checkOrder(answer.stamps);
    auto record = std::make_shared<RequestRecord>();
    record->id = answer.id;
    record->lane = answer.request.lane;
    record->label = answer.request.label;
    record->reason = reason;
    record->message = message;
    record->tags = answer.tags;
    record->promptTokens = answer.promptTokens;
    record->outputTokens = answer.outputTokens;
    record->maxTokens = answer.request.maxTokens;
    record->hitTokens = answer.hitTokens;
    record->blockedNs = answer.blockedNs;
    record->blockedBy = answer.blockedBy;
    record->deadline = answer.request.deadline;
    record->streamedTokens = answer.streamedTokens;
    record->streamedNs = answer.streamedNs;
    record->stamps = answer.stamps;
    if (answer.stamps.firstVisible) {
        record->ledgerNs = answer.ledger.close(answer.stamps);
    }
    record->steps = answer.steps;
    record->preemptions = answer.preemptions;
    return record;
}

} // namespace engine
