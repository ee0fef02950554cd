#include "engine/model/sampler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace engine {

namespace {

// Largest of a block of logits, lane by lane so that the compiler compares vectors; isNumber turns
// false where one is none.
float largestOf(std::span<const float> logits, bool& isNumber) {
    constexpr std::size_t kLanes = 16;
    std::array<float, kLanes> largest;
    std::array<std::int32_t, kLanes> strangers{};
    largest.fill(-std::numeric_limits<float>::infinity());
    std::size_t i = 0;
    for (; i + kLanes <= logits.size(); i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const float logit = logits[i + lane];
            largest[lane] = logit > largest[lane] ? logit : largest[lane];
            strangers[lane] |= logit != logit ? 1 : 0;
        }
    }
    for (; i < logits.size(); ++i) {
        largest[0] = logits[i] > largest[0] ? logits[i] : largest[0];
        strangers[0] |= logits[i] != logits[i] ? 1 : 0;
    }
    isNumber = isNumber && std::ranges::count(strangers, 0) == kLanes;
    return *std::ranges::max_element(largest);
}

// The largest logit's first index; empty where one is not a number or the largest is infinite.
std::optional<std::size_t> largestIndex(std::span<const float> logits) {
    constexpr std::size_t kBlock = 1024;
    float largest = -std::numeric_limits<float>::infinity();
    std::size_t begin = 0; // of the first block that holds it
    bool isNumber = true;
    for (std::size_t i = 0; i < logits.size(); i += kBlock) {
        const std::size_t count = std::min(kBlock, logits.size() - i);
        const float found = largestOf(logits.subspan(i, count), isNumber);
        if (found > largest) {
            largest = found;
            begin = i;
        }
    }
    if (!isNumber || !std::isfinite(largest)) {
        return std::nullopt;
    }
    const auto at =
        std::find(logits.begin() + static_cast<std::ptrdiff_t>(begin), logits.end(), largest);
    return static_cast<std::size_t>(at - logits.begin());
}

double weightOf(float logit, float largest, float temperature) {
    return std::exp(static_cast<double>(logit - largest) / static_cast<double>(temperature));
}

} // namespace

// SplitMix64's finaliser over both numbers; Steele, Lea & Flood 2014.
double noise(std::uint64_t seed, std::uint64_t position) {
    const auto mix = [](std::uint64_t value) {
        value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
        return value ^ (value >> 31U);
    };
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
    const std::uint64_t bits = mix(mix(seed + kGolden) + (position + 1) * kGolden);
    return (static_cast<double>(bits >> 11U) + 0.5) * 0x1.0p-53;
}

std::optional<TokenId> Sampler::sample(std::span<const float> logits, const Sampling& sampling,
                                       std::int64_t position) {
    const auto best = largestIndex(logits);
    if (!best) {
        return std::nullopt;
    }
    if (!(sampling.temperature > 0.0F)) {
        return static_cast<TokenId>(*best);
    }
    const float largest = logits[*best];
    collect(logits, sampling);
    keepNucleus(sampling, largest);
    keepLikely(sampling, largest);

    double total = 0.0;
    for (const Candidate& candidate : m_candidates) {
        total += weightOf(candidate.logit, largest, sampling.temperature);
    }
    double left = noise(sampling.seed, static_cast<std::uint64_t>(position)) * total;
    for (const Candidate& candidate : m_candidates) {
        left -= weightOf(candidate.logit, largest, sampling.temperature);
        if (left <= 0.0) {
            return candidate.id;
        }
    }
    return m_candidates.back().id;
}

TokenLogprobs Sampler::logprobs(std::span<const float> logits, TokenId token, int count) {
    const double largest = static_cast<double>(std::ranges::max(logits));
    double total = 0.0;
    for (const float logit : logits) {
        total += std::exp(static_cast<double>(logit) - largest);
    }
    const double normaliser = largest + std::log(total);
    const auto logprobOf = [&](TokenId id) {
        const auto logit = static_cast<double>(logits[static_cast<std::size_t>(id)]);
        // A logit of minus infinity is a token that can't come: the lowest finite number says so.
        return static_cast<float>(
            std::max(logit - normaliser, -static_cast<double>(std::numeric_limits<float>::max())));
    };
    TokenLogprobs result{.id = token, .logprob = logprobOf(token), .top = {}};
    m_candidates.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        m_candidates.push_back({.logit = logits[i], .id = static_cast<TokenId>(i)});
    }
    const auto wanted = m_candidates.begin() +
                        std::min<std::ptrdiff_t>(std::max(count, 0), std::ssize(m_candidates));
    std::partial_sort(m_candidates.begin(), wanted, m_candidates.end(),
                      [](const Candidate& a, const Candidate& b) {
                          return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
                      });
    for (auto candidate = m_candidates.begin(); candidate != wanted; ++candidate) {
        result.top.emplace_back(candidate->id, logprobOf(candidate->id));
    }
    return result;
}

void Sampler::collect(std::span<const float> logits, const Sampling& sampling) {
    m_candidates.clear();
    for (std::size_t i = 0; i < logits.size(); ++i) {
        m_candidates.push_back({.logit = logits[i], .id = static_cast<TokenId>(i)});
    }
    const auto topK = static_cast<std::size_t>(std::max(sampling.topK, 0));
    if (topK > 0 && topK < m_candidates.size()) {
        const auto nth = m_candidates.begin() + static_cast<std::ptrdiff_t>(topK);
        std::nth_element(m_candidates.begin(), nth, m_candidates.end(),
                         [](const Candidate& a, const Candidate& b) {
                             return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
                         });
        m_candidates.resize(topK);
        std::ranges::sort(m_candidates, {}, &Candidate::id);
    }
}

// Top-p: the likeliest candidates whose shares reach topP, the one that reaches it included.
void Sampler::keepNucleus(const Sampling& sampling, float largest) {
    if (!(sampling.topP < 1.0F)) {
        return;
    }
    double total = 0.0;
    for (const Candidate& candidate : m_candidates) {
        total += weightOf(candidate.logit, largest, sampling.temperature);
    }
    // A heap gives them in order without sorting the tail, which is most of the vocabulary.
    const auto isLess = [](const Candidate& a, const Candidate& b) {
        return a.logit != b.logit ? a.logit < b.logit : a.id > b.id;
    };
    std::ranges::make_heap(m_candidates, isLess);
    double reached = 0.0;
    auto end = m_candidates.end();
    do {
        std::pop_heap(m_candidates.begin(), end, isLess);
        --end;
        reached += weightOf(end->logit, largest, sampling.temperature);
    } while (end != m_candidates.begin() && reached < static_cast<double>(sampling.topP) * total);
    m_candidates.erase(m_candidates.begin(), end);
    std::ranges::sort(m_candidates, {}, &Candidate::id);
}

// Min-p: at least that share of the likeliest one's probability.
void Sampler::keepLikely(const Sampling& sampling, float largest) {
    if (sampling.minP > 0.0F) {
        const double least = std::min(static_cast<double>(sampling.minP), 1.0);
        std::erase_if(m_candidates, [&](const Candidate& candidate) {
            return weightOf(candidate.logit, largest, sampling.temperature) < least;
        });
    }
}

} // namespace engine
