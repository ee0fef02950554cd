#include "engine/checkpoint/synthetic_model.h"
#include "engine/evaluate.h"
#include "engine/model_file.h"
#include "tests/support/gguf_bytes.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>

using engine::ErrorCode;
namespace fs = std::filesystem;

class TstModelFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tinyModelIsTold();
    void synthesizedModelIsTold();
    void everyShapeIsTold_data();
    void everyShapeIsTold();
    void reasonsAreNamed_data();
    void reasonsAreNamed();
    void whatTheLoaderRefusesIsToldBefore_data();
    void whatTheLoaderRefusesIsToldBefore();
    void hostileNumbersAreHarmless();
    void otherFilesAreRefused();
    void wrongSynthOptionsAreRefused_data();
    void wrongSynthOptionsAreRefused();

private:
    fs::path path(std::string_view name) const {
        return fs::path(m_folder.path().toStdString()) / name;
    }
    QTemporaryDir m_folder;
};

void TstModelFile::tinyModelIsTold() {
    tests::writeTinyModel(path("tiny.gguf"), {.format = kernels::Format::Q8_0});
    const auto result = engine::inspectModel(path("tiny.gguf"));
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QCOMPARE(result->architecture, std::string("llama"));
    QCOMPARE(result->layers, std::int64_t{2});
    QCOMPARE(result->hidden, std::int64_t{64});
    QCOMPARE(result->heads, std::int64_t{4});
    QCOMPARE(result->kvHeads, std::int64_t{2});
    QCOMPARE(result->headDim, std::int64_t{16});
    QCOMPARE(result->feedForward, std::int64_t{256});
    QCOMPARE(result->vocabulary, std::int64_t{320});
    QCOMPARE(result->context, std::int64_t{512});
    QVERIFY(result->tiedEmbedding);
    QCOMPARE(result->fileBytes, fs::file_size(path("tiny.gguf")));
    // embedding + final norm + layers of (q, k, v, o, gate, up, down, two norms)
    const std::uint64_t layer = 64 * 64 + 2 * 32 * 64 + 64 * 64 + 3 * 64 * 256 + 2 * 64;
    QCOMPARE(result->parameters, std::uint64_t{320 * 64 + 64 + 2 * layer});
    QCOMPARE(result->memory.size(), std::size_t{1});
    QCOMPARE(result->memory[0].contextTokens, std::int64_t{512});
    QCOMPARE(result->memory[0].kvBytes, std::uint64_t{2 * 2 * 16 * 2 * 2 * 512});
    QCOMPARE(result->tokenizerModel, std::string("gpt2"));
    QCOMPARE(result->preTokenizer, std::string("smollm"));
    QCOMPARE(result->chatFormat, std::string("ChatML"));
    QVERIFY2(!result->unsupported.has_value(), result->unsupported.value_or("").c_str());
    std::int64_t tensors = 0;
    std::uint64_t bytes = 0;
    for (const engine::FormatGroup& group : result->groups) {
        tensors += group.tensors;
        bytes += group.bytes;
    }
    QCOMPARE(tensors, std::int64_t{2 + 2 * 9});
    QCOMPARE(result->memory[0].weightsBytes, bytes);
    QCOMPARE(result->groups.front().role, std::string("embedding"));
    const auto tokens =
        std::ranges::find(result->metadata, "tokenizer.ggml.tokens",
                          [](const auto& pair) -> const std::string& { return pair.first; });
    QVERIFY(tokens != result->metadata.end());
    QCOMPARE(tokens->second, std::string("string[320]"));
}

