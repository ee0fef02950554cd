// What is asked of a Backend and how the answer arrives. Request is a value; a TokenStream is
// shared by the engine thread (writer) and one reader.
#pragma once

#include "engine/config.h"
#include "engine/error.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace engine {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Nanoseconds = std::chrono::nanoseconds;
using TokenId = std::int32_t;

enum class RequestId : std::uint64_t {};

struct Sampling {
    float temperature = 0.0F; // 0: greedy
    int topK = 0;             // 0: off
    float topP = 1.0F;
    float minP = 0.0F;
    std::uint64_t seed = 0; // the noise of a token is a function of (seed, position)
};

enum class Lane : std::uint8_t { Realtime, Batch };

struct ToolCall {
    std::string name;
    std::string arguments; // a JSON object
    std::string id = {};   // what a result names it by
};

struct ChatMessage {
    std::string role; // system, user, assistant, tool
    std::string content;
    std::string reasoning = {};           // of an answer, before its content
    std::vector<ToolCall> toolCalls = {}; // of an answer
    std::string toolCallId = {};          // of a tool's result
    std::string tools = {};               // of a system message: a JSON array of what may be called
};

// Whether the model should reason before it answers, where its chat format has a say in that.
enum class Thinking : std::uint8_t { Default, On, Off };

struct Request {
    // Plain text, a conversation that the model's chat format renders, or token ids as they are.
    std::variant<std::string, std::vector<ChatMessage>, std::vector<TokenId>> prompt;
    Thinking thinking = Thinking::Default; // of a conversation
    int maxTokens = 128;
    Sampling sampling;
    Lane lane = Lane::Realtime;
    std::optional<Attention> attention; // empty: as the setting says
    // Requests of different tenants share nothing of what is kept, so that nobody can tell from
    // times what others have asked.
    std::string tenant;
    std::string adapter; // by its name (engine/adapters.h); empty: the loaded model itself
    bool ignoreEnd =
        false; // go on after an end-of-generation token (load tests with fixed lengths)
    std::vector<std::string> stop;      // text at which the answer ends, not part of it
    std::optional<TimePoint> scheduled; // when the workload wanted it
    std::optional<TimePoint> deadline;
    // Log-probabilities of the answer's tokens, each with so many likeliest alternatives.
    std::optional<int> logprobs;
    std::uint32_t tags = 0; // SampleTag bits that are known beforehand
    std::string label; // "playground", "warm-up", a prompt set's name; for tags, never prompt text
};

inline constexpr int kMostLogprobs = 20; // alternatives; more are not told

// Natural logarithms of the model's own probabilities, before temperature and cuts.
struct TokenLogprobs {
    TokenId id{};
    float logprob = 0.0F;
    std::vector<std::pair<TokenId, float>> top; // likeliest first
};

// What is told of a prompt that was written piece by piece once it is complete.
struct Completion {
    int maxTokens = 128;
    Sampling sampling;
    std::optional<TimePoint> scheduled; // where latency is counted from
};

enum class FinishReason : std::uint8_t {
    Stop,
    Length,
    Cancelled,
    Rejected,
    TooLong,
    Overloaded, // too many wait already
    Deadline,
    Failed
};
std::string_view name(FinishReason reason); // "stop", "length", ...

struct RequestRecord;

// The answer of one request. Holds at most the request's token limit, so the engine never waits for
// a reader.
class TokenStream {
public:
    struct Chunk {
        std::string text; // valid UTF-8, may be empty at the end
        std::vector<TokenId>
            ids; // the tokens that this text comes from (and tokens without text yet)
        std::vector<TokenLogprobs> logprobs; // one an id, where they were asked for
    };

    explicit TokenStream(RequestId id) : m_id(id) {}
    RequestId id() const { return m_id; }

    // Reader. Everything that arrived since the last call; empty optional once finished and
    // drained. Waits up to `timeout` for something to arrive; an empty Chunk means the time is
    // over.
    std::optional<Chunk> waitNext(std::chrono::milliseconds timeout);
    bool isFinished() const;
    // After the end: reason, message for a refused or failed request, and the record.
    std::optional<FinishReason> finishReason() const;
    std::string message() const;
    std::shared_ptr<const RequestRecord> record() const;
    // Called on the writer's thread after each push and at the end, and at once on the caller's
    // where something had arrived already, so that nothing is missed. Must not block. Released
    // after the end.
    void onReady(std::function<void()> callback);

    // Writer. Without an id: text that was held back, released at the end. After finish: nothing.
    void push(std::string_view text, std::optional<TokenId> id,
              std::optional<TokenLogprobs> logprobs = {});
    // The first call counts.
    void finish(FinishReason reason, std::string message,
                std::shared_ptr<const RequestRecord> record);

private:
    bool hasPending() const { return !m_pending.text.empty() || !m_pending.ids.empty(); }
    void announce(const std::function<void()>& ready);

    const RequestId m_id;
    mutable std::mutex m_mutex;
    std::condition_variable m_arrived;
    Chunk m_pending;
    std::optional<FinishReason> m_reason;
    std::string m_message;
    std::shared_ptr<const RequestRecord> m_record;
    std::function<void()> m_onReady;
};

} // namespace engine
