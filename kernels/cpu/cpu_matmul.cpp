// The weight product: rounds the activations once, then hands runs of tiles to the workers. A row
// of a weight is summed by one worker over all of K, so neither threads nor chunks change a result.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/cpu/wide_product.h"
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
        int terms() const { return activations == nullptr ? 1 : activations->terms(); }
    };
    // Tiles of one part for the tokens of one chunk.
    struct Task {
        const Part& part;
        std::int64_t firstToken, endToken;
        std::int64_t firstTile, endTile;
        int worker;

        std::int64_t blockTokens() const { return kBlockTokens / part.terms(); }
        std::int64_t blocks() const { return dividedUp(endToken - firstToken, blockTokens()); }
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
    bool isWide(const Part& part) const;
    void runTiles(const Task& task) const;
    void runWide(const Task& task) const;
    // Units [begin, end) of all parts, chunk after chunk.
    void runUnits(std::int64_t begin, std::int64_t end, int worker) const;
    std::int64_t grain() const;
};

void CpuOps::Product::add(const CpuWeight& weight, Activations* activations, float* out) {
    Part part{&weight, tileTraits(weight.shape().kind), activations, out, units, kNarrowTiles};
    part.unitTiles = isWide(part) ? kWideTiles : kNarrowTiles;
    parts.push_back(part);
    units += part.units();
    const std::size_t bytes =
        isWide(part) ? WideProduct::memoryBytes(weight, part.terms(), std::min(tokens, chunkTokens))
        : weight.isPacked() ? 0
                            : weight.shape().bytes;
    workerBytes = std::max(workerBytes, bytes);
}

bool CpuOps::Product::isWide(const Part& part) const {
    return WideProduct::isWorthwhile(kernels, part.terms(), std::min(tokens, chunkTokens));
}

void CpuOps::Product::runTiles(const Task& task) const {
    const Part& part = task.part;
    const CpuWeight& weight = *part.weight;
    const std::int64_t blockTokens = task.blockTokens();
    // One block passes over all tiles at once; more blocks share a pair of tiles while it is in L1.
    const std::int64_t together = !weight.isPacked()   ? 1
                                  : task.blocks() == 1 ? task.endTile - task.firstTile
                                                       : kNarrowTiles;
    for (std::int64_t first = task.firstTile; first < task.endTile; first += together) {
        const std::int64_t last = std::min(task.endTile, first + together) - 1;
        TileRun run{};
        run.shape = &weight.shape();
        run.tiles = weight.tile(first, scratch.base == nullptr ? nullptr : scratch.of(task.worker));
        run.tileCount = last - first + 1;
        run.lastRows = weight.rowsOfTile(last);
        run.terms = part.terms();
        run.xStride = columns;
        run.outStride = weight.rows();
        for (std::int64_t token = task.firstToken; token < task.endToken; token += blockTokens) {
            if (part.activations == nullptr) {
                run.x = x + token * columns;
                run.block.width = static_cast<int>(std::min(blockTokens, task.endToken - token));
            } else {
                run.block = part.activations->block(kernels, part.kind, token / blockTokens);
            }
            run.out = part.out + token * weight.rows() + first * kTileRows;
            kernels.matmul->run[static_cast<std::size_t>(weight.shape().kind)](run);
        }
    }
}

void CpuOps::Product::runWide(const Task& task) const {
    const Part& part = task.part;
    const std::int64_t rows = part.weight->rows();
    const WideProduct product{.kernels = kernels,
                              .weight = *part.weight,
                              .activations = part.activations,
                              .firstBlock = task.firstToken / task.blockTokens(),
                              .x = x + task.firstToken * columns,
                              .tokens = task.endToken - task.firstToken,
                              .out = part.out + task.firstToken * rows,
                              .outStride = rows,
                              .memory = scratch.of(task.worker)};
    product.run(task.firstTile, task.endTile);
}

void CpuOps::Product::runUnits(std::int64_t begin, std::int64_t end, int worker) const {
    while (begin < end) {
        const std::int64_t chunk = begin / units;
        const std::int64_t unit = begin % units;
        const auto part = std::find_if(parts.rbegin(), parts.rend(),
                                       [&](const Part& p) { return p.firstUnit <= unit; });
        const std::int64_t first = unit - part->firstUnit;
        const std::int64_t count = std::min(end - begin, part->units() - first);
        const Task task{.part = *part,
                        .firstToken = chunk * chunkTokens,
                        .endToken = std::min(tokens, (chunk + 1) * chunkTokens),
                        .firstTile = first * part->unitTiles,
                        .endTile =
                            std::min((first + count) * part->unitTiles, part->weight->tiles()),
                        .worker = worker};
        isWide(*part) ? runWide(task) : runTiles(task);
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
    multiply(x, RowGate{}, weights, outs);
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
    multiply(gate, RowGate{.function = function, .up = up.f32(), .x = gate.f32()}, weights, outs);
}

void CpuOps::multiply(View x, const RowGate& gate, std::span<const Weight* const> weights,
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
    RowGate pending = gate; // the first rounding leaves rows behind that need none
    for (Activations& activations : m_activations) {
        if (activations.isRequired()) {
            activations.round(m_kernels, x.f32(), m_pool, std::exchange(pending, RowGate{}));
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
