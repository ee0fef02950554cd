// The executor's versions of special instructions, against what their documentation says: fragments
// lane by lane, 8- and 16-bit conversions over all codes.
#include "kernels/float8.h"
#include "kernels/half.h"
#include "tests/kernels/simt_samples.h"
#include "tests/support/simt/device.h"
#include "tests/support/simt/device_array.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

using simt::DeviceArray;
using tests::Product;

Q_DECLARE_METATYPE(tests::Product)

class TstSimtIntrinsics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void matrixProductsFollowTheirFragments_data();
    void matrixProductsFollowTheirFragments();
    void matrixLoadsDistributeRows();
    void conversionsAreThoseOfTheCpu();
    void eightBitFloatsAreTheNearest();
    void approximationsStayWithinTheirBound();
    void shufflesFollowWidthAndMask_data();
    void shufflesFollowWidthAndMask();
    void votesSeeAllLanes();
    void dotProductsAreSigned();
};

namespace {

std::mt19937 dice(20261130); // one seed: the same codes in every run

float decoded(Product kind, std::uint32_t bits) {
    switch (kind) {
    case Product::Half:
        return kernels::floatFromHalf(static_cast<std::uint16_t>(bits));
    case Product::Brain:
        return kernels::floatFromBrain(static_cast<std::uint16_t>(bits));
    case Product::Int8:
        return static_cast<float>(static_cast<std::int8_t>(bits));
    case Product::E4M3:
        break;
    }
    return kernels::floatFromE4M3(static_cast<std::uint8_t>(bits));
}

// A code of a moderate value.
std::uint32_t randomCode(Product kind) {
    const float value = std::uniform_real_distribution<float>(-2.0F, 2.0F)(dice);
    switch (kind) {
    case Product::Half:
        return kernels::halfFromFloat(value);
    case Product::Brain:
        return kernels::brainFromFloat(value);
    case Product::Int8:
        return static_cast<std::uint8_t>(dice());
    case Product::E4M3:
        break;
    }
    return dice() % 0x40U + (dice() % 2 == 0 ? 0x80U : 0U); // below 2
}

struct Element {
    unsigned lane, word, byte; // of its lowest bit
};

// The figures of the PTX ISA for m16n8k16 and m16n8k32, as formulas from matrix to register; the
// executor has them the other way round.
Element placeInA(unsigned row, unsigned column, unsigned perWord) {
    const unsigned half = 4 * perWord; // columns of one register
    return {row % 8 * 4 + column % half / perWord, row / 8 + column / half * 2,
            column % perWord * (4 / perWord)};
}
Element placeInB(unsigned row, unsigned column, unsigned perWord) {
    const unsigned half = 4 * perWord;
    return {column * 4 + row % half / perWord, row / half, row % perWord * (4 / perWord)};
}

template <class D>
std::string productProblem(Product kind) {
    const unsigned perWord = kind == Product::Half || kind == Product::Brain ? 2 : 4;
    const unsigned depth = perWord * 8;
    std::vector<std::uint32_t> a(32 * 4), b(32 * 2);
    std::vector<double> left(16 * depth), right(depth * 8);
    for (unsigned row = 0; row < 16; ++row) {
        for (unsigned k = 0; k < depth; ++k) {
            const std::uint32_t code = randomCode(kind);
            const Element at = placeInA(row, k, perWord);
            a[at.lane * 4 + at.word] |= code << 8 * at.byte;
            left[row * depth + k] = static_cast<double>(decoded(kind, code));
        }
    }
    for (unsigned k = 0; k < depth; ++k) {
        for (unsigned column = 0; column < 8; ++column) {
            const std::uint32_t code = randomCode(kind);
            const Element at = placeInB(k, column, perWord);
            b[at.lane * 2 + at.word] |= code << 8 * at.byte;
            right[k * 8 + column] = static_cast<double>(decoded(kind, code));
        }
    }
    std::vector<D> start(32 * 4);
    std::iota(start.begin(), start.end(), D{-50});
    const DeviceArray<std::uint32_t> deviceA(a), deviceB(b);
    const DeviceArray<D> d(start);
    tests::multiplyFragments({deviceA.data(), deviceB.data(), d.data()}, kind, nullptr);
    const auto got = d.read();
    for (unsigned row = 0; row < 16; ++row) {
        for (unsigned column = 0; column < 8; ++column) {
            const unsigned at = (row % 8 * 4 + column / 2) * 4 + row / 8 * 2 + column % 2;
            double sum = static_cast<double>(start[at]);
            for (unsigned k = 0; k < depth; ++k) {
                sum += left[row * depth + k] * right[k * 8 + column];
            }
            const double bound = kind == Product::Int8 ? 0.0 : 1e-4;
            if (!(std::abs(static_cast<double>(got[at]) - sum) <= bound)) {
                return fmt::format("row {} column {}: {} instead of {}", row, column, got[at], sum);
            }
        }
    }
    return "";
}

// Every value of 16 bits, and what lies around it.
std::vector<float> floatsAroundHalves() {
    std::vector<float> values;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float value = kernels::floatFromHalf(static_cast<std::uint16_t>(bits));
        values.push_back(value);
        values.push_back(std::nextafter(value, 1e30F));
        const std::uint32_t tie = kernels::bitsOfFloat(value) + 0x1000U; // half way to the next
        values.push_back(kernels::floatFromBits(tie));
        values.push_back(kernels::floatFromBits(bits << 16 | 0x8000U));
    }
    return values;
}

