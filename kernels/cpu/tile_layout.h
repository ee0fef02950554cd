// Packing of weight rows into tiles, without loss: every format has a kind of tile that holds its
// codes and factors bit for bit. Pure functions, any thread.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/formats.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace kernels::cpu {

// Precondition: traits(format).isWeight and whole blocks a row; `factor` as a View has it.
TileShape tileShape(Format format, std::int64_t columns, float factor);

// Packs `rowCount` (1..16) rows into one tile; missing rows are zero.
void packTile(Format format, const TileShape& shape, const std::byte* rows, std::size_t rowBytes,
              int rowCount, std::byte* tile);

// The values of one row of a tile, exactly as dequantize() gives them where the factor is 1.
void unpackRow(Format format, const TileShape& shape, const std::byte* tile, int row,
               std::span<float> out);

} // namespace kernels::cpu
