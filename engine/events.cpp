#include "engine/events.h"

namespace engine {

namespace {

constexpr std::array<std::string_view, kStages> kStageNames = {
    "lag",    "chat_format", "tokenize",    "admission",       "queue",
    "kv",     "cold_load",   "batch_mates", "prefill_weights", "prefill_compute",
    "sample", "detokenize",  "deliver",     "remainder"};

std::optional<Nanoseconds> between(const std::optional<TimePoint>& from,
                                   const std::optional<TimePoint>& to) {
    if (!from || !to) {
        return std::nullopt;
    }
    return *to - *from;
}

} // namespace

std::string_view name(Stage stage) {
    return kStageNames[static_cast<std::size_t>(stage)];
}

std::string_view name(Outcome outcome) {
    constexpr std::array<std::string_view, 4> kNames = {"completed", "cancelled", "failed",
                                                        "rejected"};
    return kNames[static_cast<std::size_t>(outcome)];
}

std::string_view name(EventSource source) {
    constexpr std::array<std::string_view, 4> kNames = {"engine", "serving", "app", "operator"};
    return kNames[static_cast<std::size_t>(source)];
}

Outcome outcome(FinishReason reason) {
    switch (reason) {
    case FinishReason::Stop:
    case FinishReason::Length:
        return Outcome::Completed;
    case FinishReason::Cancelled:
        return Outcome::Cancelled;
    case FinishReason::Rejected:
    case FinishReason::TooLong:
    case FinishReason::Overloaded:
        return Outcome::Rejected;
    case FinishReason::Deadline:
    case FinishReason::Failed:
        break;
    }
    return Outcome::Failed;
}

std::optional<Nanoseconds> RequestRecord::ttft() const {
    return between(stamps.scheduled ? stamps.scheduled : stamps.received, stamps.firstVisible);
}

std::optional<Nanoseconds> RequestRecord::ttftFromReceived() const {
    return between(stamps.received, stamps.firstVisible);
}

std::optional<Nanoseconds> RequestRecord::ttftFromAdmitted() const {
    return between(stamps.admitted, stamps.firstVisible);
}

std::optional<Nanoseconds> RequestRecord::tpot() const {
    if (outputTokens < 2) {
        return std::nullopt;
    }
    const auto span = between(stamps.firstVisible, stamps.lastToken);
    return span ? std::optional(*span / (outputTokens - 1)) : std::nullopt;
}

std::optional<Nanoseconds> RequestRecord::e2e() const {
    return between(stamps.scheduled ? stamps.scheduled : stamps.received, stamps.lastToken);
}

std::optional<bool> RequestRecord::metDeadline() const {
    const Outcome ended = outcome(reason);
    if (!deadline || ended == Outcome::Cancelled || !stamps.finished) {
        return std::nullopt;
    }
    return ended == Outcome::Completed && *stamps.finished <= *deadline;
}

} // namespace engine
