// Which experts a token takes, and the sum of what they say.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace kernels::cpu {

namespace {

constexpr std::int64_t kGrainElements = 16384;

std::int64_t grainOf(std::int64_t rowElements) {
    return std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, rowElements));
}

// Scratch of one row: scores, what they are chosen by, scores of the groups, and what is out.
struct RouterRow {
    const RoutingRule& rule;
    std::int64_t experts;
    float* scores;
    float* choice;
    float* groupScores;
    std::uint8_t* isOut;      // [experts]
    std::uint8_t* isGroupOut; // [groups]

    static std::size_t bytes(const RoutingRule& rule, std::int64_t experts) {
        const auto e = static_cast<std::size_t>(experts);
        const auto g = static_cast<std::size_t>(rule.groups);
        return (2 * e + g) * sizeof(float) + e + g;
    }

    RouterRow(const RoutingRule& routing, std::int64_t count, std::byte* memory)
        : rule(routing),
          experts(count) {
        scores = reinterpret_cast<float*>(memory);
        choice = scores + count;
        groupScores = choice + count;
        isOut = reinterpret_cast<std::uint8_t*>(groupScores + routing.groups);
        isGroupOut = isOut + count;
    }

    void score(const KernelTable& kernels, const float* logits) {
        if (rule.gate == ExpertGate::Sigmoid) {
            for (std::int64_t e = 0; e < experts; ++e) {
                scores[e] = -logits[e];
            }
            kernels.expRange(scores, scores, experts);
            for (std::int64_t e = 0; e < experts; ++e) {
                scores[e] = 1.0F / (1.0F + scores[e]);
            }
            return;
        }
        const float largest = *std::max_element(logits, logits + experts);
        for (std::int64_t e = 0; e < experts; ++e) {
            scores[e] = logits[e] - largest;
        }
        kernels.expRange(scores, scores, experts);
        float sum = 0.0F;
        for (std::int64_t e = 0; e < experts; ++e) {
            sum += scores[e];
        }
        for (std::int64_t e = 0; e < experts; ++e) {
            scores[e] /= sum;
        }
    }

    float scoreOfGroup(const float* first, std::int64_t count) const {
        float best = first[0];
        float second = 0.0F; // nothing, where the group has one expert
        for (std::int64_t e = 1; e < count; ++e) {
            const float score = first[e];
            second = e == 1 ? std::min(score, best) : std::max(second, std::min(score, best));
            best = std::max(best, score);
        }
        return rule.groupScore == GroupScore::Best ? best : best + second;
    }

    // Index of the largest that is not out, the first of equals. One always is: NaN loses to none.
    static std::int64_t best(const float* values, const std::uint8_t* isOut, std::int64_t count) {
        std::int64_t found = -1;
        for (std::int64_t i = 0; i < count; ++i) {
            if (isOut[i] == 0 && (found < 0 || values[i] > values[found])) {
                found = i;
            }
        }
        return std::max<std::int64_t>(found, 0);
    }

    void leaveOutGroups() {
        const std::int64_t size = experts / rule.groups;
        for (std::int64_t g = 0; g < rule.groups; ++g) {
            groupScores[g] = scoreOfGroup(choice + g * size, size);
        }
        std::memset(isGroupOut, 0, static_cast<std::size_t>(rule.groups));
        std::memset(isOut, 1, static_cast<std::size_t>(experts));
        for (int i = 0; i < rule.groupsUsed; ++i) {
            const std::int64_t group = best(groupScores, isGroupOut, rule.groups);
            isGroupOut[group] = 1;
            std::memset(isOut + group * size, 0, static_cast<std::size_t>(size));
        }
    }

