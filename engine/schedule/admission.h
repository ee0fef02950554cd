// Whether a request can ever be served, told at once and with the numbers. Pure; any thread.
#pragma once

#include "engine/request.h"

#include <cstdint>
#include <optional>
#include <string>

namespace engine {

struct Refusal {
    FinishReason reason = FinishReason::Rejected;
    std::string message;
};

struct Capacity {
    std::int64_t contextTokens = 0; // of prompt and answer, by model and setting
    std::int64_t poolTokens = 0;    // places for keys and values
    std::int64_t limitTokens() const { return std::min(contextTokens, poolTokens); }
};

// Empty where a prompt of that length leaves room for at least one token of an answer.
std::optional<Refusal> refuseLength(std::int64_t promptTokens, const Capacity& capacity);

// The same from the bytes of a prompt before it is encoded: no token stands for more than
// `longestToken` bytes.
std::optional<Refusal> refuseBytes(std::size_t promptBytes, std::size_t longestToken,
                                   const Capacity& capacity);

// Tokens of the answer: what was asked, at most what fits behind the prompt.
std::int64_t answerLimit(std::int64_t promptTokens, std::int64_t asked, const Capacity& capacity);

// Why an answer ended before the tokens that were asked for; empty where it has them all.
std::string cutText(std::int64_t answered, std::int64_t asked, const Capacity& capacity);

} // namespace engine
