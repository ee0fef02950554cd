// A request from submit to its record: what the scheduler does not need to know. Handed from the
// caller to the tokenizer thread to the engine thread, which owns it from then on.
#pragma once

#include "engine/events.h"
#include "engine/loop/answer_text.h"
#include "engine/loop/ttft_ledger.h"
#include "engine/model/adapter.h"
#include "engine/request.h"
#include "engine/schedule/admission.h"
#include "engine/schedule/sequence.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace engine {

enum class Origin : std::uint8_t {
    Served, // counted
    WarmUp, // the engine's own, before it is ready
};

struct Answer {
    Answer(RequestId requestId, Request asked, Origin from)
        : id(requestId),
          request(std::move(asked)),
          origin(from),
          stream(std::make_shared<TokenStream>(requestId)),
          text(request.stop),
          tags(request.tags) {}

    RequestId id;
    Request request;
    Origin origin;
    std::shared_ptr<TokenStream> stream;
    std::shared_ptr<std::stop_source> cancellation = std::make_shared<std::stop_source>();

    std::shared_ptr<const Adapter> adapter; // of the request; null: the model itself
    std::vector<TokenId> prompt;            // until it moves into the sequence
    std::optional<Refusal> refusal;
    std::optional<Sequence> sequence; // once admitted
    AnswerText text;

    Stamps stamps;
    TtftLedger ledger;
    std::vector<TokenStep> steps;
    std::vector<PreemptionSpan> preemptions;
    std::uint32_t tags;         // SampleTag bits
    std::uint64_t lastStep = 0; // in which it had a slice
    std::int64_t hitTokens = 0;
    std::optional<TimePoint> restoringSince; // packed blocks of its beginning are unpacked
    Nanoseconds heldBefore{};                // what closed batches had cost others when it came
    std::int64_t blockedNs = 0;
    RequestId blockedBy{};
    std::int64_t promptTokens = 0;
    std::int64_t countedPrompt = 0; // prompt tokens computed, each counted once
    std::int64_t outputTokens = 0;
    std::int64_t shownTokens = 0;    // of them, in visible text
    bool hasLeftWaiting = false;     // started, or ended before
    bool isOpen = false;             // its prompt is still being written
    bool isStreamed = false;         // it was
    TimePoint lastPiece;             // when the open prompt last changed
    std::int64_t streamedTokens = 0; // computed before the prompt was complete
    std::int64_t streamedNs = 0;     // and the time of it

    void tag(SampleTag tag) { tags |= static_cast<std::uint32_t>(tag); }
};

// The finished request's record. Throws std::logic_error where stamps are out of order.
std::shared_ptr<const RequestRecord> makeRecord(const Answer& answer, FinishReason reason,
                                                const std::string& message);

} // namespace engine
