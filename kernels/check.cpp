#include "kernels/check.h"

#include "kernels/check_inputs.h"
#include "kernels/check_parts.h"
#include "kernels/reference/reference.h"

#include <cmath>

namespace kernels {

namespace {

using check::compare;
using check::floats;
using check::Inputs;
using check::kFloatStep;
using check::kHalfStep;
using check::sumBound;
using reference::Numbers;

struct Case {
    std::int64_t tokens, columns, rows;
};

class Checker {
public:
    Checker(Ops& ops, std::uint64_t seed) : m_ops(ops), m_inputs(seed) {}

    std::vector<CheckResult> run() {
        checkRows();
        checkRope();
        checkGates();
        check::checkAttention(m_ops, m_inputs, m_results);
        check::checkExperts(m_ops, m_inputs, m_results);
        for (int i = 0; i <= static_cast<int>(Format::F64); ++i) {
            const auto format = static_cast<Format>(i);
            if (traits(format).isWeight) {
                checkWeights(format);
            }
        }
        return std::move(m_results);
    }

private:
    void add(CheckResult result) { m_results.push_back(std::move(result)); }

    Buffer poisoned(Shape shape) { return m_inputs.poisoned(shape); }

    void checkRows() {
        constexpr float kEps = 1e-5F;
        const Shape shape{5, 579};
        const Buffer x = m_inputs.normal(shape, 2.0F);
        const Buffer delta = m_inputs.normal(shape, 1.0F);
        const Buffer gain = m_inputs.normal(Shape{579}, 1.0F);
        Buffer out = poisoned(shape);
        Numbers values = reference::decode(x.view());
        const Numbers gains = reference::decode(gain.view());
        const double bound = sumBound(shape.rowLength());

        m_ops.rmsNorm(x.view(), gain.view(), kEps, out.view());
        add(compare("rmsNorm", floats(out), reference::rmsNorm(values, gains, kEps), bound));

        const Numbers deltas = reference::decode(delta.view());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] += deltas[i];
        }
        Buffer sum = m_inputs.copy(x);
        m_ops.add(sum.view(), delta.view());
        add(compare("add", floats(sum), values, 2.0 * kFloatStep));

        Buffer both = m_inputs.copy(x);
        out = poisoned(shape);
        m_ops.addRmsNorm(both.view(), delta.view(), gain.view(), kEps, out.view());
        add(compare("addRmsNorm, the sum", floats(both), values, 2.0 * kFloatStep));
        add(compare("addRmsNorm, the norm", floats(out), reference::rmsNorm(values, gains, kEps),
                    bound));

        const Buffer gate = m_inputs.normal(shape, 8.0F);
        out = poisoned(shape);
        m_ops.siluMul(gate.view(), x.view(), out.view());
        add(compare("siluMul", floats(out),
                    reference::siluMul(reference::decode(gate.view()), reference::decode(x.view())),
                    16.0 * kFloatStep));

        const std::vector<std::int32_t> rows{4, 0, 4};
        Buffer gathered = poisoned(Shape{3, 579});
        m_ops.gatherRows(x.view(), rows, gathered.view());
        Numbers wanted;
        const Numbers all = reference::decode(x.view());
        for (const std::int32_t row : rows) {
            wanted.insert(wanted.end(), all.begin() + row * 579, all.begin() + (row + 1) * 579);
        }
        add(compare("gatherRows", floats(gathered), wanted, 0.0));
    }

