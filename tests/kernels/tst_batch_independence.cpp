// A row's result is the same to the bit alone and in any batch, in any chunks, under any number of
// threads, and in either weight layout.
#include "kernels/check_inputs.h"
#include "kernels/thread_pool.h"

#include <QTest>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using kernels::ActivationPrecision;
using kernels::Buffer;
using kernels::Format;
using kernels::Shape;
using kernels::ThreadPool;
using kernels::View;
using kernels::WeightLayout;

class TstBatchIndependence : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void productsOfARowNeverChange_data();
    void productsOfARowNeverChange();
    void weightsOfACallDoNotMeet();
    void gatedProductsEqualTheirParts();
    void normsOnTheWayEqualTheirParts();
    void attentionOfARowNeverChanges_data();
    void attentionOfARowNeverChanges();
    void rowOperatorsNeverChange();
    void groupsGiveTheBitsOfPlainProducts_data();
    void groupsGiveTheBitsOfPlainProducts();
    void routesOfATokenNeverChange();

private:
    std::uint64_t m_seed = std::random_device()();
};

namespace {

// Rows [first, first + count) of the outermost dimension.
View rowsOf(const View& view, std::int64_t first, std::int64_t count) {
    View part = view.first(count);
    part.data = view.f32() + first * (view.shape.elements() / view.shape[0]);
    return part;
}

bool isSame(const View& a, const View& b) {
    return a.bytes() == b.bytes() && std::memcmp(a.data, b.data, a.bytes()) == 0;
}

void addIsas() {
    QTest::addColumn<QString>("isa");
    for (const std::string& isa : kernels::cpuIsas()) {
        QTest::addRow("%s", isa.c_str()) << QString::fromStdString(isa);
    }
}

} // namespace

void TstBatchIndependence::productsOfARowNeverChange_data() {
    addIsas();
}

void TstBatchIndependence::productsOfARowNeverChange() {
    QFETCH(QString, isa);
    constexpr std::int64_t kTokens = 37;
    for (const Format format : {Format::F32, Format::F16, Format::BF16, Format::Q4_0, Format::Q4_1,
                                Format::Q5_1, Format::Q8_0, Format::Q2_K, Format::Q4_K,
                                Format::Q6_K, Format::IQ4_XS, Format::NVFP4, Format::IQ2_S}) {
        for (const auto precision : {ActivationPrecision::Int8, ActivationPrecision::Int16}) {
            kernels::check::Inputs inputs(m_seed);
            const std::int64_t columns = 256;
            const Buffer source = inputs.weights(format, Shape{61, columns});
            const Buffer x = inputs.activations(Shape{kTokens, columns});

            ThreadPool alone(1);
            const auto single = kernels::makeCpuOps(alone, isa.toStdString());
            const auto weight = single->prepare(source.view(), WeightLayout::Packed, precision);
            const kernels::Weight* pointer = weight.get();
            Buffer wanted = inputs.poisoned(Shape{kTokens, 61});
            for (std::int64_t row = 0; row < kTokens; ++row) {
                const View out = rowsOf(wanted.view(), row, 1);
                single->matmul(rowsOf(x.view(), row, 1), {&pointer, 1}, {&out, 1});
            }
            for (const int threads : {2, 5}) {
                ThreadPool pool(threads);
                const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
                for (const WeightLayout layout : {WeightLayout::Packed, WeightLayout::File}) {
                    const auto other = ops->prepare(source.view(), layout, precision);
                    const kernels::Weight* otherPointer = other.get();
                    for (const std::int64_t chunk : {2, 3, 5, 8, 14, 16, 25, 37}) {
                        Buffer out = inputs.poisoned(Shape{kTokens, 61});
                        for (std::int64_t row = 0; row < kTokens; row += chunk) {
                            const std::int64_t count = std::min(chunk, kTokens - row);
                            const View part = rowsOf(out.view(), row, count);
                            ops->matmul(rowsOf(x.view(), row, count), {&otherPointer, 1},
                                        {&part, 1});
                        }
                        QVERIFY2(isSame(out.view(), wanted.view()),
                                 fmt::format("{}, {} threads, chunks of {}, seed {}",
                                             kernels::traits(format).name, threads, chunk, m_seed)
                                     .c_str());
                    }
                }
            }
        }
    }
}

