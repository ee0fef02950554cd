#include "kernels/cpu/activations.h"

#include "kernels/thread_pool.h"

#include <algorithm>
#include <stdexcept>

namespace kernels::cpu {

namespace {

// Where accumulators start for codes that this instruction set multiplies unsigned.
int biasOf(const KernelTable& kernels, TileTraits kind) {
    return kernels.multipliesSigned && largestCode(kind) == 255 ? 0 : kind.bias;
}

} // namespace

void Activations::begin(std::span<const std::int64_t> groups, std::int64_t columns) {
    m_rows = 0;
    m_firstBlocks.clear();
    m_firstRows.clear();
    m_blocks.clear();
    for (const std::int64_t tokens : groups) {
        m_firstBlocks.push_back(static_cast<std::int64_t>(m_firstRows.size()));
        for (std::int64_t left = tokens * m_terms; left > 0; left -= kBlockTokens) {
            const std::int64_t width = std::min<std::int64_t>(kBlockTokens, left);
            m_blocks.insert(m_blocks.end(), static_cast<std::size_t>(width),
                            static_cast<std::int32_t>(m_firstRows.size()));
            m_firstRows.push_back(m_rows);
            m_rows += width;
        }
    }
    m_firstRows.push_back(m_rows);
    m_columns = columns;
    m_groups = columns / kGroupColumns;
    m_isRequired = m_needsSums32 = m_needsSums16 = false;
    m_biasCount = 0;
}

void Activations::require(const KernelTable& kernels, TileTraits kind) {
    m_isRequired = true;
    if (kind.hasMinimum) {
        (kind.parts == 1 ? m_needsSums32 : m_needsSums16) = true;
    }
    const int bias = biasOf(kernels, kind);
    const auto end = m_biases.begin() + m_biasCount;
    const bool isKnown = std::any_of(m_biases.begin(), end, [&](const Bias& known) {
        return known.bias == bias && known.parts == kind.parts;
    });
    if (bias == 0 || isKnown) {
        return;
    }
    if (m_biasCount == kMaxBiasTargets) {
        throw std::logic_error("more kinds of biased codes than the kernels provide for");
    }
    m_biases[static_cast<std::size_t>(m_biasCount++)] = Bias{.bias = bias, .parts = kind.parts};
}

// Carves the arrays out of one buffer that only grows.
void Activations::layOut() {
    const auto rows = static_cast<std::size_t>(m_rows);
    const std::size_t groupBytes = rows * static_cast<std::size_t>(m_groups) * sizeof(float);
    const auto padded = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
    std::size_t needed = padded(rows * static_cast<std::size_t>(m_columns)) + padded(groupBytes);
    needed += m_needsSums32 ? padded(groupBytes) : 0;
    needed += m_needsSums16 ? padded(2 * groupBytes) : 0;
    for (int i = 0; i < m_biasCount; ++i) {
        const auto parts = static_cast<std::size_t>(m_biases[static_cast<std::size_t>(i)].parts);
        needed += padded(parts * groupBytes);
    }
    if (m_memory.bytes() < needed) {
        m_memory = Buffer();
        m_memory = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(needed)});
    }
    auto* next = static_cast<std::byte*>(m_memory.view().data);
    const auto take = [&](std::size_t bytes) {
        std::byte* taken = next;
        next += padded(bytes);
        return taken;
    };
    m_codes = reinterpret_cast<std::int8_t*>(take(rows * static_cast<std::size_t>(m_columns)));
    m_scales = reinterpret_cast<float*>(take(groupBytes));
    m_sums32 = m_needsSums32 ? reinterpret_cast<float*>(take(groupBytes)) : nullptr;
    m_sums16 = m_needsSums16 ? reinterpret_cast<float*>(take(2 * groupBytes)) : nullptr;
    for (int i = 0; i < m_biasCount; ++i) {
        Bias& bias = m_biases[static_cast<std::size_t>(i)];
        bias.values = reinterpret_cast<std::int32_t*>(
            take(static_cast<std::size_t>(bias.parts) * groupBytes));
    }
}

QuantisedRow Activations::rowAt(std::int64_t row) const {
    const std::int64_t block = m_blocks[static_cast<std::size_t>(row)];
    const std::int64_t slot = row - firstRowOf(block);
    const std::int64_t before = firstRowOf(block) * m_groups; // row-groups of earlier blocks
    QuantisedRow result{};
    result.width = widthOf(block);
    result.codes = m_codes + before * kGroupColumns + slot * kGroupColumns;
    result.scales = m_scales + before + slot;
    result.sums32 = m_sums32 == nullptr ? nullptr : m_sums32 + before + slot;
    result.sums16 = m_sums16 == nullptr ? nullptr : m_sums16 + 2 * before + slot;
    result.targetCount = m_biasCount;
    for (int i = 0; i < m_biasCount; ++i) {
        const Bias& bias = m_biases[static_cast<std::size_t>(i)];
        result.targets[i] =
            BiasTarget{bias.values + bias.parts * before + slot, bias.bias, bias.parts};
    }
    return result;
}

void Activations::round(const KernelTable& kernels, const float* x, ThreadPool& pool,
                        RowMaker make) {
    layOut();
    constexpr std::int64_t kGrainElements = 1024;
    const std::int64_t grain = std::max<std::int64_t>(1, kGrainElements / m_columns);
    pool.parallelFor(m_rows / m_terms, grain, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t token = begin; token < end; ++token) {
            const float* row = x + token * m_columns;
            if (make) {
                make(token);
            }
            const QuantisedRow high = rowAt(token * m_terms);
            if (m_terms == 1) {
                kernels.quantiseRow(row, m_groups, high, nullptr);
            } else {
                const QuantisedRow low = rowAt(token * m_terms + 1);
                kernels.quantiseRow(row, m_groups, high, &low);
            }
        }
    });
}

ActivationBlock Activations::block(const KernelTable& kernels, TileTraits kind,
                                   std::int64_t index) const {
    const std::int64_t before = firstRowOf(index) * m_groups;
    ActivationBlock result{};
    result.codes = m_codes + before * kGroupColumns;
    result.scales = m_scales + before;
    result.width = widthOf(index);
    result.sums = result.scales; // read by kinds with minimums only, moved along by all
    if (kind.hasMinimum) {
        result.sums = kind.parts == 1 ? m_sums32 + before : m_sums16 + 2 * before;
    }
    const int bias = biasOf(kernels, kind);
    for (int i = 0; i < m_biasCount; ++i) {
        const Bias& known = m_biases[static_cast<std::size_t>(i)];
        if (known.bias == bias && known.parts == kind.parts) {
            result.bias = known.values + known.parts * before;
        }
    }
    return result;
}

} // namespace kernels::cpu
