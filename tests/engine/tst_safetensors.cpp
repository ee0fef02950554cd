// The safetensors reader and what it makes of the tensors of each family: names, stacks, splits,
// conversions; shards and their index.
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
    void expertsAreStacked();
    void missingExpertIsNamed();
    void fusedExpertsAreParted();
    void keysAndValuesAreParted();
    void gemmaNormsGetTheirOne();
    void float8IsConvertedByBlocks();
    void float8WithoutScalesIsRefused();
    void float8ThatIsNoNumberIsRefused();
    void predictionLayersAreLeftOutWithANotice();
    void outputFollowsTheTie();
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

// A config of a family with its sparse numbers; `more` replaces or adds keys.
std::string deepseekConfig(std::string_view more = "") {
    return R"({"model_type": "deepseek_v3", "hidden_size": 4, "intermediate_size": 8,
      "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
      "max_position_embeddings": 64, "vocab_size": 4, "kv_lora_rank": 3, "qk_nope_head_dim": 2,
      "qk_rope_head_dim": 2, "v_head_dim": 3, "q_lora_rank": null, "n_routed_experts": 2,
      "num_experts_per_tok": 1, "moe_intermediate_size": 4, "n_group": 1, "topk_group": 1)" +
           std::string(more) + "}";
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

void TstSafetensors::expertsAreStacked() {
    write("config.json", deepseekConfig());
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    // In the order of their names, which is not that of their numbers.
    file.floats("model.layers.1.mlp.experts.1.gate_proj.weight", {4, 4}, rising(16, 100.0F));
    file.floats("model.layers.1.mlp.experts.0.gate_proj.weight", {4, 4}, rising(16));
    file.floats("model.layers.1.mlp.gate.weight", {2, 4}, rising(8));
    file.floats("model.layers.1.mlp.gate.e_score_correction_bias", {2}, {0.5F, 1.5F});
    file.floats("model.layers.1.mlp.shared_experts.up_proj.weight", {4, 4}, rising(16));
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    const engine::TensorEntry* const stack = checkpoint->find("blk.1.ffn_gate_exps.weight");
    QVERIFY(stack != nullptr && stack->shape == (kernels::Shape{2, 4, 4}));
    std::vector<float> wanted = rising(16);
    const std::vector<float> second = rising(16, 100.0F);
    wanted.insert(wanted.end(), second.begin(), second.end());
    QCOMPARE(valuesOf(*checkpoint, stack->name), wanted);
    // One expert alone lies where the file has it: nothing is made for it.
    const auto slice = checkpoint->contents(*stack, 1);
    QCOMPARE(slice.size(), std::size_t{64});
    QVERIFY(std::memcmp(slice.data(), second.data(), 64) == 0);
    checkpoint->release(*stack);
    QCOMPARE(valuesOf(*checkpoint, stack->name), wanted);
    QVERIFY(checkpoint->find("blk.1.ffn_gate_inp.weight") != nullptr);
    QVERIFY(checkpoint->find("blk.1.ffn_up_shexp.weight") != nullptr);
    QCOMPARE(valuesOf(*checkpoint, "blk.1.exp_probs_b.bias"), (std::vector<float>{0.5F, 1.5F}));
}

void TstSafetensors::missingExpertIsNamed() {
    write("config.json", deepseekConfig());
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.floats("model.layers.1.mlp.experts.0.up_proj.weight", {2, 2}, rising(4));
    file.floats("model.layers.1.mlp.experts.2.up_proj.weight", {2, 2}, rising(4));
    write("model.safetensors", file.bytes());
    const auto result = engine::openCheckpoint(m_root);
    QVERIFY2(messageOf(result).contains(QStringLiteral("expert 1 of the same layer is not")),
             qPrintable(messageOf(result)));
}