    void choose(const float* bias, std::int32_t* chosen, float* weights) {
        for (std::int64_t e = 0; e < experts; ++e) {
            choice[e] = scores[e] + (bias == nullptr ? 0.0F : bias[e]);
        }
        if (rule.groupsUsed < rule.groups) {
            leaveOutGroups();
        } else {
            std::memset(isOut, 0, static_cast<std::size_t>(experts));
        }
        float sum = 1e-20F;
        for (int k = 0; k < rule.used; ++k) {
            const std::int64_t expert = best(choice, isOut, experts);
            isOut[expert] = 1;
            chosen[k] = static_cast<std::int32_t>(expert);
            weights[k] = scores[expert];
            sum += weights[k];
        }
        for (int k = 0; k < rule.used; ++k) {
            weights[k] = (rule.normalises ? weights[k] / sum : weights[k]) * rule.scale;
        }
    }
};

} // namespace

void CpuOps::routeExperts(View logits, View bias, const RoutingRule& rule,
                          std::span<std::int32_t> experts, View weights) {
    require(isF32(logits) && logits.shape.rank() == 2 && isF32(weights),
            "routeExperts: logits are not [tokens, experts] in F32");
    const std::int64_t tokens = logits.shape[0];
    const std::int64_t count = logits.shape[1];
    require(bias.data == nullptr || (isF32(bias) && bias.shape.elements() == count),
            "routeExperts: the bias is not [experts]");
    require(rule.groups >= 1 && count % rule.groups == 0 && rule.groupsUsed >= 1 &&
                rule.groupsUsed <= rule.groups && rule.used >= 1 &&
                rule.used <= count / rule.groups * rule.groupsUsed,
            "routeExperts: the used groups hold fewer experts than are used");
    require(std::ssize(experts) >= tokens * rule.used && weights.shape.rowLength() == rule.used &&
                weights.shape.rows() >= tokens,
            "routeExperts: the results are not [tokens, used]");
    const WorkerScratch scratch = workerScratch(RouterRow::bytes(rule, count));
    m_pool.parallelFor(tokens, grainOf(count * (4 + rule.used)),
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           RouterRow row(rule, count, scratch.of(worker));
                           for (std::int64_t t = begin; t < end; ++t) {
                               row.score(m_kernels, logits.f32() + t * count);
                               row.choose(bias.f32(), experts.data() + t * rule.used,
                                          weights.f32() + t * rule.used);
                           }
                       });
}

void CpuOps::mixRows(View x, std::span<const std::int32_t> rows, View weights, View out) {
    const std::int64_t length = x.shape.rowLength();
    const std::int64_t tokens = weights.shape[0];
    const std::int64_t used = weights.shape.rowLength();
    require(isF32(x) && isF32(weights) && isF32(out) && weights.shape.rank() == 2 &&
                out.shape.rowLength() == length && out.shape.rows() >= tokens &&
                std::ssize(rows) >= tokens * used,
            "mixRows: out is not [tokens, row length of x]");
    for (const std::int32_t row : rows) {
        require(row >= 0 && row < x.shape.rows(), "mixRows: a row is outside x");
    }
    m_pool.parallelFor(
        tokens, grainOf(length * used), [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t t = begin; t < end; ++t) {
                float* sum = out.f32() + t * length;
                std::memset(sum, 0, static_cast<std::size_t>(length) * sizeof(float));
                for (std::int64_t k = t * used; k < (t + 1) * used; ++k) {
                    m_kernels.addScaledRange(sum,
                                             x.f32() + rows[static_cast<std::size_t>(k)] * length,
                                             weights.f32()[k], length);
                }
            }
        });
}

void CpuOps::copyColumns(View from, std::int64_t fromColumn, View to, std::int64_t toColumn,
                         std::int64_t count) {
    const std::int64_t fromLength = from.shape.rowLength();
    const std::int64_t toLength = to.shape.rowLength();
    require(isF32(from) && isF32(to) && from.shape.rows() == to.shape.rows() && count >= 0 &&
                fromColumn >= 0 && fromColumn + count <= fromLength && toColumn >= 0 &&
                toColumn + count <= toLength,
            "copyColumns: the columns are not in both");
    m_pool.parallelFor(from.shape.rows(), grainOf(count),
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               std::memcpy(to.f32() + t * toLength + toColumn,
                                           from.f32() + t * fromLength + fromColumn,
                                           static_cast<std::size_t>(count) * sizeof(float));
                           }
                       });
}

} // namespace kernels::cpu