bool isSame(float a, float b) {
    return std::isnan(a) ? std::isnan(b)
                         : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

} // namespace

void TstSimtIntrinsics::matrixProductsFollowTheirFragments_data() {
    QTest::addColumn<Product>("kind");
    QTest::addRow("half") << Product::Half;
    QTest::addRow("brain") << Product::Brain;
    QTest::addRow("int8") << Product::Int8;
    QTest::addRow("e4m3") << Product::E4M3;
}

void TstSimtIntrinsics::matrixProductsFollowTheirFragments() {
    QFETCH(Product, kind);
    simt::Device device({.schedule = simt::Schedule::Random});
    for (int repetition = 0; repetition < 20; ++repetition) {
        const std::string problem =
            kind == Product::Int8 ? productProblem<int>(kind) : productProblem<float>(kind);
        QVERIFY2(problem.empty(), problem.c_str());
    }
}

void TstSimtIntrinsics::matrixLoadsDistributeRows() {
    simt::Device device;
    std::vector<std::uint16_t> rows(32 * 8);
    std::iota(rows.begin(), rows.end(), std::uint16_t{1000});
    const DeviceArray<std::uint16_t> in(rows);
    const DeviceArray<std::uint32_t> out(32 * 4);
    for (const bool isTransposed : {false, true}) {
        tests::loadMatrices(in.data(), out.data(), isTransposed, nullptr);
        const auto got = out.read();
        for (unsigned lane = 0; lane < 32; ++lane) {
            for (unsigned matrix = 0; matrix < 4; ++matrix) {
                const unsigned outer = lane / 4, inner = lane % 4 * 2;
                const auto element = [&](unsigned row, unsigned column) {
                    return std::uint32_t{rows[(matrix * 8 + row) * 8 + column]};
                };
                const std::uint32_t expected =
                    isTransposed ? element(inner, outer) | element(inner + 1, outer) << 16
                                 : element(outer, inner) | element(outer, inner + 1) << 16;
                QCOMPARE(got[lane * 4 + matrix], expected);
            }
        }
    }
}

void TstSimtIntrinsics::conversionsAreThoseOfTheCpu() {
    simt::Device device;
    const auto values = floatsAroundHalves();
    const DeviceArray<float> in(values), halves(values.size()), brains(values.size()),
        codes(values.size());
    tests::convert(in.data(), halves.data(), brains.data(), codes.data(),
                   static_cast<int>(values.size()), nullptr);
    const auto gotHalves = halves.read(), gotBrains = brains.read();
    for (std::size_t i = 0; i < values.size(); ++i) {
        QVERIFY(isSame(gotHalves[i], kernels::floatFromHalf(kernels::halfFromFloat(values[i]))));
        QVERIFY(isSame(gotBrains[i], kernels::floatFromBrain(kernels::brainFromFloat(values[i]))));
    }
}

void TstSimtIntrinsics::eightBitFloatsAreTheNearest() {
    simt::Device device;
    const auto values = floatsAroundHalves();
    const DeviceArray<float> in(values), halves(values.size()), brains(values.size()),
        codes(values.size());
    tests::convert(in.data(), halves.data(), brains.data(), codes.data(),
                   static_cast<int>(values.size()), nullptr);
    const auto got = codes.read();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isnan(values[i])) {
            QVERIFY(std::isnan(got[i]));
            continue;
        }
        // The nearest of all codes; of two as near the one with an even mantissa.
        const double magnitude = std::min(std::abs(static_cast<double>(values[i])), 448.0);
        double nearest = 0.0, distance = std::numeric_limits<double>::infinity();
        for (std::uint8_t code = 0; code < 0x7F; ++code) {
            const auto candidate = static_cast<double>(kernels::floatFromE4M3(code));
            const double here = std::abs(candidate - magnitude);
            if (here < distance || (here == distance && code % 2 == 0)) {
                nearest = candidate;
                distance = here;
            }
        }
        const double expected = std::copysign(nearest, static_cast<double>(values[i]));
        QVERIFY2(static_cast<double>(got[i]) == expected,
                 fmt::format("{} became {} instead of {}", values[i], got[i], expected).c_str());
    }
}

