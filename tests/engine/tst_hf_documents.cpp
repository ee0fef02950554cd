// The documents beside safetensors: config.json in its dialects, tokenizer.json and what stands
// beside it, told as GGUF metadata.
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_config.h"
#include "engine/model_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/safetensors_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace fs = std::filesystem;
using nlohmann::json;

class TstHfDocuments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void dialectsSayTheSame_data();
    void dialectsSayTheSame();
    void llama3DivisorsAreThePublishedOnes();
    void deepseekNumbersAreThoseOfGguf();
    void whatNoGraphDoesIsRefused_data();
    void whatNoGraphDoesIsRefused();
    void familiesOfPatternsAreKnown_data();
    void familiesOfPatternsAreKnown();
    void charactersWithSpacesAreMerged();
    void metaspaceAddsOneSpace();
    void specialsComeFromAllDocuments();
    void chatTemplatesComeFromThreePlaces();
    void tokenizersThatAreNotSupportedSayWhy_data();
    void tokenizersThatAreNotSupportedSayWhy();
    void brokenTokenizersAreNamed_data();
    void brokenTokenizersAreNamed();
    void tokenizerAloneIsAVocabulary();

private:
    fs::path path(std::string_view name) const { return m_root / name; }
    void write(std::string_view name, const std::string& text) const {
        tests::writeFile(path(name), text);
    }
    QTemporaryDir m_folder;
    fs::path m_root;
    int m_case = 0;
};

namespace {

json llamaConfig() {
    return json::parse(tests::kTinyConfig);
}

json tokenizerDocument(const json& preTokenizer = {{"type", "ByteLevel"},
                                                   {"add_prefix_space", false},
                                                   {"use_regex", true}}) {
    json vocabulary = {{"ab", 256}, {"abc", 257}};
    // The printable spelling of every byte, as byte-level vocabularies have it.
    int next = 0;
    for (int byte = 0; byte < 256; ++byte) {
        const bool isPlain =
            (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        const int code = isPlain ? byte : 256 + next++;
        const std::string text = QString(QChar(code)).toStdString();
        vocabulary[text] = byte;
    }
    return {
        {"added_tokens",
         {{{"id", 258}, {"content", "<|end|>"}, {"special", true}},
          {{"id", 260}, {"content", "<begin>"}, {"special", true}},
          {{"id", 261}, {"content", "word"}, {"special", false}}}},
        {"normalizer", nullptr},
        {"pre_tokenizer", preTokenizer},
        {"decoder", {{"type", "ByteLevel"}}},
        {"model",
         {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", {"a b", json::array({"ab", "c"})}}}}};
}

json split(const std::string& regex) {
    return {{"type", "Sequence"},
            {"pretokenizers",
             {{{"type", "Split"},
               {"pattern", {{"Regex", regex}}},
               {"behavior", "Isolated"},
               {"invert", false}},
              {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
}

} // namespace

void TstHfDocuments::init() {
    m_root = fs::path(m_folder.path().toStdString()) / ("case" + std::to_string(m_case++));
    fs::create_directories(m_root);
    write("config.json", std::string(tests::kTinyConfig));
    write("model.safetensors", tests::tinySafetensors());
}

void TstHfDocuments::dialectsSayTheSame_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("now");
    const auto row = [](const char* name, const json& base, const char* before, const char* now) {
        json old = base, young = base;
        old.update(json::parse(before));
        young.update(json::parse(now));
        QTest::newRow(name) << QString::fromStdString(old.dump())
                            << QString::fromStdString(young.dump());
    };
    json llama = llamaConfig();
    llama.erase("rope_theta");
    row("theta", llama, R"({"rope_theta": 500000})",
        R"({"rope_parameters": {"rope_theta": 500000.0, "rope_type": "default"}})");
    row("linear", llama, R"({"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 4}})",
        R"({"rope_parameters": {"rope_theta": 10000, "rope_type": "linear", "factor": 4.0}})");
    row("yarn", llama,
        R"({"rope_theta": 1e4, "rope_scaling": {"rope_type": "yarn", "factor": 4.0,
            "original_max_position_embeddings": 16}})",
        R"({"rope_parameters": {"rope_theta": 1e4, "rope_type": "yarn", "factor": 4.0},
            "original_max_position_embeddings": 16})");
    row("wrapper", json::object(), llama.dump().c_str(),
        json({{"model_type", "vision"}, {"text_config", llama}}).dump().c_str());
    const json gemma = json::parse(R"({"model_type": "gemma3_text", "hidden_size": 8,
        "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4,
        "intermediate_size": 16, "sliding_window": 4})");
    row("two ropes", gemma,
        R"({"rope_theta": 1e6, "rope_local_base_freq": 5e3, "sliding_window_pattern": 2,
            "rope_scaling": {"rope_type": "linear", "factor": 8.0}})",
        R"({"layer_types": ["sliding_attention", "full_attention"], "_sliding_window_pattern": 6,
            "rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 8.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 5000}}})");
    json sparse = json::parse(R"({"model_type": "qwen3_moe", "hidden_size": 8,
        "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
        "num_experts_per_tok": 2, "moe_intermediate_size": 4})");
    row("experts", sparse, R"({"num_experts": 6})", R"({"num_local_experts": 6})");
}

