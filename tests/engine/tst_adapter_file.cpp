// Adapter files from outside: what does not fit, is not supported or is broken is refused with a
// sentence that names it; nothing crashes. Run under the asan preset as well.
#include "engine/base/failure.h"
#include "engine/model/adapter_file.h"
#include "tests/support/adapter_files.h"
#include "tests/support/gguf_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

namespace fs = std::filesystem;
using namespace engine;
using tests::SafetensorsBytes;

namespace {

const std::string kQ = "base_model.model.model.layers.0.self_attn.q_proj";
constexpr std::int64_t kWidth = 8;

// One layer with q and v of 8 by 8.
AdapterBase base() {
    return {.architecture = "llama",
            .layers = 1,
            .headDim = 4,
            .hasPairs = true,
            .sites = {{"blk.0.attn_q", kWidth, kWidth}, {"blk.0.attn_v", kWidth, kWidth}}};
}

std::vector<float> counted(std::int64_t count) {
    std::vector<float> values;
    for (std::int64_t i = 0; i < count; ++i) {
        values.push_back(static_cast<float>(i));
    }
    return values;
}

SafetensorsBytes pairOf(const std::string& module, std::int64_t rank, std::int64_t rows = kWidth,
                        std::int64_t columns = kWidth) {
    SafetensorsBytes file;
    file.floats(module + ".lora_A.weight", {rank, columns}, counted(rank * columns));
    file.floats(module + ".lora_B.weight", {rows, rank}, counted(rows * rank));
    return file;
}

// The valid configuration with one piece of its text in the place of another.
std::string config(const std::string& from = {}, const std::string& to = {}) {
    std::string text(tests::kAdapterConfig);
    if (!from.empty()) {
        text.replace(text.find(from), from.size(), to);
    }
    return text;
}

tests::GgufBytes gguf(const std::string& type, const std::string& architecture, float alpha,
                      const std::string& stem = "blk.0.attn_q.weight") {
    tests::GgufBytes file;
    file.header(2, 4)
        .pairText("general.architecture", architecture)
        .pairText("general.type", type)
        .pairText("adapter.type", "lora")
        .pair("adapter.lora.alpha", 6, alpha)
        .tensor(stem + ".lora_a", {kWidth, 2}, 0, 0)
        .tensor(stem + ".lora_b", {2, kWidth}, 0, 64)
        .padTo(32);
    for (std::int64_t i = 0; i < 4 * kWidth; ++i) {
        file.put(static_cast<float>(i));
    }
    return file;
}

} // namespace

class TstAdapterFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void configurationsAreCheckedInWords_data();
    void configurationsAreCheckedInWords();
    void matricesAreCheckedInWords_data();
    void matricesAreCheckedInWords();
    void ggufFilesAreCheckedInWords_data();
    void ggufFilesAreCheckedInWords();
    void scalesAreThoseOfTheirRules();
    void rowsOfHalvesBecomePairs();
    void mutatedFilesNeverCrash();

private:
    void write(const std::string& configText, const std::string& tensors) {
        tests::writeFile(m_root / "adapter_config.json", configText);
        tests::writeFile(m_root / "adapter_model.safetensors", tensors);
    }
    // Empty where it is taken.
    std::string refusal(const fs::path& path) {
        try {
            m_read = readAdapterFile(path, base());
            return {};
        } catch (const Failure& failure) {
            return failure.what();
        }
    }
    void expect(const QString& wanted, const std::string& told) {
        QVERIFY2(wanted.isEmpty() == told.empty() &&
                     told.find(wanted.toStdString()) != std::string::npos,
                 told.c_str());
    }

    QTemporaryDir m_folder;
    fs::path m_root = m_folder.path().toStdString();
    AdapterFile m_read;
};