void TstSimtIntrinsics::approximationsStayWithinTheirBound() {
    simt::Device device;
    std::vector<float> values;
    std::uniform_real_distribution<float> distribution(-120.0F, 120.0F);
    for (int i = 0; i < 4096; ++i) {
        values.push_back(distribution(dice));
    }
    values.push_back(-std::numeric_limits<float>::infinity());
    values.push_back(-140.0F); // its power is subnormal
    const DeviceArray<float> in(values), powers(values.size()), roots(values.size());
    tests::approximate(in.data(), powers.data(), roots.data(), static_cast<int>(values.size()),
                       nullptr);
    const auto gotPowers = powers.read(), gotRoots = roots.read();
    bool isExact = true;
    for (std::size_t i = 0; i + 2 < values.size(); ++i) {
        const auto x = static_cast<double>(values[i]);
        const double power = static_cast<double>(gotPowers[i]) / std::exp2(x) - 1.0;
        QVERIFY(std::abs(power) <= 0x1p-22);
        isExact = isExact && power == 0.0;
        if (x > 0.0) {
            QVERIFY(std::abs(static_cast<double>(gotRoots[i]) * std::sqrt(x) - 1.0) <= 0x1p-22);
        } else {
            QVERIFY(std::isnan(gotRoots[i]));
        }
    }
    QVERIFY(!isExact); // or no kernel would be tested against the error there is
    QCOMPARE(gotPowers[values.size() - 2], 0.0F);
    QCOMPARE(gotPowers[values.size() - 1], 0.0F);
}

void TstSimtIntrinsics::shufflesFollowWidthAndMask_data() {
    QTest::addColumn<int>("argument");
    QTest::addColumn<int>("width");
    QTest::addColumn<unsigned>("mask");
    for (const int width : {32, 16, 8, 4, 2, 1}) {
        for (const int argument : {0, 1, 3, 5, 17, 31}) {
            QTest::addRow("%d in %d", argument, width) << argument << width << 0xFFFFFFFFU;
            QTest::addRow("%d in %d of some", argument, width) << argument << width << 0x0F0FF0F3U;
        }
    }
}

void TstSimtIntrinsics::shufflesFollowWidthAndMask() {
    QFETCH(int, argument);
    QFETCH(int, width);
    QFETCH(unsigned, mask);
    simt::Device device({.schedule = simt::Schedule::Random});
    const DeviceArray<int> out(4 * 32);
    tests::shuffleLanes(argument, width, mask, out.data(), nullptr);
    const auto got = out.read();
    for (int lane = 0; lane < 32; ++lane) {
        if ((mask >> lane & 1U) == 0) {
            continue;
        }
        const int first = lane / width * width;
        const auto isInside = [&](int other) { return other >= first && other < first + width; };
        const int sources[] = {first + argument % width,
                               isInside(lane - argument) ? lane - argument : lane,
                               isInside(lane + argument) ? lane + argument : lane,
                               // towards lower segments it reads, towards higher ones not
                               (lane ^ argument) < first + width ? lane ^ argument : lane};
        for (int kind = 0; kind < 4; ++kind) {
            const int expected =
                (mask >> sources[kind] & 1U) != 0 ? sources[kind] : static_cast<int>(0xDEADBEEFU);
            QCOMPARE(got[static_cast<std::size_t>(kind * 32 + lane)], expected);
        }
    }
}

void TstSimtIntrinsics::votesSeeAllLanes() {
    simt::Device device;
    std::vector<int> values(32);
    for (int& value : values) {
        value = static_cast<int>(dice()) >> (dice() % 2 == 0 ? 16 : 31) & ~7;
    }
    const DeviceArray<int> in(values);
    const DeviceArray<unsigned> out(9);
    tests::voteLanes(in.data(), out.data(), nullptr);
    unsigned ballot = 0, add = 0, all = ~0U, any = 0, parity = 0;
    for (unsigned i = 0; i < 32; ++i) {
        const auto value = static_cast<unsigned>(values[i]);
        ballot |= (value != 0 ? 1U : 0U) << i;
        add += value;
        all &= value;
        any |= value;
        parity ^= value;
    }
    const std::vector<unsigned> expected = {
        ballot,
        ballot != 0 ? 1U : 0U,
        ballot == ~0U ? 1U : 0U,
        add,
        static_cast<unsigned>(*std::min_element(values.begin(), values.end())),
        static_cast<unsigned>(*std::max_element(values.begin(), values.end())),
        all,
        any,
        parity};
    QCOMPARE(out.read(), expected);
}

void TstSimtIntrinsics::dotProductsAreSigned() {
    simt::Device device;
    std::vector<int> a, b, expected;
    for (int i = 0; i < 1000; ++i) {
        a.push_back(i == 0 ? static_cast<int>(0x80808080U) : static_cast<int>(dice()));
        b.push_back(i == 0 ? static_cast<int>(0x80808080U) : static_cast<int>(dice()));
        int sum = i;
        for (unsigned k = 0; k < 4; ++k) {
            sum += static_cast<std::int8_t>(static_cast<unsigned>(a.back()) >> 8 * k) *
                   static_cast<std::int8_t>(static_cast<unsigned>(b.back()) >> 8 * k);
        }
        expected.push_back(sum);
    }
    const DeviceArray<int> left(a), right(b), out(a.size());
    tests::dotProducts(left.data(), right.data(), out.data(), static_cast<int>(a.size()), nullptr);
    QCOMPARE(out.read(), expected);
}

QTEST_APPLESS_MAIN(TstSimtIntrinsics)
#include "tst_simt_intrinsics.moc"
