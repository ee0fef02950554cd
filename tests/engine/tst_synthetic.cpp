#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/random_blocks.h"
#include "engine/checkpoint/synthetic_model.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

using engine::SyntheticOptions;
using engine::SyntheticShape;
using kernels::Format;
namespace fs = std::filesystem;

class TstSynthetic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void randomBlocksHaveTheWantedSpread_data();
    void randomBlocksHaveTheWantedSpread();
    void rowsThatAreNoBlocksFallBack();
    void tinyModelsAreValidInEveryFormat_data();
    void tinyModelsAreValidInEveryFormat();
    void everyShapeOpens_data();
    void everyShapeOpens();
    void sameSeedSameFile();
    void cancelRemovesThePartialFile();
    void progressReachesTheTotal();

private:
    fs::path path(std::string_view name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
};

namespace {

std::vector<Format> weightFormats() {
    std::vector<Format> formats;
    for (int id = 0; id <= static_cast<int>(Format::F64); ++id) {
        if (kernels::traits(static_cast<Format>(id)).isWeight) {
            formats.push_back(static_cast<Format>(id));
        }
    }
    return formats;
}

void addFormatRows() {
    QTest::addColumn<int>("format");
    for (const Format format : weightFormats()) {
        QTest::newRow(std::string(kernels::traits(format).name).c_str())
            << static_cast<int>(format);
    }
}

} // namespace

void TstSynthetic::randomBlocksHaveTheWantedSpread_data() {
    addFormatRows();
}

void TstSynthetic::randomBlocksHaveTheWantedSpread() {
    QFETCH(int, format);
    const auto type = static_cast<Format>(format);
    for (const float deviation : {0.02F, 0.125F}) {
        constexpr std::size_t kElements = 256 * 800;
        std::vector<std::byte> blocks(kernels::formatBytes(type, kElements));
        engine::RandomBits random(7);
        engine::fillRandomBlocks(type, deviation, random, blocks);
        std::vector<float> values(kElements);
        kernels::dequantize(type, blocks.data(), values);
        double sum = 0.0, squares = 0.0;
        for (const float value : values) {
            QVERIFY(std::isfinite(value));
            sum += static_cast<double>(value);
            squares += static_cast<double>(value) * static_cast<double>(value);
        }
        const double mean = sum / kElements;
        const double spread = std::sqrt(squares / kElements - mean * mean);
        const auto text = QStringLiteral("mean %1, spread %2 of %3")
                              .arg(mean)
                              .arg(spread)
                              .arg(static_cast<double>(deviation));
        QVERIFY2(std::abs(mean) < 0.03 * static_cast<double>(deviation), qPrintable(text));
        // NVFP4's own scale has three bits: it can't meet a wish closer than 1/8.
        const double tolerance = type == Format::NVFP4 ? 0.3 : 0.06;
        QVERIFY2(std::abs(spread / static_cast<double>(deviation) - 1.0) < tolerance,
                 qPrintable(text));
    }
}

void TstSynthetic::rowsThatAreNoBlocksFallBack() {
    QVERIFY(engine::formatForRow(Format::Q4_K, 512) == Format::Q4_K);
    QVERIFY(engine::formatForRow(Format::Q4_K, 576) == Format::Q5_0);
    QVERIFY(engine::formatForRow(Format::Q5_K, 576) == Format::Q5_1);
    QVERIFY(engine::formatForRow(Format::Q6_K, 576) == Format::Q8_0);
    QVERIFY(engine::formatForRow(Format::Q2_K, 896) == Format::Q4_0);
    QVERIFY(engine::formatForRow(Format::IQ4_XS, 896) == Format::IQ4_NL);
    QVERIFY(engine::formatForRow(Format::Q4_0, 48) == Format::F16);
    QVERIFY(engine::formatForRow(Format::Q4_K, 48) == Format::F16);
    QVERIFY(engine::formatForRow(Format::F32, 1) == Format::F32);
}

void TstSynthetic::tinyModelsAreValidInEveryFormat_data() {
    addFormatRows();
}

void TstSynthetic::tinyModelsAreValidInEveryFormat() {
    QFETCH(int, format);
    const auto type = static_cast<Format>(format);
    tests::writeTinyModel(path("tiny.gguf"), {.format = type, .isTied = false});
    const auto opened = engine::openCheckpoint(path("tiny.gguf"));
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const engine::Checkpoint& model = **opened;
    QCOMPARE(model.tensors().size(), std::size_t{3 + 2 * 9});
    QVERIFY(model.find("blk.1.ffn_down.weight")->format == type);
    QVERIFY(model.find("output.weight") != nullptr);
    QVERIFY((model.find("blk.0.attn_k.weight")->shape == kernels::Shape{32, 64}));
    QVERIFY(model.find("blk.0.attn_norm.weight")->format == Format::F32);
    QCOMPARE(model.strings("tokenizer.ggml.tokens")->size(), std::size_t{320});
    const auto& tokens = *model.strings("tokenizer.ggml.tokens");
    QCOMPARE(std::set<std::string>(tokens.begin(), tokens.end()).size(), tokens.size());
    for (const engine::TensorEntry& tensor : model.tensors()) {
        std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
        kernels::dequantize(tensor.format, tensor.bytes.data(), values);
        for (const float value : values) {
            QVERIFY2(std::abs(value) < 8.0F, tensor.name.c_str());
        }
    }
}

void TstSynthetic::everyShapeOpens_data() {
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("format");
    const auto shapes = engine::syntheticShapes();
    for (int i = 0; i < static_cast<int>(shapes.size()); ++i) {
        const std::string name(shapes[static_cast<std::size_t>(i)].name);
        QTest::newRow((name + " Q4_0").c_str()) << i << "Q4_0";
    }
    QTest::newRow("smollm2 Q4_K") << 0 << "Q4_K";
}

