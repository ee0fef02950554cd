// Truncated, mutated and absurd safetensors models and their documents: every one is opened or
// refused with a message; nothing crashes, and memory stays bounded by the files. Run under the
// asan preset as well.
#include "engine/base/failure.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/hf_config.h"
#include "engine/checkpoint/json_input.h"
#include "engine/checkpoint/safetensors_layout.h"
#include "engine/checkpoint/tokenizer_json.h"
#include "engine/model_file.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/safetensors_bytes.h"

#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

#include <random>

namespace fs = std::filesystem;
using tests::SafetensorsBytes;

class TstHostileSafetensors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyPrefixOfAHeaderIsRefused();
    void mutatedFilesNeverCrash();
    void mutatedConfigsNeverCrash();
    void mutatedTokenizersNeverCrash();
    void declaredSizesAllocateNothing();
    void extremeConfigNumbersAreRefusedOrHarmless();
    void deepDocumentsAreRefused();

private:
    fs::path path(std::string_view name) const { return m_root / name; }
    // Whatever the product does with it: look, open, read every tensor, tokenize.
    void use();
    QTemporaryDir m_folder;
    fs::path m_root;
    int m_opened = 0;
    int m_refused = 0;
};

namespace {

// A byte-level tokenizer with a handful of tokens, and everything that a document may have.
const std::string kTokenizer = R"({"version": "1.0", "truncation": null, "added_tokens": [
 {"id": 9, "content": "<|im_end|>", "single_word": false, "lstrip": false, "rstrip": false,
  "normalized": false, "special": true}, {"id": 11, "content": "<think>", "special": false}],
 "normalizer": {"type": "NFC"},
 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
  {"type": "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false},
  {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true}]},
 "post_processor": {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|im_end|>",
  "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]},
 "decoder": {"type": "ByteLevel"},
 "model": {"type": "BPE", "dropout": null, "unk_token": null, "byte_fallback": false,
  "ignore_merges": false, "vocab": {"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4, "1": 5},
  "merges": ["a b", ["ab", "c"]]}})";

std::string mutated(std::string bytes, std::mt19937_64& random) {
    for (std::size_t changes = 1 + random() % 4; changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = random() % bytes.size();
        const std::string piece = bytes.substr(random() % bytes.size(), 1 + random() % 24);
        switch (random() % 5) {
        case 0:
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
            break;
        case 1:
            bytes.insert(at, piece);
            break;
        case 2:
            bytes.erase(at, 1 + random() % 24);
            break;
        case 3: {
            constexpr std::array<const char*, 8> kNumbers = {
                "0",    "-1", "18446744073709551615", "9223372036854775808", "1e400", "0.5",
                "null", "[]"};
            const std::size_t digit = bytes.find_first_of("0123456789", at);
            if (digit != std::string::npos) {
                const std::size_t end = bytes.find_first_not_of("0123456789.", digit);
                bytes.replace(digit, end - digit, kNumbers[random() % kNumbers.size()]);
            }
            break;
        }
        default:
            bytes.resize(at);
            break;
        }
    }
    return bytes;
}

long peakKilobytes() {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

} // namespace

void TstHostileSafetensors::initTestCase() {
    m_root = fs::path(m_folder.path().toStdString()) / "model";
    fs::create_directories(m_root);
    tests::writeFile(path("config.json"), tests::kTinyConfig);
    tests::writeFile(path("model.safetensors"), tests::tinySafetensors());
    tests::writeFile(path("tokenizer.json"), kTokenizer);
    tests::writeFile(path("tokenizer_config.json"),
                     R"({"eos_token": {"content": "<|im_end|>"}, "add_bos_token": false,
                        "chat_template": [{"name": "default", "template": "{{ x }}"}]})");
    use();
    QCOMPARE(m_opened, 1);
}

