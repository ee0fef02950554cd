#include "engine/kv/kv_cache.h"

namespace engine {

KvCache::KvCache(kernels::Ops& ops, std::int64_t layers, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens) {
    const kernels::Shape dims{blocks, shape.kvHeads, blockTokens, shape.headDim};
    for (std::int64_t i = 0; i < layers; ++i) {
        m_buffers.push_back(ops.allocate(kernels::Format::F16, dims));
        m_buffers.push_back(ops.allocate(kernels::Format::F16, dims));
        m_layers.push_back(
            {.keys = m_buffers[m_buffers.size() - 2].view(), .values = m_buffers.back().view()});
    }
}

std::uint64_t KvCache::bytes() const {
    std::uint64_t sum = 0;
    for (const kernels::Buffer& buffer : m_buffers) {
        sum += buffer.bytes();
    }
    return sum;
}

std::uint64_t KvCache::bytesPerToken(std::int64_t layers, const KvShape& shape) {
    constexpr std::uint64_t kKeysAndValues = 2;
    constexpr std::uint64_t kF16Bytes = 2;
    return kKeysAndValues * kF16Bytes * static_cast<std::uint64_t>(layers) *
           static_cast<std::uint64_t>(shape.kvHeads) * static_cast<std::uint64_t>(shape.headDim);
}

} // namespace engine
