// How far a configuration's predictions are from a reference's over the same text: perplexity, KL
// divergence and agreement of the likeliest token, with 95 % intervals over passages. Pure.
#pragma once

#include "engine/config.h"
#include "engine/request.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

// The likeliest tokens of a position with their log-probabilities; what they leave is one rest.
struct TopTokens {
    std::vector<TokenId> ids; // the likeliest first
    std::vector<float> logProbabilities;
    float target = 0.0F; // log-probability of the token that comes next in the text
};
inline constexpr int kTopTokens = 64;

// Of one row of logits; `target` is the next token of the text.
TopTokens topTokens(std::span<const float> logits, TokenId target, int count = kTopTokens);

struct Interval {
    double value = 0.0;
    std::optional<double> low, high; // absent for fewer than two passages
};

struct QualityFigures {
    std::int64_t tokens = 0;   // that were predicted
    std::int64_t passages = 0; // that the intervals are over
    double referencePerplexity = 0.0;
    double perplexity = 0.0;
    Interval perplexityChange; // perplexity / reference - 1
    Interval meanKl;           // of the reference from the candidate, in nats
    Interval topAgreement;     // share of positions whose likeliest token is the same
};

class QualitySum {
public:
    // A position of the text under both. The KL divergence is over the reference's top tokens and
    // the rest; with all of the vocabulary among them it is exact.
    void add(const TopTokens& reference, std::span<const float> logits, TokenId target);
    // Intervals are over stretches that differ: the end of one.
    void endPassage();
    std::int64_t tokens() const { return m_tokens + m_open.tokens; }
    // Empty before the first passage ended, or where a figure is no number.
    std::optional<QualityFigures> figures() const;

private:
    struct Passage {
        std::int64_t tokens = 0;
        double referenceLoss = 0.0, loss = 0.0, kl = 0.0, agreements = 0.0;
    };
    std::int64_t m_tokens = 0; // of whole passages
    Passage m_open;
    std::vector<Passage> m_passages;
};

// Of changes those after which the model predicts something else: of precision, and of what tokens
// see. The figures of sparse attention are among them only where it is the mode afterwards.
std::vector<FieldChange> changesOfNumbers(const std::vector<FieldChange>& changes, Attention mode);

} // namespace engine
