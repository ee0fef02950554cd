// Matrices in another format, and products of eight-bit floats.
#include "kernels/check_inputs.h"
#include "kernels/convert.h"
#include "kernels/float8.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"

#include <QTest>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

using kernels::Buffer;
using kernels::Format;
using kernels::Shape;
using kernels::ThreadPool;

namespace {

kernels::View weightView(const Buffer& converted, Format format, Shape shape) {
    return {.data = converted.view().data, .format = format, .shape = shape};
}

// What a row of F8 stands for, decoded apart.
std::vector<double> valuesOf(const Buffer& converted, std::int64_t rows, std::int64_t columns) {
    const auto* bytes = static_cast<const std::uint8_t*>(converted.view().data);
    std::vector<double> values;
    for (std::int64_t row = 0; row < rows; ++row, bytes += columns + 4) {
        float scale;
        std::memcpy(&scale, bytes + columns, sizeof scale);
        for (std::int64_t k = 0; k < columns; ++k) {
            values.push_back(static_cast<double>(kernels::floatFromE4M3(bytes[k])) *
                             static_cast<double>(scale));
        }
    }
    return values;
}

} // namespace

class TstConvert : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyEightBitFloatComesBack();
    void eightBitFloatsRoundToTheNearest();
    void rowsOfEightBitFloatsAreClose();
    void productsOfEightBitFloatsAreClose_data();
    void productsOfEightBitFloatsAreClose();
    void rowsOfOtherFormatsAreAsQuantised();
    void factorsOfMatricesAreMultiplied();
    void noNumberIsKept();
    void theSmallestRowsAreZero();
    void conversionEndsWhereItIsTold();

private:
    std::uint64_t m_seed = std::random_device()();
};

void TstConvert::everyEightBitFloatComesBack() {
    for (int code = 0; code < 256; ++code) {
        const float value = kernels::floatFromE4M3(static_cast<std::uint8_t>(code));
        const int back = kernels::e4m3FromFloat(value);
        QVERIFY((code & 127) == 127 ? (back & 127) == 127 : back == code);
    }
    QCOMPARE(int{kernels::e4m3FromFloat(1e9F)}, 0x7E);
    QCOMPARE(int{kernels::e4m3FromFloat(-INFINITY)}, 0xFE);
}

// Against the nearest of all finite codes, found by looking at each of them.
void TstConvert::eightBitFloatsRoundToTheNearest() {
    kernels::check::Inputs inputs(m_seed);
    for (int i = 0; i < 20'000; ++i) {
        const auto x = static_cast<float>(inputs.normal() * std::exp2(inputs.uniform() * 24 - 14));
        if (std::abs(x) > 448.0F) {
            continue;
        }
        double nearest = INFINITY;
        for (int code = 0; code < 127; ++code) {
            const double value = kernels::floatFromE4M3(static_cast<std::uint8_t>(code));
            nearest = std::min(nearest, std::abs(std::abs(static_cast<double>(x)) - value));
        }
        const double got = kernels::floatFromE4M3(kernels::e4m3FromFloat(x));
        QCOMPARE(std::abs(static_cast<double>(x) - got), nearest);
    }
}

void TstConvert::rowsOfEightBitFloatsAreClose() {
    ThreadPool pool(3);
    kernels::check::Inputs inputs(m_seed);
    const Buffer source = inputs.normal(Shape{37, 83}, 0.02F);
    const Buffer converted = kernels::convertRows(source.view(), Format::F8, pool);
    const auto values = valuesOf(converted, 37, 83);
    for (std::int64_t row = 0; row < 37; ++row) {
        const float* x = source.view().f32() + row * 83;
        const float largest = std::abs(*std::max_element(
            x, x + 83, [](float a, float b) { return std::abs(a) < std::abs(b); }));
        for (std::int64_t k = 0; k < 83; ++k) {
            // Half a step of three mantissa bits, or of the subnormal codes.
            const double bound = std::max(std::abs(static_cast<double>(x[k])) / 16.0,
                                          static_cast<double>(largest) / 448.0 * 0x1p-10) *
                                 1.0001;
            const double error = std::abs(values[static_cast<std::size_t>(row * 83 + k)] -
                                          static_cast<double>(x[k]));
            QVERIFY2(error <= bound,
                     fmt::format("row {}, {}: {}, seed {}", row, k, error, m_seed).c_str());
        }
    }
}

void TstConvert::productsOfEightBitFloatsAreClose_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("tokens");
    for (const std::string& isa : kernels::cpuIsas()) {
        for (const int tokens : {1, 2, 3, 5, 8, 9, 61}) {
            QTest::addRow("%s, %d tokens", isa.c_str(), tokens)
                << QString::fromStdString(isa) << tokens;
        }
    }
}

