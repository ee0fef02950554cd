#include "engine/loop/prompt_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace engine {

namespace {

std::size_t longestToken(const Tokenizer& tokenizer) {
    std::size_t longest = 1;
    std::string bytes;
    for (std::int64_t id = 0; id < tokenizer.size(); ++id) {
        bytes.clear();
        tokenizer.appendBytes(static_cast<TokenId>(id), bytes, true);
        longest = std::max(longest, bytes.size());
    }
    return longest;
}

std::size_t promptBytes(const Request& request) {
    if (const auto* text = std::get_if<std::string>(&request.prompt)) {
        return text->size();
    }
    std::size_t bytes = 0;
    if (const auto* messages = std::get_if<std::vector<ChatMessage>>(&request.prompt)) {
        for (const ChatMessage& message : *messages) {
            bytes += message.content.size();
        }
    }
    return bytes;
}

} // namespace

PromptEncoder::PromptEncoder(const Tokenizer& tokenizer, const ChatFormat* chat,
                             std::int64_t contextTokens, Arrivals& out)
    : m_tokenizer(tokenizer),
      m_chat(chat),
      m_capacity{.contextTokens = contextTokens, .poolTokens = contextTokens},
      m_longestToken(longestToken(tokenizer)),
      m_out(out) {}

PromptEncoder::~PromptEncoder() {
    m_thread = {}; // stops and joins
    for (auto& answer : m_waiting.take()) {
        answer->refusal =
            Refusal{.reason = FinishReason::Cancelled, .message = "The engine was closed."};
        m_out.push(std::move(answer));
    }
}

void PromptEncoder::start() {
    m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void PromptEncoder::run(const std::stop_token& stop) {
    while (m_waiting.wait(stop)) {
        for (auto& answer : m_waiting.take()) {
            if (stop.stop_requested()) {
                answer->refusal =
                    Refusal{.reason = FinishReason::Cancelled, .message = "The engine was closed."};
            } else {
                encode(*answer);
            }
            m_out.push(std::move(answer));
        }
    }
}

void PromptEncoder::encode(Answer& answer) const {
    if (answer.cancellation->stop_requested()) {
        return; // the engine thread ends it
    }
    try {
        encodeText(answer);
    } catch (const std::exception& fault) {
        answer.refusal =
            Refusal{.reason = FinishReason::Failed,
                    .message = fmt::format("The prompt could not be encoded: {}.", fault.what())};
    }
    answer.promptTokens = static_cast<std::int64_t>(answer.prompt.size());
    answer.stamps.tokenized = Clock::now();
}

void PromptEncoder::encodeText(Answer& answer) const {
    answer.refusal = refuseBytes(promptBytes(answer.request), m_longestToken, m_capacity);
    if (answer.refusal) {
        return;
    }
    Request& request = answer.request;
    const TimePoint begin = Clock::now();
    if (const auto* messages = std::get_if<std::vector<ChatMessage>>(&request.prompt);
        messages != nullptr && m_chat != nullptr) {
        static_cast<void>(m_chat->render(*messages));
    }
    answer.ledger.add(Stage::ChatFormat, Clock::now() - begin);
    auto ids = encodePrompt(m_tokenizer, m_chat, request);
    request.prompt = std::string{}; // as text it is not needed again
    if (!ids) {
        answer.refusal = Refusal{.reason = FinishReason::Rejected, .message = ids.error().message};
    } else {
        answer.prompt = std::move(*ids);
    }
}

} // namespace engine