    void checkGates() {
        const Shape shape{7, 331};
        const Buffer gate = m_inputs.normal(shape, 4.0F);
        const Buffer up = m_inputs.normal(shape, 1.0F);
        Buffer out = poisoned(shape);
        m_ops.geluMul(gate.view(), up.view(), out.view());
        const Numbers gates = reference::decode(gate.view());
        Numbers wanted = reference::geluMul(gates, reference::decode(up.view()));
        add(compare("geluMul", floats(out), wanted, 32.0 * kFloatStep));

        // The smallest numbers lose most: the bound is of the cap.
        constexpr float kCap = 5.0F;
        out = m_inputs.copy(gate);
        m_ops.softCap(out.view(), kCap);
        add(compare("softCap", floats(out), reference::softCap(gates, kCap), 16.0 * kFloatStep));

        out = m_inputs.copy(gate);
        m_ops.scale(out.view(), 25.5F);
        wanted.clear();
        for (const double value : gates) {
            wanted.push_back(25.5 * value);
        }
        add(compare("scale", floats(out), wanted, kFloatStep));

        const Buffer row = m_inputs.normal(Shape{331}, 1.0F);
        const Numbers added = reference::decode(row.view());
        out = m_inputs.copy(gate);
        m_ops.addToRows(out.view(), row.view());
        wanted = gates;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            wanted[i] += added[i % added.size()];
        }
        add(compare("addToRows", floats(out), wanted, 2.0 * kFloatStep));
    }

    void checkRope() {
        for (const RopePairing pairing : {RopePairing::Interleaved, RopePairing::HalfSplit}) {
            for (const bool spreads : {false, true}) {
                checkRope(pairing, spreads);
            }
        }
    }

    void checkRope(RopePairing pairing, bool spreads) {
        constexpr std::int64_t kTokens = 7, kHeads = 6, kKvHeads = 2, kDim = 72, kPairs = 34;
        RopeSpec rope{.frequencies = {}, .pairing = pairing, .magnitude = 1.125F};
        for (int i = 0; i < kPairs; ++i) {
            rope.frequencies.push_back(
                static_cast<float>(std::pow(10000.0, -static_cast<double>(i) / kPairs)));
        }
        const check::Cache cache(m_ops, m_inputs, 3, kKvHeads, 16, kDim);
        KvLayer layer = cache.layer();
        layer.spreadsKeys = spreads;
        std::vector<std::int32_t> positions{0, 1, 2, 777, 8191, 131071, 5};
        std::vector<std::int32_t> slots{47, 0, 1, 16, 31, 15, 20};
        Buffer q = m_inputs.normal(Shape{kTokens, kHeads, kDim}, 1.0F);
        Buffer k = m_inputs.normal(Shape{kTokens, kKvHeads, kDim}, 1.0F);
        const Buffer v = m_inputs.normal(Shape{kTokens, kKvHeads, kDim}, 1.0F);
        Numbers turnedQ =
            reference::rope(reference::decode(q.view()), kHeads, kDim, rope, positions);
        Numbers turnedK =
            reference::rope(reference::decode(k.view()), kKvHeads, kDim, rope, positions);
        std::string name = pairing == RopePairing::Interleaved ? "ropeAndStore, interleaved"
                                                               : "ropeAndStore, halves";
        if (spreads) {
            constexpr std::int64_t kLength = spreadLength(kDim);
            turnedQ = reference::spread(turnedQ, kLength, 1.0 / static_cast<double>(kLength));
            turnedK = reference::spread(turnedK, kLength, 1.0);
            name += ", spread";
        }
        m_ops.ropeAndStore(q.view(), k.view(), v.view(), rope, positions, slots, layer);
        add(compare(name + ", q", floats(q), turnedQ, 4.0 * kFloatStep));
        add(compare(name + ", k", floats(k), turnedK, 4.0 * kFloatStep));
        add(compare(name + ", stored k", cache.rowsAt(layer.keys, slots), turnedK, kHalfStep));
        add(compare(name + ", stored v", cache.rowsAt(layer.values, slots),
                    reference::decode(v.view()), kHalfStep));
    }

    // Products and embedding of one format in both layouts and precisions. Integer products are
    // held against the rounded activations with the bound of F32 sums, and against the exact ones
    // with the bound of the rounding.
    void checkWeights(Format format) {
        const int block = traits(format).blockElements;
        const std::int64_t columns = block == 1 ? 83 : block == 32 ? 288 : block == 64 ? 320 : 768;
        const bool isInteger = block > 1;
        const Case shape{11, columns, 53};
        const Buffer source = m_inputs.weights(format, Shape{shape.rows, shape.columns});
        const Buffer x = m_inputs.activations(Shape{shape.tokens, shape.columns});
        const Numbers values = reference::decode(x.view());
        const Numbers weights = reference::decode(source.view());
        const Numbers exact = reference::matmul(values, weights, columns);
        for (const WeightLayout layout : {WeightLayout::Packed, WeightLayout::File}) {
            const std::string name =
                std::string(traits(format).name) +
                (layout == WeightLayout::Packed ? " packed" : " as in the file");
            for (const ActivationPrecision precision :
                 {ActivationPrecision::Int8, ActivationPrecision::Int16}) {
                if (!isInteger && precision == ActivationPrecision::Int16) {
                    continue;
                }
                const auto weight = m_ops.prepare(source.view(), layout, precision);
                Buffer out = poisoned(Shape{shape.tokens, shape.rows});
                const Weight* pointer = weight.get();
                const View view = out.view();
                m_ops.matmul(x.view(), {&pointer, 1}, {&view, 1});
                const bool isInt8 = precision == ActivationPrecision::Int8;
                const std::string full =
                    "matmul, " + name + (isInteger && !isInt8 ? ", 16 bits" : "");
                if (!isInteger) {
                    add(compare(full, floats(out), exact, sumBound(columns)));
                    continue;
                }
                const Numbers rounded = reference::matmul(
                    reference::roundActivations(values, precision), weights, columns);
                add(compare(full, floats(out), rounded, 2.0 * sumBound(columns)));
                // A step is max / 127; with max at about 2.3 deviations of 32 normal numbers the
                // rounding is 0.5 % of the norm, and half that again for luck.
                add(compare(full + ", against unrounded", floats(out), exact,
                            isInt8 ? 0.008 : 0.008 / 254.0));
            }
            checkEmbedding(name, source, weights, layout);
        }
    }

    void checkEmbedding(const std::string& name, const Buffer& source, const Numbers& weights,
                        WeightLayout layout) {
        const auto table = m_ops.prepare(source.view(), layout);
        const std::int64_t columns = source.view().shape[1];
        const std::vector<std::int32_t> ids{0, 52, 17, 16, 15, 52};
        Buffer out = poisoned(Shape{static_cast<std::int64_t>(ids.size()), columns});
        m_ops.embed(*table, ids, out.view());
        Numbers wanted;
        for (const std::int32_t id : ids) {
            wanted.insert(wanted.end(), weights.begin() + id * columns,
                          weights.begin() + (id + 1) * columns);
        }
        add(compare("embed, " + name, floats(out), wanted, 0.0));
    }

    Ops& m_ops;
    Inputs m_inputs;
    std::vector<CheckResult> m_results;
};

} // namespace

std::vector<CheckResult> checkOps(Ops& ops, std::uint64_t seed) {
    return Checker(ops, seed).run();
}

} // namespace kernels
