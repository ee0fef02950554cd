// The memory behind the block pool: what tokens leave behind in every layer. Layers with a window
// can have less of it than the others: only what can still be seen. So do the recent keys that a
// coding by channel reads in full precision. Engine thread.
#pragma once

#include "engine/kv/block_packing.h"
#include "engine/kv/kv_precision.h"
#include "engine/kv/window_map.h"
#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

// What one token leaves behind in one layer.
struct KvLayerShape {
    std::int64_t heads = 0;
    std::int64_t keyDim = 0;
    std::int64_t valueDim = 0;  // 0: values are the first elements of keys
    std::int32_t window = 0;    // tokens that see it, its own included; 0: all that follow
    std::int64_t plainTail = 0; // last elements of a key that no coding rounds: rotated ones
    bool operator==(const KvLayerShape&) const = default;
};
using KvShape = std::vector<KvLayerShape>; // one a layer

struct KvBytes {                // that a token leaves in all layers
    std::uint64_t lasting = 0;  // as long as its sequence lives
    std::uint64_t windowed = 0; // until it is out of sight
};
KvBytes kvBytesPerToken(const KvShape& shape, const KvFormat& format = {});
// Tokens back to which windows, or keys in full precision, reach; 0: there are none.
std::int32_t widestWindow(const KvShape& shape, const KvFormat& format = {});

class KvCache {
public:
    KvCache() = default;
    // Layers with a window have memory for all blocks, and batches need no places. Throws
    // std::bad_alloc.
    KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks, std::int64_t blockTokens,
            const KvFormat& format = {});
    // They have `windowPlaces` blocks, where that is less.
    KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks, std::int64_t blockTokens,
            std::int64_t windowPlaces, const KvFormat& format = {});

    const kernels::KvLayer& layer(std::int64_t index) const {
        return m_layers[static_cast<std::size_t>(index)];
    }
    // Bounds of keys count from when they are used: they are address space before.
    std::uint64_t bytes() const;
    void useBounds() { m_usesBounds = true; }
    bool usesBounds() const { return m_usesBounds; }
    // Where a block lies, layer by layer. Precondition: no windows(), memory of the CPU.
    std::vector<BlockPart> parts(BlockId block, bool withBounds) const;

    // More places for windows; what is held stays. Throws
    // std::bad_alloc, and then everything is as it was.
    void growWindows(kernels::Ops& ops, std::int64_t places);
    // Of the blocks in layers with a window; null where every block has memory there.
    WindowMap* windows() { return m_windows.places() == 0 ? nullptr : &m_windows; }
    std::int32_t window() const { return m_window; } // the widest; 0: none
    std::int64_t blockTokens() const { return m_blockTokens; }
    std::int64_t blocks() const { return m_blocks; }
    const KvFormat& format() const { return m_format; }

private:
    static constexpr std::size_t kParts = 3; // buffers of a layer: keys, values, recent keys
    void addLayer(kernels::Ops& ops, const KvLayerShape& shape, std::int64_t places);
    void keepContents(kernels::Ops& ops, KvCache& larger, std::size_t layer) const;

    KvShape m_shape;
    KvFormat m_format;
    std::int64_t m_blocks = 0;
    std::int64_t m_blockTokens = 0;
    std::int32_t m_window = 0;
    bool m_usesBounds = false;
    WindowMap m_windows; // without places where every block has memory
    std::vector<kernels::Buffer> m_buffers;
    std::vector<kernels::Buffer> m_bounds; // of keys, in layers that have them
    std::vector<kernels::KvLayer> m_layers;
};

} // namespace engine
