// Memory of one step that all layers share: a part is free again when its layer is done. Owned by
// the model, engine thread.
#pragma once

#include "kernels/ops.h"

#include <array>
#include <cstdint>

namespace engine {

enum class ScratchPart : std::uint8_t {
    Residual,
    Normed,
    Delta,
    Query,
    Key,
    Value,
    Attended,
    Gate,
    Up,
    WantedResidual,
    WantedAttended,
    LowQuery, // latent attention
    AbsorbedQuery,
    Latent,
    HeadValues,
    RouterLogits, // experts
    ExpertWeights,
    ExpertGate,
    ExpertUp,
    ExpertOut,
    Count,
};
constexpr auto kScratchParts = static_cast<std::size_t>(ScratchPart::Count);

class Scratch {
public:
    // A step needs up to so many F32 a token; the largest wish counts.
    void need(ScratchPart part, std::int64_t floatsPerToken);
    // Memory for steps of so many tokens. Throws std::bad_alloc, and then everything is as it was.
    void reserve(kernels::Ops& ops, std::int64_t tokens);
    std::int64_t tokens() const { return m_tokens; }
    // Precondition: it fits what was asked for and reserved.
    kernels::View view(ScratchPart part, kernels::Shape shape) const;

private:
    std::array<std::int64_t, kScratchParts> m_floatsPerToken{};
    std::array<kernels::Buffer, kScratchParts> m_buffers;
    std::int64_t m_tokens = 0;
};

} // namespace engine
