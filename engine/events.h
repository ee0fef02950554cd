// What happened, in order. One stream, consumed by the recorder thread; it is the log. Event text
// is made where it is shown, from kind and payload; it is never stored.
#pragma once

#include "engine/config.h"
#include "engine/metrics.h"
#include "engine/request.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace engine {

// Where the first token's time goes: consecutive stages that add up to firstVisible - scheduled.
enum class Stage : std::uint8_t {
    Lag, // scheduled -> received
    ChatFormat,
    Tokenize,       // waiting for the tokenizer thread included
    Admission,      // tokenized -> admitted
    Queue,          // admitted -> first slice planned
    Kv,             // allocate, evict
    ColdLoad,       // first-use costs of a cold sample
    BatchMates,     // share of the request's own prefill steps that went to others' slices
    PrefillWeights, // modelled: bytes / measured bandwidth, capped
    PrefillCompute, // the rest of its share
    Sample,
    Detokenize, // UTF-8 hold-back included
    Deliver,
    Remainder,
    Count,
};
inline constexpr std::size_t kStages = static_cast<std::size_t>(Stage::Count);
std::string_view name(Stage stage); // "lag", "chat_format", ...: column and JSON names

struct Stamps { // absent is absent, never 0
    std::optional<TimePoint> scheduled, received, tokenized, admitted, planned, kvReady,
        prefillDone, firstSampled, firstVisible, lastToken, finished;
};

struct TokenStep { // tokens that one step made for this request
    TimePoint time;
    std::int32_t tokens = 0;
};

struct PreemptionSpan {
    TimePoint begin;
    std::optional<TimePoint> end;
};

enum class SampleTag : std::uint32_t {
    Warm = 0,
    Cold = 1,
    IdleStart = 2,
    WarmUp = 4,
    Preempted = 8,
    ConfigChanged = 16,
    Streamed = 32,    // its prompt was written piece by piece
    Mixed = 64,       // weights were changed while it ran: its keys and values are of both
    Degraded = 256,   // asked while a degradation level was in force
    Cached = 512,     // a stored answer, replayed
    LightModel = 1024 // answered by the light model
};
// Answers that the loaded model did not compute: never a latency sample, never goodput.
inline constexpr std::uint32_t kNotComputed = static_cast<std::uint32_t>(SampleTag::Cached) |
                                              static_cast<std::uint32_t>(SampleTag::LightModel);

struct RequestRecord {
    RequestId id{};
    Lane lane = Lane::Realtime;
    std::string label;
    FinishReason reason = FinishReason::Failed;
    std::string message;    // why it was refused or failed
    std::uint32_t tags = 0; // SampleTag bits
    std::int64_t promptTokens = 0;
    std::int64_t outputTokens = 0;
    std::int64_t hitTokens = 0; // of the prompt, found in the prefix cache
    std::int64_t maxTokens = 0;
    // Dynamic batching: for how long a closed batch with a free place kept it waiting, and for
    // whose answer. 0: not at all.
    std::int64_t blockedNs = 0;
    RequestId blockedBy{};
    std::optional<TimePoint> deadline; // its own or its lane's
    // A prompt that was written piece by piece: what was computed before it was complete, and the
    // time of that. Its stamps begin when it was.
    std::int64_t streamedTokens = 0;
    std::int64_t streamedNs = 0;
    Stamps stamps;
    std::optional<std::array<std::int64_t, kStages>> ledgerNs; // present where firstVisible is
    std::vector<TokenStep> steps;                              // steps that made visible tokens
    std::vector<PreemptionSpan> preemptions;

    // firstVisible - scheduled (received where the caller set no schedule); empty without a first
    // token.
    std::optional<Nanoseconds> ttft() const;
    std::optional<Nanoseconds> ttftFromReceived() const;
    std::optional<Nanoseconds> ttftFromAdmitted() const;
    // (lastToken - firstVisible) / (tokens - 1); empty for fewer than two tokens.
    std::optional<Nanoseconds> tpot() const;
    std::optional<Nanoseconds> e2e() const; // lastToken - scheduled
    // Whether it was complete by its deadline; empty without one, or where it was cancelled.
    std::optional<bool> metDeadline() const;
};

enum class Outcome : std::uint8_t { Completed, Cancelled, Failed, Rejected };
Outcome outcome(FinishReason reason); // Stop, Length: completed; TooLong, Rejected, Overloaded:
                                      // rejected; Deadline, Failed: failed
std::string_view name(Outcome outcome);

enum class EventSource : std::uint8_t { Engine, Serving, App, Operator };
std::string_view name(EventSource source);

struct ConfigApplied {
    std::vector<FieldChange> changes;
    std::uint64_t fromStep = 0;
};
// An answer's first text went out. The record as it stands: how it ends is not known yet, and its
// steps are in the one that RequestFinished brings.
struct FirstToken {
    std::shared_ptr<const RequestRecord> record;
};
struct RequestFinished {
    std::shared_ptr<const RequestRecord> record;
};
struct PhaseTimed {
    std::string phase;
    Nanoseconds duration{};
    std::int64_t items = 0;
    std::uint64_t bytes = 0;
};
struct Preempted {
    RequestId id{};
    std::int64_t tokens = 0;
};
// A closed batch ran to its end. From the end of its first request on (`tail`) places were free
// that `waiting` requests could not have.
struct BatchEnded {
    std::uint64_t batch = 0;
    std::int64_t requests = 0;
    Nanoseconds duration{};
    Nanoseconds tail{};
    RequestId last{};
    std::int64_t waiting = 0;
};
struct StateChanged {
    EngineState state = EngineState::NoModel;
};
struct Failed {
    std::string message;
    std::int64_t requestsFailed = 0;
};
// Anything the application adds: workload stages, runs, imports. `kind` names a translated
// template, the pairs fill it.
struct Notice {
    std::string kind;
    std::vector<std::pair<std::string, std::string>> values;
};

struct Event {
    std::uint64_t sequence = 0;
    std::uint64_t step = 0;
    TimePoint time;
    EventSource source = EventSource::Engine;
    std::variant<ConfigApplied, FirstToken, RequestFinished, PhaseTimed, Preempted, BatchEnded,
                 StateChanged, Failed, Notice>
        body;
};

} // namespace engine
