// A weight matrix for the CPU's operators: packed tiles that it owns, or rows that it borrows.
// Immutable once made; any thread may read it.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/packed_memory.h"
#include "kernels/ops.h"

namespace kernels::cpu {

class CpuWeight final : public Weight {
public:
    // Packs on the pool's threads. Throws std::invalid_argument.
    CpuWeight(const View& fileWeight, WeightLayout layout, ActivationPrecision precision,
              PackedMemory& memory, ThreadPool& pool);

    std::int64_t rows() const override { return m_rows; }
    std::int64_t columns() const override { return m_columns; }
    Format format() const override { return m_format; }
    std::size_t bytes() const override { return m_packed.bytes(); }
    std::size_t trafficBytes() const override;

    const TileShape& shape() const { return m_shape; }
    std::int64_t tiles() const { return (m_rows + kTileRows - 1) / kTileRows; }
    // Rows of a tile that exist: 16, or fewer in the last.
    int rowsOfTile(std::int64_t tile) const;
    ActivationPrecision precision() const { return m_precision; }
    bool isPacked() const { return m_source == nullptr; }

    // Packed: the tile in place. Borrowed: packed into `scratch` (shape().bytes, 64-byte aligned).
    const std::byte* tile(std::int64_t index, std::byte* scratch) const;
    // The values of one row. Precondition: row in [0, rows()).
    void unpack(std::int64_t row, std::span<float> out) const;

private:
    std::int64_t m_rows = 0;
    std::int64_t m_columns = 0;
    Format m_format = Format::F32;
    ActivationPrecision m_precision = ActivationPrecision::Int8;
    std::size_t m_rowBytes = 0;
    TileShape m_shape{};
    const std::byte* m_source = nullptr; // the caller's rows
    Buffer m_packed;
};

} // namespace kernels::cpu