void TstAdapterFile::configurationsAreCheckedInWords_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* name, const std::string& from, const std::string& to,
                        const char* wanted) {
        QTest::newRow(name) << QByteArray::fromStdString(config(from, to))
                            << QString::fromLatin1(wanted);
    };
    row("as it is", "", "", "");
    row("another kind", "LORA", "IA3", "\"IA3\" (peft_type)");
    row("rank 0", "\"r\": 4", "\"r\": 0", "r must be a whole number");
    row("a huge rank", "\"r\": 4", "\"r\": 99999", "r must be a whole number");
    row("half a rank", "\"r\": 4", "\"r\": 1.5", "r must be a whole number");
    row("another rank", "\"r\": 4", "\"r\": 8", "is of rank 4, where 8 is said");
    row("no alpha", "\"lora_alpha\": 8,", "", "lora_alpha must be a number");
    row("alpha 0", "\"lora_alpha\": 8", "\"lora_alpha\": 0", "lora_alpha must be a number");
    row("a huge alpha", "\"lora_alpha\": 8", "\"lora_alpha\": 1e300", "lora_alpha must be");
    row("whole modules", "\"modules_to_save\": null", "\"modules_to_save\": [\"lm_head\"]",
        "(modules_to_save)");
    row("no whole modules", "\"modules_to_save\": null", "\"modules_to_save\": []", "");
    row("DoRA", "\"use_rslora\": false", "\"use_dora\": true", "DoRA");
    row("biases", "\"bias\": \"none\"", "\"bias\": \"all\"", "trained biases");
    row("PiSSA", "\"init_lora_weights\": true", "\"init_lora_weights\": \"pissa_niter_4\"",
        "changes the base's weights");
    row("a pattern", "\"alpha_pattern\": {}", "\"alpha_pattern\": {\".*q\": 2}", "pattern \".*q\"");
    row("a list", "{\"peft", "[{\"peft", "no JSON");
}

void TstAdapterFile::configurationsAreCheckedInWords() {
    QFETCH(QByteArray, text);
    QFETCH(QString, wanted);
    write(text.toStdString(), pairOf(kQ, 4).bytes());
    expect(wanted, refusal(m_root));
}

void TstAdapterFile::matricesAreCheckedInWords_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* name, const SafetensorsBytes& file, const char* wanted) {
        QTest::newRow(name) << QByteArray::fromStdString(file.bytes())
                            << QString::fromLatin1(wanted);
    };
    const std::string layer = "base_model.model.model.layers.";
    row("nothing", SafetensorsBytes(), "adds to nothing");
    row("too long", pairOf(kQ, 4, 12), "the adapter is of another model");
    row("too wide", pairOf(kQ, 4, 8, 9), "the adapter is of another model");
    row("a layer too many", pairOf(layer + "7.self_attn.q_proj", 4), "but the model has 1 layers");
    row("a module unknown", pairOf(layer + "0.self_attn.x_proj", 4), "adapters can't change");
    row("a module it has not", pairOf(layer + "0.mlp.up_proj", 4), "which this model has not");
    row("the output", pairOf("base_model.model.lm_head", 4), "which this model has not");
    row("experts", pairOf(layer + "0.mlp.experts.3.up_proj", 4), "adapters can't change");
    row("embeddings",
        SafetensorsBytes().floats("base_model.model.model.embed_tokens.lora_embedding_A", {4, 8},
                                  counted(32)),
        "token embedding");
    row("DoRA", SafetensorsBytes().floats(kQ + ".lora_magnitude_vector", {8}, counted(8)), "DoRA");
    row("a whole weight", SafetensorsBytes().floats(kQ + ".weight", {8, 8}, counted(64)),
        "no part of a low-rank adapter");
    row("half of it", SafetensorsBytes().floats(kQ + ".lora_A.weight", {4, 8}, counted(32)),
        "the other half");
    row("twice", pairOf(kQ, 4).floats(kQ + ".lora_A.default.weight", {4, 8}, counted(32)),
        "are the same one's");
    row("a list", SafetensorsBytes().floats(kQ + ".lora_A.weight", {8}, counted(8)), "no matrix");
    row("whole numbers",
        SafetensorsBytes().tensor(kQ + ".lora_A.weight", "I32", {1, 8}, std::string(32, '\0')),
        "are supported");
    std::vector<float> broken = counted(32);
    broken[5] = std::numeric_limits<float>::quiet_NaN();
    row("no number",
        SafetensorsBytes()
            .floats(kQ + ".lora_A.weight", {4, 8}, counted(32))
            .floats(kQ + ".lora_B.weight", {8, 4}, broken),
        "values that are no numbers");
    row("infinite halves",
        SafetensorsBytes()
            .floats(kQ + ".lora_A.weight", {4, 8}, counted(32))
            .tensor(kQ + ".lora_B.weight", "F16", {8, 4}, std::string(64, '\x7C')),
        "values that are no numbers");
}

void TstAdapterFile::matricesAreCheckedInWords() {
    QFETCH(QByteArray, file);
    QFETCH(QString, wanted);
    write(config(), file.toStdString());
    expect(wanted, refusal(m_root));
}

