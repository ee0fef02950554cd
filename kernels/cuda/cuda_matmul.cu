// Products: which rows meet which weights, sorted by kind so that each kind is one launch.
#include "kernels/cuda/cuda_weight.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/products.h"
#include "kernels/cuda/require.h"

#include <algorithm>
#include <type_traits>

namespace kernels::cuda {

namespace {

// The second dimension of a grid; more units are further launches.
constexpr std::size_t kMostUnits = 65535;

struct Pairing { // of a weight and the rows that it multiplies
    const CudaWeight* weight;
    std::int32_t firstRow; // among the source rows
    std::int32_t rows;
    float* out;
    std::int64_t outStride;
};

// The pairings of one kind and their rows in pieces, put on the device and launched.
template <class Part, class WeightOf, class Multiply>
void launchAll(Call& call, std::span<const Pairing* const> pairings, WeightOf weightOf,
               Multiply multiply) {
    std::vector<Part> parts;
    std::vector<ProductUnit> units;
    ProductLaunch<Part> product;
    const auto most =
        std::ranges::max_element(pairings, {}, [](const Pairing* p) { return p->rows; });
    // Numbers have no kernel for tiles: theirs would have to round the activations.
    constexpr bool kHasTiles = std::is_same_v<Part, CodePart>;
    product.unitRows = (*most)->rows == 1                       ? 1
                       : kHasTiles && (*most)->rows > kUnitRows ? kTileUnitRows
                                                                : kUnitRows;
    for (const Pairing* pairing : pairings) {
        product.weightRows =
            std::max(product.weightRows, static_cast<std::int32_t>(pairing->weight->rows()));
        for (std::int32_t row = 0; row < pairing->rows; row += product.unitRows) {
            units.push_back({.part = static_cast<std::int32_t>(parts.size()),
                             .firstRow = row,
                             .rows = std::min(product.unitRows, pairing->rows - row)});
        }
        parts.push_back({.weight = weightOf(*pairing->weight),
                         .out = pairing->out,
                         .outStride = pairing->outStride,
                         .firstRow = pairing->firstRow});
    }
    product.parts = call.arena().upload(parts);
    for (std::size_t first = 0; first < units.size(); first += kMostUnits) {
        const std::size_t count = std::min(kMostUnits, units.size() - first);
        product.units =
            call.arena().upload(std::span<const ProductUnit>(units).subspan(first, count));
        product.unitCount = static_cast<std::int64_t>(count);
        multiply(product);
    }
}

// All pairings over rows of x that a call has put in order.
void multiplyAll(Call& call, std::span<const Pairing> pairings, const SourceRows& rows,
                 std::int32_t columns) {
    std::vector<const Pairing*> ordered;
    for (const Pairing& pairing : pairings) {
        ordered.push_back(&pairing);
    }
    // Coded ones by kind and terms, then plain numbers by theirs.
    const auto keyOf = [](const Pairing* pairing) {
        const CudaWeight& weight = *pairing->weight;
        return weight.isCoded() ? 2 * weight.codeKind() + weight.terms() - 1
                                : 1000 + static_cast<int>(weight.numberKind());
    };
    std::ranges::stable_sort(ordered, {}, keyOf);
    RoundedRows rounded[2];
    for (auto begin = ordered.begin(); begin != ordered.end();) {
        const auto end = std::find_if(begin, ordered.end(), [&](const Pairing* pairing) {
            return keyOf(pairing) != keyOf(*begin);
        });
        const std::span<const Pairing* const> same(begin, end);
        const CudaWeight& weight = *same.front()->weight;
        if (weight.isCoded()) {
            const int terms = weight.terms();
            RoundedRows& activations = rounded[terms - 1];
            if (activations.codes == nullptr) {
                activations = roundRows(call, rows, columns, terms);
            }
            launchAll<CodePart>(
                call, same, [](const CudaWeight& w) { return w.codes(); },
                [&](const ProductLaunch<CodePart>& product) {
                    multiplyCodes(call, weight.codeKind(), terms, product, activations);
                });
        } else {
            launchAll<NumberPart>(
                call, same, [](const CudaWeight& w) { return w.numbers(); },
                [&](const ProductLaunch<NumberPart>& product) {
                    multiplyNumbers(call, weight.numberKind(), product, rows);
                });
        }
        begin = end;
    }
}

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

void CudaOps::matmul(View x, std::span<const Weight* const> weights, std::span<const View> outs) {
    require(isF32(x) && x.shape.rank() == 2, "matmul: x is not [tokens, K] in F32");
    require(weights.size() == outs.size(), "matmul: as many outputs as weights are needed");
    const std::int64_t tokens = x.shape[0];
    if (tokens == 0 || weights.empty()) {
        return;
    }
    Call call(*this);
    const SourceRows rows{.x = call.in(x), .stride = x.shape[1], .rows = tokens};
    std::vector<Pairing> pairings;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const CudaWeight& weight = cudaWeight(*weights[i]);
        require(weight.columns() == x.shape[1], "matmul: x and a weight differ in K");
        require(isF32(outs[i]) && outs[i].shape.rank() == 2 && outs[i].shape[0] >= tokens &&
                    outs[i].shape[1] == weight.rows(),
                "matmul: an output is not [tokens, rows of its weight] in F32");
        pairings.push_back({.weight = &weight,
                            .firstRow = 0,
                            .rows = static_cast<std::int32_t>(tokens),
                            .out = call.out(outs[i]),
                            .outStride = weight.rows()});
    }
    multiplyAll(call, pairings, rows, static_cast<std::int32_t>(x.shape[1]));
    call.finish();
}

void CudaOps::matmulGroups(View x, std::span<const std::int32_t> sources,
                           std::span<const RowGroup> groups, std::span<const WeightStack> stacks,
                           std::span<const View> outs) {
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
    Call call(*this);
    std::vector<std::int32_t> gathered; // source rows, group after group
    std::vector<Pairing> pairings;
    for (const RowGroup& group : groups) {
        checkGroup(group, x, sources, stacks, outs);
        const auto firstRow = static_cast<std::int32_t>(gathered.size());
        for (std::int32_t row = 0; row < group.rows; ++row) {
            const std::int32_t source = group.firstSource + row * group.sourceStep;
            gathered.push_back(sources.empty() ? source
                                               : sources[static_cast<std::size_t>(source)]);
        }
        for (std::size_t i = 0; i < stacks.size() && group.rows > 0; ++i) {
            const CudaWeight& weight =
                cudaWeight(*stacks[i][static_cast<std::size_t>(group.weight)]);
            require(weight.columns() == columns && weight.rows() <= outs[i].shape[1],
                    "matmulGroups: weights of a call share K and fit their outputs");
            const std::int64_t stride = outs[i].shape[1];
            pairings.push_back({.weight = &weight,
                                .firstRow = firstRow,
                                .rows = group.rows,
                                .out = call.out(outs[i]) + group.firstOut * stride,
                                .outStride = group.outStep * stride});
        }
    }
    if (pairings.empty()) {
        return;
    }
    const SourceRows rows{.x = call.in(x),
                          .stride = x.shape[1],
                          .sources = call.arena().upload(gathered),
                          .rows = std::ssize(gathered)};
    multiplyAll(call, pairings, rows, static_cast<std::int32_t>(columns));
    call.finish();
}

} // namespace kernels::cuda
