#include "engine/quality.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace engine {

namespace {

// log of the sum of e^logit.
double logSum(std::span<const float> logits) {
    const auto largest = static_cast<double>(*std::ranges::max_element(logits));
    double sum = 0.0;
    for (const float logit : logits) {
        sum += std::exp(static_cast<double>(logit) - largest);
    }
    return largest + std::log(sum);
}

// 97.5 % point of Student's t, within 0.5 % (Cornish-Fisher around the normal one).
double studentPoint(double freedom) {
    constexpr double kNormal = 1.959964;
    constexpr double kCube = kNormal * kNormal * kNormal;
    constexpr double kFifth = kCube * kNormal * kNormal;
    if (freedom < 3.0) {
        return freedom < 2.0 ? 12.706 : 4.303;
    }
    return kNormal + (kCube + kNormal) / (4.0 * freedom) +
           (5.0 * kFifth + 16.0 * kCube + 3.0 * kNormal) / (96.0 * freedom * freedom) +
           12.0 / (freedom * freedom * freedom);
}

// The mean over tokens of sums over passages, with the interval of a ratio of means.
Interval intervalOf(std::span<const double> sums, std::span<const double> sizes) {
    const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    Interval interval;
    interval.value = std::accumulate(sums.begin(), sums.end(), 0.0) / all;
    const auto count = static_cast<double>(sums.size());
    if (sums.size() < 2) {
        return interval;
    }
    double squares = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        const double residual = sums[i] - interval.value * sizes[i];
        squares += residual * residual;
    }
    const double error = std::sqrt(count / (count - 1.0) * squares) / all;
    const double reach = studentPoint(count - 1.0) * error;
    interval.low = interval.value - reach;
    interval.high = interval.value + reach;
    return interval;
}

} // namespace

TopTokens topTokens(std::span<const float> logits, TokenId target, int count) {
    const std::size_t wanted = std::min(logits.size(), static_cast<std::size_t>(count));
    std::vector<TokenId> order(logits.size());
    std::iota(order.begin(), order.end(), TokenId{0});
    const auto isLikelier = [&](TokenId a, TokenId b) {
        const float x = logits[static_cast<std::size_t>(a)];
        const float y = logits[static_cast<std::size_t>(b)];
        return x > y || (x == y && a < b);
    };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(wanted),
                      order.end(), isLikelier);
    order.resize(wanted);
    const double whole = logSum(logits);
    TopTokens top;
    for (const TokenId id : order) {
        top.logProbabilities.push_back(
            static_cast<float>(static_cast<double>(logits[static_cast<std::size_t>(id)]) - whole));
    }
    top.target =
        static_cast<float>(static_cast<double>(logits[static_cast<std::size_t>(target)]) - whole);
    top.ids = std::move(order);
    return top;
}

void QualitySum::add(const TopTokens& reference, std::span<const float> logits, TokenId target) {
    const double whole = logSum(logits);
    const auto logProbability = [&](TokenId id) {
        return static_cast<double>(logits[static_cast<std::size_t>(id)]) - whole;
    };
    double kl = 0.0;
    double restBefore = 1.0;
    double restNow = 1.0;
    for (std::size_t i = 0; i < reference.ids.size(); ++i) {
        const auto before = static_cast<double>(reference.logProbabilities[i]);
        const double now = logProbability(reference.ids[i]);
        const double p = std::exp(before);
        kl += p * (before - now);
        restBefore -= p;
        restNow -= std::exp(now);
    }
    constexpr double kLeastRest = 1e-6; // below it the rest is rounding
    if (reference.ids.size() < logits.size() && restBefore > kLeastRest && restNow > kLeastRest) {
        kl += restBefore * std::log(restBefore / restNow);
    }
    const auto likeliest = std::ranges::max_element(logits) - logits.begin();
    ++m_open.tokens;
    m_open.referenceLoss -= static_cast<double>(reference.target);
    m_open.loss -= logProbability(target);
    m_open.kl += kl;
    m_open.agreements += reference.ids.front() == static_cast<TokenId>(likeliest) ? 1.0 : 0.0;
}

void QualitySum::endPassage() {
    if (m_open.tokens > 0) {
        m_tokens += m_open.tokens;
        m_passages.push_back(m_open);
    }
    m_open = {};
}

std::optional<QualityFigures> QualitySum::figures() const {
    if (m_passages.empty()) {
        return std::nullopt;
    }
    std::vector<double> sizes, references, changes, kls, agreements;
    for (const Passage& passage : m_passages) {
        sizes.push_back(static_cast<double>(passage.tokens));
        references.push_back(passage.referenceLoss);
        changes.push_back(passage.loss - passage.referenceLoss);
        kls.push_back(passage.kl);
        agreements.push_back(passage.agreements);
    }
    QualityFigures figures;
    figures.tokens = m_tokens;
    figures.passages = static_cast<std::int64_t>(m_passages.size());
    figures.referencePerplexity = std::exp(intervalOf(references, sizes).value);
    const Interval change = intervalOf(changes, sizes);
    figures.perplexity = figures.referencePerplexity * std::exp(change.value);
    const auto asRatio = [](double loss) { return std::expm1(loss); };
    figures.perplexityChange = {.value = asRatio(change.value),
                                .low = change.low.transform(asRatio),
                                .high = change.high.transform(asRatio)};
    figures.meanKl = intervalOf(kls, sizes);
    figures.topAgreement = intervalOf(agreements, sizes);
    if (!std::isfinite(figures.perplexity) || !std::isfinite(figures.meanKl.value)) {
        return std::nullopt;
    }
    return figures;
}

std::vector<FieldChange> changesOfNumbers(const std::vector<FieldChange>& changes, Attention mode) {
    std::vector<FieldChange> result;
    std::ranges::copy_if(changes, std::back_inserter(result), [mode](const FieldChange& change) {
        return change.key.ends_with("precision") || change.key == "attention.mode" ||
               (mode == Attention::Sparse && change.key.starts_with("attention."));
    });
    return result;
}

} // namespace engine