void TstSynthetic::everyShapeOpens() {
    QFETCH(int, index);
    QFETCH(QString, format);
    SyntheticShape shape = engine::syntheticShapes()[static_cast<std::size_t>(index)];
    shape.layers = 2;
    shape.vocabulary = 2000; // small enough for a test
    shape.hidden = std::min<std::int64_t>(shape.hidden, 2048);
    shape.feedForward = std::min<std::int64_t>(shape.feedForward, 10944);
    if (shape.experts) {
        shape.experts->experts = 4;
        shape.experts->denseLayers = std::min<std::int64_t>(shape.experts->denseLayers, 1);
    }
    const SyntheticOptions options{
        .format = *kernels::formatFromName(format.toStdString()), .progress = {}, .stop = {}};
    engine::writeSyntheticModel(shape, options, path("shape.gguf"));
    const auto opened = engine::openCheckpoint(path("shape.gguf"));
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const engine::Checkpoint& model = **opened;
    QVERIFY(model.text("general.architecture") == shape.architecture);
    const std::string prefix(shape.architecture);
    QCOMPARE(model.integer(prefix + ".block_count"), std::optional<std::int64_t>(2));
    QCOMPARE(model.integer(prefix + ".embedding_length"), std::optional(shape.hidden));
    QCOMPARE(model.find("output.weight") == nullptr, shape.isTied);
    QCOMPARE(model.find("blk.0.attn_q.bias") != nullptr, shape.hasAttentionBias);
    QCOMPARE(model.find("rope_freqs.weight") != nullptr, shape.hasStretchedRope);
    QCOMPARE(model.find("blk.1.ffn_gate_exps.weight") != nullptr, shape.experts.has_value());
    const bool isDenseFirst = !shape.experts || shape.experts->denseLayers > 0;
    QCOMPARE(model.find("blk.0.ffn_gate.weight") != nullptr, isDenseFirst);
    QCOMPARE(model.find("blk.0.attn_q_norm.weight") != nullptr, shape.hasHeadNorms);
    QCOMPARE(model.find("blk.0.post_ffw_norm.weight") != nullptr, shape.window > 0);
    if (shape.experts) {
        const bool isLatent = shape.experts->latentRank > 0;
        QCOMPARE(model.find("blk.0.attn_k_b.weight") != nullptr, isLatent);
        QVERIFY(!isLatent || (model.find("blk.0.attn_k_b.weight")->shape ==
                              kernels::Shape{shape.heads, 512, 128}));
        QVERIFY((model.find("blk.1.ffn_down_exps.weight")->shape ==
                 kernels::Shape{4, shape.hidden, shape.experts->expertFeedForward}));
        QVERIFY(model.find("blk.1.ffn_gate_inp.weight")->format == Format::F32);
        QVERIFY(model.find("blk.1.ffn_gate.weight") == nullptr);
    }
    if (shape.hasStretchedRope) {
        float factors[32];
        std::memcpy(factors, model.find("rope_freqs.weight")->bytes.data(), sizeof(factors));
        QCOMPARE(factors[0], 1.0F);
        QVERIFY(std::abs(factors[31] - 32.0F) < 1e-4F);
        QVERIFY(std::is_sorted(std::begin(factors), std::end(factors)));
    }
    if (format == QStringLiteral("Q4_K")) {
        QVERIFY(model.find("blk.0.attn_q.weight")->format == Format::Q5_0);   // rows of 576
        QVERIFY(model.find("blk.0.ffn_down.weight")->format == Format::Q4_K); // rows of 1536
        QVERIFY(model.find("token_embd.weight")->format == Format::Q8_0);     // Q6_K falls back
    }
}

namespace {

std::string contentOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

} // namespace

void TstSynthetic::sameSeedSameFile() {
    tests::writeTinyModel(path("a.gguf"), {.format = Format::Q8_0, .seed = 5});
    tests::writeTinyModel(path("b.gguf"), {.format = Format::Q8_0, .seed = 5});
    tests::writeTinyModel(path("c.gguf"), {.format = Format::Q8_0, .seed = 6});
    QVERIFY(contentOf(path("a.gguf")) == contentOf(path("b.gguf")));
    QVERIFY(contentOf(path("a.gguf")) != contentOf(path("c.gguf")));
}

void TstSynthetic::cancelRemovesThePartialFile() {
    SyntheticShape shape = engine::syntheticShapes()[0];
    std::stop_source stop;
    SyntheticOptions options;
    options.stop = stop.get_token();
    options.progress = [&stop](std::uint64_t done, std::uint64_t) {
        if (done > 1'000'000) {
            stop.request_stop();
        }
    };
    try {
        engine::writeSyntheticModel(shape, options, path("never.gguf"));
        QFAIL("nothing was thrown");
    } catch (const engine::Failure& failure) {
        QVERIFY(failure.code() == engine::ErrorCode::Cancelled);
    }
    QVERIFY(!fs::exists(path("never.gguf")) && !fs::exists(path("never.gguf.partial")));
}

void TstSynthetic::progressReachesTheTotal() {
    SyntheticShape shape = engine::syntheticShapes()[0];
    shape.layers = 1;
    shape.vocabulary = 1024;
    std::uint64_t last = 0, total = 0;
    SyntheticOptions options;
    options.progress = [&](std::uint64_t done, std::uint64_t of) {
        QVERIFY(done >= last);
        last = done;
        total = of;
    };
    engine::writeSyntheticModel(shape, options, path("progress.gguf"));
    QVERIFY(last > 0 && total - last < 32 * 16); // the rest is padding
}

QTEST_APPLESS_MAIN(TstSynthetic)
#include "tst_synthetic.moc"
