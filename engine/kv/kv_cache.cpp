#include "engine/kv/kv_cache.h"

namespace engine {

KvCache::KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens) {
    const auto rows = [&](std::int64_t heads, std::int64_t dim) {
        if (dim == 0) {
            return kernels::View{};
        }
        m_buffers.push_back(
            ops.allocate(kernels::Format::F16, kernels::Shape{blocks, heads, blockTokens, dim}));
        return m_buffers.back().view();
    };
    for (const KvLayerShape& layer : shape) {
        const kernels::View keys = rows(layer.heads, layer.keyDim);
        m_layers.push_back({.keys = keys, .values = rows(layer.heads, layer.valueDim)});
    }
}

std::uint64_t KvCache::bytes() const {
    std::uint64_t sum = 0;
    for (const kernels::Buffer& buffer : m_buffers) {
        sum += buffer.bytes();
    }
    return sum;
}

std::uint64_t kvBytesPerToken(const KvShape& shape) {
    constexpr std::uint64_t kF16Bytes = 2;
    std::uint64_t elements = 0;
    for (const KvLayerShape& layer : shape) {
        elements += static_cast<std::uint64_t>(layer.heads) *
                    static_cast<std::uint64_t>(layer.keyDim + layer.valueDim);
    }
    return kF16Bytes * elements;
}

} // namespace engine