void TstBatchIndependence::weightsOfACallDoNotMeet() {
    // One call with four weights of different formats, precisions and layouts equals four calls.
    ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Buffer x = inputs.activations(Shape{19, 512});
    struct Kind {
        Format format;
        WeightLayout layout;
        ActivationPrecision precision;
        std::int64_t rows;
    };
    const std::vector<Kind> kinds{
        {Format::Q4_1, WeightLayout::Packed, ActivationPrecision::Int8, 40},
        {Format::Q6_K, WeightLayout::File, ActivationPrecision::Int16, 17},
        {Format::F16, WeightLayout::Packed, ActivationPrecision::Int8, 1},
        {Format::Q8_0, WeightLayout::Packed, ActivationPrecision::Int8, 33},
        {Format::NVFP4, WeightLayout::Packed, ActivationPrecision::Int16, 16},
    };
    std::vector<Buffer> sources, together, apart;
    std::vector<std::unique_ptr<kernels::Weight>> weights;
    std::vector<const kernels::Weight*> pointers;
    std::vector<View> views;
    for (const Kind& kind : kinds) {
        sources.push_back(inputs.weights(kind.format, Shape{kind.rows, 512}));
        together.push_back(inputs.poisoned(Shape{19, kind.rows}));
        apart.push_back(inputs.poisoned(Shape{19, kind.rows}));
        weights.push_back(ops->prepare(sources.back().view(), kind.layout, kind.precision));
        pointers.push_back(weights.back().get());
        views.push_back(together.back().view());
        const View out = apart.back().view();
        ops->matmul(x.view(), {&pointers.back(), 1}, {&out, 1});
    }
    ops->matmul(x.view(), pointers, views);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        QVERIFY(isSame(together[i].view(), apart[i].view()));
    }
}

void TstBatchIndependence::gatedProductsEqualTheirParts() {
    ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Shape shape{13, 256};
    const Buffer gate = inputs.normal(shape, 2.0F);
    const Buffer up = inputs.normal(shape, 1.0F);
    struct Call {
        std::vector<Format> formats;
        kernels::GateActivation activation;
    };
    for (const Call& call :
         {Call{{Format::Q4_1}, kernels::GateActivation::Silu},
          Call{{Format::F16}, kernels::GateActivation::Gelu},
          Call{{Format::Q6_K, Format::BF16, Format::Q8_0}, kernels::GateActivation::Gelu}}) {
        std::vector<std::unique_ptr<kernels::Weight>> weights;
        std::vector<const kernels::Weight*> pointers;
        std::vector<Buffer> sources, together, apart;
        std::vector<View> togetherViews, apartViews;
        for (const Format format : call.formats) {
            sources.push_back(inputs.weights(format, Shape{40, 256}));
            // The two precisions in turn: one rounding must not gate what another one gated.
            weights.push_back(ops->prepare(sources.back().view(), WeightLayout::Packed,
                                           weights.size() % 2 == 0 ? ActivationPrecision::Int8
                                                                   : ActivationPrecision::Int16));
            if (weights.size() == 3) {
                weights.back() = ops->prepare(sources.back().view(), WeightLayout::Packed,
                                              ActivationPrecision::Int16);
            }
            pointers.push_back(weights.back().get());
            together.push_back(inputs.poisoned(Shape{13, 40}));
            apart.push_back(inputs.poisoned(Shape{13, 40}));
            togetherViews.push_back(together.back().view());
            apartViews.push_back(apart.back().view());
        }
        const Buffer x = inputs.poisoned(shape);
        if (call.activation == kernels::GateActivation::Silu) {
            ops->siluMul(gate.view(), up.view(), x.view());
        } else {
            ops->geluMul(gate.view(), up.view(), x.view());
        }
        ops->matmul(x.view(), pointers, apartViews);
        const Buffer scratch = inputs.copy(gate);
        ops->gatedMatmul(scratch.view(), up.view(), call.activation, pointers, togetherViews);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            QVERIFY2(isSame(together[i].view(), apart[i].view()),
                     fmt::format("weight {}, seed {}", i, m_seed).c_str());
        }
    }
}

void TstBatchIndependence::normsOnTheWayEqualTheirParts() {
    constexpr float kEps = 1e-5F;
    ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Shape shape{13, 256};
    const Buffer delta = inputs.normal(shape, 1.0F);
    const Buffer gain = inputs.normal(Shape{256}, 1.0F);
    for (const Format format : {Format::Q4_1, Format::Q6_K, Format::BF16}) {
        const Buffer source = inputs.weights(format, Shape{40, 256});
        const auto weight = ops->prepare(source.view(), WeightLayout::Packed);
        const std::array<const kernels::Weight*, 1> weights = {weight.get()};
        const Buffer x = inputs.normal(shape, 2.0F);
        const Buffer y = inputs.copy(x);
        const Buffer normed = inputs.poisoned(shape);
        const Buffer other = inputs.poisoned(shape);
        const Buffer together = inputs.poisoned(Shape{13, 40});
        const Buffer apart = inputs.poisoned(Shape{13, 40});
        ops->addRmsNorm(x.view(), delta.view(), gain.view(), kEps, normed.view());
        ops->matmul(normed.view(), weights, std::array{apart.view()});
        ops->addRmsNormForProduct(y.view(), delta.view(), gain.view(), kEps, other.view());
        ops->matmul(other.view(), weights, std::array{together.view()});
        QVERIFY(isSame(x.view(), y.view()));
        QVERIFY(isSame(normed.view(), other.view()));
        QVERIFY(isSame(together.view(), apart.view()));
        // Once only.
        ops->matmul(other.view(), weights, std::array{together.view()});
        QVERIFY(isSame(x.view(), y.view()));
        QVERIFY(isSame(together.view(), apart.view()));
        // What an interrupted step asked for is forgotten when the next one begins.
        ops->addRmsNormForProduct(y.view(), delta.view(), gain.view(), kEps, other.view());
        ops->embed(*weight, std::array<std::int32_t, 2>{3, 5},
                   inputs.poisoned(Shape{2, 256}).view());
        ops->matmul(other.view(), weights, std::array{together.view()});
        QVERIFY(isSame(x.view(), y.view()));
    }
}

