#include "engine/loop/open_prompt.h"

#include "engine/base/failure.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

} // namespace

OpenPrompt::OpenPrompt(Request request) : m_request(std::move(request)) {
    if (std::holds_alternative<std::vector<TokenId>>(m_request.prompt)) {
        throw Failure(ErrorCode::Invalid, "A prompt of token ids can't be written piece by piece.");
    }
    if (auto* messages = std::get_if<std::vector<ChatMessage>>(&m_request.prompt);
        messages != nullptr && messages->empty()) {
        throw Failure(ErrorCode::Invalid, "A conversation needs a message to be written on.");
    }
}

std::string& OpenPrompt::text() {
    if (auto* messages = std::get_if<std::vector<ChatMessage>>(&m_request.prompt)) {
        return messages->back().content;
    }
    return std::get<std::string>(m_request.prompt);
}

void OpenPrompt::append(std::string_view more) {
    text() += more;
}

void OpenPrompt::truncate(std::size_t bytes) {
    std::string& whole = text();
    bytes = std::min(bytes, whole.size());
    while (bytes > 0 && bytes < whole.size() && isContinuation(whole[bytes])) {
        --bytes;
    }
    whole.resize(bytes);
}

std::vector<TokenId> OpenPrompt::stableTokens(const Tokenizer& tokenizer,
                                              const ChatFormat* chat) const {
    constexpr std::array<std::string_view, 5> kEndings = {"", "a", " a", "1", "\n\n"};
    std::optional<std::vector<TokenId>> common;
    OpenPrompt continued = *this;
    // A piece may end within a character: it is not there yet.
    std::string& open = continued.text();
    while (!open.empty() && isContinuation(open.back())) {
        open.pop_back();
    }
    if (!open.empty() && (static_cast<unsigned char>(open.back()) & 0x80U) != 0) {
        open.pop_back();
    }
    const std::size_t size = open.size();
    for (const std::string_view ending : kEndings) {
        open.resize(size);
        open += ending;
        const auto ids = encodePrompt(tokenizer, chat, continued.m_request);
        if (!ids) {
            continue; // an empty text is no prompt yet
        }
        if (!common) {
            common = *ids;
            continue;
        }
        const auto differ = std::ranges::mismatch(*common, *ids);
        common->erase(differ.in1, common->end());
    }
    return common.value_or(std::vector<TokenId>{});
}

} // namespace engine