void TstSafetensors::fusedExpertsAreParted() {
    write("config.json", deepseekConfig());
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.floats("model.layers.1.mlp.experts.gate_up_proj", {2, 4, 3}, rising(24));
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    const auto gates = valuesOf(*checkpoint, "blk.1.ffn_gate_exps.weight");
    const auto ups = valuesOf(*checkpoint, "blk.1.ffn_up_exps.weight");
    QCOMPARE(gates, (std::vector<float>{0, 1, 2, 3, 4, 5, 12, 13, 14, 15, 16, 17}));
    QCOMPARE(ups, (std::vector<float>{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
}

void TstSafetensors::keysAndValuesAreParted() {
    write("config.json", deepseekConfig());
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.floats("model.layers.0.self_attn.kv_b_proj.weight", {10, 3}, rising(30)); // 2 x (2 + 3)
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    QVERIFY(checkpoint->find("blk.0.attn_k_b.weight")->shape == (kernels::Shape{2, 3, 2}));
    QVERIFY(checkpoint->find("blk.0.attn_v_b.weight")->shape == (kernels::Shape{2, 3, 3}));
    QCOMPARE(valuesOf(*checkpoint, "blk.0.attn_k_b.weight"),
             (std::vector<float>{0, 3, 1, 4, 2, 5, 15, 18, 16, 19, 17, 20}));
    QCOMPARE(
        valuesOf(*checkpoint, "blk.0.attn_v_b.weight"),
        (std::vector<float>{6, 7, 8, 9, 10, 11, 12, 13, 14, 21, 22, 23, 24, 25, 26, 27, 28, 29}));
    const auto slice = checkpoint->contents(*checkpoint->find("blk.0.attn_k_b.weight"), 1);
    QCOMPARE(slice.size(), std::size_t{24});
}

void TstSafetensors::gemmaNormsGetTheirOne() {
    write("config.json", R"({"model_type": "gemma3_text", "hidden_size": 4, "intermediate_size": 8,
      "num_hidden_layers": 7, "num_attention_heads": 2, "num_key_value_heads": 1, "vocab_size": 4,
      "sliding_window": 16})");
    SafetensorsBytes file;
    const std::string layer = "language_model.model.layers.0.";
    file.floats(layer + "input_layernorm.weight", {4}, {0, 0.5F, -1, 2});
    file.floats(layer + "post_attention_layernorm.weight", {4}, {1, 1, 1, 1});
    file.floats(layer + "pre_feedforward_layernorm.weight", {4}, {2, 2, 2, 2});
    file.floats(layer + "post_feedforward_layernorm.weight", {4}, {3, 3, 3, 3});
    file.floats(layer + "self_attn.q_norm.weight", {2}, {0.25F, 0});
    file.floats("language_model.model.norm.weight", {4}, {4, 4, 4, 4});
    file.floats("vision_tower.patch.weight", {1, 1, 1, 2, 2}, {1, 2, 3, 4});
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    const auto is = [&](const char* name, const std::vector<float>& values) {
        QCOMPARE(valuesOf(*checkpoint, name), values);
    };
    is("blk.0.attn_norm.weight", {1, 1.5F, 0, 3});
    is("blk.0.post_attention_norm.weight", {2, 2, 2, 2});
    is("blk.0.ffn_norm.weight", {3, 3, 3, 3});
    is("blk.0.post_ffw_norm.weight", {4, 4, 4, 4});
    is("blk.0.attn_q_norm.weight", {1.25F, 1});
    is("output_norm.weight", {5, 5, 5, 5});
    QCOMPARE(checkpoint->notices().size(), std::size_t{1});
    QVERIFY(checkpoint->notices()[0].find("pictures (1 tensors)") != std::string::npos);
    const auto* const array = std::get_if<engine::MetadataArray>(
        checkpoint->metadata("gemma3.attention.sliding_window_pattern"));
    QVERIFY(array != nullptr);
    QVERIFY(std::get<std::vector<bool>>(*array) ==
            (std::vector<bool>{true, true, true, true, true, false, true}));
}

void TstSafetensors::float8IsConvertedByBlocks() {
    write("config.json", deepseekConfig(R"(, "quantization_config": {"quant_method": "fp8",
        "fmt": "e4m3", "weight_block_size": [2, 3]})"));
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    // Codes of 1, 2, 0.5, -1.75, 448, the least subnormal 2^-9, 0 and -0.
    const std::string codes("\x38\x40\x30\xBE\x7E\x01\x00\x80\x38\x38\x38\x38", 12);
    file.tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", {3, 4}, codes);
    file.floats("model.layers.0.mlp.up_proj.weight_scale_inv", {2, 2}, {1, 0.5F, 2, 3});
    file.tensor("model.layers.0.self_attn.kv_b_proj.weight", "F8_E4M3", {10, 3},
                std::string(30, '\x38'));
    file.floats("model.layers.0.self_attn.kv_b_proj.weight_scale_inv", {5, 1}, {1, 2, 3, 4, 5});
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    QVERIFY(checkpoint->find("blk.0.ffn_up.weight")->format == kernels::Format::F16);
    QCOMPARE(valuesOf(*checkpoint, "blk.0.ffn_up.weight"),
             (std::vector<float>{1, 2, 0.5F, -0.875F, 448, 0x1p-9F, 0, -0.0F, 2, 2, 2, 3}));
    // Scales follow the stored rows, wherever the rows go.
    QCOMPARE(valuesOf(*checkpoint, "blk.0.attn_k_b.weight"),
             (std::vector<float>{1, 1, 1, 1, 1, 1, 3, 4, 3, 4, 3, 4}));
    QCOMPARE(valuesOf(*checkpoint, "blk.0.attn_v_b.weight")[0], 2.0F);
    QVERIFY(checkpoint->notices().size() == 1 &&
            checkpoint->notices()[0].find("FP8") != std::string::npos);
}

void TstSafetensors::float8WithoutScalesIsRefused() {
    SafetensorsBytes file;
    file.tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", {2, 2}, "abcd");
    write("model.safetensors", file.bytes());
    QVERIFY(messageOf(engine::openCheckpoint(m_root))
                .contains(QStringLiteral("mlp.up_proj.weight\" is stored in FP8 without scales")));
    write("config.json", deepseekConfig(R"(, "quantization_config": {"quant_method": "fp8",
        "weight_block_size": [2, 2]})"));
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.floats("model.layers.0.mlp.up_proj.weight_scale_inv", {2, 1}, {1, 1});
    write("model.safetensors", file.bytes());
    const auto result = engine::openCheckpoint(m_root);
    QVERIFY2(messageOf(result).contains(QStringLiteral("1 by 1 scales")),
             qPrintable(messageOf(result)));
    write("config.json",
          deepseekConfig(R"(, "quantization_config": {"quant_method": "awq", "bits": 4})"));
    QVERIFY(messageOf(engine::openCheckpoint(m_root)).contains(QStringLiteral("\"awq\"")));
}

void TstSafetensors::float8ThatIsNoNumberIsRefused() {
    write("config.json", deepseekConfig(R"(, "quantization_config": {"quant_method": "fp8",
        "weight_block_size": [2, 2]})"));
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", {1, 2}, "\x7F\x38");
    file.floats("model.layers.0.mlp.up_proj.weight_scale_inv", {1, 1}, {1});
    file.tensor("model.layers.0.mlp.down_proj.weight", "F8_E4M3", {1, 2}, "\x38\x38");
    file.floats("model.layers.0.mlp.down_proj.weight_scale_inv", {1, 1}, {1e6F});
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    for (const char* const name : {"blk.0.ffn_up.weight", "blk.0.ffn_down.weight"}) {
        QVERIFY_THROWS_EXCEPTION(std::exception, checkpoint->contents(*checkpoint->find(name)));
    }
}

void TstSafetensors::predictionLayersAreLeftOutWithANotice() {
    write("config.json", deepseekConfig(R"(, "num_nextn_predict_layers": 1)"));
    SafetensorsBytes file;
    file.floats("lm_head.weight", {4, 4}, rising(16));
    file.floats("model.layers.2.eh_proj.weight", {4, 8}, rising(32));
    file.floats("model.layers.2.mlp.experts.0.up_proj.weight", {2, 2}, rising(4));
    write("model.safetensors", file.bytes());
    const auto checkpoint = opened();
    QVERIFY(checkpoint);
    QCOMPARE(checkpoint->tensors().size(), std::size_t{1});
    QCOMPARE(checkpoint->notices().size(), std::size_t{1});
    QVERIFY(checkpoint->notices()[0].find("MTP, 2 tensors behind layer 1") != std::string::npos);
}

void TstSafetensors::outputFollowsTheTie() {
    // Tied: an output in the file is not another one. Not tied: it must be there.
    SafetensorsBytes both;
    for (const tests::TinyTensor& tensor : tests::tinyTensors()) {
        tests::addTiny(both, tensor);
    }
    both.floats("lm_head.weight", {12, 8}, rising(96));
    write("model.safetensors", both.bytes());
    auto checkpoint = opened();
    QVERIFY(checkpoint && checkpoint->find("output.weight") == nullptr);
    std::string config(tests::kTinyConfig);
    config.replace(config.find("\"tie_word_embeddings\": true"), 27,
                   "\"tie_word_embeddings\": false");
    write("config.json", config);
    checkpoint = opened();
    QVERIFY(checkpoint && checkpoint->find("output.weight") != nullptr);
    write("model.safetensors", tests::tinySafetensors());
    QVERIFY(messageOf(engine::openCheckpoint(m_root))
                .contains(QStringLiteral("lm_head.weight is missing")));
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
