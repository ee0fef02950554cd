// A prompt that is still being written: its text so far, and of its tokens those that no further
// text can change. Tokenizer thread.
#pragma once

#include "engine/request.h"
#include "engine/tokenizer/tokenizer.h"

#include <string_view>
#include <vector>

namespace engine {

class OpenPrompt {
public:
    // The open text is the prompt's, or the last message's. Throws Failure for a prompt of ids.
    explicit OpenPrompt(Request request);

    void append(std::string_view text);
    // Keeps the first `bytes` of the open text, or fewer where a character would be cut.
    void truncate(std::size_t bytes);
    const Request& request() const { return m_request; }
    Request& request() { return m_request; }

    // The beginning that all continuations have in common. A word that is not at its end may still
    // merge with what comes, and some splitters look at the character behind a space: so the text
    // is encoded with several endings, and what differs is held back. What is computed on a wrong
    // guess is only computed again: completing compares all tokens.
    std::vector<TokenId> stableTokens(const Tokenizer& tokenizer, const ChatFormat* chat) const;

private:
    std::string& text();

    Request m_request;
};

} // namespace engine
