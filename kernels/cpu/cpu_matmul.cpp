// The weight product: rounds the activations once, then hands runs of tiles to the workers. A row
// of a weight is summed by one worker over all of K, so neither threads nor chunks change a result.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/thread_pool.h"

#include <algorithm>

namespace kernels::cpu {

namespace {

// Activations of a chunk stay in half of a common L2 while all tiles pass by.
constexpr std::int64_t kChunkBytes = 384 * 1024;
// Work of a piece in nanoseconds, by rough speeds of one core.
constexpr double kPieceNanoseconds = 3000.0;
constexpr double kBytesPerNanosecond = 12.0;
constexpr double kProductsPerNanosecond = 120.0;

} // namespace

struct CpuOps::Product {
    struct Part {
        const CpuWeight* weight;
        TileTraits kind;
        const Activations* activations; // nullptr for plain numbers
        float* out;
        std::int64_t firstTile; // among the tiles of all parts
    };

    const KernelTable& kernels;
    const float* x;
    std::int64_t tokens;
    std::int64_t columns;
    std::int64_t chunkTokens;
    std::int64_t tiles = 0;
    std::vector<Part> parts;
    WorkerScratch scratch; // for weights that are packed on the way

    // Tiles [begin, end) of one part for the tokens of one chunk.
    void runTiles(const Part& part, std::int64_t chunk, std::int64_t begin, std::int64_t end,
                  int worker) const;
    // Units [begin, end): tiles of all parts, chunk after chunk.
    void runUnits(std::int64_t begin, std::int64_t end, int worker) const;
    std::int64_t grain() const;
};

void CpuOps::Product::runTiles(const Part& part, std::int64_t chunk, std::int64_t begin,
                               std::int64_t end, int worker) const {
    const CpuWeight& weight = *part.weight;
    const std::int64_t firstToken = chunk * chunkTokens;
    const std::int64_t endToken = std::min(tokens, firstToken + chunkTokens);
    const int terms = part.activations == nullptr ? 1 : part.activations->terms();
    const std::int64_t blockTokens = kBlockTokens / terms;
    const bool isOneBlock = endToken - firstToken <= blockTokens;
    // One block passes over all tiles at once; more blocks share a pair of tiles while it is in L1.
    const std::int64_t together = !weight.isPacked() ? 1 : isOneBlock ? end - begin : 2;
    for (std::int64_t tile = begin; tile < end; tile += together) {
        const std::int64_t last = std::min(end, tile + together) - 1;
        TileRun run{};
        run.shape = &weight.shape();
        run.tiles = weight.tile(tile, scratch.base == nullptr ? nullptr : scratch.of(worker));
        run.tileCount = last - tile + 1;
        run.lastRows = weight.rowsOfTile(last);
        run.terms = terms;
        run.xStride = columns;
        run.outStride = weight.rows();
        for (std::int64_t token = firstToken; token < endToken; token += blockTokens) {
            if (part.activations == nullptr) {
                run.x = x + token * columns;
                run.block.width = static_cast<int>(std::min(blockTokens, endToken - token));
            } else {
                run.block = part.activations->block(kernels, part.kind, token / blockTokens);
            }
            run.out = part.out + token * weight.rows() + tile * kTileRows;
            kernels.matmul->run[static_cast<std::size_t>(weight.shape().kind)](run);
        }
    }
}

void CpuOps::Product::runUnits(std::int64_t begin, std::int64_t end, int worker) const {
    while (begin < end) {
        const std::int64_t chunk = begin / tiles;
        const std::int64_t tile = begin % tiles;
        const auto part = std::find_if(parts.rbegin(), parts.rend(),
                                       [&](const Part& p) { return p.firstTile <= tile; });
        const std::int64_t first = tile - part->firstTile;
        const std::int64_t count = std::min(end - begin, part->weight->tiles() - first);
        runTiles(*part, chunk, first, first + count, worker);
        begin += count;
    }
}

std::int64_t CpuOps::Product::grain() const {
    double bytes = 0.0;
    for (const Part& part : parts) {
        bytes = std::max(bytes, static_cast<double>(part.weight->shape().bytes));
    }
    const auto rows = static_cast<double>(std::min(tokens, chunkTokens));
    const double products = static_cast<double>(columns) * kTileRows * rows;
    const double time = std::max(bytes / kBytesPerNanosecond, products / kProductsPerNanosecond);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceNanoseconds / time));
}

void CpuOps::matmul(View x, std::span<const Weight* const> weights, std::span<const View> outs) {
    require(isF32(x) && x.shape.rank() == 2, "matmul: x is not [tokens, K] in F32");
    require(weights.size() == outs.size(), "matmul: as many outputs as weights are needed");
    const std::int64_t tokens = x.shape[0];
    const std::int64_t columns = x.shape[1];
    if (tokens == 0 || weights.empty()) {
        return;
    }
    for (Activations& activations : m_activations) {
        activations.begin(tokens, columns);
    }
    const std::int64_t bytesPerToken = columns * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t chunk = kChunkBytes / bytesPerToken / kBlockTokens * kBlockTokens;
    Product product{.kernels = m_kernels,
                    .x = x.f32(),
                    .tokens = tokens,
                    .columns = columns,
                    .chunkTokens = std::max<std::int64_t>(chunk, kBlockTokens),
                    .parts = {},
                    .scratch = {}};
    product.parts.reserve(weights.size());
    std::size_t scratchBytes = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const auto* weight = dynamic_cast<const CpuWeight*>(weights[i]);
        require(weight != nullptr, "matmul: a weight was prepared for another device");
        require(weight->columns() == columns, "matmul: x and a weight differ in K");
        require(isF32(outs[i]) && outs[i].shape.rank() == 2 && outs[i].shape[0] >= tokens &&
                    outs[i].shape[1] == weight->rows(),
                "matmul: an output is not [tokens, rows of its weight] in F32");
        const TileTraits kind = tileTraits(weight->shape().kind);
        Activations* activations = nullptr;
        if (kind.codeBits != 0) {
            activations = &m_activations[weight->precision() == ActivationPrecision::Int16 ? 1 : 0];
            activations->require(m_kernels, kind);
        }
        product.parts.push_back({weight, kind, activations, outs[i].f32(), product.tiles});
        product.tiles += weight->tiles();
        scratchBytes = std::max(scratchBytes, weight->isPacked() ? 0 : weight->shape().bytes);
    }
    for (Activations& activations : m_activations) {
        if (activations.isRequired()) {
            activations.round(m_kernels, x.f32(), m_pool);
        }
    }
    if (scratchBytes > 0) {
        product.scratch = workerScratch(scratchBytes);
    }
    const std::int64_t chunks = (tokens + product.chunkTokens - 1) / product.chunkTokens;
    m_pool.parallelFor(chunks * product.tiles, product.grain(),
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           product.runUnits(begin, end, worker);
                       });
}

} // namespace kernels::cpu
