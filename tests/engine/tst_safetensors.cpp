// The safetensors reader: headers, shards and their index, names, the life of the files.
#include "engine/checkpoint/checkpoint.h"
#include "tests/support/safetensors_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using engine::ErrorCode;
using tests::SafetensorsBytes;
namespace fs = std::filesystem;

class TstSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void folderFileAndIndexAreOneModel();
    void namesAndKeysAreThoseOfGguf();
    void brokenHeadersAreNamed_data();
    void brokenHeadersAreNamed();
    void brokenIndexesAreNamed_data();
    void brokenIndexesAreNamed();
    void shardThatLacksItsTensorIsNamed();
    void linksOutOfTheFolderAreRefused();
    void linksOfTheHubsCacheAreFollowed();
    void shrunkenFileIsNoLongerWhole();
    void digestFollowsHeadersAndDocuments();
    void unknownModelsKeepTheirName();

private:
    fs::path path(std::string_view name) const { return m_root / name; }
    void write(std::string_view name, std::string_view bytes) const {
        tests::writeFile(path(name), bytes);
    }
    std::unique_ptr<engine::Checkpoint> opened() const {
        auto result = engine::openCheckpoint(m_root);
        if (!result) {
            qWarning("%s", result.error().message.c_str());
            return nullptr;
        }
        return std::move(*result);
    }
    QTemporaryDir m_folder;
    fs::path m_root;
    int m_case = 0;
};

namespace {

QString messageOf(const engine::Result<std::unique_ptr<engine::Checkpoint>>& result) {
    return result ? QStringLiteral("opened") : QString::fromStdString(result.error().message);
}

std::vector<float> valuesOf(const engine::Checkpoint& checkpoint, std::string_view name) {
    const engine::TensorEntry* const tensor = checkpoint.find(name);
    if (tensor == nullptr) {
        return {};
    }
    std::vector<float> values(static_cast<std::size_t>(tensor->shape.elements()));
    kernels::dequantize(tensor->format, checkpoint.contents(*tensor).data(), values);
    return values;
}

std::vector<float> rising(std::size_t count, float first = 0.0F) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = first + static_cast<float>(i);
    }
    return values;
}

std::string indexOf(std::string_view tensors) {
    return "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {" + std::string(tensors) + "}}";
}

} // namespace

// Every test has a folder of its own with the tiny model in it.
void TstSafetensors::init() {
    m_root = fs::path(m_folder.path().toStdString()) / ("case" + std::to_string(m_case++));
    fs::create_directories(m_root);
    write("config.json", tests::kTinyConfig);
    write("model.safetensors", tests::tinySafetensors());
}

void TstSafetensors::folderFileAndIndexAreOneModel() {
    const auto whole = engine::openCheckpoint(m_root);
    QVERIFY2(whole.has_value(), qPrintable(messageOf(whole)));
    const auto file = engine::openCheckpoint(path("model.safetensors"));
    QVERIFY2(file.has_value(), qPrintable(messageOf(file)));
    QCOMPARE((*file)->digest(), (*whole)->digest());
    QCOMPARE((*whole)->fileBytes(), fs::file_size(path("model.safetensors")));

    // The same tensors in two shards, opened in three ways.
    fs::remove(path("model.safetensors"));
    SafetensorsBytes first, second;
    std::string map;
    int number = 0;
    for (const tests::TinyTensor& tensor : tests::tinyTensors()) {
        const bool isFirst = number++ % 2 == 0;
        tests::addTiny(isFirst ? first : second, tensor);
        map += (map.empty() ? "" : ",") + std::string("\"") + std::string(tensor.name) +
               "\": \"model-0000" + (isFirst ? "1" : "2") + "-of-00002.safetensors\"";
    }
    write("model-00001-of-00002.safetensors", first.bytes());
    write("model-00002-of-00002.safetensors", second.bytes());
    write("model.safetensors.index.json", indexOf(map));
    for (const fs::path& way :
         {m_root, path("model-00002-of-00002.safetensors"), path("model.safetensors.index.json")}) {
        const auto sharded = engine::openCheckpoint(way);
        QVERIFY2(sharded.has_value(), qPrintable(messageOf(sharded)));
        QCOMPARE((*sharded)->tensors().size(), (*whole)->tensors().size());
        for (const engine::TensorEntry& tensor : (*whole)->tensors()) {
            QCOMPARE(valuesOf(**sharded, tensor.name), valuesOf(**whole, tensor.name));
        }
    }
}

