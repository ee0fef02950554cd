// The tokenizer threads: they turn the prompts of requests into token ids and hand them on. Long
// prompts have a thread of their own, so that short ones don't wait for them; within each the order
// is kept. A refusal travels with the request, and a cancelled one waits for nobody. The last keeps
// the text of prompts that are still being written, which is encoded again and again. Public
// functions from any thread.
#pragma once

#include "engine/base/mailbox.h"
#include "engine/loop/answer.h"
#include "engine/loop/open_prompt.h"
#include "engine/tokenizer/tokenizer.h"

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <variant>

namespace engine {

// What happens to an open prompt.
struct PromptAppended {
    std::string text;
};
struct PromptTruncated {
    std::size_t bytes = 0;
};
struct PromptCompleted {
    Completion completion;
    TimePoint received;
};
struct PromptClosed {}; // it ended otherwise: its text is not needed again
struct PromptChange {
    RequestId id{};
    std::variant<PromptAppended, PromptTruncated, PromptCompleted, PromptClosed> what;
};

// The tokens of an open prompt, for the engine thread.
struct PromptUpdate {
    RequestId id{};
    std::vector<TokenId> tokens; // stable ones; all of them where it is completed
    std::optional<PromptCompleted> completed;
    std::optional<TimePoint> tokenized;
    std::optional<Refusal> refusal;
};

class PromptEncoder {
public:
    using Arrivals = Inbox<std::unique_ptr<Answer>>;

    using Updates = Inbox<PromptUpdate>;

    // Borrows all; `contextTokens` bounds prompts before they are encoded.
    PromptEncoder(const Tokenizer& tokenizer, const ChatFormat* chat, std::int64_t contextTokens,
                  Arrivals& out, Updates& updates);
    ~PromptEncoder(); // hands on what still waits, cancelled

    void start();
    void submit(std::unique_ptr<Answer> answer);
    // The answer's prompt is kept and handed on piece by piece.
    void open(std::unique_ptr<Answer> answer);
    void change(PromptChange change);
    // Whether something that happened to the prompt has not been handed on yet.
    bool hasChanges(RequestId id) const;
    // After a cancellation: whoever it was goes on at once, also while its prompt is encoded.
    void handOnCancelled();

private:
    struct Lane {
        Arrivals waiting;
        std::mutex mutex;
        std::deque<std::unique_ptr<Answer>> taken; // under it; the first is being encoded
        std::jthread thread;
    };
    struct Encoded {
        std::vector<TokenId> prompt;
        std::optional<Refusal> refusal;
        Nanoseconds chatFormat{};
    };

    void run(Lane& lane, const std::stop_token& stop);
    bool handOnFirst(Lane& lane);
    Encoded encode(const Request& request) const;
    Encoded encodeText(const Request& request) const;
    void takeOpened(std::unique_ptr<Answer> answer);
    void takeChanges();
    std::optional<PromptUpdate> apply(const PromptChange& change, OpenPrompt& prompt) const;
    std::optional<Refusal> refuseOpen(const OpenPrompt& prompt) const;
    void sendStable(RequestId id, const OpenPrompt& prompt) const;

    const Tokenizer& m_tokenizer;
    const ChatFormat* m_chat;
    Capacity m_capacity;
    std::size_t m_longestToken; // bytes
    Arrivals& m_out;
    Updates& m_updates;
    Inbox<PromptChange> m_changes;
    mutable std::mutex m_pendingMutex;
    std::unordered_map<RequestId, int> m_pending; // changes that were not handed on
    // Of the last lane's thread.
    std::unordered_map<RequestId, OpenPrompt> m_open;
    std::vector<PromptChange> m_early; // came before their prompt
    std::array<Lane, 3> m_lanes;       // short prompts, long ones, open ones
};

} // namespace engine
