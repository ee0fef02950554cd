// A stream that hands on what another one brings, keeps it, and tells when it has ended: so that an
// answer can be stored, or asked for again elsewhere where it was refused. Any thread.
#pragma once

#include "engine/request.h"

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace engine {

// A piece as the engine pushes it: token by token, the text with the last one.
void pushPiece(TokenStream& stream, const TokenStream::Chunk& piece);

class RelayedStream : public std::enable_shared_from_this<RelayedStream> {
public:
    // Called at the end of a source. True where the answer goes on from another one, which it has
    // followed.
    using End = std::function<bool(RelayedStream& relay, const TokenStream& source)>;

    RelayedStream(RequestId id, End end)
        : m_out(std::make_shared<TokenStream>(id)),
          m_end(std::move(end)) {}

    const std::shared_ptr<TokenStream>& stream() const { return m_out; }
    // The source of what comes; it keeps this object until it ends.
    void follow(const std::shared_ptr<TokenStream>& source);
    // All pieces so far, and whether the reader has got any of them. After the end of a source
    // only.
    const std::vector<TokenStream::Chunk>& pieces() const { return m_pieces; }
    bool hasShown() const { return m_shown > 0; }

private:
    void take(TokenStream& source);
    void show();

    std::shared_ptr<TokenStream> m_out;
    End m_end;
    std::mutex m_mutex; // one at a time hands on: a source may ring on two threads
    // Tokens without a text wait for the first one that has: until then another source may begin.
    std::vector<TokenStream::Chunk> m_pieces;
    std::size_t m_shown = 0;               // of the pieces, handed on
    const TokenStream* m_source = nullptr; // null once it has ended
};

} // namespace engine