void TstHfDocuments::dialectsSayTheSame() {
    QFETCH(QString, before);
    QFETCH(QString, now);
    const auto old = engine::hf::readConfig(json::parse(before.toStdString()), "config.json");
    const auto young = engine::hf::readConfig(json::parse(now.toStdString()), "config.json");
    QVERIFY(old.metadata.values.size() > 8);
    for (const auto& [key, value] : old.metadata.values) {
        QVERIFY2(young.metadata.values.contains(key), key.c_str());
        QVERIFY2(young.metadata.values.at(key) == value, key.c_str());
    }
    QCOMPARE(young.metadata.values.size(), old.metadata.values.size());
}

void TstHfDocuments::llama3DivisorsAreThePublishedOnes() {
    json config = llamaConfig();
    config["head_dim"] = 128;
    config["rope_theta"] = 500000.0;
    config["rope_scaling"] = {{"rope_type", "llama3"},
                              {"factor", 8.0},
                              {"low_freq_factor", 1.0},
                              {"high_freq_factor", 4.0},
                              {"original_max_position_embeddings", 8192}};
    const auto read = engine::hf::readConfig(config, "config.json");
    QCOMPARE(read.ropeDivisors.size(), std::size_t{64});
    const auto near = [&](std::size_t i, double value) {
        return std::abs(static_cast<double>(read.ropeDivisors[i]) - value) < 1e-5;
    };
    QVERIFY(near(0, 1.0) && near(28, 1.0) && near(29, 1.207484) && near(30, 1.553415));
    QVERIFY(near(33, 3.684253) && near(34, 5.257327) && near(35, 8.0) && near(63, 8.0));
}

void TstHfDocuments::deepseekNumbersAreThoseOfGguf() {
    const auto read = engine::hf::readConfig(json::parse(R"({"model_type": "deepseek_v3",
        "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128,
        "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_rope_head_dim": 64, "qk_nope_head_dim": 128,
        "v_head_dim": 128, "n_routed_experts": 256, "n_shared_experts": 1, "n_group": 8,
        "topk_group": 4, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
        "first_k_dense_replace": 3, "routed_scaling_factor": 2.5, "norm_topk_prob": true,
        "max_position_embeddings": 163840, "head_dim": 64, "rope_theta": 10000,
        "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
        "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1}})"),
                                             "config.json");
    const auto integer = [&](const char* key) {
        return std::get<std::int64_t>(read.metadata.values.at(std::string("deepseek2.") + key));
    };
    const auto number = [&](const char* key) {
        return std::get<double>(read.metadata.values.at(std::string("deepseek2.") + key));
    };
    QCOMPARE(integer("attention.key_length"), std::int64_t{576});
    QCOMPARE(integer("attention.value_length"), std::int64_t{512});
    QCOMPARE(integer("attention.key_length_mla"), std::int64_t{192});
    QCOMPARE(integer("attention.value_length_mla"), std::int64_t{128});
    QCOMPARE(integer("attention.head_count_kv"), std::int64_t{1});
    QCOMPARE(integer("rope.dimension_count"), std::int64_t{64});
    QCOMPARE(integer("expert_gating_func"), std::int64_t{2});
    QCOMPARE(integer("expert_group_used_count"), std::int64_t{4});
    QCOMPARE(number("rope.scaling.yarn_log_multiplier"), 0.1);
    QCOMPARE(number("rope.scaling.attn_factor"), 1.0);
    QCOMPARE(number("expert_weights_scale"), 2.5);
}

