// The memory behind the block pool: what tokens leave behind in every layer, F16. Engine thread.
#pragma once

#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

// What one token leaves behind in one layer.
struct KvLayerShape {
    std::int64_t heads = 0;
    std::int64_t keyDim = 0;
    std::int64_t valueDim = 0; // 0: values are the first elements of keys
    bool operator==(const KvLayerShape&) const = default;
};
using KvShape = std::vector<KvLayerShape>; // one a layer

std::uint64_t kvBytesPerToken(const KvShape& shape);

class KvCache {
public:
    KvCache() = default;
    // Throws std::bad_alloc.
    KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks, std::int64_t blockTokens);

    // keys, values: [blocks, heads, blockTokens, dim] F16; values are empty where keys hold them.
    const kernels::KvLayer& layer(std::int64_t index) const {
        return m_layers[static_cast<std::size_t>(index)];
    }
    std::uint64_t bytes() const;

private:
    std::vector<kernels::Buffer> m_buffers;
    std::vector<kernels::KvLayer> m_layers;
};

} // namespace engine