void TstModelFile::synthesizedModelIsTold() {
    std::uint64_t done = 0;
    const engine::SynthOptions options{
        .shape = "smollm2-135m", .layers = 1, .format = "TQ1_0", .seed = 3};
    const auto written = engine::synthesizeModel(
        options, path("synth.gguf"), [&done](std::uint64_t now, std::uint64_t) { done = now; });
    QVERIFY2(written.has_value(), written ? "" : written.error().message.c_str());
    QVERIFY(done > 0);
    const auto result = engine::inspectModel(path("synth.gguf"));
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QCOMPARE(result->layers, std::int64_t{1});
    QCOMPARE(result->vocabulary, std::int64_t{49152});
    QCOMPARE(result->memory.size(), std::size_t{2}); // 2k and its own 8k
    QVERIFY(!result->unsupported.has_value());
    QCOMPARE(engine::synthShapes().size(), std::size_t{8});
}

void TstModelFile::everyShapeIsTold_data() {
    QTest::addColumn<int>("index");
    for (int i = 0; i < static_cast<int>(engine::syntheticShapes().size()); ++i) {
        QTest::newRow(engine::syntheticShapes()[static_cast<std::size_t>(i)].name.data()) << i;
    }
}

void TstModelFile::everyShapeIsTold() {
    QFETCH(int, index);
    engine::SyntheticShape shape = engine::syntheticShapes()[static_cast<std::size_t>(index)];
    shape.layers = 2;
    shape.vocabulary = 1000; // small enough for a test
    shape.hidden = std::min<std::int64_t>(shape.hidden, 1024);
    shape.heads = std::min<std::int64_t>(shape.heads, 16);
    shape.feedForward = std::min<std::int64_t>(shape.feedForward, 2048);
    if (shape.experts) {
        shape.experts->experts = 2;
        shape.experts->expertsUsed = 1;
        shape.experts->groups = shape.experts->groupsUsed = 1;
        shape.experts->denseLayers = std::min<std::int64_t>(shape.experts->denseLayers, 1);
    }
    const engine::SyntheticOptions options{
        .format = kernels::Format::Q4_0, .progress = {}, .stop = {}};
    engine::writeSyntheticModel(shape, options, path("shape.gguf"));
    const auto result = engine::inspectModel(path("shape.gguf"));
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QCOMPARE(result->context, shape.context);
    QCOMPARE(result->tiedEmbedding, shape.isTied);
    // Latent attention keeps 512 + 64 values a token and layer, the others keys and values.
    const bool isLatent = shape.experts && shape.experts->latentRank > 0;
    const std::int64_t row = isLatent ? 576 : 2 * shape.kvHeads * shape.headDim;
    // Both layers of a Gemma that is cut to two have a window.
    const std::int64_t seen = shape.window > 0 ? shape.window : 2048;
    QCOMPARE(result->memory.front().kvBytes, static_cast<std::uint64_t>(row * 2 * 2 * seen));
    QVERIFY2(!result->unsupported, result->unsupported.value_or("").c_str());
}

void TstModelFile::reasonsAreNamed_data() {
    QTest::addColumn<int>("fault");
    QTest::addColumn<QString>("reason");
    QTest::newRow("architecture") << 0
                                  << "architecture deepseek4 is not supported yet (DeepSeek V4";
    QTest::newRow("none named") << 1 << "the file names no architecture";
    QTest::newRow("adapter") << 2 << "this is an adapter";
    QTest::newRow("format") << 3 << "format IQ1_S of blk.0.ffn_up.weight is not supported";
    QTest::newRow("integer matrix") << 4 << "format I32 of blk.0.ffn_up.weight is not supported";
    QTest::newRow("vocabulary only") << 5 << "vocabulary only";
    QTest::newRow("no tokenizer") << 6 << "no tokenizer";
}

void TstModelFile::reasonsAreNamed() {
    QFETCH(int, fault);
    QFETCH(QString, reason);
    tests::GgufBytes file;
    const bool hasTensor = fault != 5;
    file.header(hasTensor ? 1 : 0, 2);
    file.pairText("general.type", fault == 2 ? "adapter" : "model");
    file.pairText(fault == 1 ? "general.other" : "general.architecture",
                  fault == 0 ? "deepseek4" : "llama");
    if (hasTensor) {
        const std::int32_t type = fault == 3 ? 19 : fault == 4 ? 26 : 0;
        file.tensor("blk.0.ffn_up.weight", {256, 2}, type, 0).padTo(32).fill(2048, 'x');
    }
    tests::writeFile(path("reason.gguf"), file.bytes());
    const auto result = engine::inspectModel(path("reason.gguf"));
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QVERIFY(result->unsupported.has_value());
    QVERIFY2(QString::fromStdString(*result->unsupported).contains(reason),
             result->unsupported->c_str());
}