void TstSafetensors::namesAndKeysAreThoseOfGguf() {
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    for (const char* const name :
         {"token_embd.weight", "blk.0.attn_norm.weight", "blk.0.attn_q.weight",
          "blk.0.attn_k.weight", "blk.0.attn_v.weight", "blk.0.attn_output.weight",
          "blk.0.ffn_norm.weight", "blk.0.ffn_gate.weight", "blk.0.ffn_up.weight",
          "blk.0.ffn_down.weight", "output_norm.weight"}) {
        QVERIFY2(checkpoint->find(name) != nullptr, name);
    }
    QCOMPARE(checkpoint->tensors().size(), std::size_t{11});
    QVERIFY(checkpoint->text("general.architecture") == "llama");
    QVERIFY(checkpoint->text("llama.rope.pairing") == "half");
    QCOMPARE(checkpoint->integer("llama.block_count"), std::optional<std::int64_t>(1));
    QCOMPARE(checkpoint->integer("llama.attention.key_length"), std::optional<std::int64_t>(4));
    QCOMPARE(checkpoint->number("llama.rope.freq_base"), std::optional<double>(10000.0));
    QVERIFY(checkpoint->find("blk.0.attn_k.weight")->shape == (kernels::Shape{4, 8}));
}

void TstSafetensors::brokenHeadersAreNamed_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const std::string& header, const char* mentions,
                        const std::string& data = std::string(16, 'x')) {
        QTest::newRow(name) << QByteArray::fromStdString(SafetensorsBytes::withHeader(header, data))
                            << mentions;
    };
    const auto raw = [](const char* name, const std::string& bytes, const char* mentions) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << mentions;
    };
    const auto tensor = [](const std::string& name, const std::string& rest) {
        return "\"" + name + "\": {" + rest + "}";
    };
    const std::string good = R"("dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16])";
    raw("short", "abc", "too short");
    raw("length", std::string("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{", 9), "at most 100000000");
    raw("length beyond the file", std::string("\x40\0\0\0\0\0\0\0{}", 10), "cut short");
    row("no object", "[]", "does not begin with an object");
    row("no JSON", "{\"a\": ", "no JSON");
    row("behind the end", "{} {}", "no JSON");
    row("no UTF-8", "{\"\xFF\": 1}", "no JSON");
    row("deep", "{\"a\":" + std::string(3000, '[') + std::string(3000, ']') + "}", "tensor \"a\"");
    row("twice", "{" + tensor("a", good) + "," + tensor("a", good) + "}", "\"a\" occurs twice");
    row("no name", "{" + tensor("", good) + "}", "no usable name");
    row("dtype", "{" + tensor("a", R"("dtype": "Q9", "shape": [4], "data_offsets": [0, 16])") + "}",
        "unknown dtype \"Q9\"");
    row("no dtype", "{" + tensor("a", R"("shape": [4], "data_offsets": [0, 16])") + "}",
        "tensor \"a\" lacks");
    row("field", "{" + tensor("a", good + R"(, "x": 1)") + "}", "unknown field \"x\"");
    row("field twice", "{" + tensor("a", good + R"(, "dtype": "F32")") + "}", "two fields");
    row("negative",
        "{" + tensor("a", R"("dtype": "F32", "shape": [-2], "data_offsets": [0, 16])") + "}",
        "a negative number");
    row("fraction",
        "{" + tensor("a", R"("dtype": "F32", "shape": [4.0], "data_offsets": [0, 16])") + "}",
        "tensor \"a\"");
    row("huge dimension",
        "{" +
            tensor("a",
                   R"("dtype": "F32", "shape": [18446744073709551615], "data_offsets": [0, 16])") +
            "}",
        "18446744073709551615");
    row("huge product",
        "{" +
            tensor(
                "a",
                R"("dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 16])") +
            "}",
        "more elements");
    row("size", "{" + tensor("a", R"("dtype": "F32", "shape": [3], "data_offsets": [0, 16])") + "}",
        "its shape takes 12 bytes");
    row("backwards",
        "{" + tensor("a", R"("dtype": "F32", "shape": [4], "data_offsets": [16, 0])") + "}",
        "lies from 16 to 0");
    row("overlap",
        "{" + tensor("a", R"("dtype": "F32", "shape": [2], "data_offsets": [0, 8])") + "," +
            tensor("b", R"("dtype": "F32", "shape": [3], "data_offsets": [4, 16])") + "}",
        "\"b\" starts at 4 instead of 8");
    row("hole", "{" + tensor("a", R"("dtype": "F32", "shape": [2], "data_offsets": [8, 16])") + "}",
        "starts at 8 instead of 0");
    row("behind the file",
        "{" + tensor("a", R"("dtype": "F32", "shape": [8], "data_offsets": [0, 32])") + "}",
        "\"a\" ends behind the end");
    row("rest", "{" + tensor("a", R"("dtype": "F32", "shape": [2], "data_offsets": [0, 8])") + "}",
        "8 bytes follow");
    row("many dimensions",
        "{" +
            tensor("a", R"("dtype": "F32", "shape": [1,1,1,1,1,1,1,1,1], "data_offsets": [0, 4])") +
            "}",
        "more than 8 numbers");
    row("metadata", R"({"__metadata__": {"a": 1}})", "__metadata__");
}