void TstHostileSafetensors::use() {
    const auto inspected = engine::inspectModel(m_root);
    if (!inspected) {
        QVERIFY2(inspected.error().code != engine::ErrorCode::Internal,
                 inspected.error().message.c_str());
    }
    const auto opened = engine::openCheckpoint(m_root);
    if (!opened) {
        ++m_refused;
        const std::string& message = opened.error().message;
        QVERIFY(!message.empty() && QString::fromStdString(message).toStdString() == message);
        QVERIFY2(opened.error().code != engine::ErrorCode::Internal, message.c_str());
        return;
    }
    ++m_opened;
    unsigned sum = 0;
    for (const engine::TensorEntry& tensor : (*opened)->tensors()) {
        try {
            for (const std::byte byte : (*opened)->contents(tensor)) {
                sum += std::to_integer<unsigned>(byte);
            }
        } catch (const engine::Failure& failure) {
            QVERIFY(failure.what()[0] != '\0');
        }
        (*opened)->release(tensor);
    }
    QVERIFY(sum < ~0U);
    const auto tokenizer = engine::makeTokenizer(**opened);
    if (!tokenizer) {
        QVERIFY2(tokenizer.error().code != engine::ErrorCode::Internal,
                 tokenizer.error().message.c_str());
        return;
    }
    const auto ids =
        (*tokenizer)->encode("abc<|im_end|> 12345\n\xFF", engine::SpecialTokens::Parse);
    for (const engine::TokenId id : ids) {
        QVERIFY(id >= 0 && id < (*tokenizer)->size());
    }
}

void TstHostileSafetensors::everyPrefixOfAHeaderIsRefused() {
    const std::string whole = tests::tinySafetensors();
    for (std::size_t length = 0; length < whole.size(); length += length < 1500 ? 1 : 37) {
        const std::vector<char> exact(whole.begin(),
                                      whole.begin() + static_cast<std::ptrdiff_t>(length));
        QVERIFY_THROWS_EXCEPTION(engine::Failure, engine::safetensors::parseLayout(
                                                      std::as_bytes(std::span(exact)), "memory"));
    }
}

void TstHostileSafetensors::mutatedFilesNeverCrash() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    const std::string valid = tests::tinySafetensors();
    m_refused = 0;
    for (int round = 0; round < 250; ++round) {
        std::string bytes = valid;
        const std::string header = mutated(bytes.substr(8, bytes.size() - 8), random);
        // Half of them with a length that fits the change.
        const std::uint64_t length = random() % 2 == 0 ? header.find("    ") : 0;
        bytes = bytes.substr(0, 8) + header;
        if (length > 0 && length < header.size()) {
            std::memcpy(bytes.data(), &length, 8);
        }
        tests::writeFile(path("model.safetensors"), bytes);
        use();
    }
    tests::writeFile(path("model.safetensors"), valid);
    QVERIFY(m_refused > 0);
}

void TstHostileSafetensors::mutatedConfigsNeverCrash() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    const std::vector<std::string> configs = {
        std::string(tests::kTinyConfig),
        R"({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "hidden_size": 8,
         "num_hidden_layers": 2, "num_attention_heads": 2, "sliding_window": 4, "layer_types":
         ["sliding_attention", "full_attention"], "rope_parameters": {"full_attention":
         {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0}}}})",
        R"({"model_type": "deepseek_v3", "hidden_size": 8, "num_hidden_layers": 2,
         "num_attention_heads": 2, "kv_lora_rank": 4, "qk_rope_head_dim": 4, "qk_nope_head_dim": 4,
         "v_head_dim": 4, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size":
         4, "rope_scaling": {"type": "yarn", "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
         "original_max_position_embeddings": 4096, "beta_fast": 32, "beta_slow": 1},
         "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}})",
        R"({"model_type": "llama", "hidden_size": 8, "num_hidden_layers": 1,
         "num_attention_heads": 2, "head_dim": 4, "rope_parameters": {"rope_type": "llama3",
         "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
         "original_max_position_embeddings": 8192}})"};
    for (int round = 0; round < 250; ++round) {
        tests::writeFile(path("config.json"), mutated(configs[random() % configs.size()], random));
        use();
    }
    tests::writeFile(path("config.json"), tests::kTinyConfig);
}