void TstHfDocuments::whatNoGraphDoesIsRefused_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const char* change, const char* mentions) {
        QTest::newRow(name) << change << mentions;
    };
    row("activation", R"({"hidden_act": "gelu"})", "the key hidden_act: \"gelu\"");
    row("rope", R"({"rope_scaling": {"type": "dynamic", "factor": 2}})", "\"dynamic\"");
    row("no factor", R"({"rope_scaling": {"type": "linear"}})", "rope: factor: it is missing");
    row("heads", R"({"num_attention_heads": 0})", "num_attention_heads: 0 is out of");
    row("no heads", R"({"num_attention_heads": null})", "num_attention_heads: it is missing");
    row("text", R"({"hidden_size": "8"})", "hidden_size: a whole number");
    row("share", R"({"partial_rotary_factor": 3})", "partial_rotary_factor");
    row("layers", R"({"num_hidden_layers": 1000000})", "num_hidden_layers");
    row("window of experts",
        R"({"model_type": "qwen3_moe", "num_experts": 4, "num_experts_per_tok": 2,
            "moe_intermediate_size": 4, "use_sliding_window": true})",
        "use_sliding_window");
    row("quantised", R"({"quantization_config": {"quant_method": "gptq"}})", "\"gptq\"");
}

void TstHfDocuments::whatNoGraphDoesIsRefused() {
    QFETCH(QString, change);
    QFETCH(QString, mentions);
    json config = llamaConfig();
    config.update(json::parse(change.toStdString()));
    try {
        engine::hf::readConfig(config, "config.json");
        QFAIL("it was taken");
    } catch (const engine::Failure& failure) {
        const auto message = QString::fromUtf8(failure.what());
        QVERIFY2(message.contains(mentions), failure.what());
        QVERIFY2(message.startsWith(QStringLiteral("config.json: ")), failure.what());
    }
}

void TstHfDocuments::familiesOfPatternsAreKnown_data() {
    QTest::addColumn<QString>("preTokenizer");
    QTest::addColumn<QString>("description");
    const auto row = [](const char* name, const json& step, const char* description) {
        QTest::newRow(name) << QString::fromStdString(step.dump()) << description;
    };
    row("byte level", {{"type", "ByteLevel"}, {"use_regex", true}, {"add_prefix_space", false}},
        "gpt2 / gpt-2");
    row("digits",
        {{"type", "Sequence"},
         {"pretokenizers",
          {{{"type", "Digits"}, {"individual_digits", true}},
           {{"type", "ByteLevel"}, {"use_regex", true}, {"add_prefix_space", false}}}}},
        "gpt2 / smollm");
    row("llama 3",
        split(
            R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"),
        "gpt2 / llama-bpe");
    row("own", split(R"([a-z]+|[^a-z]+)"), "gpt2 / own pattern");
}

void TstHfDocuments::familiesOfPatternsAreKnown() {
    QFETCH(QString, preTokenizer);
    QFETCH(QString, description);
    write("tokenizer.json", tokenizerDocument(json::parse(preTokenizer.toStdString())).dump());
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const auto tokenizer = engine::makeTokenizer(**opened);
    QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(QString::fromStdString((*tokenizer)->description()), description);
    const auto ids = (*tokenizer)->encode("abcab<|end|>word!", engine::SpecialTokens::Parse);
    QCOMPARE(ids, (std::vector<engine::TokenId>{257, 256, 258, 261, '!'}));
    QCOMPARE((*tokenizer)->size(), std::int64_t{262});
    QCOMPARE(engine::detokenize(**tokenizer, ids, true), std::string("abcab<|end|>word!"));
    QCOMPARE(engine::inspectModel(m_root)->preTokenizer,
             description.mid(description.indexOf(u'/') + 2).toStdString());
}

void TstHfDocuments::charactersWithSpacesAreMerged() {
    json vocabulary = {{"<unk>", 0},   {"\u2581", 1}, {"a", 2},       {"b", 3},
                       {"\u2581a", 4}, {"ab", 5},     {"\u2581ab", 6}};
    for (int byte = 0; byte < 256; ++byte) {
        vocabulary[QStringLiteral("<0x%1>")
                       .arg(QString::number(byte, 16).toUpper().rightJustified(2, u'0'))
                       .toStdString()] = 7 + byte;
    }
    const json document = {
        {"normalizer",
         {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}}},
        {"pre_tokenizer",
         {{"type", "Split"}, {"pattern", {{"String", " "}}}, {"behavior", "MergedWithPrevious"}}},
        {"model",
         {{"type", "BPE"},
          {"byte_fallback", true},
          {"unk_token", "<unk>"},
          {"vocab", vocabulary},
          {"merges", {"a b", "\u2581 ab", "\u2581 a"}}}}};
    write("tokenizer.json", document.dump());
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const auto tokenizer = engine::makeTokenizer(**opened);
    QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().message.c_str());
    const auto ids = (*tokenizer)->encode("ab ab a\u00E9", engine::SpecialTokens::Parse);
    QCOMPARE(ids, (std::vector<engine::TokenId>{5, 6, 4, 7 + 0xC3, 7 + 0xA9}));
    QCOMPARE(engine::detokenize(**tokenizer, ids), std::string("ab ab a\u00E9"));
}

