// Chooses the next token from a row of logits. Noise is a function of (seed, position): a request
// draws the same in any batch. Holds scratch; one thread at a time.
#pragma once

#include "engine/request.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

// Uniform in (0, 1): a counter-based generator, so that no state is carried from token to token.
double noise(std::uint64_t seed, std::uint64_t position);

class Sampler {
public:
    // Greedy at temperature 0, the lowest id of equals. Else temperature first, then of the
    // distribution what top-k, top-p and min-p leave, in this order. Empty where a logit is not a
    // number. Logits past the tokenizer's vocabulary are left out by the caller.
    std::optional<TokenId> sample(std::span<const float> logits, const Sampling& sampling,
                                  std::int64_t position);

    // Of a token and of the `count` likeliest ones, from the logits as they are: sums in F64.
    TokenLogprobs logprobs(std::span<const float> logits, TokenId token, int count);

private:
    struct Candidate {
        float logit = 0.0F;
        TokenId id = 0;
    };

    void collect(std::span<const float> logits, const Sampling& sampling);
    void keepNucleus(const Sampling& sampling, float largest);
    void keepLikely(const Sampling& sampling, float largest);

    std::vector<Candidate> m_candidates;
};

} // namespace engine
