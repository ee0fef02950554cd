#include "kernels/check_inputs.h"

#include "kernels/block_codes.h"
#include "kernels/half.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>

namespace kernels::check {

std::uint64_t Inputs::bits() {
    m_state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = m_state;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
    z = (z ^ z >> 27) * 0x94D049BB133111EBU;
    return z ^ z >> 31;
}

double Inputs::uniform() {
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

float Inputs::normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return static_cast<float>(radius * std::cos(2.0 * std::numbers::pi * uniform()));
}

Buffer Inputs::normal(Shape shape, float deviation) {
    Buffer buffer = Buffer::cpu(Format::F32, shape);
    for (std::int64_t i = 0; i < shape.elements(); ++i) {
        buffer.view().f32()[i] = deviation * normal();
    }
    return buffer;
}

Buffer Inputs::activations(Shape shape) {
    constexpr std::int64_t kGroup = 32;
    Buffer buffer = Buffer::cpu(Format::F32, shape);
    float* x = buffer.view().f32();
    const std::int64_t length = shape.rowLength();
    for (std::int64_t row = 0; row < shape.rows(); ++row) {
        for (std::int64_t i = 0; i < length; ++i) {
            const bool isZero = (row == 3 && shape.rows() > 4) || i / kGroup == 1;
            x[row * length + i] =
                isZero ? 0.0F
                       : normal() * std::exp2(static_cast<float>((i / kGroup * 5 + row) % 4));
        }
    }
    x[0] = 8.0F;
    return buffer;
}

// Blocks are random bits but for their scales, which would reach from nothing to infinity.
void Inputs::fillScales(Format format, std::byte* block) {
    const auto putHalf = [&](int offset, double value) {
        const std::uint16_t half = halfFromFloat(static_cast<float>(value));
        std::memcpy(block + offset, &half, sizeof half);
    };
    const double sign = uniform() < 0.25 ? -1.0 : 1.0;
    const double scale = sign * (0.5 + uniform());
    switch (format) {
    case Format::Q4_0:
        return putHalf(0, scale / 8);
    case Format::Q4_1:
        putHalf(0, scale / 8);
        return putHalf(2, -scale);
    case Format::Q5_0:
        return putHalf(0, scale / 16);
    case Format::Q5_1:
        putHalf(0, scale / 16);
        return putHalf(2, -scale);
    case Format::Q8_0:
        return putHalf(0, scale / 127);
    case Format::Q2_K:
        putHalf(80, scale / 20);
        return putHalf(82, scale / 16);
    case Format::Q3_K:
        return putHalf(108, scale / 64);
    case Format::Q4_K:
    case Format::Q5_K:
        putHalf(0, scale / (format == Format::Q4_K ? 256 : 512));
        return putHalf(2, scale / 32);
    case Format::Q6_K:
        return putHalf(208, scale / 2048);
    case Format::IQ2_XXS:
    case Format::IQ2_XS:
    case Format::IQ2_S:
        return putHalf(0, scale / 100);
    case Format::IQ3_XXS:
        return putHalf(0, scale / 256);
    case Format::IQ3_S:
        return putHalf(0, scale / 128);
    case Format::IQ4_NL:
        return putHalf(0, scale / 64);
    case Format::IQ4_XS:
        return putHalf(0, scale / 1024);
    case Format::MXFP4:
        block[0] = static_cast<std::byte>(124 + bits() % 4);
        return;
    case Format::NVFP4:
        for (int i = 0; i < 4; ++i) {
            block[i] = static_cast<std::byte>(40 + bits() % 24);
        }
        return;
    case Format::TQ1_0:
        return putHalf(52, scale);
    case Format::TQ2_0:
        return putHalf(64, scale);
    default:
        return;
    }
}

Buffer Inputs::weights(Format format, Shape shape) {
    Buffer buffer = Buffer::cpu(format, shape);
    auto* bytes = static_cast<std::byte*>(buffer.view().data);
    if (blockFormula(format) == nullptr) {
        std::vector<float> values(static_cast<std::size_t>(shape.elements()));
        std::generate(values.begin(), values.end(), [this] { return normal(); });
        quantize(format, values, bytes);
        return buffer;
    }
    for (std::size_t i = 0; i < buffer.bytes(); ++i) {
        bytes[i] = static_cast<std::byte>(bits() & 255U);
    }
    const auto blockBytes = static_cast<std::size_t>(traits(format).blockBytes);
    for (std::size_t i = 0; i < buffer.bytes(); i += blockBytes) {
        fillScales(format, bytes + i);
    }
    return buffer;
}

Buffer Inputs::poisoned(Shape shape) {
    Buffer buffer = Buffer::cpu(Format::F32, shape);
    std::fill_n(buffer.view().f32(), shape.elements(), std::numeric_limits<float>::quiet_NaN());
    return buffer;
}

Buffer Inputs::copy(const Buffer& source) {
    Buffer buffer = Buffer::cpu(source.view().format, source.view().shape);
    std::memcpy(buffer.view().data, source.view().data, source.bytes());
    return buffer;
}

Cache::Cache(Ops& ops, Inputs& inputs, std::int64_t blocks, std::int64_t kvHeads,
             std::int64_t blockTokens, std::int64_t dim)
    : Cache(ops, inputs, blocks, kvHeads, blockTokens, dim, dim) {}

Cache::Cache(Ops& ops, Inputs& inputs, std::int64_t blocks, std::int64_t kvHeads,
             std::int64_t blockTokens, std::int64_t keyDim, std::int64_t valueDim)
    : m_ops(ops),
      m_keys(ops.allocate(Format::F16, Shape{blocks, kvHeads, blockTokens, keyDim})),
      m_filledKeys(Buffer::cpu(Format::F16, m_keys.view().shape)) {
    if (valueDim > 0) {
        m_values = ops.allocate(Format::F16, Shape{blocks, kvHeads, blockTokens, valueDim});
        m_filledValues = Buffer::cpu(Format::F16, m_values.view().shape);
    }
    fill(inputs);
}

void Cache::fill(Inputs& inputs) {
    for (const View& view : {m_filledKeys.view(), m_filledValues.view()}) {
        auto* halves = static_cast<std::uint16_t*>(view.data);
        for (std::int64_t i = 0; i < view.shape.elements(); ++i) {
            halves[i] = halfFromFloat(inputs.normal());
        }
    }
    m_ops.copy(m_filledKeys.view(), m_keys.view());
    if (m_values) {
        m_ops.copy(m_filledValues.view(), m_values.view());
    }
}

std::vector<float> Cache::rowsAt(const View& stored, std::span<const std::int32_t> slots) const {
    const std::int64_t heads = stored.shape[1];
    const std::int64_t blockTokens = stored.shape[2];
    const std::int64_t dim = stored.shape[3];
    const Buffer readable = Buffer::cpu(Format::F16, stored.shape);
    m_ops.copy(stored, readable.view());
    const auto* halves = static_cast<const std::uint16_t*>(readable.view().data);
    std::vector<float> rows;
    for (const std::int32_t slot : slots) {
        for (std::int64_t head = 0; head < heads; ++head) {
            const std::int64_t row =
                (slot / blockTokens * heads + head) * blockTokens + slot % blockTokens;
            std::transform(halves + row * dim, halves + (row + 1) * dim, std::back_inserter(rows),
                           floatFromHalf);
        }
    }
    return rows;
}

namespace {

// first position and tokens of the slices
struct Stretch {
    std::int32_t firstPosition, tokens;
};
constexpr Stretch kStretches[] = {{1100, 1}, {3, 1}, {130, 45}, {0, 37}, {0, 1}};

std::int64_t blocksOf(const Stretch& stretch, std::int64_t blockTokens) {
    return (stretch.firstPosition + stretch.tokens + blockTokens - 1) / blockTokens;
}

std::int64_t allBlocks(std::int64_t blockTokens) {
    std::int64_t sum = 1; // one that nobody uses
    for (const Stretch& stretch : kStretches) {
        sum += blocksOf(stretch, blockTokens);
    }
    return sum;
}

std::int64_t allTokens() {
    std::int64_t sum = 0;
    for (const Stretch& stretch : kStretches) {
        sum += stretch.tokens;
    }
    return sum;
}

} // namespace

AttentionCase::AttentionCase(Ops& ops, Inputs& inputs, std::int64_t heads, std::int64_t kvHeads,
                             std::int64_t dim, std::int64_t blockTokens)
    : AttentionCase(ops, inputs, heads, kvHeads, dim, dim, blockTokens) {}

AttentionCase::AttentionCase(Ops& ops, Inputs& inputs, std::int64_t heads, std::int64_t kvHeads,
                             std::int64_t keyDim, std::int64_t valueDim, std::int64_t blockTokens)
    : m_cache(ops, inputs, allBlocks(blockTokens), kvHeads, blockTokens, keyDim, valueDim),
      m_q(inputs.normal(Shape{allTokens(), heads, keyDim}, 2.0F)) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(allBlocks(blockTokens)));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
        std::swap(order[i], order[inputs.bits() % (i + 1)]);
    }
    std::int32_t row = 0;
    for (const Stretch& stretch : kStretches) {
        const auto count = static_cast<std::int32_t>(blocksOf(stretch, blockTokens));
        m_slices.push_back({.firstRow = row,
                            .tokens = stretch.tokens,
                            .firstPosition = stretch.firstPosition,
                            .firstBlock = static_cast<std::int32_t>(m_blocks.size()),
                            .blockCount = count});
        for (std::int32_t i = 0; i < count; ++i) {
            m_blocks.push_back({.block = order[m_blocks.size()],
                                .firstPosition = i * static_cast<std::int32_t>(blockTokens)});
        }
        row += stretch.tokens;
    }
}

std::int64_t AttentionCase::longest() const {
    return kStretches[0].firstPosition + kStretches[0].tokens;
}

} // namespace kernels::check
