// Formats: the table, bit-exact decoding against the reference vectors, encoders.
#include "kernels/formats.h"
#include "tests/support/reference_data.h"

#include <QFile>
#include <QTest>

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

using kernels::Format;

class TstFormats : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableAgreesWithItself();
    void unsupportedTypesHaveNames();
    void partialBlocksAreRefused();
    void plainNumbersDecodeExactly();
    void decodesGoldenBlocksBitForBit_data();
    void decodesGoldenBlocksBitForBit();
    void decodesReferenceVectorsBitForBit_data();
    void decodesReferenceVectorsBitForBit();
    void encodersComeClose_data();
    void encodersComeClose();
    void eightBitsKeepFewLevelsBetter();
    void encodersTakeHostileInput();
};

namespace {

QByteArray readAll(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// A format's share of tests/golden/quant_blocks.bin: see make_quant_blocks.py.
struct GoldenBlocks {
    QByteArray blocks;
    QByteArray values; // F32
};

GoldenBlocks goldenBlocks(int ggufType) {
    const QByteArray file = readAll(HEADWAY_SOURCE_DIR "/tests/golden/quant_blocks.bin");
    for (qsizetype at = 0; at + 12 <= file.size();) {
        std::array<std::uint32_t, 3> head{}; // type, bytes of blocks, bytes of values
        std::memcpy(head.data(), file.constData() + at, sizeof head);
        at += 12;
        if (static_cast<int>(head[0]) == ggufType) {
            return {file.mid(at, head[1]), file.mid(at + head[1], head[2])};
        }
        at += static_cast<qsizetype>(head[1]) + static_cast<qsizetype>(head[2]);
    }
    return {};
}

std::uint32_t bitsOf(float value) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

} // namespace

void TstFormats::tableAgreesWithItself() {
    for (int i = 0; i <= static_cast<int>(Format::F64); ++i) {
        const auto format = static_cast<Format>(i);
        const kernels::FormatTraits& traits = kernels::traits(format);
        QCOMPARE(static_cast<int>(traits.format), i);
        QCOMPARE(static_cast<int>(*kernels::formatFromGguf(traits.ggufType)), i);
        QCOMPARE(static_cast<int>(*kernels::formatFromName(traits.name)), i);
        QVERIFY(kernels::unsupportedGgufTypeName(traits.ggufType).empty());
        QCOMPARE(kernels::formatBytes(format, 3U * static_cast<unsigned>(traits.blockElements)),
                 3U * static_cast<std::size_t>(traits.blockBytes));
    }
    QVERIFY(!kernels::formatFromName("Q4_9"));
    QVERIFY(!kernels::formatFromGguf(-1));
}

void TstFormats::unsupportedTypesHaveNames() {
    QCOMPARE(kernels::unsupportedGgufTypeName(19), std::string_view("IQ1_S"));
    QCOMPARE(kernels::unsupportedGgufTypeName(29), std::string_view("IQ1_M"));
    QCOMPARE(kernels::unsupportedGgufTypeName(41), std::string_view("Q1_0"));
    QVERIFY(kernels::unsupportedGgufTypeName(43).empty());
    for (int type = -2; type < 64; ++type) { // no id is both
        QVERIFY(!kernels::formatFromGguf(type) || kernels::unsupportedGgufTypeName(type).empty());
    }
}

void TstFormats::partialBlocksAreRefused() {
    std::vector<float> values(33);
    std::vector<std::byte> bytes(64);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, kernels::formatBytes(Format::Q4_0, 33));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             kernels::dequantize(Format::Q4_0, bytes.data(), values));
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             kernels::quantize(Format::Q4_0, values, bytes.data()));
    values.resize(256);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument,
                             kernels::quantize(Format::TQ1_0, values, bytes.data()));
}

