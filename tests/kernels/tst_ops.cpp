// Every operator of every instruction set of this machine against the double-precision reference.
#include "kernels/check.h"
#include "kernels/check_inputs.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

class TstOps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOperatorIsCloseToTheReference_data();
    void everyOperatorIsCloseToTheReference();
    void productsOfRandomShapesAreClose_data();
    void productsOfRandomShapesAreClose();
    void twoTermsAreMuchCloser();
    void exponentialIsAccurate_data();
    void exponentialIsAccurate();
};

namespace {

void addIsas() {
    QTest::addColumn<QString>("isa");
    for (const std::string& isa : kernels::cpuIsas()) {
        QTest::addRow("%s", isa.c_str()) << QString::fromStdString(isa);
    }
}

std::vector<float> product(kernels::Ops& ops, const kernels::View& x, const kernels::View& source,
                           kernels::WeightLayout layout, kernels::ActivationPrecision precision) {
    const auto weight = ops.prepare(source, layout, precision);
    const kernels::Weight* pointer = weight.get();
    std::vector<float> out(static_cast<std::size_t>(x.shape[0] * source.shape[0]), NAN);
    const kernels::View view{.data = out.data(),
                             .format = kernels::Format::F32,
                             .shape = kernels::Shape{x.shape[0], source.shape[0]},
                             .device = kernels::Device::Cpu};
    ops.matmul(x, {&pointer, 1}, {&view, 1});
    return out;
}

} // namespace

void TstOps::everyOperatorIsCloseToTheReference_data() {
    addIsas();
}

void TstOps::everyOperatorIsCloseToTheReference() {
    QFETCH(QString, isa);
    const std::uint64_t seed = std::random_device()();
    kernels::ThreadPool pool(3);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    const auto results = kernels::checkOps(*ops, seed);
    QVERIFY(results.size() > 150);
    for (const kernels::CheckResult& result : results) {
        QVERIFY2(result.passed,
                 fmt::format("{} on {}: error {:.3g}, bound {:.3g}, seed {}; {}", result.name,
                             isa.toStdString(), result.error, result.bound, seed, result.detail)
                     .c_str());
    }
}

void TstOps::productsOfRandomShapesAreClose_data() {
    addIsas();
}

void TstOps::productsOfRandomShapesAreClose() {
    QFETCH(QString, isa);
    const std::uint64_t seed = std::random_device()();
    std::mt19937_64 random(seed);
    const auto upTo = [&](std::int64_t most) {
        return 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    kernels::ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(seed);
    for (int round = 0; round < 40; ++round) {
        const auto format = static_cast<kernels::Format>(random() % 19);
        const kernels::FormatTraits& traits = kernels::traits(format);
        const std::int64_t columns = traits.blockElements * upTo(700 / traits.blockElements);
        const std::int64_t rows = upTo(70);
        const std::int64_t tokens = upTo(70);
        const auto layout =
            random() % 2 == 0 ? kernels::WeightLayout::Packed : kernels::WeightLayout::File;
        const auto precision = random() % 2 == 0 ? kernels::ActivationPrecision::Int8
                                                 : kernels::ActivationPrecision::Int16;
        const kernels::Buffer source = inputs.weights(format, kernels::Shape{rows, columns});
        kernels::View matrix = source.view();
        if (format == kernels::Format::NVFP4 && random() % 2 == 0) {
            matrix.factor = 3.7e-4F; // as small as files have it
        }
        const kernels::Buffer x = inputs.normal(kernels::Shape{tokens, columns}, 1.0F);
        const auto got = product(*ops, x.view(), matrix, layout, precision);
        const auto values = kernels::reference::decode(x.view());
        const bool isInteger = traits.blockElements > 1;
        const auto wanted = kernels::reference::matmul(
            isInteger ? kernels::reference::roundActivations(values, precision) : values,
            kernels::reference::decode(matrix), columns);
        // Eight roundings of a sum of `columns`, as a random walk.
        const double bound = 8.0 * 0x1p-24 * std::sqrt(static_cast<double>(columns) + 16.0);
        std::string text;
        QVERIFY2(tests::closeTo<float>(got, wanted, bound, &text),
                 fmt::format("{} [{} x {}], {} tokens, layout {}, precision {}, seed {}: {}",
                             traits.name, rows, columns, tokens, static_cast<int>(layout),
                             static_cast<int>(precision), seed, text)
                     .c_str());
    }
}

void TstOps::twoTermsAreMuchCloser() {
    kernels::ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(11);
    const kernels::Buffer source = inputs.weights(kernels::Format::Q4_1, kernels::Shape{200, 576});
    const kernels::Buffer x = inputs.normal(kernels::Shape{9, 576}, 1.0F);
    const auto wanted = kernels::reference::matmul(kernels::reference::decode(x.view()),
                                                   kernels::reference::decode(source.view()), 576);
    const auto errorWith = [&](kernels::ActivationPrecision precision) {
        const auto got =
            product(*ops, x.view(), source.view(), kernels::WeightLayout::Packed, precision);
        return tests::compare<float>(got, wanted).relativeNorm;
    };
    const double coarse = errorWith(kernels::ActivationPrecision::Int8);
    const double fine = errorWith(kernels::ActivationPrecision::Int16);
    QVERIFY2(coarse > 1e-3 && coarse < 8e-3 && fine < coarse / 150.0,
             fmt::format("8 bits {:.3g}, 16 bits {:.3g}", coarse, fine).c_str());
}

void TstOps::exponentialIsAccurate_data() {
    addIsas();
}

void TstOps::exponentialIsAccurate() {
    QFETCH(QString, isa);
    const kernels::cpu::KernelTable& kernels =
        isa == QLatin1String("avx512") ? kernels::cpu::avx512Kernels()
        : isa == QLatin1String("avx2") ? kernels::cpu::avx2Kernels()
                                       : kernels::cpu::scalarKernels();
    std::vector<float> in{0.0F, -0.0F, -INFINITY, -1000.0F, -87.5F, NAN, INFINITY, 88.0F};
    const std::size_t special = in.size();
    for (int i = 0; i <= 100000; ++i) {
        in.push_back(-87.0F + 175.0F * static_cast<float>(i) / 100000.0F);
    }
    std::vector<float> out(in.size());
    kernels.expRange(in.data(), out.data(), static_cast<std::int64_t>(in.size()));
    QCOMPARE(out[0], 1.0F);
    QCOMPARE(out[1], 1.0F);
    QVERIFY(out[2] == 0.0F && out[3] == 0.0F && out[4] == 0.0F);
    QVERIFY(std::isnan(out[5]));
    QVERIFY(out[6] > 1e38F);
    double worst = 0.0;
    for (std::size_t i = special; i < in.size(); ++i) {
        const double wanted = std::exp(static_cast<double>(in[i]));
        worst = std::max(worst, std::abs(static_cast<double>(out[i]) - wanted) / wanted);
    }
    QVERIFY2(worst <= 2.0 * 0x1p-23, fmt::format("relative error {:.3g}", worst).c_str());
}

QTEST_APPLESS_MAIN(TstOps)
#include "tst_ops.moc"