void TstAdapterFile::ggufFilesAreCheckedInWords_data() {
    QTest::addColumn<QByteArray>("file");
    QTest::addColumn<QString>("wanted");
    const auto row = [](const char* name, const tests::GgufBytes& file, const char* wanted) {
        QTest::newRow(name) << QByteArray::fromStdString(file.bytes())
                            << QString::fromLatin1(wanted);
    };
    row("as it is", gguf("adapter", "llama", 4.0F), "");
    row("a model", gguf("model", "llama", 4.0F), "this is no adapter");
    row("of another family", gguf("adapter", "qwen2", 4.0F), "architecture \"qwen2\"");
    row("no number", gguf("adapter", "llama", std::numeric_limits<float>::quiet_NaN()),
        "alpha is no number");
    row("without an alpha", gguf("adapter", "llama", 0.0F), "");
    row("a norm", gguf("adapter", "llama", 4.0F, "blk.0.attn_norm.weight"),
        "which this model has not");
    row("no weight", gguf("adapter", "llama", 4.0F, "blk.0.attn_q"),
        "no part of a low-rank adapter");
}

void TstAdapterFile::ggufFilesAreCheckedInWords() {
    QFETCH(QByteArray, file);
    QFETCH(QString, wanted);
    tests::writeFile(m_root / "adapter.gguf", file.toStdString());
    expect(wanted, refusal(m_root / "adapter.gguf"));
}

void TstAdapterFile::scalesAreThoseOfTheirRules() {
    const auto scale = [&](const std::string& text) {
        write(text, pairOf(kQ, 4).bytes());
        const std::string told = refusal(m_root);
        return told.empty() ? m_read.matrices.front().scale : -1.0F;
    };
    QCOMPARE(scale(config()), 2.0F);
    QCOMPARE(scale(config("\"use_rslora\": false", "\"use_rslora\": true")), 4.0F);
    QCOMPARE(scale(config("\"alpha_pattern\": {}", R"("alpha_pattern": {"v_proj": 3})")), 2.0F);
    QCOMPARE(scale(config("\"alpha_pattern\": {}",
                          R"("alpha_pattern": {"q_proj": 3, "self_attn.q_proj": 12})")),
             3.0F);
    tests::writeFile(m_root / "adapter.gguf", gguf("adapter", "llama", 4.0F).bytes());
    QCOMPARE(refusal(m_root / "adapter.gguf"), std::string());
    QCOMPARE(m_read.matrices.front().scale, 2.0F);
    tests::writeFile(m_root / "adapter.gguf", gguf("adapter", "llama", 0.0F).bytes());
    QCOMPARE(refusal(m_root / "adapter.gguf"), std::string());
    QCOMPARE(m_read.matrices.front().scale, 1.0F); // as llama.cpp reads it
}

void TstAdapterFile::rowsOfHalvesBecomePairs() {
    const auto firstColumn = [&] {
        std::vector<float> column;
        const kernels::View b = m_read.matrices.front().b.view();
        for (std::int64_t row = 0; row < b.shape[0]; ++row) {
            column.push_back(b.f32()[row * b.shape[1]]);
        }
        return column;
    };
    write(config("\"r\": 4", "\"r\": 1"), pairOf(kQ, 1).bytes());
    QCOMPARE(refusal(m_root), std::string());
    QCOMPARE(firstColumn(), (std::vector<float>{0, 2, 1, 3, 4, 6, 5, 7}));
    write(config("\"r\": 4", "\"r\": 1"),
          pairOf("base_model.model.model.layers.0.self_attn.v_proj", 1).bytes());
    QCOMPARE(refusal(m_root), std::string());
    QCOMPARE(firstColumn(), counted(8));
}

void TstAdapterFile::mutatedFilesNeverCrash() {
    std::mt19937_64 random(7);
    const std::string tensors = pairOf(kQ, 4).bytes();
    const std::string whole = gguf("adapter", "llama", 4.0F).bytes();
    const auto mutated = [&random](std::string bytes) {
        for (std::size_t i = 1 + random() % 3; i > 0; --i) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        bytes.resize(random() % 4 == 0 ? random() % bytes.size() : bytes.size());
        return bytes;
    };
    int refused = 0;
    for (int i = 0; i < 600; ++i) {
        write(i % 3 == 0 ? mutated(config()) : config(), i % 3 == 1 ? mutated(tensors) : tensors);
        tests::writeFile(m_root / "adapter.gguf", mutated(whole));
        for (const fs::path& path : {m_root, m_root / "adapter.gguf"}) {
            const std::string told = refusal(path);
            refused += told.empty() ? 0 : 1;
        }
    }
    QVERIFY(refused > 100);
}

QTEST_APPLESS_MAIN(TstAdapterFile)
#include "tst_adapter_file.moc"
