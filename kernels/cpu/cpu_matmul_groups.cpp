// Products of many weights with their own rows: experts with the tokens that chose them, heads with
// their part of every token. Rows are gathered and rounded group by group; then tiles of all
// weights are handed to the workers. A row of a weight is summed by one worker over all of K, as in
// a plain product, and gives the same bits.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/cpu/tile_product.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kernels::cpu {

namespace {

// Activations of a chunk stay in half of a common L2 while all tiles of a weight pass by.
constexpr std::int64_t kChunkBytes = 384 * 1024;
// Work of a piece in nanoseconds, by rough speeds of one core.
constexpr double kPieceNanoseconds = 3000.0;
constexpr double kBytesPerNanosecond = 12.0;
constexpr double kProductsPerNanosecond = 120.0;
constexpr std::int64_t kGrainElements = 16384;

void checkGroup(const RowGroup& group, const View& x, std::span<const std::int32_t> sources,
                std::span<const WeightStack> stacks, std::span<const View> outs) {
    const auto last = [&](std::int64_t first, std::int64_t step) {
        return first + (group.rows - 1) * step;
    };
    require(group.rows >= 0 && group.weight >= 0, "matmulGroups: a group is negative");
    if (group.rows == 0) {
        return;
    }
    const std::int64_t end = sources.empty() ? x.shape.rows() : std::ssize(sources);
    require(group.firstSource >= 0 && group.sourceStep >= 0 &&
                last(group.firstSource, group.sourceStep) < end,
            "matmulGroups: a group reaches outside its sources");
    for (std::size_t i = 0; i < stacks.size(); ++i) {
        require(static_cast<std::size_t>(group.weight) < stacks[i].size(),
                "matmulGroups: a group names no weight of the stack");
        require(group.firstOut >= 0 && group.outStep >= 0 &&
                    last(group.firstOut, group.outStep) < outs[i].shape.rows(),
                "matmulGroups: a group reaches outside an output");
    }
}

} // namespace

struct CpuOps::GroupProduct {
    struct Part { // a weight and the rows of its group
        const CpuWeight* weight;
        TileTraits kind;
        const Activations* activations; // nullptr for plain numbers
        std::int64_t firstBlock;        // of the activations
        const float* x;
        std::int64_t rows;
        float* out; // the first row's
        std::int64_t outStride;
        std::int64_t firstUnit;

        int terms() const { return activations == nullptr ? 0 : activations->terms(); }
    };

    const KernelTable& kernels;
    std::int64_t columns;
    std::int64_t chunkRows;
    std::int64_t units = 0; // tiles of all parts, chunk after chunk
    std::vector<Part> parts;
    WorkerScratch scratch; // for weights that are packed on the way

    void add(Part part) {
        part.firstUnit = units;
        units += part.weight->tiles() * ((part.rows + chunkRows - 1) / chunkRows);
        parts.push_back(part);
    }

    // Tiles [begin, end) for the rows of one chunk.
    void runTiles(const Part& part, std::int64_t chunk, std::int64_t begin, std::int64_t end,
                  int worker) const {
        const std::int64_t firstRow = chunk * chunkRows;
        const std::int64_t endRow = std::min(part.rows, firstRow + chunkRows);
        const std::int64_t blockRows = kBlockTokens / std::max(part.terms(), 1);
        const TileProduct product{.kernels = kernels,
                                  .weight = *part.weight,
                                  .activations = part.activations,
                                  .firstBlock = part.firstBlock + firstRow / blockRows,
                                  .x = part.x + firstRow * columns,
                                  .tokens = endRow - firstRow,
                                  .out = part.out + firstRow * part.outStride,
                                  .outStride = part.outStride,
                                  .memory = scratch.base == nullptr ? nullptr : scratch.of(worker)};
        product.run(begin, end);
    }

    void runUnits(std::int64_t begin, std::int64_t end, int worker) const {
        auto part =
            std::upper_bound(parts.begin(), parts.end(), begin,
                             [](std::int64_t unit, const Part& p) { return unit < p.firstUnit; }) -
            1;
        while (begin < end) {
            const std::int64_t tiles = part->weight->tiles();
            const std::int64_t chunk = (begin - part->firstUnit) / tiles;
            const std::int64_t first = (begin - part->firstUnit) % tiles;
            const std::int64_t count = std::min(end - begin, tiles - first);
            runTiles(*part, chunk, first, first + count, worker);
            begin += count;
            if (part + 1 != parts.end() && begin >= (part + 1)->firstUnit) {
                ++part;
            }
        }
    }

    std::int64_t grain() const {
        double bytes = 0.0;
        std::int64_t rows = 1;
        for (const Part& part : parts) {
            bytes = std::max(bytes, static_cast<double>(part.weight->shape().bytes));
            rows = std::max(rows, std::min(part.rows, chunkRows));
        }
        const double products = static_cast<double>(columns * kTileRows * rows);
        const double time =
            std::max(bytes / kBytesPerNanosecond, products / kProductsPerNanosecond);
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceNanoseconds / time));
    }
};

