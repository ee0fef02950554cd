#include "engine/serving/relayed_stream.h"

#include <algorithm>

namespace engine {

void pushPiece(TokenStream& stream, const TokenStream::Chunk& piece) {
    const std::size_t tokens = std::max<std::size_t>(1, piece.ids.size());
    for (std::size_t i = 0; i < tokens; ++i) {
        const auto id = i < piece.ids.size() ? std::optional(piece.ids[i]) : std::nullopt;
        const auto logprobs =
            i < piece.logprobs.size() ? std::optional(piece.logprobs[i]) : std::nullopt;
        stream.push(i + 1 == tokens ? std::string_view(piece.text) : std::string_view(), id,
                    logprobs);
    }
}

void RelayedStream::follow(const std::shared_ptr<TokenStream>& source) {
    {
        const std::lock_guard lock(m_mutex);
        m_source = source.get();
        m_pieces.resize(m_shown);
    }
    // The source rings only while it lives.
    source->onReady([self = shared_from_this(), raw = source.get()] { self->take(*raw); });
}

void RelayedStream::show() {
    for (; m_shown < m_pieces.size(); ++m_shown) {
        pushPiece(*m_out, m_pieces[m_shown]);
    }
}

void RelayedStream::take(TokenStream& source) {
    {
        const std::lock_guard lock(m_mutex);
        if (&source != m_source) {
            return; // its end has been told
        }
        while (auto chunk = source.waitNext(std::chrono::milliseconds(0))) {
            if (chunk->text.empty() && chunk->ids.empty()) {
                return; // it rings again
            }
            const bool isVisible = m_shown > 0 || !chunk->text.empty();
            m_pieces.push_back(std::move(*chunk));
            if (isVisible) {
                show();
            }
        }
        m_source = nullptr;
    }
    if (!m_end(*this, source)) {
        show();
        m_out->finish(*source.finishReason(), source.message(), source.record());
    }
}

} // namespace engine
