// The memory behind the block pool: F16 keys and values of every layer. Engine thread.
#pragma once

#include "kernels/ops.h"

#include <cstdint>
#include <span>
#include <vector>

namespace engine {

struct KvShape { // of one layer
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
};

class KvCache {
public:
    KvCache() = default;
    // Throws std::bad_alloc.
    KvCache(kernels::Ops& ops, std::int64_t layers, const KvShape& shape, std::int64_t blocks,
            std::int64_t blockTokens);

    // keys, values: [blocks, kvHeads, blockTokens, headDim] F16
    const kernels::KvLayer& layer(std::int64_t index) const {
        return m_layers[static_cast<std::size_t>(index)];
    }
    std::uint64_t bytes() const;

    static std::uint64_t bytesPerToken(std::int64_t layers, const KvShape& shape);

private:
    std::vector<kernels::Buffer> m_buffers;
    std::vector<kernels::KvLayer> m_layers;
};

} // namespace engine