void TstHfDocuments::metaspaceAddsOneSpace() {
    const json document = {{"pre_tokenizer",
                            {{"type", "Metaspace"},
                             {"replacement", "\u2581"},
                             {"prepend_scheme", "always"},
                             {"split", true}}},
                           {"model",
                            {{"type", "BPE"},
                             {"vocab", {{"\u2581", 0}, {"a", 1}, {"\u2581a", 2}, {"a\u2581", 3}}},
                             {"merges", json::array({"\u2581 a", "a \u2581"})}}}};
    write("tokenizer.json", document.dump());
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
    const auto tokenizer = engine::makeTokenizer(**opened);
    QVERIFY2(tokenizer.has_value(), tokenizer ? "" : tokenizer.error().message.c_str());
    const auto ids = [&](std::string_view text) {
        return (*tokenizer)->encode(text, engine::SpecialTokens::Parse);
    };
    using Ids = std::vector<engine::TokenId>;
    QCOMPARE(ids("a a"), (Ids{2, 2})); // words don't meet: "a\u2581" is never made
    QCOMPARE(ids(" a"), (Ids{2}));
    QCOMPARE(ids("  a"), (Ids{0, 2}));
}

void TstHfDocuments::specialsComeFromAllDocuments() {
    json document = tokenizerDocument();
    document["post_processor"] = {
        {"type", "Sequence"},
        {"processors",
         {{{"type", "ByteLevel"}},
          {{"type", "TemplateProcessing"},
           {"single", {{{"SpecialToken", {{"id", "<begin>"}}}}, {{"Sequence", {{"id", "A"}}}}}}}}}};
    write("tokenizer.json", document.dump());
    write("tokenizer_config.json",
          R"({"bos_token": {"content": "<begin>"}, "eos_token": "<|end|>"})");
    write("generation_config.json", R"({"eos_token_id": [256, 257], "temperature": 0.6})");
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY(opened.has_value());
    QCOMPARE((*opened)->integer("tokenizer.ggml.bos_token_id"), std::optional<std::int64_t>(260));
    QCOMPARE((*opened)->number("general.sampling.temp"), std::optional<double>(0.6));
    auto tokenizer = engine::makeTokenizer(**opened);
    QVERIFY(tokenizer.has_value() && (*tokenizer)->addsBos());
    QVERIFY((*tokenizer)->bos() == std::optional<engine::TokenId>(260));
    QVERIFY((*tokenizer)->isEndOfGeneration(258) && (*tokenizer)->isEndOfGeneration(256));
    QVERIFY((*tokenizer)->isEndOfGeneration(257) && !(*tokenizer)->isEndOfGeneration(261));
    // What tokenizer_config.json says of the begin overrules the post-processor.
    write("tokenizer_config.json", R"({"bos_token": "<begin>", "add_bos_token": false})");
    tokenizer = engine::makeTokenizer(**engine::openCheckpoint(m_root));
    QVERIFY(tokenizer.has_value() && !(*tokenizer)->addsBos());
}

void TstHfDocuments::chatTemplatesComeFromThreePlaces() {
    write("tokenizer.json", tokenizerDocument().dump());
    const auto shown = [&] {
        const auto opened = engine::openCheckpoint(m_root);
        return std::string((*opened)->text("tokenizer.chat_template").value_or("none"));
    };
    QCOMPARE(shown(), std::string("none"));
    write("tokenizer_config.json", R"({"chat_template": "one"})");
    QCOMPARE(shown(), std::string("one"));
    write("tokenizer_config.json", R"({"chat_template": [{"name": "tools", "template": "three"},
                                                        {"name": "default", "template": "two"}]})");
    QCOMPARE(shown(), std::string("two"));
    write("chat_template.jinja", "four");
    QCOMPARE(shown(), std::string("four"));
}

