// The wide half of a TileProduct.
#include "kernels/cpu/tile_product.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

// Expanded tiles that leave room in L1 for activations.
constexpr std::int64_t kGroups = 18;
constexpr std::int64_t kColumns = 160; // of plain numbers
constexpr std::size_t kColumnBytes = kWideTiles * kTileRows * sizeof(float);
constexpr std::int64_t kLine = 64;
constexpr std::int64_t kBlockSums = kWideTiles * kTileRows * kBlockTokens;

// What is expanded at once: pieces of a row's groups, or of its columns for plain numbers.
struct Pieces {
    std::int64_t groups;
    std::int64_t count;
    std::size_t groupBytes;

    explicit Pieces(const CpuWeight& weight) {
        const bool isNumbers = tileTraits(weight.shape().kind).codeBits == 0;
        groups = isNumbers ? weight.columns() : weight.columns() / kGroupColumns;
        count = dividedUp(groups, isNumbers ? kColumns : kGroups);
        groupBytes = isNumbers ? kColumnBytes : kWideGroupBytes;
    }
    std::int64_t begin(std::int64_t piece) const { return groups * piece / count; }
    std::size_t bytes() const {
        return static_cast<std::size_t>(dividedUp(groups, count)) * groupBytes;
    }
};

// The tiles that come next, asked for a few lines at a time while these are multiplied.
struct Ahead {
    const std::byte* at;
    const std::byte* end;
    int lines; // of a step: kWideRows rows, or a block of plain numbers, times a group

    void take(WideRun& run, std::int64_t steps) {
        run.ahead = at;
        run.aheadLines = at < end ? lines : 0;
        at += run.groups * steps * run.aheadLines * kLine;
    }
};

// The same rows from a later group on.
ActivationBlock laterGroups(const ActivationBlock& block, std::int64_t group, int parts) {
    ActivationBlock later = block;
    later.codes += group * block.width * kGroupColumns;
    later.scales += group * block.width;
    later.sums += group * parts * block.width;
    if (block.bias != nullptr) {
        later.bias += group * parts * block.width;
    }
    return later;
}

} // namespace

// Tiles packed on the way, tiles expanded, sums.
std::size_t TileProduct::memoryBytes(const KernelTable& kernels, const CpuWeight& weight, int terms,
                                     std::int64_t tokens) {
    if (!isWide(kernels, terms, tokens)) {
        return weight.isPacked() ? 0 : weight.shape().bytes;
    }
    const std::int64_t blocks = dividedUp(tokens * std::max(terms, 1), kBlockTokens);
    const std::size_t packed = weight.isPacked() ? 0 : kWideTiles * weight.shape().bytes;
    return packed + Pieces(weight).bytes() +
           static_cast<std::size_t>(blocks * kBlockSums) * sizeof(float);
}

void TileProduct::runWide(std::int64_t first, std::int64_t last) const {
    const WideTable& wide = *kernels.matmul->wide;
    const TileShape& shape = weight.shape();
    const TileTraits kind = tileTraits(shape.kind);
    const bool isNumbers = activations == nullptr;
    const Pieces pieces(weight);
    const std::int64_t rows = tokens * rowsPerToken();
    std::byte* expanded = memory + (weight.isPacked() ? 0 : kWideTiles * shape.bytes);
    auto* sums = reinterpret_cast<float*>(expanded + pieces.bytes());
    ExpandRun expand{.shape = &shape, .tiles = {}, .firstGroup = 0, .groups = 0, .out = expanded};
    for (int n = 0; n < kWideTiles; ++n) {
        expand.tiles[n] =
            first + n <= last
                ? weight.tile(first + n, memory + static_cast<std::size_t>(n) * shape.bytes)
                : expand.tiles[last - first];
    }
    const std::int64_t stepRows = isNumbers ? kBlockTokens : kWideRows;
    const std::int64_t together = static_cast<std::int64_t>(kWideTiles * shape.bytes);
    const std::byte* next = expand.tiles[0] + together;
    Ahead ahead{.at = next,
                .end = weight.isPacked() ? next + together : next,
                .lines = static_cast<int>(
                    dividedUp(together / kLine, pieces.groups * dividedUp(rows, stepRows)))};
    for (std::int64_t piece = 0; piece < pieces.count; ++piece) {
        expand.firstGroup = pieces.begin(piece);
        expand.groups = pieces.begin(piece + 1) - expand.firstGroup;
        wide.expand[static_cast<std::size_t>(shape.kind)](expand);
        WideRun run{.expanded = expanded,
                    .groups = expand.groups,
                    .block = {},
                    .x = nullptr,
                    .scales = {},
                    .xStride = weight.columns(),
                    .nextBlock = weight.columns() * kBlockTokens,
                    .ahead = nullptr,
                    .aheadLines = 0,
                    .terms = rowsPerToken(),
                    .isFirst = piece == 0,
                    .isLast = piece + 1 == pieces.count,
                    .sums = sums,
                    .rows = static_cast<int>((last - first) * kTileRows) + weight.rowsOfTile(last),
                    .out = out + first * kTileRows,
                    .outStride = outStride};
        for (int n = 0; shape.kind == TileKind::F8 && n < kWideTiles; ++n) {
            run.scales[n] = reinterpret_cast<const float*>(expand.tiles[n] + shape.factorOffset);
        }
        for (std::int64_t row = 0; row < rows; row += kBlockTokens) {
            const std::int64_t width = std::min<std::int64_t>(kBlockTokens, rows - row);
            ahead.take(run, dividedUp(width, stepRows));
            if (isNumbers) {
                run.block.width = static_cast<int>(width);
                run.x = x + row * weight.columns() + expand.firstGroup;
                wide.multiplyNumbers(run);
            } else {
                run.block =
                    laterGroups(activations->block(kernels, kind, firstBlock + row / kBlockTokens),
                                expand.firstGroup, kind.parts);
                wide.multiply[kind.parts - 1][kind.hasMinimum ? 1 : 0](run);
            }
            run.sums += kBlockSums;
            run.out += kBlockTokens / rowsPerToken() * outStride;
        }
    }
}

} // namespace kernels::cpu