void TstSafetensors::brokenHeadersAreNamed() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, mentions);
    write("model.safetensors", bytes.toStdString());
    const auto result = engine::openCheckpoint(path("model.safetensors"));
    QVERIFY(!result.has_value());
    QVERIFY2(messageOf(result).contains(mentions), qPrintable(messageOf(result)));
    QVERIFY2(messageOf(result).startsWith(QStringLiteral("model.safetensors: ")),
             qPrintable(messageOf(result)));
    QVERIFY(result.error().code != ErrorCode::Internal);
}

void TstSafetensors::brokenIndexesAreNamed_data() {
    QTest::addColumn<QString>("index");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const std::string& index, const char* mentions) {
        QTest::newRow(name) << QString::fromStdString(index) << mentions;
    };
    row("above", indexOf(R"("a": "../model.safetensors")"), "no plain name");
    row("absolute", indexOf(R"("a": "/etc/passwd")"), "no plain name");
    row("folder", indexOf(R"("a": "sub/model.safetensors")"), "no plain name");
    row("dots", indexOf(R"("a": "..")"), "no plain name");
    row("zero", indexOf(R"("a": "model\u0000.safetensors")"), "no plain name");
    row("missing", indexOf(R"("a": "model-00007-of-00009.safetensors")"),
        "\"model-00007-of-00009.safetensors\" that it names is missing");
    row("number", indexOf(R"("a": 5)"), "tensor \"a\" has a number");
    row("list", indexOf(R"("a": ["b"])"), "tensor \"a\" has an array");
    row("object", indexOf(R"("a": {"b": "c"})"), "an object");
    row("twice", indexOf(R"("a": "model.safetensors", "a": "model.safetensors")"), "occurs twice");
    row("empty", indexOf(""), "names no tensors");
    row("no JSON", "weight_map", "no JSON");
    row("deep", std::string(5000, '['), "nested too deep");
}

void TstSafetensors::brokenIndexesAreNamed() {
    QFETCH(QString, index);
    QFETCH(QString, mentions);
    write("model.safetensors.index.json", index.toStdString());
    const auto result = engine::openCheckpoint(m_root);
    QVERIFY(!result.has_value());
    QVERIFY2(messageOf(result).contains(mentions), qPrintable(messageOf(result)));
    QVERIFY(result.error().code != ErrorCode::Internal);
}

void TstSafetensors::shardThatLacksItsTensorIsNamed() {
    write(
        "model.safetensors.index.json",
        indexOf(R"("model.norm.weight": "model.safetensors", "model.other": "model.safetensors")"));
    const auto result = engine::openCheckpoint(m_root);
    QVERIFY(!result.has_value());
    QVERIFY2(messageOf(result).contains(QStringLiteral("\"model.other\"")),
             qPrintable(messageOf(result)));
    // A shard alone is nothing: its sisters can't be known.
    write("alone-00002-of-00003.safetensors", tests::tinySafetensors());
    fs::remove(path("model.safetensors.index.json"));
    const auto alone = engine::openCheckpoint(path("alone-00002-of-00003.safetensors"));
    QVERIFY(messageOf(alone).contains(QStringLiteral("one part of a model")));
}