void TstHfDocuments::tokenizersThatAreNotSupportedSayWhy_data() {
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("mentions");
    const auto row = [](const char* name, const char* change, const char* mentions) {
        QTest::newRow(name) << change << mentions;
    };
    row("unigram", R"({"model": {"type": "Unigram", "vocab": [["a", -1.5]]}})", "Unigram");
    row("word piece", R"({"model": {"type": "WordPiece", "vocab": {"a": 0}}})", "WordPiece");
    row("normaliser", R"({"normalizer": {"type": "Lowercase"}})", "normaliser \"Lowercase\"");
    row("pre-tokenizer", R"({"pre_tokenizer": {"type": "BertPreTokenizer"}})", "BertPreTokenizer");
    row("prefix", R"({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": true}})",
        "add_prefix_space");
    row("pattern", R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(("},
        "behavior": "Isolated"}})",
        "((");
    row("behavior", R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "a"},
        "behavior": "Folded"}})",
        "Folded");
}

void TstHfDocuments::tokenizersThatAreNotSupportedSayWhy() {
    QFETCH(QString, change);
    QFETCH(QString, mentions);
    json document = tokenizerDocument();
    document.update(json::parse(change.toStdString()));
    write("tokenizer.json", document.dump());
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY2(opened.has_value(), "a model computes without a tokenizer");
    const auto tokenizer = engine::makeTokenizer(**opened);
    QVERIFY(!tokenizer.has_value());
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(mentions),
             tokenizer.error().message.c_str());
    QVERIFY(tokenizer.error().code == engine::ErrorCode::Unsupported);
    const auto inspected = engine::inspectModel(m_root);
    QVERIFY(inspected.has_value() && inspected->unsupported.has_value());
}

void TstHfDocuments::brokenTokenizersAreNamed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("no JSON") << "{"
                             << "no JSON";
    QTest::newRow("no object") << "[]"
                               << "no JSON object";
    QTest::newRow("same id") << R"({"model": {"vocab": {"a": 1, "b": 1}}})"
                             << "the same id 1";
    QTest::newRow("id") << R"({"model": {"vocab": {"a": 99999999}}})"
                        << "token \"a\" has the id";
    QTest::newRow("no id") << R"({"model": {"vocab": {"a": "b"}}})"
                           << "vocabulary at \"a\"";
    QTest::newRow("negative") << R"({"model": {"vocab": {"a": -1}}})"
                              << "vocabulary at \"a\"";
    QTest::newRow("merge") << R"({"model": {"merges": [["a", "b", "c"]]}})"
                           << "merge 0";
    QTest::newRow("merge of numbers") << R"({"model": {"merges": [[1, 2]]}})"
                                      << "merge 0";
}

void TstHfDocuments::brokenTokenizersAreNamed() {
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    write("tokenizer.json", text.toStdString());
    const auto opened = engine::openCheckpoint(m_root);
    QVERIFY(!opened.has_value());
    QVERIFY2(QString::fromStdString(opened.error().message).contains(mentions),
             opened.error().message.c_str());
    QVERIFY(opened.error().message.starts_with("tokenizer.json: "));
}

void TstHfDocuments::tokenizerAloneIsAVocabulary() {
    fs::create_directories(path("alone"));
    write("alone/tokenizer.json", tokenizerDocument().dump());
    for (const fs::path& way : {path("alone"), path("alone/tokenizer.json")}) {
        const auto opened = engine::openCheckpoint(way);
        QVERIFY2(opened.has_value(), opened ? "" : opened.error().message.c_str());
        QVERIFY((*opened)->tensors().empty());
        QVERIFY(engine::makeTokenizer(**opened).has_value());
    }
    // A model without one computes, and says what is missing.
    const auto without = engine::makeTokenizer(**engine::openCheckpoint(m_root));
    QVERIFY(!without.has_value());
    QVERIFY(without.error().message.find("tokenizer.json is missing") != std::string::npos);
}

QTEST_APPLESS_MAIN(TstHfDocuments)
#include "tst_hf_documents.moc"
