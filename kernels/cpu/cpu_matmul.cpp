// The weight product: rounds the activations once, then hands runs of tiles to the workers. A row
// of a weight is summed by one worker over all of K, so neither threads nor chunks change a result.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/cpu/tile_product.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <utility>

namespace kernels::cpu {

namespace {

// Activations of a chunk stay in half of a common L2 while all tiles pass by; of very long rows at
// least so many that reading the weights again is cheap.
constexpr std::int64_t kChunkBytes = 384 * 1024;
constexpr std::int64_t kLeastChunk = 128;
// Work of a piece in nanoseconds, by rough speeds of one core.
constexpr double kPieceNanoseconds = 3000.0;
constexpr double kBytesPerNanosecond = 12.0;
constexpr double kProductsPerNanosecond = 160.0;
constexpr std::int64_t kNarrowTiles = 2; // that workers take at once where nothing is expanded

bool isBlockFormat(const Weight* weight) {
    return traits(weight->format()).blockElements > 1;
}

} // namespace

struct CpuOps::Product {
    struct Part {
        const CpuWeight* weight;
        TileTraits kind;
        const Activations* activations; // nullptr for plain numbers
        float* out;
        std::int64_t firstUnit; // among the units of all parts
        std::int64_t unitTiles;

        std::int64_t units() const { return dividedUp(weight->tiles(), unitTiles); }
        int terms() const { return activations == nullptr ? 0 : activations->terms(); }
    };

    const KernelTable& kernels;
    const float* x;
    std::int64_t tokens;
    std::int64_t columns;
    std::int64_t chunkTokens;
    std::int64_t units = 0;
    std::vector<Part> parts;
    std::size_t workerBytes = 0; // that a worker needs for tiles
    WorkerScratch scratch;

    void add(const CpuWeight& weight, Activations* activations, float* out);
    // Units [begin, begin + count) of a part for the tokens of a chunk.
    void runTiles(const Part& part, std::int64_t chunk, std::int64_t begin, std::int64_t count,
                  int worker) const;
    // Units [begin, end) of all parts, chunk after chunk.
    void runUnits(std::int64_t begin, std::int64_t end, int worker) const;
    std::int64_t grain() const;
};

void CpuOps::Product::add(const CpuWeight& weight, Activations* activations, float* out) {
    Part part{&weight, tileTraits(weight.shape().kind), activations, out, units, kNarrowTiles};
    const std::int64_t chunk = std::min(tokens, chunkTokens);
    part.unitTiles = TileProduct::isWide(kernels, part.terms(), chunk) ? kWideTiles : kNarrowTiles;
    parts.push_back(part);
    units += part.units();
    workerBytes =
        std::max(workerBytes, TileProduct::memoryBytes(kernels, weight, part.terms(), chunk));
}

void CpuOps::Product::runTiles(const Part& part, std::int64_t chunk, std::int64_t begin,
                               std::int64_t count, int worker) const {
    const std::int64_t first = chunk * chunkTokens;
    const std::int64_t blockTokens = kBlockTokens / std::max(part.terms(), 1);
    const std::int64_t rows = part.weight->rows();
    const TileProduct product{.kernels = kernels,
                              .weight = *part.weight,
                              .activations = part.activations,
                              .firstBlock = first / blockTokens,
                              .x = x + first * columns,
                              .tokens = std::min(tokens - first, chunkTokens),
                              .out = part.out + first * rows,
                              .outStride = rows,
                              .memory = scratch.base == nullptr ? nullptr : scratch.of(worker)};
    product.run(begin * part.unitTiles,
                std::min((begin + count) * part.unitTiles, part.weight->tiles()));
}

void CpuOps::Product::runUnits(std::int64_t begin, std::int64_t end, int worker) const {
    while (begin < end) {
        const std::int64_t chunk = begin / units;
        const std::int64_t unit = begin % units;
        const auto part = std::find_if(parts.rbegin(), parts.rend(),
                                       [&](const Part& p) { return p.firstUnit <= unit; });
        const std::int64_t first = unit - part->firstUnit;
        const std::int64_t count = std::min(end - begin, part->units() - first);
        runTiles(*part, chunk, first, count, worker);
        begin += count;
    }
}

std::int64_t CpuOps::Product::grain() const {
    double bytes = 0.0;
    for (const Part& part : parts) {
        bytes = std::max(bytes, static_cast<double>(kNarrowTiles * part.weight->shape().bytes));
    }
    const auto rows = static_cast<double>(std::min(tokens, chunkTokens));
    const double products = static_cast<double>(columns) * kNarrowTiles * kTileRows * rows;
    const double time = std::max(bytes / kBytesPerNanosecond, products / kProductsPerNanosecond);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(kPieceNanoseconds / time));
}