void TstSafetensors::linksOutOfTheFolderAreRefused() {
    const fs::path outside = fs::path(m_folder.path().toStdString()) / "outside.safetensors";
    tests::writeFile(outside, tests::tinySafetensors());
    fs::create_symlink(outside, path("linked.safetensors"));
    write("model.safetensors.index.json", indexOf(R"("model.norm.weight": "linked.safetensors")"));
    const auto result = engine::openCheckpoint(m_root);
    QVERIFY2(messageOf(result).contains(QStringLiteral("leads out of the folder")),
             qPrintable(messageOf(result)));
}

void TstSafetensors::linksOfTheHubsCacheAreFollowed() {
    const fs::path cache = m_root / "models--someone--Tiny-1B";
    const fs::path snapshot = cache / "snapshots" / "0123abcd";
    fs::create_directories(snapshot);
    fs::create_directories(cache / "blobs");
    fs::rename(path("model.safetensors"), cache / "blobs" / "weights");
    fs::rename(path("config.json"), cache / "blobs" / "config");
    fs::create_symlink(fs::path("../../blobs/weights"),
                       snapshot / "model-00001-of-00001.safetensors");
    fs::create_symlink(fs::path("../../blobs/config"), snapshot / "config.json");
    std::string map;
    for (const tests::TinyTensor& tensor : tests::tinyTensors()) {
        map += (map.empty() ? "" : ",") + std::string("\"") + std::string(tensor.name) +
               "\": \"model-00001-of-00001.safetensors\"";
    }
    tests::writeFile(snapshot / "model.safetensors.index.json", indexOf(map));
    const auto result = engine::openCheckpoint(snapshot);
    QVERIFY2(result.has_value(), qPrintable(messageOf(result)));
    QVERIFY((*result)->text("general.name") == "Tiny-1B");
}

void TstSafetensors::shrunkenFileIsNoLongerWhole() {
    const auto checkpoint = opened();
    QVERIFY(checkpoint && checkpoint->stillWhole().has_value());
    fs::resize_file(path("model.safetensors"), 16);
    float sum = 0.0F;
    for (const engine::TensorEntry& tensor : checkpoint->tensors()) {
        for (const float value : valuesOf(*checkpoint, tensor.name)) {
            sum += value;
        }
    }
    QVERIFY(std::isfinite(sum));
    const auto whole = checkpoint->stillWhole();
    QVERIFY(!whole.has_value());
    QVERIFY(whole.error().message.find("became shorter") != std::string::npos);
}

void TstSafetensors::digestFollowsHeadersAndDocuments() {
    const std::string before = opened()->digest();
    QVERIFY(before.starts_with("xxh3:"));
    QCOMPARE(opened()->digest(), before);
    write("generation_config.json", R"({"temperature": 0.5})");
    const std::string after = opened()->digest();
    QVERIFY(after != before);
    SafetensorsBytes other;
    other.floats("model.norm.weight", {8}, rising(8));
    write("model.safetensors", other.bytes());
    QVERIFY(opened()->digest() != after);
}

void TstSafetensors::unknownModelsKeepTheirName() {
    write("config.json", R"({"model_type": "deepseek_v4", "num_hidden_layers": 3})");
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    QVERIFY(checkpoint->text("general.architecture") == "deepseek_v4");
    fs::remove(path("config.json"));
    QVERIFY(messageOf(engine::openCheckpoint(m_root))
                .contains(QStringLiteral("config.json is missing")));
    write("config.json", "{}");
    QVERIFY(messageOf(engine::openCheckpoint(m_root)).contains(QStringLiteral("model_type")));
    fs::create_directories(path("empty"));
    QVERIFY(messageOf(engine::openCheckpoint(path("empty")))
                .contains(QStringLiteral("holds no model")));
}

QTEST_APPLESS_MAIN(TstSafetensors)
#include "tst_safetensors.moc"
