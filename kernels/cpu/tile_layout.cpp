#include "kernels/cpu/tile_layout.h"

#include "kernels/block_codes.h"
#include "kernels/cpu/tile_traits.h"
#include "kernels/half.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

namespace kernels::cpu {

namespace {

constexpr std::size_t kRows = kTileRows;

// A scale of 16 columns times the factor of a matrix fits into no half.
TileKind kindOf(Format format, float factor) {
    switch (format) {
    case Format::F32:
        return TileKind::F32;
    case Format::F16:
        return TileKind::F16;
    case Format::BF16:
        return TileKind::BF16;
    case Format::F8:
        return TileKind::F8;
    case Format::Q4_0:
    case Format::TQ1_0: // ternary steps fit into four bits around the same bias
    case Format::TQ2_0:
        return TileKind::Code4Half;
    case Format::Q4_1:
        return TileKind::Code4HalfMinimum;
    case Format::Q5_0:
        return TileKind::Code5Half;
    case Format::Q5_1:
        return TileKind::Code5HalfMinimum;
    case Format::Q8_0:
        return TileKind::Code8Half;
    case Format::Q2_K:
        return TileKind::Code4SuperMinimum16;
    case Format::Q3_K:
        return TileKind::Code4Super16;
    case Format::Q4_K:
        return TileKind::Code4SuperMinimum;
    case Format::Q5_K:
        return TileKind::Code5SuperMinimum;
    case Format::Q6_K:
        return TileKind::Code6Super16;
    case Format::IQ4_NL:
        return TileKind::TableHalf;
    case Format::IQ4_XS:
        return TileKind::TableSuper;
    case Format::MXFP4:
    case Format::IQ2_XXS:
    case Format::IQ3_XXS:
    case Format::IQ3_S:
        return TileKind::TableFloat;
    case Format::IQ2_XS:
    case Format::IQ2_S:
        return TileKind::TableFloat16;
    case Format::NVFP4:
        return factor == 1.0F ? TileKind::TableHalf16 : TileKind::TableFloat16;
    default:
        throw std::invalid_argument("no product is computed with weights of " +
                                    std::string(traits(format).name));
    }
}

std::uint32_t load32(const std::uint8_t* p) {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

template <class T>
void store(std::byte* p, T value) {
    std::memcpy(p, &value, sizeof value);
}

template <class T>
T loadAs(const std::byte* p) {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Codes of 32 columns of one row. A row owns four bytes, one 32-bit word, of every 64-byte line.
void putCodes(int codeBits, const std::uint8_t* codes, std::byte* record, std::size_t row) {
    const auto at = [&](std::size_t line) { return record + 64 * line + 4 * row; };
    if (codeBits == 8) {
        for (std::size_t j = 0; j < 8; ++j) {
            store(at(j), load32(codes + 4 * j));
        }
        return;
    }
    std::uint32_t fifth = 0;
    std::array<std::uint32_t, 2> upper{};
    for (std::size_t j = 0; j < 8; ++j) {
        const std::uint32_t word = load32(codes + 4 * j) >> 4;
        fifth |= (word & 0x01010101U) << j;
        upper[j / 4] |= (word & 0x03030303U) << 2 * (j % 4);
    }
    for (std::size_t j = 0; j < 4; ++j) {
        const std::uint32_t low = load32(codes + 4 * j) & 0x0F0F0F0FU;
        const std::uint32_t high = load32(codes + 4 * j + 16) & 0x0F0F0F0FU;
        store(at(j), low | high << 4);
    }
    if (codeBits == 5) {
        store(at(4), fifth);
    } else if (codeBits == 6) {
        store(at(4), upper[0]);
        store(at(5), upper[1]);
    }
}

int codeAt(int codeBits, const std::byte* record, int row, int column) {
    const int j = column / 4;
    const auto byteOf = [&](int line) {
        return static_cast<int>(record[64 * line + 4 * row + column % 4]);
    };
    if (codeBits == 8) {
        return byteOf(j);
    }
    const int low = byteOf(j % 4) >> (j < 4 ? 0 : 4) & 15;
    if (codeBits == 5) {
        return low | (byteOf(4) >> j & 1) << 4;
    }
    if (codeBits == 6) {
        return low | (byteOf(4 + j / 4) >> 2 * (j % 4) & 3) << 4;
    }
    return low;
}

// What is added to a format's codes so that they stand around the bias of the tile.
int codeShift(const BlockFormula& formula, TileTraits tile) {
    return formula.table != nullptr || formula.minimum != MinimumKind::None
               ? 0
               : tile.bias - formula.offset;
}

// Factors of one group of 32 columns and one row. `first`: the format's group that it starts in.
void putFactors(const BlockFormula& formula, TileTraits tile, const BlockCodes& parts, int first,
                float factor, std::byte* record, std::size_t row) {
    for (int part = 0; part < tile.parts; ++part) {
        const auto group = static_cast<std::size_t>(first + part);
        const std::size_t place = kRows * static_cast<std::size_t>(part) + row;
        const std::size_t minimumPlace = kRows * static_cast<std::size_t>(tile.parts) + place;
        switch (tile.factor) {
        case FactorKind::Half:
            store(record + 2 * place, parts.halfScales[group]);
            if (tile.hasMinimum) {
                store(record + 2 * minimumPlace, parts.halfMinimum);
            }
            break;
        case FactorKind::Float:
            store(record + 4 * place, groupScale(formula, parts, static_cast<int>(group)) * factor);
            break;
        default:
            store(record + place, parts.superScales[group]);
            if (tile.hasMinimum) {
                store(record + minimumPlace, parts.superMinimums[group]);
            }
            break;
        }
    }
}

void packNumbers(std::size_t size, std::int64_t columns, const std::byte* rows,
                 std::size_t rowBytes, std::size_t rowCount, std::byte* tile) {
    for (std::size_t k = 0; k < static_cast<std::size_t>(columns); ++k) {
        for (std::size_t row = 0; row < rowCount; ++row) {
            std::memcpy(tile + (k * kRows + row) * size, rows + row * rowBytes + k * size, size);
        }
    }
}

std::size_t numberBytes(TileKind kind) {
    return kind == TileKind::F32 ? 4 : kind == TileKind::F8 ? 1 : 2;
}

// Products read a code as the half of the same bits, which is 1/256 of its value.
constexpr float kCodeFactor = 256.0F;

void packScales(const TileShape& shape, const std::byte* rows, std::size_t rowBytes,
                std::size_t rowCount, std::byte* tile) {
    for (std::size_t row = 0; row < rowCount; ++row) {
        const auto scale =
            loadAs<float>(rows + row * rowBytes + static_cast<std::size_t>(shape.columns));
        store(tile + shape.factorOffset + 4 * row, scale * kCodeFactor);
    }
}

void packBlocks(Format format, const TileShape& shape, const std::byte* source, std::size_t row,
                std::byte* tile) {
    const BlockFormula& formula = *blockFormula(format);
    const TileTraits layout = tileTraits(shape.kind);
    const FormatTraits& block = traits(format);
    const auto shift = static_cast<std::uint8_t>(codeShift(formula, layout));
    const int groups = block.blockElements / kGroupColumns;
    BlockCodes parts;
    for (std::int64_t first = 0; first < shape.columns / kGroupColumns; first += groups) {
        takeApart(format, source, parts);
        source += block.blockBytes;
        for (int i = 0; shift != 0 && i < block.blockElements; ++i) {
            parts.codes[static_cast<std::size_t>(i)] += shift;
        }
        for (int i = 0; i < groups; ++i) {
            const auto group = static_cast<std::size_t>(first + i);
            putCodes(layout.codeBits, parts.codes.data() + kGroupColumns * i,
                     tile + group * codeRecord(layout), row);
            // Formats with one scale a block of more than 32 repeat it.
            putFactors(formula, layout, parts, kGroupColumns * i / formula.groupElements,
                       shape.factor, tile + shape.factorOffset + group * factorRecord(layout), row);
        }
        if (layout.factor == FactorKind::Super) {
            std::byte* super = tile + shape.superOffset +
                               static_cast<std::size_t>(first / 8) * superRecord(layout) + 2 * row;
            store(super, parts.halfScales[0]);
            if (layout.hasMinimum) {
                store(super + 2 * kRows, parts.halfMinimum);
            }
        }
    }
}

} // namespace

TileShape tileShape(Format format, std::int64_t columns, float factor) {
    TileShape shape{};
    shape.kind = kindOf(format, factor);
    shape.factor = factor;
    shape.columns = columns;
    const TileTraits layout = tileTraits(shape.kind);
    if (layout.codeBits == 0) {
        const std::size_t row = formatBytes(format, static_cast<std::size_t>(columns));
        const std::size_t scales = shape.kind == TileKind::F8 ? kRows * sizeof(float) : 0;
        shape.factorOffset = shape.superOffset = (row * kRows + 63) / 64 * 64;
        shape.bytes = shape.factorOffset + scales;
        return shape;
    }
    const auto groups = static_cast<std::size_t>(columns / kGroupColumns);
    shape.factorOffset = groups * codeRecord(layout);
    shape.superOffset = shape.factorOffset + groups * factorRecord(layout);
    const std::size_t end = shape.superOffset + (groups + 7) / 8 * superRecord(layout);
    shape.bytes = (end + 63) / 64 * 64;
    if (const BlockFormula* formula = blockFormula(format); formula->table != nullptr) {
        std::copy_n(formula->table, 16, shape.table);
    }
    return shape;
}

void packTile(Format format, const TileShape& shape, const std::byte* rows, std::size_t rowBytes,
              int rowCount, std::byte* tile) {
    const auto count = static_cast<std::size_t>(rowCount);
    if (count < kRows) {
        std::memset(tile, 0, shape.bytes);
    }
    if (tileTraits(shape.kind).codeBits == 0) {
        packNumbers(numberBytes(shape.kind), shape.columns, rows, rowBytes, count, tile);
        if (shape.kind == TileKind::F8) {
            packScales(shape, rows, rowBytes, count, tile);
        }
        return;
    }
    for (std::size_t row = 0; row < count; ++row) {
        packBlocks(format, shape, rows + row * rowBytes, row, tile);
    }
}

void unpackRow(Format format, const TileShape& shape, const std::byte* tile, int row,
               std::span<float> out) {
    const TileTraits layout = tileTraits(shape.kind);
    const auto r = static_cast<std::size_t>(row);
    if (layout.codeBits == 0) {
        const std::size_t size = numberBytes(shape.kind);
        const float scale = shape.kind == TileKind::F8
                                ? loadAs<float>(tile + shape.factorOffset + 4 * r) / kCodeFactor
                                : 1.0F;
        for (std::size_t k = 0; k < out.size(); ++k) {
            dequantize(format, tile + (k * kRows + r) * size, out.subspan(k, 1));
            out[k] *= scale;
        }
        return;
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::size_t group = k / kGroupColumns;
        const auto column = static_cast<int>(k % kGroupColumns);
        const std::size_t part = layout.parts == 2 ? static_cast<std::size_t>(column / 16) : 0;
        const std::size_t place = kRows * part + r;
        const std::size_t minimumPlace = kRows * static_cast<std::size_t>(layout.parts) + place;
        const int code = codeAt(layout.codeBits, tile + group * codeRecord(layout), row, column);
        const std::byte* factors = tile + shape.factorOffset + group * factorRecord(layout);
        const std::byte* super = tile + shape.superOffset + group / 8 * superRecord(layout) + 2 * r;
        float scale = 0.0F;
        float minimum = 0.0F;
        if (layout.factor == FactorKind::Half) {
            scale = floatFromHalf(loadAs<std::uint16_t>(factors + 2 * place));
            minimum = layout.hasMinimum
                          ? floatFromHalf(loadAs<std::uint16_t>(factors + 2 * minimumPlace))
                          : 0.0F;
        } else if (layout.factor == FactorKind::Float) {
            scale = loadAs<float>(factors + 4 * place);
        } else {
            scale = floatFromHalf(loadAs<std::uint16_t>(super)) *
                    static_cast<float>(loadAs<std::int8_t>(factors + place));
            minimum = layout.hasMinimum
                          ? -(floatFromHalf(loadAs<std::uint16_t>(super + 2 * kRows)) *
                              static_cast<float>(loadAs<std::uint8_t>(factors + minimumPlace)))
                          : 0.0F;
        }
        const int step = layout.usesTable ? shape.table[code] : code - layout.bias;
        const float product = scale * static_cast<float>(step);
        out[k] = layout.hasMinimum ? product + minimum : product;
    }
}

} // namespace kernels::cpu
