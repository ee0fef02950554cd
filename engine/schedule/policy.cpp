#include "engine/schedule/policy.h"

#include <array>

namespace engine {

namespace {

constexpr std::array<Policy, 2> kPolicies = {{
    {.batching = Batching::Single, .name = "single", .plan = planSingle},
    {.batching = Batching::Continuous, .name = "continuous", .plan = planContinuous},
}};

} // namespace

std::int64_t StepPlan::tokens() const {
    std::int64_t sum = 0;
    for (const Slice& slice : slices) {
        sum += slice.tokens;
    }
    return sum;
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
