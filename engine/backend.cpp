#include "engine/backend.h"

namespace engine {

// A backend without streamed prompts says so at once, and its caller sends the prompt whole.
std::shared_ptr<TokenStream> Backend::open(Request) {
    auto stream = std::make_shared<TokenStream>(RequestId{});
    stream->finish(FinishReason::Rejected, "This backend takes whole prompts only.", nullptr);
    return stream;
}

void Backend::append(RequestId, std::string) {}

void Backend::truncate(RequestId, std::size_t) {}

void Backend::complete(RequestId, Completion) {}

Result<std::string> Backend::detokenize(std::span<const TokenId>) const {
    return std::unexpected(
        Error{ErrorCode::Unsupported, "This backend does not tell the text of tokens."});
}

Result<std::string> Backend::tokenBytes(TokenId) const {
    return std::unexpected(
        Error{ErrorCode::Unsupported, "This backend does not tell the bytes of tokens."});
}

} // namespace engine
