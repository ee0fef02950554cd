#include "kernels/reference/reference_experts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace kernels::reference {

namespace {

// Indices of the `count` largest, the first of equals first.
std::vector<std::size_t> largest(std::span<const double> values, std::size_t count) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::ranges::greater{},
                             [&](std::size_t i) { return values[i]; });
    order.resize(count);
    return order;
}

Numbers scoresOf(std::span<const double> logits, ExpertGate gate) {
    Numbers scores;
    const double peak = std::ranges::max(logits);
    double sum = 0.0;
    for (const double logit : logits) {
        scores.push_back(gate == ExpertGate::Sigmoid ? 1.0 / (1.0 + std::exp(-logit))
                                                     : std::exp(logit - peak));
        sum += scores.back();
    }
    for (double& score : scores) {
        score /= gate == ExpertGate::Softmax ? sum : 1.0;
    }
    return scores;
}

// Experts outside the best groups can't win.
void limitGroups(Numbers& choice, const RoutingRule& rule) {
    const auto groups = static_cast<std::size_t>(rule.groups);
    const std::size_t size = choice.size() / groups;
    Numbers groupScores;
    for (std::size_t g = 0; g < groups; ++g) {
        Numbers group(choice.begin() + static_cast<std::ptrdiff_t>(g * size),
                      choice.begin() + static_cast<std::ptrdiff_t>((g + 1) * size));
        std::ranges::sort(group, std::ranges::greater{});
        const bool addsSecond = rule.groupScore == GroupScore::SumOfBestTwo && size > 1;
        groupScores.push_back(group[0] + (addsSecond ? group[1] : 0.0));
    }
    const auto kept = largest(groupScores, static_cast<std::size_t>(rule.groupsUsed));
    for (std::size_t e = 0; e < choice.size(); ++e) {
        if (std::ranges::find(kept, e / size) == kept.end()) {
            choice[e] = -std::numeric_limits<double>::infinity();
        }
    }
}

} // namespace

Numbers routeExperts(std::span<const double> logits, std::span<const double> bias,
                     std::size_t experts, const RoutingRule& rule) {
    Numbers all;
    for (std::size_t first = 0; first < logits.size(); first += experts) {
        const Numbers scores = scoresOf(logits.subspan(first, experts), rule.gate);
        Numbers choice = scores;
        for (std::size_t e = 0; e < bias.size(); ++e) {
            choice[e] += bias[e];
        }
        limitGroups(choice, rule);
        Numbers weights(experts);
        double sum = 1e-20;
        const auto taken = largest(choice, static_cast<std::size_t>(rule.used));
        for (const std::size_t e : taken) {
            sum += scores[e];
        }
        for (const std::size_t e : taken) {
            weights[e] =
                scores[e] / (rule.normalises ? sum : 1.0) * static_cast<double>(rule.scale);
        }
        all.insert(all.end(), weights.begin(), weights.end());
    }
    return all;
}

} // namespace kernels::reference
