// Which experts a token takes.
#include "kernels/cuda/call.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"
#include "kernels/cuda/warp.cuh"

namespace kernels::cuda {

namespace {

struct Router {
    const float* logits; // [tokens, experts]
    const float* bias;   // [experts], or none
    int experts;
    RoutingRule rule;
    float* scores;            // scratch of every token: [experts]
    float* choice;            // [experts]
    float* groupScores;       // [groups]
    std::uint8_t* isOut;      // [experts]
    std::uint8_t* isGroupOut; // [groups]
    std::int32_t* chosen;     // [tokens, used]
    float* weights;           // [tokens, used]
};

// Index of the largest of the values that are not out, the lowest of equals; NaN is the smallest.
// Values of index i are written by lane i % 32 only, and read by it only.
__device__ __forceinline__ int bestOf(const float* values, const std::uint8_t* isOut, int count,
                                      int lane) {
    float best = -INFINITY;
    int found = -1;
    for (int i = lane; i < count; i += kWarpLanes) {
        const float value = values[i] == values[i] ? values[i] : -INFINITY;
        if (isOut[i] == 0 && (found < 0 || value > best)) {
            best = value;
            found = i;
        }
    }
    for (int distance = kWarpLanes / 2; distance > 0; distance /= 2) {
        const float other = __shfl_xor_sync(kFullWarp, best, distance);
        const int index = __shfl_xor_sync(kFullWarp, found, distance);
        if (index >= 0 && (found < 0 || other > best || (other == best && index < found))) {
            best = other;
            found = index;
        }
    }
    return found < 0 ? 0 : found;
}

__device__ __forceinline__ float scoreOfGroup(const float* first, int count, GroupScore kind) {
    float best = first[0];
    float second = 0.0F; // nothing, where the group has one expert
    for (int e = 1; e < count; ++e) {
        const float score = first[e];
        second = e == 1 ? fminf(score, best) : fmaxf(second, fminf(score, best));
        best = fmaxf(best, score);
    }
    return kind == GroupScore::Best ? best : best + second;
}

__device__ void scoreExperts(const Router& r, const float* logits, float* scores, int lane) {
    if (r.rule.gate == ExpertGate::Sigmoid) {
        for (int e = lane; e < r.experts; e += kWarpLanes) {
            scores[e] = 1.0F / (1.0F + expf(-logits[e]));
        }
        return;
    }
    float largest = -INFINITY;
    for (int e = lane; e < r.experts; e += kWarpLanes) {
        largest = largerOf(largest, logits[e]);
    }
    largest = warpLargest(largest);
    float sum = 0.0F;
    for (int e = lane; e < r.experts; e += kWarpLanes) {
        scores[e] = expf(logits[e] - largest);
        sum += scores[e];
    }
    sum = warpSum(sum);
    for (int e = lane; e < r.experts; e += kWarpLanes) {
        scores[e] /= sum;
    }
}

// A block is a warp, and routes a token. Reads its logits, writes `used` experts and weights.
__global__ void __launch_bounds__(kWarpLanes) routeTokens(Router r) {
    const std::int64_t token = blockIdx.x;
    const int lane = static_cast<int>(threadIdx.x);
    float* scores = r.scores + token * r.experts;
    float* choice = r.choice + token * r.experts;
    float* groupScores = r.groupScores + token * r.rule.groups;
    std::uint8_t* isOut = r.isOut + token * r.experts;
    std::uint8_t* isGroupOut = r.isGroupOut + token * r.rule.groups;
    scoreExperts(r, r.logits + token * r.experts, scores, lane);
    for (int e = lane; e < r.experts; e += kWarpLanes) {
        choice[e] = scores[e] + (r.bias == nullptr ? 0.0F : r.bias[e]);
        isOut[e] = 0;
    }
    __syncwarp();
    if (r.rule.groupsUsed < r.rule.groups) {
        const int size = r.experts / r.rule.groups;
        for (int g = lane; g < r.rule.groups; g += kWarpLanes) {
            groupScores[g] = scoreOfGroup(choice + g * size, size, r.rule.groupScore);
            isGroupOut[g] = 0;
        }
        for (int i = 0; i < r.rule.groupsUsed; ++i) {
            const int group = bestOf(groupScores, isGroupOut, r.rule.groups, lane);
            if (lane == group % kWarpLanes) {
                isGroupOut[group] = 1;
            }
        }
        __syncwarp();
        for (int e = lane; e < r.experts; e += kWarpLanes) {
            isOut[e] = isGroupOut[e / size] == 0 ? 1 : 0;
        }
    }
    float sum = 1e-20F;
    for (int k = 0; k < r.rule.used; ++k) {
        const int expert = bestOf(choice, isOut, r.experts, lane);
        if (lane == expert % kWarpLanes) {
            isOut[expert] = 1;
        }
        sum += scores[expert];
        if (lane == 0) {
            r.chosen[token * r.rule.used + k] = expert;
            r.weights[token * r.rule.used + k] = scores[expert];
        }
    }
    if (lane == 0) {
        for (int k = 0; k < r.rule.used; ++k) {
            float& weight = r.weights[token * r.rule.used + k];
            weight = (r.rule.normalises ? weight / sum : weight) * r.rule.scale;
        }
    }
}

} // namespace

// The choice is made on the device and read by the CPU, which sorts rows by expert: this waits.
void CudaOps::routeExperts(View logits, View bias, const RoutingRule& rule,
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
            "routeExperts: the groups do not hold as many experts as are used");
    require(std::ssize(experts) >= tokens * rule.used &&
                weights.shape.elements() >= tokens * rule.used,
            "routeExperts: experts and weights are [tokens, used]");
    if (tokens == 0) {
        return;
    }
    Call call(*this);
    const auto all = static_cast<std::size_t>(tokens * count);
    const auto allGroups = static_cast<std::size_t>(tokens * rule.groups);
    const auto allChosen = static_cast<std::size_t>(tokens * rule.used);
    Arena& arena = call.arena();
    const Router router{.logits = call.in(logits),
                        .bias = bias.data == nullptr ? nullptr : call.in(bias),
                        .experts = static_cast<int>(count),
                        .rule = rule,
                        .scores = arena.take<float>(all),
                        .choice = arena.take<float>(all),
                        .groupScores = arena.take<float>(allGroups),
                        .isOut = arena.take<std::uint8_t>(all),
                        .isGroupOut = arena.take<std::uint8_t>(allGroups),
                        .chosen = arena.take<std::int32_t>(allChosen),
                        .weights = call.out(weights)};
    call.start(routeTokens,
               {.grid = dim3(static_cast<unsigned>(tokens)), .block = dim3(kWarpLanes)}, router);
    check(cudaMemcpyAsync(experts.data(), router.chosen, allChosen * sizeof(std::int32_t),
                          cudaMemcpyDeviceToHost, call.stream()));
    call.finish();
    m_stream.wait();
}

} // namespace kernels::cuda
