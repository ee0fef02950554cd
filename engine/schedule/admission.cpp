#include "engine/schedule/admission.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

std::string limitText(const Capacity& capacity) {
    return capacity.contextTokens <= capacity.poolTokens
               ? fmt::format("the context of {} tokens", capacity.contextTokens)
               : fmt::format("the KV pool of {} tokens (setting kv.blocks)", capacity.poolTokens);
}

} // namespace

std::optional<Refusal> refuseLength(std::int64_t promptTokens, const Capacity& capacity) {
    if (promptTokens < capacity.limitTokens()) {
        return std::nullopt;
    }
    return Refusal{.reason = FinishReason::TooLong,
                   .message = fmt::format("The prompt has {} tokens and leaves no room for an "
                                          "answer in {}. Shorten it.",
                                          promptTokens, limitText(capacity))};
}

std::optional<Refusal> refuseBytes(std::size_t promptBytes, std::size_t longestToken,
                                   const Capacity& capacity) {
    const std::size_t least = longestToken == 0 ? 0 : promptBytes / longestToken;
    if (static_cast<std::int64_t>(least) < capacity.limitTokens()) {
        return std::nullopt;
    }
    return Refusal{.reason = FinishReason::TooLong,
                   .message = fmt::format("The prompt of {} bytes has at least {} tokens and does "
                                          "not fit {}. Shorten it.",
                                          promptBytes, least, limitText(capacity))};
}

std::int64_t answerLimit(std::int64_t promptTokens, std::int64_t asked, const Capacity& capacity) {
    return std::min(asked, capacity.limitTokens() - promptTokens);
}

std::string cutText(std::int64_t answered, std::int64_t asked, const Capacity& capacity) {
    return answered >= asked
               ? std::string()
               : fmt::format("The answer was cut at {} of {} tokens: with its prompt it fills {}.",
                             answered, asked, limitText(capacity));
}

} // namespace engine