void TstBatchIndependence::attentionOfARowNeverChanges_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("valueDim");
    QTest::addColumn<int>("window");
    for (const std::string& isa : kernels::cpuIsas()) {
        const QString name = QString::fromStdString(isa);
        QTest::addRow("%s", isa.c_str()) << name << 64 << 0;
        QTest::addRow("%s, window", isa.c_str()) << name << 64 << 50;
        QTest::addRow("%s, longer window", isa.c_str()) << name << 64 << 700;
        QTest::addRow("%s, latent", isa.c_str()) << name << 0 << 0;
    }
}

void TstBatchIndependence::attentionOfARowNeverChanges() {
    QFETCH(QString, isa);
    QFETCH(int, valueDim);
    QFETCH(int, window);
    const kernels::AttentionRule rule{
        .scale = 0.125F, .window = window, .scoreCap = window > 0 ? 20.0F : 0.0F};
    kernels::check::Inputs inputs(m_seed);
    ThreadPool alone(1);
    const auto single = kernels::makeCpuOps(alone, isa.toStdString());
    const bool isLatent = valueDim == 0;
    const kernels::check::AttentionCase input(*single, inputs, 6, isLatent ? 1 : 2, 64, valueDim,
                                              32);
    const kernels::AttentionBatch batch = input.batch();
    const Shape outShape{input.q().shape[0], 6, isLatent ? 56 : valueDim};
    Buffer wanted = inputs.poisoned(outShape);
    single->attention(input.q(), input.layer(), batch, rule, wanted.view());

    for (const int threads : {1, 2, 7}) {
        ThreadPool pool(threads);
        const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
        for (const std::int32_t chunk : {1, 3, 16, 1000}) {
            Buffer out = inputs.poisoned(outShape);
            // Every chunk of every slice is a call of its own.
            for (kernels::AttentionSlice slice : batch.slices) {
                const std::int32_t end = slice.firstRow + slice.tokens;
                while (slice.firstRow < end) {
                    slice.tokens = std::min(chunk, end - slice.firstRow);
                    ops->attention(input.q(), input.layer(), {{&slice, 1}, batch.blocks}, rule,
                                   out.view());
                    slice.firstRow += slice.tokens;
                    slice.firstPosition += slice.tokens;
                }
            }
            QVERIFY2(
                isSame(out.view(), wanted.view()),
                fmt::format("{} threads, chunks of {}, seed {}", threads, chunk, m_seed).c_str());
        }
    }
}

void TstBatchIndependence::rowOperatorsNeverChange() {
    ThreadPool alone(1);
    ThreadPool many(5);
    const auto single = kernels::makeCpuOps(alone);
    const auto ops = kernels::makeCpuOps(many);
    kernels::check::Inputs inputs(m_seed);
    const Shape shape{64, 1001};
    const Buffer x = inputs.normal(shape, 1.0F);
    const Buffer up = inputs.normal(shape, 1.0F);
    const Buffer gain = inputs.normal(Shape{1001}, 1.0F);
    Buffer together = inputs.poisoned(shape);
    Buffer apart = inputs.poisoned(shape);
    ops->rmsNorm(x.view(), gain.view(), 1e-6F, together.view());
    for (std::int64_t row = 0; row < 64; ++row) {
        single->rmsNorm(rowsOf(x.view(), row, 1), gain.view(), 1e-6F, rowsOf(apart.view(), row, 1));
    }
    QVERIFY(isSame(together.view(), apart.view()));
    ops->siluMul(x.view(), up.view(), together.view());
    for (std::int64_t row = 0; row < 64; ++row) {
        single->siluMul(rowsOf(x.view(), row, 1), rowsOf(up.view(), row, 1),
                        rowsOf(apart.view(), row, 1));
    }
    QVERIFY(isSame(together.view(), apart.view()));
}

