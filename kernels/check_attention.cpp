// Attention with grouped heads, windows, capped scores, and over latent rows.
#include "kernels/check_parts.h"

namespace kernels::check {

namespace {

struct AttentionCheck {
    std::int64_t heads, kvHeads, keyDim, valueDim, blockTokens; // valueDim 0: inside the keys
    std::int32_t window = 0;
    float scoreCap = 0.0F;
};

constexpr AttentionCheck kChecks[] = {
    {9, 3, 64, 64, 64},          {8, 1, 128, 128, 32},
    {4, 4, 40, 40, 16},          {2, 1, 256, 256, 128},
    {3, 1, 22, 22, 16},          {6, 2, 48, 48, 16, 1},
    {6, 2, 48, 48, 16, 17},      {4, 2, 64, 64, 32, 600},
    {4, 1, 32, 32, 64, 0, 3.0F}, {4, 1, 32, 32, 64, 100, 3.0F},
    {16, 1, 576, 0, 64},         {5, 1, 88, 0, 32},
    {70, 1, 24, 0, 16},
};

} // namespace

void checkAttention(Ops& ops, Inputs& inputs, std::vector<CheckResult>& results) {
    for (const AttentionCheck& check : kChecks) {
        const bool isLatent = check.valueDim == 0;
        // Of latent rows the last part is for rotated elements.
        const std::int64_t valueDim = isLatent ? check.keyDim - check.keyDim / 9 : check.valueDim;
        const AttentionCase input(ops, inputs, check.heads, check.kvHeads, check.keyDim,
                                  check.valueDim, check.blockTokens);
        const AttentionRule rule{.scale = 1.0F / std::sqrt(static_cast<float>(check.keyDim)),
                                 .window = check.window,
                                 .scoreCap = check.scoreCap};
        Buffer out = inputs.poisoned(Shape{input.q().shape[0], check.heads, valueDim});
        ops.attention(input.q(), input.layer(), input.batch(), rule, out.view());
        std::string name = (isLatent ? "attention on latents, " : "attention, ") +
                           std::to_string(check.heads) + "/" + std::to_string(check.kvHeads) +
                           " heads of " + std::to_string(check.keyDim) + ", blocks of " +
                           std::to_string(check.blockTokens);
        name += check.window > 0 ? ", window of " + std::to_string(check.window) : "";
        name += check.scoreCap > 0.0F ? ", capped scores" : "";
        results.push_back(compare(
            std::move(name), floats(out),
            reference::attention(input.q(), input.filledLayer(), input.batch(), rule, valueDim),
            sumBound(check.keyDim + input.longest())));
    }
}

} // namespace kernels::check
