#include "kernels/cpu/cpu_weight.h"

#include "kernels/cpu/tile_layout.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace kernels::cpu {

namespace {

void checkWeight(const View& view) {
    const FormatTraits& format = traits(view.format);
    if (!format.isWeight) {
        throw std::invalid_argument("no product is computed with weights of " +
                                    std::string(format.name));
    }
    if (view.device != Device::Cpu || view.shape.rank() != 2 || view.shape[0] < 1 ||
        view.shape[1] < 1 || view.data == nullptr) {
        throw std::invalid_argument("a weight matrix is [rows, columns] in CPU memory, both at "
                                    "least 1");
    }
    if (view.shape[1] % format.blockElements != 0) {
        throw std::invalid_argument("rows of " + std::string(format.name) +
                                    " are whole blocks of " + std::to_string(format.blockElements) +
                                    ", not " + std::to_string(view.shape[1]) + " columns");
    }
    if (view.factor != 1.0F && view.format != Format::NVFP4) {
        throw std::invalid_argument("a matrix of " + std::string(format.name) +
                                    " has no factor besides its own scales");
    }
}

} // namespace

CpuWeight::CpuWeight(const View& fileWeight, WeightLayout layout, ActivationPrecision precision,
                     PackedMemory& memory, ThreadPool& pool) {
    checkWeight(fileWeight);
    m_rows = fileWeight.shape[0];
    m_columns = fileWeight.shape[1];
    m_format = fileWeight.format;
    m_precision = precision;
    m_rowBytes = weightRowBytes(m_format, static_cast<std::size_t>(m_columns));
    m_shape = tileShape(m_format, m_columns, fileWeight.factor);
    m_source = static_cast<const std::byte*>(fileWeight.data);
    if (layout == WeightLayout::File) {
        return;
    }
    m_packed = memory.take(static_cast<std::size_t>(tiles()) * m_shape.bytes);
    auto* packed = static_cast<std::byte*>(m_packed.view().data);
    pool.parallelFor(tiles(), 8, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t index = begin; index < end; ++index) {
            tile(index, packed + static_cast<std::size_t>(index) * m_shape.bytes);
        }
    });
    m_source = nullptr;
}

std::size_t CpuWeight::trafficBytes() const {
    return isPacked() ? m_packed.bytes() : m_rowBytes * static_cast<std::size_t>(m_rows);
}

int CpuWeight::rowsOfTile(std::int64_t index) const {
    return static_cast<int>(std::min<std::int64_t>(kTileRows, m_rows - index * kTileRows));
}

const std::byte* CpuWeight::tile(std::int64_t index, std::byte* scratch) const {
    if (isPacked()) {
        return static_cast<const std::byte*>(m_packed.view().data) +
               static_cast<std::size_t>(index) * m_shape.bytes;
    }
    packTile(m_format, m_shape, m_source + static_cast<std::size_t>(index * kTileRows) * m_rowBytes,
             m_rowBytes, rowsOfTile(index), scratch);
    return scratch;
}

void CpuWeight::unpack(std::int64_t row, std::span<float> out) const {
    if (isPacked()) {
        unpackRow(m_format, m_shape, tile(row / kTileRows, nullptr),
                  static_cast<int>(row % kTileRows), out);
        return;
    }
    const std::byte* source = m_source + static_cast<std::size_t>(row) * m_rowBytes;
    if (m_shape.factor == 1.0F) {
        dequantize(m_format, source, out);
        if (m_format == Format::F8) {
            float scale;
            std::memcpy(&scale, source + m_columns, sizeof scale);
            std::ranges::for_each(out, [&](float& value) { value *= scale; });
        }
        return;
    }
    std::vector<std::byte> scratch(m_shape.bytes); // rounded as a packed row is
    packTile(m_format, m_shape, source, m_rowBytes, 1, scratch.data());
    unpackRow(m_format, m_shape, scratch.data(), 0, out);
}

} // namespace kernels::cpu
