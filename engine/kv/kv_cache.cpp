#include "engine/kv/kv_cache.h"

#include "kernels/page_advice.h"

#include <algorithm>

namespace engine {

namespace {

bool hasRecentKeys(const KvFormat& format, const KvLayerShape& layer) {
    return keyCoding(format, layer) == kernels::KvCoding::Channel4;
}

std::uint64_t rowBytes(kernels::KvCoding coding, std::int64_t heads, std::int64_t dim,
                       std::int64_t plainTail) {
    return dim == 0
               ? 0
               : static_cast<std::uint64_t>(heads * kernels::kvRowBytes(coding, dim, plainTail));
}

} // namespace

KvBytes kvBytesPerToken(const KvShape& shape, const KvFormat& format) {
    KvBytes bytes;
    for (const KvLayerShape& layer : shape) {
        (layer.window > 0 ? bytes.windowed : bytes.lasting) +=
            rowBytes(keyCoding(format, layer), layer.heads, layer.keyDim, layer.plainTail) +
            rowBytes(valueCoding(format, layer), layer.heads, layer.valueDim, 0);
        if (hasRecentKeys(format, layer)) {
            bytes.windowed += rowBytes(kernels::KvCoding::F16, layer.heads, layer.keyDim, 0);
        }
    }
    return bytes;
}

std::int32_t widestWindow(const KvShape& shape, const KvFormat& format) {
    std::int32_t widest = 0;
    for (const KvLayerShape& layer : shape) {
        const auto recent =
            static_cast<std::int32_t>(hasRecentKeys(format, layer) ? kernels::kKvRecentReach : 0);
        widest = std::max({widest, layer.window, recent});
    }
    return widest;
}

KvCache::KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens, const KvFormat& format)
    : KvCache(ops, shape, blocks, blockTokens, blocks, format) {}

KvCache::KvCache(kernels::Ops& ops, const KvShape& shape, std::int64_t blocks,
                 std::int64_t blockTokens, std::int64_t windowPlaces, const KvFormat& format)
    : m_shape(shape),
      m_format(format),
      m_blocks(blocks),
      m_blockTokens(blockTokens),
      m_window(widestWindow(shape, format)) {
    const bool hasPlaces = m_window > 0 && windowPlaces < blocks;
    if (hasPlaces) {
        m_windows = WindowMap(blocks, windowPlaces);
    }
    for (const KvLayerShape& layer : shape) {
        addLayer(ops, layer, hasPlaces ? windowPlaces : blocks);
    }
}

// `places`: blocks of what only stays for a while.
void KvCache::addLayer(kernels::Ops& ops, const KvLayerShape& shape, std::int64_t places) {
    const auto rows = [&](kernels::KvCoding coding, std::int64_t blocks, std::int64_t dim,
                          std::int64_t plainTail) {
        const bool isF32 = coding == kernels::KvCoding::F32;
        const bool isPlain = kernels::isPlainCoding(coding);
        const kernels::Format format = isF32     ? kernels::Format::F32
                                       : isPlain ? kernels::Format::F16
                                                 : kernels::Format::I8;
        m_buffers.push_back(
            dim == 0 ? kernels::Buffer()
                     : ops.allocate(format,
                                    {blocks, shape.heads, m_blockTokens,
                                     isPlain ? dim : kernels::kvRowBytes(coding, dim, plainTail)}));
        // Of a cache that is mostly empty a block would keep a huge page in every layer.
        kernels::preferSmallPages(m_buffers.back().view());
        return m_buffers.back().view();
    };
    const std::int64_t blocks = shape.window > 0 ? places : m_blocks;
    kernels::KvLayer layer;
    layer.keyCoding = keyCoding(m_format, shape);
    layer.valueCoding = valueCoding(m_format, shape);
    if (layer.keyCoding == kernels::KvCoding::Channel16 &&
        m_blockTokens % kernels::kKvVector != 0) {
        layer.keyCoding = kernels::KvCoding::F16;
    }
    layer.plainTail = kernels::isPlainCoding(layer.keyCoding) ? 0 : shape.plainTail;
    layer.spreadsKeys = layer.keyCoding == kernels::KvCoding::Row8 && shape.valueDim > 0;
    layer.keys = rows(layer.keyCoding, blocks, shape.keyDim, layer.plainTail);
    layer.values = rows(layer.valueCoding, blocks, shape.valueDim, 0);
    layer.recent =
        rows(kernels::KvCoding::F16, places, hasRecentKeys(m_format, shape) ? shape.keyDim : 0, 0);
    const bool canBound = kernels::isPlainCoding(layer.keyCoding) ||
                          (layer.keyCoding == kernels::KvCoding::Row8 && layer.plainTail == 0);
    if (shape.window == 0 && shape.valueDim > 0 && canBound) {
        // Address space until sparse attention writes there.
        m_bounds.push_back(
            ops.allocate(kernels::Format::F32, {blocks, shape.heads, 2, shape.keyDim}));
        layer.bounds = m_bounds.back().view();
        kernels::preferSmallPages(layer.bounds);
    }
    m_layers.push_back(layer);
}

