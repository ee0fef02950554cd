#include "engine/base/failure.h"
#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

namespace engine {

namespace {

class PromptEncoder {
public:
    PromptEncoder(const Tokenizer& tokenizer, const ChatFormat* chat, Thinking thinking)
        : m_tokenizer(tokenizer),
          m_chat(chat),
          m_thinking(thinking) {}

    std::vector<TokenId> operator()(const std::string& text) const {
        return withBos(m_tokenizer.encode(text, SpecialTokens::Escape));
    }

    std::vector<TokenId> operator()(const std::vector<ChatMessage>& messages) const {
        if (m_chat == nullptr) {
            throw Failure(ErrorCode::Unsupported,
                          "This model has no chat format that is known. Send a plain text prompt.");
        }
        if (messages.empty()) {
            return {};
        }
        return withBos(m_tokenizer.encode(m_chat->render(messages, m_thinking)));
    }

    // As they are: whoever sends ids has decided about BOS.
    std::vector<TokenId> operator()(const std::vector<TokenId>& ids) const {
        for (const TokenId id : ids) {
            if (id < 0 || id >= m_tokenizer.size()) {
                throw Failure(ErrorCode::Invalid,
                              fmt::format("Token id {} is outside this model's vocabulary of {}.",
                                          id, m_tokenizer.size()));
            }
        }
        return ids;
    }

private:
    std::vector<TokenId> withBos(std::vector<TokenId> ids) const {
        const auto bos = m_tokenizer.bos();
        if (m_tokenizer.addsBos() && bos && (ids.empty() || ids.front() != *bos)) {
            ids.insert(ids.begin(), *bos);
        }
        return ids;
    }

    const Tokenizer& m_tokenizer;
    const ChatFormat* m_chat;
    Thinking m_thinking;
};

} // namespace

Result<std::vector<TokenId>> encodePrompt(const Tokenizer& tokenizer, const ChatFormat* chat,
                                          const Request& request) {
    return atTheDoor([&] {
        std::vector<TokenId> ids =
            std::visit(PromptEncoder(tokenizer, chat, request.thinking), request.prompt);
        if (ids.empty()) {
            throw Failure(ErrorCode::Invalid,
                          "The prompt is empty: there is nothing to go on from.");
        }
        return ids;
    });
}

} // namespace engine
