#include "app/prompt_feeder.h"

#include <algorithm>
#include <utility>

namespace app {

namespace {

bool isSame(const engine::ChatMessage& one, const engine::ChatMessage& other) {
    const auto isSameCall = [](const engine::ToolCall& left, const engine::ToolCall& right) {
        return left.name == right.name && left.arguments == right.arguments && left.id == right.id;
    };
    return one.role == other.role && one.content == other.content &&
           one.reasoning == other.reasoning && one.toolCallId == other.toolCallId &&
           one.tools == other.tools &&
           std::ranges::equal(one.toolCalls, other.toolCalls, isSameCall);
}

} // namespace

bool PromptFeeder::isAround(const engine::Request& opening) const {
    if (opening.adapter != m_adapter) {
        return false;
    }
    using Messages = std::vector<engine::ChatMessage>;
    const auto* messages = std::get_if<Messages>(&opening.prompt);
    const auto* opened = std::get_if<Messages>(&m_around);
    if (messages != nullptr && opened != nullptr) {
        return std::ranges::equal(*messages, *opened, isSame);
    }
    return messages == nullptr && opened == nullptr;
}

void PromptFeeder::follow(engine::Backend& backend, const engine::Request& opening,
                          const std::string& text) {
    if (text.empty()) {
        cancel(backend);
        return;
    }
    if (isOpen() && !isAround(opening)) {
        cancel(backend);
    }
    if (!isOpen()) {
        m_stream = backend.open(opening);
        m_around = opening.prompt;
        m_adapter = opening.adapter;
        m_sent.clear();
    }
    sendDifference(backend, text);
}

void PromptFeeder::sendDifference(engine::Backend& backend, const std::string& text) {
    const auto differ = std::ranges::mismatch(m_sent, text).in1;
    auto common = static_cast<std::size_t>(differ - m_sent.begin());
    // At a character's beginning, in the old text as in the new one.
    const auto isInside = [](const std::string& whole, std::size_t at) {
        return at < whole.size() && (static_cast<unsigned char>(whole[at]) & 0xC0U) == 0x80U;
    };
    while (common > 0 && (isInside(m_sent, common) || isInside(text, common))) {
        --common;
    }
    if (common < m_sent.size()) {
        backend.truncate(m_stream->id(), common);
    }
    if (common < text.size()) {
        backend.append(m_stream->id(), text.substr(common));
    }
    m_sent = text;
}

std::shared_ptr<engine::TokenStream> PromptFeeder::complete(engine::Backend& backend,
                                                            const engine::Request& opening,
                                                            const std::string& text,
                                                            engine::Completion completion) {
    if (!isOpen() || !isAround(opening)) {
        cancel(backend);
        return nullptr;
    }
    sendDifference(backend, text);
    backend.complete(m_stream->id(), std::move(completion));
    m_sent.clear();
    return std::exchange(m_stream, nullptr);
}

void PromptFeeder::drop() {
    m_stream.reset();
    m_sent.clear();
}

void PromptFeeder::cancel(engine::Backend& backend) {
    if (isOpen()) {
        backend.cancel(m_stream->id());
    }
    drop();
}

} // namespace app
