// The tokenizer thread: takes requests in order, turns their prompts into token ids and hands them
// on. A refusal travels with the request. submit() from any thread.
#pragma once

#include "engine/base/mailbox.h"
#include "engine/loop/answer.h"
#include "engine/tokenizer/tokenizer.h"

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
    void submit(std::unique_ptr<Answer> answer) { m_waiting.push(std::move(answer)); }

private:
    void run(const std::stop_token& stop);
    void encode(Answer& answer) const;
    void encodeText(Answer& answer) const;

    const Tokenizer& m_tokenizer;
    const ChatFormat* m_chat;
    Capacity m_capacity;
    std::size_t m_longestToken; // bytes
    Arrivals& m_out;
    Arrivals m_waiting;
    std::jthread m_thread;
};

} // namespace engine