void TstModelFile::whatTheLoaderRefusesIsToldBefore_data() {
    QTest::addColumn<QByteArray>("where"); // in the file
    QTest::addColumn<int>("behind");       // so many bytes behind it
    QTest::addColumn<QByteArray>("bytes"); // what is put there
    QTest::addColumn<QString>("reason");
    const auto number = [](auto value) {
        return QByteArray(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    constexpr int kType = 4;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    QTest::newRow("heads") << QByteArray("llama.attention.head_count_kv") << kType
                           << number(std::uint32_t{3}) << "head_count_kv";
    QTest::newRow("epsilon NaN") << QByteArray("llama.attention.layer_norm_rms_epsilon") << kType
                                 << number(nan) << "layer_norm_rms_epsilon is nan";
    QTest::newRow("epsilon 0") << QByteArray("llama.attention.layer_norm_rms_epsilon") << kType
                               << number(0.0F) << "layer_norm_rms_epsilon is 0";
    QTest::newRow("rope NaN") << QByteArray("llama.rope.freq_base") << kType << number(nan)
                              << "rope.freq_base is nan";
    QTest::newRow("rope negative")
        << QByteArray("llama.rope.freq_base") << kType << number(-5.0F) << "rope.freq_base is -5";
    QTest::newRow("odd rope") << QByteArray("llama.rope.dimension_count") << kType
                              << number(std::uint32_t{7}) << "rope.dimension_count";
    QTest::newRow("missing") << QByteArray("blk.0.ffn_up.weigh") << 0 << QByteArray("s")
                             << "blk.0.ffn_up.weight is missing";
    QTest::newRow("misshapen") << QByteArray("blk.0.ffn_up.weight") << 4
                               << number(std::int64_t{256}) + number(std::int64_t{64})
                               << "blk.0.ffn_up.weight has the shape [64, 256]; its keys say";
}

void TstModelFile::whatTheLoaderRefusesIsToldBefore() {
    QFETCH(QByteArray, where);
    QFETCH(int, behind);
    QFETCH(QByteArray, bytes);
    QFETCH(QString, reason);
    tests::writeTinyModel(path("whole.gguf"), {.format = kernels::Format::F32});
    std::ifstream stream(path("whole.gguf"), std::ios::binary);
    std::string content((std::istreambuf_iterator<char>(stream)), {});
    const std::size_t at = content.find(where.toStdString());
    QVERIFY(at != std::string::npos);
    content.replace(at + static_cast<std::size_t>(where.size() + behind),
                    static_cast<std::size_t>(bytes.size()), bytes.toStdString());
    tests::writeFile(path("broken.gguf"), content);
    const auto result = engine::inspectModel(path("broken.gguf"));
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    QVERIFY(result->unsupported.has_value());
    const QString told = QString::fromStdString(*result->unsupported);
    QVERIFY2(told.contains(reason), qPrintable(told));
    // The loader says the same, with the file and what to do.
    const auto opened = engine::openEvaluator(path("broken.gguf"), {.threads = 1});
    QVERIFY(!opened.has_value());
    const QString refused = QString::fromStdString(opened.error().message);
    QVERIFY2(refused.startsWith(QStringLiteral("broken.gguf: ") + told), qPrintable(refused));
    QVERIFY2(refused.contains(QStringLiteral(" another")), qPrintable(refused));
}

void TstModelFile::hostileNumbersAreHarmless() {
    for (const std::int64_t value :
         {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::max(),
          std::numeric_limits<std::int64_t>::min(), std::int64_t{1} << 32}) {
        tests::GgufBytes file;
        const std::vector<std::string_view> names = {"block_count",
                                                     "embedding_length",
                                                     "attention.head_count",
                                                     "context_length",
                                                     "attention.head_count_kv",
                                                     "attention.key_length",
                                                     "attention.value_length",
                                                     "attention.kv_lora_rank",
                                                     "rope.dimension_count",
                                                     "vocab_size",
                                                     "feed_forward_length"};
        file.header(0, static_cast<std::int64_t>(names.size()) + 3);
        file.pairText("general.architecture", "llama");
        file.pairText("general.name", "\xFF\n\x1B[31m");
        file.pairText("odd\xFFkey", std::string(5000, 'v'));
        for (const std::string_view name : names) {
            file.pair("llama." + std::string(name), 11, value);
        }
        tests::writeFile(path("numbers.gguf"), file.bytes());
        const auto result = engine::inspectModel(path("numbers.gguf"));
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QVERIFY(result->unsupported.has_value());
        QVERIFY(result->memory.empty());
        QVERIFY(result->name.find('\x1B') == std::string::npos);
        for (const auto& [key, text] : result->metadata) {
            QVERIFY(QString::fromStdString(key).toStdString() == key && text.size() < 200);
        }
    }
}

void TstModelFile::otherFilesAreRefused() {
    tests::writeFile(path("text.txt"), "not a model");
    const auto text = engine::inspectModel(path("text.txt"));
    QVERIFY(!text.has_value());
    QVERIFY(text.error().message.find("not a model file") != std::string::npos);
    const auto missing = engine::inspectModel(path("missing.gguf"));
    QVERIFY(!missing.has_value() && missing.error().code == ErrorCode::NotFound);
    const auto folder = engine::inspectModel(path("."));
    QVERIFY(!folder.has_value());
    tests::writeFile(path("cut.gguf"), "GGUF\3\0\0");
    const auto cut = engine::inspectModel(path("cut.gguf"));
    QVERIFY(!cut.has_value() && cut.error().code == ErrorCode::Corrupt);
}

void TstModelFile::wrongSynthOptionsAreRefused_data() {
    QTest::addColumn<QString>("shape");
    QTest::addColumn<int>("layers");
    QTest::addColumn<QString>("format");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("shape") << "gpt-9" << 1 << "Q8_0"
                           << "Known shapes: smollm2-135m";
    QTest::newRow("layers") << "smollm2-135m" << 0 << "Q8_0"
                            << "1 to 512 layers";
    QTest::newRow("many layers") << "smollm2-135m" << 513 << "Q8_0"
                                 << "1 to 512 layers";
    QTest::newRow("format") << "smollm2-135m" << 1 << "I8"
                            << "Known formats: F32";
    QTest::newRow("unknown format") << "smollm2-135m" << 1 << "IQ1_S"
                                    << "\"IQ1_S\"";
}

void TstModelFile::wrongSynthOptionsAreRefused() {
    QFETCH(QString, shape);
    QFETCH(int, layers);
    QFETCH(QString, format);
    QFETCH(QString, mentions);
    const auto result = engine::synthesizeModel(
        {.shape = shape.toStdString(), .layers = layers, .format = format.toStdString(), .seed = 1},
        path("never.gguf"));
    QVERIFY(!result.has_value());
    const auto message = QString::fromStdString(result.error().message);
    QVERIFY2(message.contains(mentions), qPrintable(message));
    QVERIFY(!fs::exists(path("never.gguf")));
    const auto nowhere =
        engine::synthesizeModel({.shape = "smollm2-135m", .layers = 1, .format = "Q8_0", .seed = 1},
                                path("no/such/folder/x.gguf"));
    QVERIFY(!nowhere.has_value() && nowhere.error().code == ErrorCode::Io);
}

QTEST_APPLESS_MAIN(TstModelFile)
#include "tst_model_file.moc"