void TstConvert::productsOfEightBitFloatsAreClose() {
    QFETCH(QString, isa);
    QFETCH(int, tokens);
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Shape shape{71, 203};
    const Buffer converted =
        kernels::convertRows(inputs.normal(shape, 0.3F).view(), Format::F8, pool);
    const auto values = valuesOf(converted, shape[0], shape[1]);
    const Buffer x = inputs.normal(Shape{tokens, shape[1]}, 1.0F);
    const auto wanted =
        kernels::reference::matmul(kernels::reference::decode(x.view()), values, shape[1]);
    std::vector<float> packed;
    for (const auto layout : {kernels::WeightLayout::Packed, kernels::WeightLayout::File}) {
        const auto weight = ops->prepare(weightView(converted, Format::F8, shape), layout);
        const Buffer out = inputs.poisoned(Shape{tokens, shape[0]});
        const kernels::Weight* const weights[] = {weight.get()};
        const kernels::View outs[] = {out.view()};
        ops->matmul(x.view(), weights, outs);
        const std::vector<float> got(out.view().f32(),
                                     out.view().f32() + out.view().shape.elements());
        std::string text;
        QVERIFY2(tests::closeTo<float>(got, wanted, 2e-6, &text),
                 fmt::format("{}, seed {}", text, m_seed).c_str());
        if (packed.empty()) {
            packed = got;
        }
        QVERIFY(got == packed);
        // One row by itself has the same bits, and a row of the table is what it stands for.
        const Buffer alone = inputs.poisoned(Shape{1, shape[0]});
        const kernels::View first[] = {alone.view()};
        ops->matmul(x.view().first(1), weights, first);
        QVERIFY(std::equal(alone.view().f32(), alone.view().f32() + shape[0], got.begin()));
        const Buffer row = inputs.poisoned(Shape{1, shape[1]});
        const std::int32_t id = 70;
        ops->embed(*weight, {&id, 1}, row.view());
        QVERIFY(std::abs(static_cast<double>(row.view().f32()[5]) -
                         values[static_cast<std::size_t>(70 * shape[1] + 5)]) <= 1e-7);
    }
}

void TstConvert::rowsOfOtherFormatsAreAsQuantised() {
    ThreadPool pool(2);
    kernels::check::Inputs inputs(m_seed);
    const Buffer source = inputs.normal(Shape{19, 64}, 1.0F);
    const std::span<const float> all(source.view().f32(), 19 * 64);
    for (const Format format : {Format::F16, Format::BF16, Format::Q8_0, Format::Q4_1}) {
        const Buffer converted = kernels::convertRows(source.view(), format, pool);
        std::vector<std::byte> wanted(kernels::formatBytes(format, all.size()));
        kernels::quantize(format, all, wanted.data());
        QVERIFY(std::memcmp(converted.view().data, wanted.data(), wanted.size()) == 0);
    }
    const Buffer odd = inputs.normal(Shape{2, 33}, 1.0F);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             kernels::convertRows(odd.view(), Format::Q8_0, pool));
}

void TstConvert::factorsOfMatricesAreMultiplied() {
    ThreadPool pool(2);
    kernels::check::Inputs inputs(m_seed);
    const Buffer matrix = inputs.weights(Format::NVFP4, {5, 64});
    kernels::View view = matrix.view();
    view.factor = 0.3F;
    std::vector<float> values(5 * 64);
    kernels::dequantize(Format::NVFP4, static_cast<const std::byte*>(view.data), values);
    const Buffer converted = kernels::convertRows(view, Format::F32, pool, {});
    for (std::size_t i = 0; i < values.size(); ++i) {
        QCOMPARE(converted.view().f32()[i], values[i] * 0.3F);
    }
}

void TstConvert::noNumberIsKept() {
    ThreadPool pool(1);
    kernels::check::Inputs inputs(m_seed);
    const Buffer source = inputs.normal(Shape{2, 40}, 1.0F);
    source.view().f32()[3] = std::numeric_limits<float>::quiet_NaN();
    const auto values = valuesOf(kernels::convertRows(source.view(), Format::F8, pool), 2, 40);
    QVERIFY(std::isnan(values[0]) && std::isnan(values[39]));
    QVERIFY(std::isfinite(values[40]));
}

// Their inverse is beyond the largest number: zeros among them would be no numbers.
void TstConvert::theSmallestRowsAreZero() {
    ThreadPool pool(1);
    for (const float largest : {0.0F, 1e-44F, 1e-38F, 1e-36F}) {
        const Buffer source = Buffer::cpu(Format::F32, Shape{1, 32});
        source.view().f32()[5] = -largest;
        for (const double value :
             valuesOf(kernels::convertRows(source.view(), Format::F8, pool), 1, 32)) {
            QCOMPARE(std::abs(value), 0.0);
        }
    }
    const Buffer source = Buffer::cpu(Format::F32, Shape{1, 32});
    source.view().f32()[5] = -1e-20F;
    const auto values = valuesOf(kernels::convertRows(source.view(), Format::F8, pool), 1, 32);
    QVERIFY(std::abs(values[5] + 1e-20) < 1e-26 && values[0] == 0.0);
}

void TstConvert::conversionEndsWhereItIsTold() {
    ThreadPool pool(2);
    kernels::check::Inputs inputs(m_seed);
    const Buffer source = inputs.normal(Shape{600, 32}, 1.0F);
    std::atomic<int> calls{0};
    QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                             kernels::convertRows(source.view(), Format::F16, pool, [&] {
                                 if (++calls == 2) {
                                     throw std::runtime_error("enough");
                                 }
                             }));
}

QTEST_APPLESS_MAIN(TstConvert)
#include "tst_convert.moc"
