#include "engine/loop/prompt_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace engine {

namespace {

// From here on a prompt takes several milliseconds.
constexpr std::size_t kLongBytes = 256 * 1024;

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
            bytes += message.content.size() + message.reasoning.size() + message.tools.size();
            for (const ToolCall& call : message.toolCalls) {
                bytes += call.name.size() + call.arguments.size();
            }
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
    for (Lane& lane : m_lanes) {
        lane.thread.request_stop();
    }
    for (Lane& lane : m_lanes) {
        lane.thread = {}; // joins
        for (auto& answer : lane.waiting.take()) {
            answer->refusal =
                Refusal{.reason = FinishReason::Cancelled, .message = "The engine was closed."};
            m_out.push(std::move(answer));
        }
    }
}

void PromptEncoder::start() {
    for (Lane& lane : m_lanes) {
        lane.thread = std::jthread([this, &lane](const std::stop_token& stop) { run(lane, stop); });
    }
}

void PromptEncoder::submit(std::unique_ptr<Answer> answer) {
    const bool isLong = promptBytes(answer->request) >= kLongBytes;
    m_lanes[isLong ? 1 : 0].waiting.push(std::move(answer));
}

void PromptEncoder::run(Lane& lane, const std::stop_token& stop) {
    while (lane.waiting.wait(stop)) {
        for (auto& answer : lane.waiting.take()) {
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
        static_cast<void>(m_chat->render(*messages, request.thinking));
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
