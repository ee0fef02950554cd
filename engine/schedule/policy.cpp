#include "engine/schedule/policy.h"

#include <array>

namespace engine {

namespace {

constexpr std::array<Policy, 4> kPolicies = {{
    {.batching = Batching::Single, .name = "single", .plan = planSingle},
    {.batching = Batching::Dynamic, .name = "dynamic", .plan = planDynamic},
    {.batching = Batching::Continuous, .name = "continuous", .plan = planContinuous},
    {.batching = Batching::Selective, .name = "selective", .plan = planSelective},
}};

} // namespace

std::int64_t StepPlan::tokens() const {
    std::int64_t sum = 0;
    for (const Slice& slice : slices) {
        sum += slice.tokens;
    }
    return sum;
}

std::int64_t StepCost::tokensWithin(Nanoseconds time) const {
    const double tokens = (static_cast<double>(time.count()) - fixedNs) / perTokenNs;
    constexpr double kMost = 1e9;
    return static_cast<std::int64_t>(std::clamp(tokens, 0.0, kMost));
}

std::span<const Policy> policyTable() {
    return kPolicies;
}

const Policy& policyFor(Batching batching) {
    for (const Policy& policy : kPolicies) {
        if (policy.batching == batching) {
            return policy;
        }
    }
    throw std::logic_error("a batching policy is missing from the table");
}

} // namespace engine