void TstHostileSafetensors::mutatedTokenizersNeverCrash() {
    const auto seed = std::random_device{}();
    qInfo("seed %u", seed);
    std::mt19937_64 random(seed);
    m_opened = 0;
    for (int round = 0; round < 250; ++round) {
        tests::writeFile(path("tokenizer.json"), mutated(kTokenizer, random));
        use();
    }
    tests::writeFile(path("tokenizer.json"), kTokenizer);
    QVERIFY(m_opened > 0);
}

void TstHostileSafetensors::declaredSizesAllocateNothing() {
    const long before = peakKilobytes();
    const std::string huge = R"({"w": {"dtype": "F32", "shape": [1073741824, 1073741824],
        "data_offsets": [0, 4611686018427387904]}})";
    tests::writeFile(path("model.safetensors"), SafetensorsBytes::withHeader(huge, "x"));
    m_refused = 0;
    use();
    QCOMPARE(m_refused, 1);
    tests::writeFile(path("model.safetensors"), tests::tinySafetensors());
    std::string tokenizer = kTokenizer;
    tokenizer.replace(tokenizer.find("\"abc\": 4"), 8, "\"abc\": 1048575");
    tests::writeFile(path("tokenizer.json"), tokenizer);
    use(); // a million gaps are allowed, and cost what a million tokens cost
    tokenizer.replace(tokenizer.find("1048575"), 7, "9999999999");
    tests::writeFile(path("tokenizer.json"), tokenizer);
    use();
    QCOMPARE(m_refused, 2);
    tests::writeFile(path("tokenizer.json"), kTokenizer);
#if defined(__SANITIZE_THREAD__)
    const long most = 4'000'000; // a multiple of it is the sanitizer's own
#else
    const long most = 400'000;
#endif
    QVERIFY2(peakKilobytes() - before < most, "memory was taken for a mere claim");
}

void TstHostileSafetensors::extremeConfigNumbersAreRefusedOrHarmless() {
    const std::string config(tests::kTinyConfig);
    for (const char* const key :
         {"hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads",
          "intermediate_size", "max_position_embeddings", "vocab_size", "rope_theta",
          "rms_norm_eps"}) {
        for (const char* const value : {"0", "-1", "9223372036854775807", "1e300", "-1e300", "0.5",
                                        "\"8\"", "null", "true"}) {
            const std::size_t at = config.find(std::string("\"") + key + "\": ");
            const std::size_t begin = config.find(' ', at) + 1;
            const std::size_t end = config.find(',', begin);
            std::string changed = config;
            changed.replace(begin, end - begin, value);
            tests::writeFile(path("config.json"), changed);
            use();
        }
    }
    tests::writeFile(path("config.json"), tests::kTinyConfig);
}

void TstHostileSafetensors::deepDocumentsAreRefused() {
    // Deep enough to end a recursive reader's stack.
    const std::string deep = std::string(2'000'000, '[') + std::string(2'000'000, ']');
    QVERIFY_THROWS_EXCEPTION(engine::Failure,
                             engine::parseJsonObject("{\"a\": " + deep + "}", "config.json"));
    QVERIFY_THROWS_EXCEPTION(
        engine::Failure, engine::hf::parseTokenizerJson("{\"a\": " + deep + "}", "tokenizer.json"));
    std::string objects;
    for (int i = 0; i < 100'000; ++i) {
        objects += "{\"a\":";
    }
    QVERIFY_THROWS_EXCEPTION(engine::Failure, engine::parseJsonObject(objects, "config.json"));
    QVERIFY_THROWS_EXCEPTION(engine::Failure,
                             engine::hf::parseTokenizerJson(objects, "tokenizer.json"));
    const auto scores = engine::hf::parseTokenizerJson(
        R"({"model": {"type": "Unigram", "vocab": [["a", -1.0], ["b", [[-2]]]]}})", "t");
    QVERIFY(scores.hasScores && scores.tokens.empty());
}

QTEST_APPLESS_MAIN(TstHostileSafetensors)
#include "tst_hostile_safetensors.moc"
