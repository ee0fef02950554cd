// What becomes of the stored tensors of each family: stacks, splits, conversions, omissions.
#include "engine/checkpoint/checkpoint.h"
#include "tests/support/safetensors_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

using engine::ErrorCode;
using tests::SafetensorsBytes;
namespace fs = std::filesystem;

class TstHfTensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
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
void TstHfTensors::init() {
    m_root = fs::path(m_folder.path().toStdString()) / ("case" + std::to_string(m_case++));
    fs::create_directories(m_root);
    write("config.json", tests::kTinyConfig);
    write("model.safetensors", tests::tinySafetensors());
}

void TstHfTensors::expertsAreStacked() {
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

void TstHfTensors::missingExpertIsNamed() {
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

void TstHfTensors::fusedExpertsAreParted() {
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

void TstHfTensors::keysAndValuesAreParted() {
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

void TstHfTensors::gemmaNormsGetTheirOne() {
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

void TstHfTensors::float8IsConvertedByBlocks() {
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

void TstHfTensors::float8WithoutScalesIsRefused() {
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

void TstHfTensors::float8ThatIsNoNumberIsRefused() {
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

void TstHfTensors::predictionLayersAreLeftOutWithANotice() {
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

void TstHfTensors::outputFollowsTheTie() {
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

QTEST_APPLESS_MAIN(TstHfTensors)
#include "tst_hf_tensors.moc"
