// What a step costs, from steps that were measured. See engine/simulate.h.
#include "engine/simulate.h"

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

constexpr std::size_t kTerms = CostModel::kTerms;
constexpr double kFade = 0.999;

using Matrix = std::array<std::array<double, kTerms>, kTerms>;

// Solves for the terms that are in use; others are 0. Gauss with pivoting; a term that the steps
// did not tell apart stays 0.
std::array<double, kTerms> solve(Matrix left, std::array<double, kTerms> right,
                                 const std::array<bool, kTerms>& isUsed) {
    std::array<double, kTerms> result{};
    std::array<std::optional<std::size_t>, kTerms> rowOf{};
    std::array<bool, kTerms> isTaken{};
    for (std::size_t column = 0; column < kTerms; ++column) {
        if (!isUsed[column]) {
            continue;
        }
        std::optional<std::size_t> pivot;
        for (std::size_t row = 0; row < kTerms; ++row) {
            const bool isCandidate = isUsed[row] && !isTaken[row];
            if (isCandidate &&
                (!pivot || std::abs(left[row][column]) > std::abs(left[*pivot][column]))) {
                pivot = row;
            }
        }
        constexpr double kNothing = 1e-12;
        if (!pivot || std::abs(left[*pivot][column]) < kNothing) {
            continue;
        }
        isTaken[*pivot] = true;
        rowOf[column] = pivot;
        for (std::size_t row = 0; row < kTerms; ++row) {
            if (row != *pivot && isUsed[row]) {
                const double factor = left[row][column] / left[*pivot][column];
                for (std::size_t k = 0; k < kTerms; ++k) {
                    left[row][k] -= factor * left[*pivot][k];
                }
                right[row] -= factor * right[*pivot];
            }
        }
    }
    for (std::size_t column = 0; column < kTerms; ++column) {
        if (const auto row = rowOf[column]) {
            result[column] = right[*row] / left[*row][column];
        }
    }
    return result;
}

} // namespace

std::array<double, kTerms> CostModel::terms(const StepShape& shape) {
    const auto tokens = static_cast<double>(shape.tokens);
    constexpr double kThousand = 1024.0;
    return {1.0,
            std::min(tokens, 4.0),
            std::clamp(tokens - 4.0, 0.0, 12.0),
            std::clamp(tokens - 16.0, 0.0, 48.0),
            std::max(tokens - 64.0, 0.0),
            static_cast<double>(shape.logitRows),
            shape.attended / kThousand};
}

double CostModel::stepNs(const StepShape& shape) const {
    const auto values = terms(shape);
    double sum = 0.0;
    for (std::size_t i = 0; i < kTerms; ++i) {
        sum += ns[i] * values[i];
    }
    return sum;
}

bool CostModel::isKnown() const {
    return std::ranges::any_of(ns, [](double value) { return value > 0.0; });
}

void CostFit::add(const StepShape& shape, double ns) {
    const auto values = CostModel::terms(shape);
    // A shape not met before is expected wrongly, and a stall says nothing about the shape.
    constexpr double kTrusted = 3.0;
    const double expected = std::clamp(m_model.stepNs(shape), ns / kTrusted, ns * kTrusted);
    const double weight = 1.0 / std::max(m_model.isKnown() ? expected : ns, 1.0);
    for (std::size_t i = 0; i < kTerms; ++i) {
        for (std::size_t k = 0; k < kTerms; ++k) {
            m_products[i][k] = m_products[i][k] * kFade + weight * values[i] * values[k];
        }
        m_targets[i] = m_targets[i] * kFade + weight * values[i] * ns;
    }
    for (std::size_t i = 0; i < kTerms; ++i) {
        m_sum.terms[i] += values[i];
    }
    m_sum.ns += ns;
    ++m_steps;
    constexpr std::uint64_t kFitEvery = 16;
    if (m_steps % kFitEvery == 0) {
        m_model = solved();
    }
}

// Terms that come out negative are left out, the worst first, until none does.
CostModel CostFit::solved() const {
    CostModel model;
    // Columns differ by orders of magnitude; scaled, and held in place by a little of the diagonal.
    std::array<double, kTerms> scale{};
    for (std::size_t i = 0; i < kTerms; ++i) {
        scale[i] = m_products[i][i] > 0.0 ? 1.0 / std::sqrt(m_products[i][i]) : 0.0;
    }
    Matrix left{};
    std::array<double, kTerms> right{};
    std::array<bool, kTerms> isUsed{};
    for (std::size_t i = 0; i < kTerms; ++i) {
        isUsed[i] = scale[i] > 0.0;
        right[i] = m_targets[i] * scale[i];
        for (std::size_t k = 0; k < kTerms; ++k) {
            left[i][k] = m_products[i][k] * scale[i] * scale[k];
        }
        constexpr double kRidge = 1e-6;
        left[i][i] += kRidge;
    }
    for (;;) {
        const auto solution = solve(left, right, isUsed);
        const auto worst = std::ranges::min_element(solution);
        if (*worst >= 0.0) {
            for (std::size_t i = 0; i < kTerms; ++i) {
                model.ns[i] = solution[i] * scale[i];
            }
            return model;
        }
        isUsed[static_cast<std::size_t>(worst - solution.begin())] = false;
    }
}

} // namespace engine
