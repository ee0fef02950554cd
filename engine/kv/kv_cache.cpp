#include "engine/kv/kv_cache.h"

#include <algorithm>
#include <cstring>

namespace engine {

KvBytes kvBytesPerToken(const KvShape& shape) {
    constexpr std::uint64_t kF16Bytes = 2;
    KvBytes bytes;
    for (const KvLayerShape& layer : shape) {
        (layer.window > 0 ? bytes.windowed : bytes.lasting) +=
            kF16Bytes * static_cast<std::uint64_t>(layer.heads) *
            static_cast<std::uint64_t>(layer.keyDim + layer.valueDim);
    }
    return bytes;
}

std::int32_t widestWindow(const KvShape& shape) {
    std::int32_t widest = 0;
    for (const KvLayerShape& layer : shape) {
        widest = std::max(widest, layer.window);
    }
    return widest;
}

KvCache::KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens)
    : KvCache(ops, shape, blocks, blockTokens, blocks) {}

KvCache::KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens, std::int64_t windowPlaces)
    : m_shape(shape),
      m_blockTokens(blockTokens),
      m_window(widestWindow(shape)) {
    const bool hasPlaces = m_window > 0 && windowPlaces < blocks;
    if (hasPlaces) {
        m_windows = WindowMap(blocks, windowPlaces);
    }
    for (const KvLayerShape& layer : shape) {
        addLayer(ops, layer, hasPlaces && layer.window > 0 ? windowPlaces : blocks);
    }
}

void KvCache::addLayer(kernels::Ops& ops, const KvLayerShape& shape, std::int64_t blocks) {
    const auto rows = [&](std::int64_t dim) {
        m_buffers.push_back(dim == 0 ? kernels::Buffer()
                                     : ops.allocate(kernels::Format::F16,
                                                    {blocks, shape.heads, m_blockTokens, dim}));
        return m_buffers.back().view();
    };
    const kernels::View keys = rows(shape.keyDim);
    m_layers.push_back({.keys = keys, .values = rows(shape.valueDim)});
}

std::uint64_t KvCache::bytes() const {
    std::uint64_t sum = 0;
    for (const kernels::Buffer& buffer : m_buffers) {
        sum += buffer.bytes();
    }
    return sum;
}

void KvCache::growWindows(kernels::Ops& ops, std::int64_t places) {
    if (m_windows.places() == 0 || places <= m_windows.places()) {
        return;
    }
    KvCache larger; // of this device's memory that the CPU can copy
    larger.m_blockTokens = m_blockTokens;
    for (std::size_t i = 0; i < m_shape.size(); ++i) {
        if (m_shape[i].window == 0) {
            larger.m_buffers.push_back(m_buffers[2 * i]);
            larger.m_buffers.push_back(m_buffers[2 * i + 1]);
            larger.m_layers.push_back(m_layers[i]);
            continue;
        }
        larger.addLayer(ops, m_shape[i], places);
        for (const std::size_t part : {2 * i, 2 * i + 1}) {
            if (m_buffers[part]) {
                std::memcpy(larger.m_buffers[part].view().data, m_buffers[part].view().data,
                            m_buffers[part].bytes());
            }
        }
    }
    m_windows.grow(places);
    m_buffers = std::move(larger.m_buffers);
    m_layers = std::move(larger.m_layers);
}

} // namespace engine