void TstFormats::plainNumbersDecodeExactly() {
    // Every F16 and BF16 pattern survives decoding and encoding, NaN as some NaN.
    for (const Format format : {Format::F16, Format::BF16}) {
        for (int pattern = 0; pattern < 65536; ++pattern) {
            const auto stored = static_cast<std::uint16_t>(pattern);
            std::uint16_t again = 0;
            float value = 0.0F;
            kernels::dequantize(format, reinterpret_cast<const std::byte*>(&stored), {&value, 1});
            kernels::quantize(format, {&value, 1}, reinterpret_cast<std::byte*>(&again));
            if (std::isnan(value)) {
                float decoded = 0.0F;
                kernels::dequantize(format, reinterpret_cast<const std::byte*>(&again),
                                    {&decoded, 1});
                QVERIFY(std::isnan(decoded));
            } else {
                QCOMPARE(again, stored);
            }
        }
    }
    const auto half = [](float value) {
        std::uint16_t bits = 0;
        kernels::quantize(Format::F16, {&value, 1}, reinterpret_cast<std::byte*>(&bits));
        return bits;
    };
    QCOMPARE(half(1.0F + 0x1p-11F), std::uint16_t{0x3C00}); // ties to even
    QCOMPARE(half(1.0F + 3 * 0x1p-11F), std::uint16_t{0x3C02});
    QCOMPARE(half(65519.0F), std::uint16_t{0x7BFF});
    QCOMPARE(half(65520.0F), std::uint16_t{0x7C00});
    QCOMPARE(half(-0x1p-25F), std::uint16_t{0x8000});
    QCOMPARE(half(0x1.8p-25F), std::uint16_t{0x0001});
    const std::int64_t large = -5;
    float value = 0.0F;
    kernels::dequantize(Format::I64, reinterpret_cast<const std::byte*>(&large), {&value, 1});
    QCOMPARE(value, -5.0F);
}

namespace {

void addBlockFormatRows() {
    QTest::addColumn<int>("format");
    for (int i = static_cast<int>(Format::Q4_0); i <= static_cast<int>(Format::TQ2_0); ++i) {
        QTest::addRow("%s", kernels::traits(static_cast<Format>(i)).name.data()) << i;
    }
}

void compareBits(const kernels::FormatTraits& traits, const QByteArray& blocks,
                 const QByteArray& wanted) {
    QVERIFY(!blocks.isEmpty());
    const auto count = static_cast<std::size_t>(wanted.size()) / sizeof(float);
    QCOMPARE(kernels::formatBytes(traits.format, count), static_cast<std::size_t>(blocks.size()));
    // Off by one byte: files align blocks to nothing.
    std::vector<std::byte> source(static_cast<std::size_t>(blocks.size()) + 1);
    std::memcpy(source.data() + 1, blocks.constData(), static_cast<std::size_t>(blocks.size()));
    std::vector<float> values(count, 123.0F);
    kernels::dequantize(traits.format, source.data() + 1, values);
    for (std::size_t i = 0; i < count; ++i) {
        float reference = 0.0F;
        std::memcpy(&reference, wanted.constData() + i * sizeof(float), sizeof reference);
        QVERIFY2(bitsOf(values[i]) == bitsOf(reference),
                 fmt::format("{} element {}: {:08x} ({}), reference {:08x} ({})", traits.name, i,
                             bitsOf(values[i]), values[i], bitsOf(reference), reference)
                     .c_str());
    }
}

} // namespace

void TstFormats::decodesGoldenBlocksBitForBit_data() {
    addBlockFormatRows();
}

void TstFormats::decodesGoldenBlocksBitForBit() {
    QFETCH(int, format);
    const kernels::FormatTraits& traits = kernels::traits(static_cast<Format>(format));
    const GoldenBlocks golden = goldenBlocks(traits.ggufType);
    compareBits(traits, golden.blocks, golden.values);
}

void TstFormats::decodesReferenceVectorsBitForBit_data() {
    addBlockFormatRows();
}

void TstFormats::decodesReferenceVectorsBitForBit() {
    QFETCH(int, format);
    const kernels::FormatTraits& traits = kernels::traits(static_cast<Format>(format));
    const std::filesystem::path folder = tests::referenceData();
    if (folder.empty()) {
        QSKIP("the reference vectors are absent: set HEADWAY_REFERENCE_DATA to their folder");
    }
    const QByteArray blocks =
        readAll(folder / "quant" / (std::string(traits.name) + ".blocks.bin"));
    const QByteArray wanted = readAll(folder / "quant" / (std::string(traits.name) + ".f32.bin"));
    compareBits(traits, blocks, wanted);
}

