#include "engine/model/scratch.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace engine {

void Scratch::need(ScratchPart part, std::int64_t floatsPerToken) {
    std::int64_t& floats = m_floatsPerToken[static_cast<std::size_t>(part)];
    floats = std::max(floats, floatsPerToken);
}

void Scratch::reserve(kernels::Ops& ops, std::int64_t tokens) {
    if (tokens == m_tokens) {
        return;
    }
    std::array<kernels::Buffer, kScratchParts> buffers;
    for (std::size_t i = 0; i < kScratchParts; ++i) {
        if (m_floatsPerToken[i] > 0) {
            buffers[i] = ops.allocate(kernels::Format::F32, {tokens, m_floatsPerToken[i]});
        }
    }
    m_buffers = std::move(buffers);
    m_tokens = tokens;
}

kernels::View Scratch::view(ScratchPart part, kernels::Shape shape) const {
    kernels::View view = m_buffers[static_cast<std::size_t>(part)].view();
    ensure(shape.elements() <= view.shape.elements(), "the scratch is large enough for the step");
    view.shape = shape;
    return view;
}

} // namespace engine