void TstBatchIndependence::groupsGiveTheBitsOfPlainProducts_data() {
    addIsas();
}

void TstBatchIndependence::groupsGiveTheBitsOfPlainProducts() {
    QFETCH(QString, isa);
    constexpr std::int64_t kTokens = 40, kColumns = 256, kRows = 45;
    constexpr std::int32_t kWeights = 6;
    for (const Format format :
         {Format::F32, Format::F16, Format::Q4_0, Format::Q4_K, Format::Q6_K}) {
        for (const auto precision : {ActivationPrecision::Int8, ActivationPrecision::Int16}) {
            kernels::check::Inputs inputs(m_seed);
            const Buffer x = inputs.activations(Shape{kTokens, kColumns});
            std::vector<Buffer> files;
            for (std::int32_t i = 0; i < kWeights; ++i) {
                files.push_back(inputs.weights(format, Shape{kRows, kColumns}));
            }
            // Tokens by turns to the weights; 3 gets nobody, 5 everybody that is left.
            std::vector<std::int32_t> sources;
            std::vector<kernels::RowGroup> groups;
            for (std::int32_t weight = 0; weight < kWeights; ++weight) {
                const auto first = static_cast<std::int32_t>(sources.size());
                for (std::int32_t token = 0; token < kTokens; ++token) {
                    const bool isTaken = weight == 5 || (weight != 3 && token % 7 == weight);
                    if (isTaken) {
                        sources.push_back(token);
                    }
                }
                groups.push_back({.weight = weight,
                                  .rows = static_cast<std::int32_t>(sources.size()) - first,
                                  .firstSource = first,
                                  .firstOut = first});
            }
            for (const int threads : {1, 4}) {
                ThreadPool pool(threads);
                const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
                std::vector<std::unique_ptr<kernels::Weight>> stack;
                for (std::int32_t i = 0; i < kWeights; ++i) {
                    const auto layout = i % 2 == 0 ? WeightLayout::Packed : WeightLayout::File;
                    stack.push_back(
                        ops->prepare(files[static_cast<std::size_t>(i)].view(), layout, precision));
                }
                const Shape shape{std::ssize(sources), kRows};
                Buffer out = inputs.poisoned(shape);
                const kernels::WeightStack stacks[] = {stack};
                const View view = out.view();
                ops->matmulGroups(x.view(), sources, groups, stacks, {&view, 1});
                Buffer wanted = inputs.poisoned(shape);
                for (const kernels::RowGroup& group : groups) {
                    for (std::int32_t i = 0; i < group.rows; ++i) {
                        const kernels::Weight* weight =
                            stack[static_cast<std::size_t>(group.weight)].get();
                        const View row = rowsOf(wanted.view(), group.firstOut + i, 1);
                        const std::int32_t source =
                            sources[static_cast<std::size_t>(group.firstSource + i)];
                        ops->matmul(rowsOf(x.view(), source, 1), {&weight, 1}, {&row, 1});
                    }
                }
                QVERIFY2(isSame(out.view(), wanted.view()),
                         fmt::format("{}, {} threads, seed {}", kernels::traits(format).name,
                                     threads, m_seed)
                             .c_str());
            }
        }
    }
}

void TstBatchIndependence::routesOfATokenNeverChange() {
    constexpr std::int64_t kTokens = 300, kExperts = 64;
    constexpr kernels::RoutingRule kRule{.gate = kernels::ExpertGate::Sigmoid,
                                         .used = 6,
                                         .groups = 8,
                                         .groupsUsed = 3,
                                         .groupScore = kernels::GroupScore::SumOfBestTwo,
                                         .normalises = true};
    kernels::check::Inputs inputs(m_seed);
    ThreadPool pool(5);
    const auto ops = kernels::makeCpuOps(pool);
    const Buffer logits = inputs.normal(Shape{kTokens, kExperts}, 1.0F);
    Buffer together = inputs.poisoned(Shape{kTokens, 6});
    Buffer apart = inputs.poisoned(Shape{kTokens, 6});
    std::vector<std::int32_t> chosen(kTokens * 6), chosenApart(kTokens * 6);
    ops->routeExperts(logits.view(), {}, kRule, chosen, together.view());
    for (std::int64_t token = 0; token < kTokens; ++token) {
        const auto part = std::span(chosenApart).subspan(static_cast<std::size_t>(6 * token), 6);
        ops->routeExperts(rowsOf(logits.view(), token, 1), {}, kRule, part,
                          rowsOf(apart.view(), token, 1));
    }
    QVERIFY(isSame(together.view(), apart.view()));
    QVERIFY(chosen == chosenApart);
}

QTEST_APPLESS_MAIN(TstBatchIndependence)
#include "tst_batch_independence.moc"