void TstFormats::encodersComeClose_data() {
    QTest::addColumn<int>("format");
    QTest::addColumn<double>("bound"); // relative error of normal numbers
    const auto add = [](Format format, double bound) {
        QTest::addRow("%s", kernels::traits(format).name.data())
            << static_cast<int>(format) << bound;
    };
    // A uniform rounding error of one step over a range of about 4.2 (32 normal numbers) or, for
    // groups that share six-bit scales, a little more.
    add(Format::F32, 0.0);
    add(Format::F16, 3e-4);
    add(Format::BF16, 2.5e-3);
    add(Format::Q4_0, 0.11);
    add(Format::Q4_1, 0.09);
    add(Format::Q5_0, 0.055);
    add(Format::Q5_1, 0.045);
    add(Format::Q8_0, 0.007);
    add(Format::Q4_K, 0.11);
    add(Format::Q5_K, 0.06);
    add(Format::Q6_K, 0.03);
}

void TstFormats::encodersComeClose() {
    QFETCH(int, format);
    QFETCH(double, bound);
    const std::uint32_t seed = std::random_device()();
    std::mt19937 random(seed);
    std::normal_distribution<float> normal(0.0F, 1.0F);
    std::vector<float> in(256 * 40);
    for (float& value : in) {
        value = normal(random);
    }
    std::vector<std::byte> bytes(kernels::formatBytes(static_cast<Format>(format), in.size()));
    std::vector<float> out(in.size());
    kernels::quantize(static_cast<Format>(format), in, bytes.data());
    kernels::dequantize(static_cast<Format>(format), bytes.data(), out);
    double error = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        error += std::pow(static_cast<double>(out[i] - in[i]), 2.0);
        norm += std::pow(static_cast<double>(in[i]), 2.0);
    }
    const double relative = std::sqrt(error / norm);
    QVERIFY2(relative <= bound, fmt::format("relative error {}, seed {}", relative, seed).c_str());
}

// Groups of sixteen levels, as Q4_1 decodes to: 127 for the largest magnitude leaves 0.0054 of
// them.
void TstFormats::eightBitsKeepFewLevelsBetter() {
    std::mt19937 random(7);
    std::normal_distribution<float> normal(0.0F, 1.0F);
    std::vector<float> in(32 * 400);
    for (float& value : in) {
        value = normal(random);
    }
    std::vector<std::byte> bytes(kernels::formatBytes(Format::Q4_1, in.size()));
    kernels::quantize(Format::Q4_1, in, bytes.data());
    kernels::dequantize(Format::Q4_1, bytes.data(), in);
    bytes.resize(kernels::formatBytes(Format::Q8_0, in.size()));
    std::vector<float> out(in.size());
    kernels::quantize(Format::Q8_0, in, bytes.data());
    kernels::dequantize(Format::Q8_0, bytes.data(), out);
    double error = 0.0;
    double norm = 0.0;
    for (std::size_t i = 0; i < in.size(); ++i) {
        error += std::pow(static_cast<double>(out[i] - in[i]), 2.0);
        norm += std::pow(static_cast<double>(in[i]), 2.0);
    }
    QVERIFY2(std::sqrt(error / norm) <= 0.0035, fmt::format("{}", std::sqrt(error / norm)).c_str());
}

void TstFormats::encodersTakeHostileInput() {
    const float inf = INFINITY;
    const std::vector<std::vector<float>> rows{
        std::vector<float>(256, 0.0F),   std::vector<float>(256, NAN),
        std::vector<float>(256, inf),    std::vector<float>(256, -inf),
        std::vector<float>(256, 3e38F),  std::vector<float>(256, -3e38F),
        std::vector<float>(256, 1e-44F), std::vector<float>(256, -7.0F),
    };
    for (const Format format : {Format::Q4_0, Format::Q4_1, Format::Q5_0, Format::Q5_1,
                                Format::Q8_0, Format::Q4_K, Format::Q5_K, Format::Q6_K}) {
        std::vector<std::byte> bytes(kernels::formatBytes(format, 256));
        std::vector<float> out(256);
        for (const std::vector<float>& row : rows) {
            kernels::quantize(format, row, bytes.data());
            kernels::dequantize(format, bytes.data(), out);
            for (const float value : out) {
                QVERIFY(std::isfinite(value));
            }
        }
        QVERIFY(std::abs(out[100] + 7.0F) < 0.5F); // the last row, a constant
    }
}

QTEST_APPLESS_MAIN(TstFormats)
#include "tst_formats.moc"