const float* CpuOps::gatheredRows(View x, std::span<const std::int32_t> sources,
                                  std::span<const RowGroup> groups, std::int64_t columns) {
    const std::int64_t stride = x.shape.rowLength();
    bool isInPlace = sources.empty() && stride == columns;
    std::vector<std::int64_t> firsts; // gathered rows of the groups
    std::int64_t total = 0;
    for (const RowGroup& group : groups) {
        isInPlace = isInPlace && (group.rows == 0 || (group.firstSource == total &&
                                                      (group.sourceStep == 1 || group.rows == 1)));
        firsts.push_back(total);
        total += group.rows;
    }
    if (isInPlace) {
        return x.f32();
    }
    const auto bytes = static_cast<std::size_t>(total * columns) * sizeof(float);
    if (m_gathered.bytes() < bytes) {
        m_gathered = Buffer();
        m_gathered = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(bytes)});
    }
    auto* out = static_cast<float*>(m_gathered.view().data);
    const std::int64_t grain = std::max<std::int64_t>(1, kGrainElements / columns);
    m_pool.parallelFor(total, grain, [&](std::int64_t begin, std::int64_t end, int) {
        auto index = static_cast<std::size_t>(
            std::upper_bound(firsts.begin(), firsts.end(), begin) - firsts.begin() - 1);
        for (std::int64_t row = begin; row < end; ++row) {
            while (row - firsts[index] >= groups[index].rows) {
                ++index;
            }
            const RowGroup& group = groups[index];
            std::int64_t source = group.firstSource + (row - firsts[index]) * group.sourceStep;
            source = sources.empty() ? source : sources[static_cast<std::size_t>(source)];
            std::memcpy(out + row * columns, x.f32() + source * stride,
                        static_cast<std::size_t>(columns) * sizeof(float));
        }
    });
    return out;
}

void CpuOps::matmulGroups(View x, std::span<const std::int32_t> sources,
                          std::span<const RowGroup> groups, std::span<const WeightStack> stacks,
                          std::span<const View> outs) {
    if (const auto norm = std::exchange(m_pendingNorm, std::nullopt)) {
        addRmsNorm(norm->x, norm->delta, norm->gain, norm->eps, norm->out);
    }
    require(isF32(x) && x.shape.rank() == 2, "matmulGroups: x is not [rows, K] in F32");
    require(stacks.size() == outs.size(), "matmulGroups: as many outputs as stacks are needed");
    if (stacks.empty() || stacks.front().empty() || groups.empty()) {
        return;
    }
    const std::int64_t columns = stacks.front().front()->columns();
    require(columns <= x.shape[1], "matmulGroups: x has fewer columns than the weights");
    for (const View& out : outs) {
        require(isF32(out) && out.shape.rank() == 2, "matmulGroups: an output is not F32 rows");
    }
    for (const std::int32_t source : sources) {
        require(source >= 0 && source < x.shape[0], "matmulGroups: a source is outside x");
    }
    std::vector<std::int64_t> rows;
    rows.reserve(groups.size());
    for (const RowGroup& group : groups) {
        checkGroup(group, x, sources, stacks, outs);
        rows.push_back(group.rows);
    }
    for (Activations& activations : m_activations) {
        activations.begin(rows, columns);
    }
    const float* gathered = gatheredRows(x, sources, groups, columns);
    const std::int64_t bytesPerRow = columns * static_cast<std::int64_t>(sizeof(float));
    GroupProduct product{.kernels = m_kernels,
                         .columns = columns,
                         .chunkRows = std::max<std::int64_t>(
                             kChunkBytes / bytesPerRow / kBlockTokens * kBlockTokens, kBlockTokens),
                         .parts = {},
                         .scratch = {}};
    product.parts.reserve(groups.size() * stacks.size());
    std::size_t scratchBytes = 0;
    std::int64_t firstRow = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const RowGroup& group = groups[g];
        for (std::size_t i = 0; i < stacks.size() && group.rows > 0; ++i) {
            const auto* weight = dynamic_cast<const CpuWeight*>(
                stacks[i][static_cast<std::size_t>(group.weight)].get());
            require(weight != nullptr, "matmulGroups: a weight was prepared for another device");
            require(weight->columns() == columns && weight->rows() <= outs[i].shape[1],
                    "matmulGroups: weights of a call share K and fit their outputs");
            const TileTraits kind = tileTraits(weight->shape().kind);
            Activations* activations = nullptr;
            if (kind.codeBits != 0) {
                activations =
                    &m_activations[weight->precision() == ActivationPrecision::Int16 ? 1 : 0];
                activations->require(m_kernels, kind);
            }
            const std::int64_t stride = outs[i].shape[1];
            product.add({.weight = weight,
                         .kind = kind,
                         .activations = activations,
                         .firstBlock = activations == nullptr ? 0 : activations->firstBlock(g),
                         .x = gathered + firstRow * columns,
                         .rows = group.rows,
                         .out = outs[i].f32() + group.firstOut * stride,
                         .outStride = group.outStep * stride,
                         .firstUnit = 0});
            const std::int64_t chunk = std::min<std::int64_t>(group.rows, product.chunkRows);
            const int terms = product.parts.back().terms();
            scratchBytes =
                std::max(scratchBytes, TileProduct::memoryBytes(m_kernels, *weight, terms, chunk));
        }
        firstRow += group.rows;
    }
    if (product.parts.empty()) {
        return;
    }
    for (Activations& activations : m_activations) {
        if (activations.isRequired()) {
            activations.round(m_kernels, gathered, m_pool);
        }
    }
    if (scratchBytes > 0) {
        product.scratch = workerScratch(scratchBytes);
    }
    m_pool.parallelFor(product.units, product.grain(),
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           product.runUnits(begin, end, worker);
                       });
}

} // namespace kernels::cpu
