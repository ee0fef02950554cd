#include "app/prompt_feeder.h"

#include <algorithm>
#include <utility>

namespace app {

void PromptFeeder::follow(engine::Backend& backend, const engine::Request& opening,
                          const std::string& text) {
    if (text.empty()) {
        cancel(backend);
        return;
    }
    if (!isOpen()) {
        m_stream = backend.open(opening);
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
                                                            const std::string& text,
                                                            engine::Completion completion) {
    if (!isOpen()) {
        drop();
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
