// The memory behind the block pool: what tokens leave behind in every layer, F16. Layers with a
// window can have less of it than the others: only what can still be seen. Engine thread.
#pragma once

#include "engine/kv/window_map.h"
#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

// What one token leaves behind in one layer.
struct KvLayerShape {
    std::int64_t heads = 0;
    std::int64_t keyDim = 0;
    std::int64_t valueDim = 0; // 0: values are the first elements of keys
    std::int32_t window = 0;   // tokens that see it, its own included; 0: all that follow
    bool operator==(const KvLayerShape&) const = default;
};
using KvShape = std::vector<KvLayerShape>; // one a layer

struct KvBytes {                // that a token leaves in all layers
    std::uint64_t lasting = 0;  // as long as its sequence lives
    std::uint64_t windowed = 0; // until it is out of sight
};
KvBytes kvBytesPerToken(const KvShape& shape);
std::int32_t widestWindow(const KvShape& shape); // 0: none

class KvCache {
public:
    KvCache() = default;
    // Layers with a window have memory for all blocks, and batches need no places. Throws
    // std::bad_alloc.
    KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks, std::int64_t blockTokens);
    // They have `windowPlaces` blocks, where that is less.
    KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks, std::int64_t blockTokens,
            std::int64_t windowPlaces);

    // keys, values: [blocks, heads, blockTokens, dim] F16; values are empty where keys hold them.
    const kernels::KvLayer& layer(std::int64_t index) const {
        return m_layers[static_cast<std::size_t>(index)];
    }
    std::uint64_t bytes() const;

    // More places for windows; what is held stays. Throws
    // std::bad_alloc, and then everything is as it was.
    void growWindows(kernels::Ops& ops, std::int64_t places);
    // Of the blocks in layers with a window; null where every block has memory there.
    WindowMap* windows() { return m_windows.places() == 0 ? nullptr : &m_windows; }
    std::int32_t window() const { return m_window; } // the widest; 0: none
    std::int64_t blockTokens() const { return m_blockTokens; }

private:
    void addLayer(kernels::Ops& ops, const KvLayerShape& shape, std::int64_t blocks);

    KvShape m_shape;
    std::int64_t m_blockTokens = 0;
    std::int32_t m_window = 0;
    WindowMap m_windows; // without places where every block has memory
    std::vector<kernels::Buffer> m_buffers;
    std::vector<kernels::KvLayer> m_layers;
};

} // namespace engine
