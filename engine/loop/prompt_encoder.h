// The tokenizer threads: they turn the prompts of requests into token ids and hand them on. Long
// prompts have a thread of their own, so that short ones don't wait for them; within each the order
// is kept. A refusal travels with the request. submit() from any thread.
#pragma once

#include "engine/base/mailbox.h"
#include "engine/loop/answer.h"
#include "engine/tokenizer/tokenizer.h"

#include <array>
#include <memory>
#include <thread>

namespace engine {

class PromptEncoder {
public:
    using Arrivals = Inbox<std::unique_ptr<Answer>>;

    // Borrows all; `contextTokens` bounds prompts before they are encoded.
    PromptEncoder(const Tokenizer& tokenizer, const ChatFormat* chat, std::int64_t contextTokens,
                  Arrivals& out);
    ~PromptEncoder(); // hands on what still waits, cancelled

    void start();
    void submit(std::unique_ptr<Answer> answer);

private:
    struct Lane {
        Arrivals waiting;
        std::jthread thread;
    };

    void run(Lane& lane, const std::stop_token& stop);
    void encode(Answer& answer) const;
    void encodeText(Answer& answer) const;

    const Tokenizer& m_tokenizer;
    const ChatFormat* m_chat;
    Capacity m_capacity;
    std::size_t m_longestToken; // bytes
    Arrivals& m_out;
    std::array<Lane, 2> m_lanes; // short prompts, long ones
};

} // namespace engine