std::uint64_t KvCache::bytes() const {
    std::uint64_t sum = 0;
    for (const kernels::Buffer& buffer : m_buffers) {
        sum += buffer.bytes();
    }
    for (const kernels::Buffer& bounds : m_bounds) {
        sum += m_usesBounds ? bounds.bytes() : 0;
    }
    return sum;
}

std::vector<BlockPart> KvCache::parts(BlockId block, bool withBounds) const {
    std::vector<BlockPart> parts;
    const auto add = [&](const kernels::View& view, kernels::KvCoding coding, std::int64_t tokens,
                         std::int64_t dim, std::int64_t plainTail) {
        if (view.data == nullptr) {
            return;
        }
        const std::size_t bytes = view.bytes() / static_cast<std::size_t>(view.shape[0]);
        parts.push_back(
            {.data = static_cast<std::byte*>(view.data) + static_cast<std::size_t>(block) * bytes,
             .bytes = bytes,
             .coding = coding,
             .heads = view.shape[1],
             .tokens = tokens,
             .dim = dim,
             .plainTail = plainTail});
    };
    for (std::size_t i = 0; i < m_layers.size(); ++i) {
        const kernels::KvLayer& layer = m_layers[i];
        const KvLayerShape& shape = m_shape[i];
        add(layer.keys, layer.keyCoding, m_blockTokens, shape.keyDim, layer.plainTail);
        add(layer.values, layer.valueCoding, m_blockTokens, shape.valueDim, 0);
        add(layer.recent, kernels::KvCoding::F16, m_blockTokens, shape.keyDim, 0);
        if (withBounds) {
            constexpr std::int64_t kLeastAndGreatest = 2;
            add(layer.bounds, kernels::KvCoding::F32, kLeastAndGreatest, shape.keyDim, 0);
        }
    }
    return parts;
}

void KvCache::growWindows(kernels::Ops& ops, std::int64_t places) {
    if (m_windows.places() == 0 || places <= m_windows.places()) {
        return;
    }
    KvCache larger;
    larger.m_blockTokens = m_blockTokens;
    larger.m_blocks = m_blocks;
    larger.m_format = m_format;
    for (std::size_t i = 0; i < m_shape.size(); ++i) {
        if (m_shape[i].window == 0 && !hasRecentKeys(m_format, m_shape[i])) {
            const auto own = m_buffers.begin() + static_cast<std::ptrdiff_t>(kParts * i);
            larger.m_buffers.insert(larger.m_buffers.end(), own, own + kParts);
            larger.m_layers.push_back(m_layers[i]);
            continue;
        }
        larger.addLayer(ops, m_shape[i], places);
        keepContents(ops, larger, i);
    }
    m_windows.grow(places);
    m_buffers = std::move(larger.m_buffers);
    m_layers = std::move(larger.m_layers);
}

// What did not grow is taken over, the rest copied.
void KvCache::keepContents(kernels::Ops& ops, KvCache& larger, std::size_t layer) const {
    for (std::size_t part = kParts * layer; part < kParts * (layer + 1); ++part) {
        if (m_buffers[part] && larger.m_buffers[part].bytes() == m_buffers[part].bytes()) {
            larger.m_buffers[part] = m_buffers[part];
        } else if (m_buffers[part]) {
            const std::size_t bytes = m_buffers[part].bytes();
            ops.copy(m_buffers[part].part(0, bytes).view(),
                     larger.m_buffers[part].part(0, bytes).view());
        }
    }
    larger.m_layers[layer].keys = larger.m_buffers[kParts * layer].view();
    larger.m_layers[layer].values = larger.m_buffers[kParts * layer + 1].view();
    larger.m_layers[layer].recent = larger.m_buffers[kParts * layer + 2].view();
}

} // namespace engine