void CpuOps::matmul(View x, std::span<const Weight* const> weights, std::span<const View> outs) {
    if (const auto norm = std::exchange(m_pendingNorm, std::nullopt)) {
        if (norm->out.data == x.data && norm->out.shape == x.shape &&
            std::ranges::any_of(weights, isBlockFormat)) {
            const std::int64_t length = x.shape.rowLength();
            multiply(
                x,
                [&](std::int64_t token) {
                    m_kernels.addRmsNormRow(norm->x.f32() + token * length,
                                            norm->delta.f32() + token * length, norm->gain.f32(),
                                            norm->eps, norm->out.f32() + token * length, length);
                },
                weights, outs);
            return;
        }
        addRmsNorm(norm->x, norm->delta, norm->gain, norm->eps, norm->out);
    }
    multiply(x, {}, weights, outs);
}

void CpuOps::gatedMatmul(View gate, View up, GateActivation activation,
                         std::span<const Weight* const> weights, std::span<const View> outs) {
    require(isF32(up) && up.shape == gate.shape, "gatedMatmul: gate and up differ in shape");
    const bool isRounded = std::ranges::any_of(weights, isBlockFormat);
    if (!isRounded) { // nothing to do on the way
        Ops::gatedMatmul(gate, up, activation, weights, outs);
        return;
    }
    const auto function =
        activation == GateActivation::Silu ? m_kernels.siluMulRange : m_kernels.geluMulRange;
    const std::int64_t length = gate.shape.rowLength();
    multiply(
        gate,
        [&](std::int64_t token) {
            float* row = gate.f32() + token * length;
            function(row, up.f32() + token * length, row, length);
        },
        weights, outs);
}

void CpuOps::multiply(View x, RowMaker make, std::span<const Weight* const> weights,
                      std::span<const View> outs) {
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
    const bool isRounded = std::ranges::any_of(weights, isBlockFormat);
    const std::int64_t bytesPerToken =
        columns * static_cast<std::int64_t>(isRounded ? sizeof(std::int16_t) : sizeof(float));
    const std::int64_t chunk = kChunkBytes / bytesPerToken / kBlockTokens * kBlockTokens;
    Product product{.kernels = m_kernels,
                    .x = x.f32(),
                    .tokens = tokens,
                    .columns = columns,
                    .chunkTokens = std::max(chunk, kLeastChunk),
                    .parts = {},
                    .workerBytes = 0,
                    .scratch = {}};
    product.parts.reserve(weights.size());
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
        product.add(*weight, activations, outs[i].f32());
    }
    // The first rounding leaves rows behind that need not be made again.
    for (Activations& activations : m_activations) {
        if (activations.isRequired()) {
            activations.round(m_kernels, x.f32(), m_pool, std::exchange(make, RowMaker{}));
        }
    }
    if (product.workerBytes > 0) {
        product.scratch = workerScratch(product.workerBytes);
    }
    const std::int64_t chunks = dividedUp(tokens, product.chunkTokens);
    m_pool.parallelFor(chunks * product.units, product.grain(),
                       [&](std::int64_t begin, std::int64_t end, int worker) {
                           product.runUnits(begin, end, worker);
                       });
}

} // namespace kernels::cpu
