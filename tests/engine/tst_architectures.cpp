// Every architecture against Hugging Face transformers on tiny models with all features on: logits,
// greedy continuations, and that planted mistakes would show. Data: tests/golden.
#include "engine/model/registry.h"
#include "engine/schedule/window_places.h"
#include "kernels/thread_pool.h"
#include "tests/support/golden_model.h"

#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace engine;
using tests::GoldenModel;
using tests::GoldenPrompt;
using tests::MemoryCheckpoint;

namespace {

constexpr double kBound = 2e-3; // of the range of the logits
constexpr std::int64_t kBlockTokens = 16;
constexpr std::int32_t kBlocks = 64;

using Row = std::vector<float>;
using Rows = std::vector<Row>;

// One model with its memory; sequences own scattered blocks.
class Runner {
public:
    explicit Runner(const Checkpoint& checkpoint)
        : m_model(makeModel(checkpoint, *m_ops, {})),
          m_kv(*m_ops, m_model->spec().kv, kBlocks, kBlockTokens) {
        m_model->reserve(128, 128);
    }

    // Layers with a window get only the memory that they need for steps of up to 128 tokens.
    void cutWindows() {
        m_kv = KvCache(*m_ops, m_model->spec().kv, kBlocks, kBlockTokens,
                       windowPlacesNeeded(sight(), 3, 128));
    }

    const ModelSpec& spec() const { return m_model->spec(); }

    // Logits of every position, in steps of `chunk` tokens.
    Rows logits(const std::vector<TokenId>& ids, std::size_t chunk) {
        Rows rows;
        for (std::size_t at = 0; at < ids.size(); at += chunk) {
            m_batch.clear();
            addSlice(0, ids, at, chunk, Wants::Every);
            take(rows);
        }
        return rows;
    }

    // The same beside two others: one further on and in larger steps, one behind and token by
    // token.
    Rows logitsAmongStrangers(const std::vector<TokenId>& ids, std::size_t chunk) {
        std::vector<TokenId> other(ids.rbegin(), ids.rend());
        Rows rows;
        std::size_t step = 0;
        for (std::size_t at = 0; at < ids.size(); at += chunk, ++step) {
            m_batch.clear();
            addSlice(1, other, step * 5, 5, Wants::Nothing);
            addSlice(0, ids, at, chunk, Wants::Every);
            addSlice(2, other, step, 1, Wants::Nothing);
            take(rows);
        }
        return rows;
    }

    std::vector<TokenId> continuation(const std::vector<TokenId>& ids, std::size_t tokens) {
        std::vector<TokenId> all = ids;
        std::vector<TokenId> answer;
        Rows rows = logits(all, all.size());
        while (answer.size() < tokens) {
            answer.push_back(argmax(rows.back()));
            all.push_back(answer.back());
            m_batch.clear();
            addSlice(0, all, all.size() - 1, 1, Wants::Every);
            take(rows);
        }
        return answer;
    }

    static TokenId argmax(const Row& row) {
        return static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
    }

private:
    static BlockPool allTaken() {
        BlockPool pool(kBlocks);
        while (pool.free() > 0) {
            pool.acquire();
        }
        return pool;
    }

    WindowSight sight() const {
        return {.window = widestWindow(m_model->spec().kv), .blockTokens = kBlockTokens};
    }

    enum class Wants : std::uint8_t { Nothing, Every };

    void addSlice(std::int32_t sequence, const std::vector<TokenId>& ids, std::size_t at,
                  std::size_t chunk, Wants wants) {
        if (at >= ids.size()) {
            return;
        }
        std::vector<BlockId> table;
        for (std::int32_t i = 0; i < 16; ++i) {
            table.push_back(BlockId{((3 * i + sequence) * 13 + 5) % kBlocks});
        }
        const std::size_t count = std::min(chunk, ids.size() - at);
        const auto first = static_cast<std::int32_t>(m_batch.tokens());
        m_batch.add(std::span(ids).subspan(at, count), static_cast<std::int64_t>(at), table,
                    kBlockTokens);
        for (std::int32_t i = 0; wants == Wants::Every && i < static_cast<std::int32_t>(count);
             ++i) {
            m_batch.logitRows.push_back(first + i);
        }
    }

    void take(Rows& rows) {
        if (m_kv.windows() != nullptr) {
            placeWindows(m_batch, *m_kv.windows(), sight(), m_taken);
        }
        const kernels::View view = m_model->forward(m_batch, m_kv, {});
        if (m_kv.windows() != nullptr) {
            trimWindows(m_batch, *m_kv.windows(), sight());
        }
        const std::int64_t vocabulary = m_model->spec().vocabulary;
        for (std::int64_t i = 0; i < view.shape[0]; ++i) {
            const float* row = view.f32() + i * vocabulary;
            rows.emplace_back(row, row + vocabulary);
        }
    }

    kernels::ThreadPool m_pool{2};
    std::unique_ptr<kernels::Ops> m_ops = kernels::makeCpuOps(m_pool);
    std::unique_ptr<Model> m_model;
    KvCache m_kv;
    BlockPool m_taken = allTaken();
    Batch m_batch;
};

struct Difference {
    double ofRange = 0.0; // largest difference of a logit over the range of its row
    bool isSameChoice = true;
};

// The last rows against the stored ones.
Difference differenceFrom(const GoldenModel& golden, const GoldenPrompt& prompt, const Rows& rows) {
    Difference result;
    const auto width = static_cast<std::size_t>(golden.vocabulary);
    const auto stored = static_cast<std::size_t>(golden.storedPositions);
    for (std::size_t i = 0; i < stored; ++i) {
        const auto wanted = std::span(prompt.logits).subspan(i * width, width);
        const Row& got = rows[rows.size() - stored + i];
        const auto [least, most] = std::ranges::minmax(wanted);
        for (std::size_t v = 0; v < width; ++v) {
            const double distance = std::abs(static_cast<double>(got[v] - wanted[v])) /
                                    static_cast<double>(most - least);
            result.ofRange = distance <= result.ofRange ? result.ofRange : distance;
        }
        const auto choice = static_cast<TokenId>(std::ranges::max_element(wanted) - wanted.begin());
        result.isSameChoice = result.isSameChoice && Runner::argmax(got) == choice;
    }
    return result;
}

using Change = std::function<void(MemoryCheckpoint&)>;

Change setKey(const std::string& key, MetadataValue value) {
    return [key, value](MemoryCheckpoint& c) { c.set(key, value); };
}

Change removeKey(const std::string& key) {
    return [key](MemoryCheckpoint& c) { c.remove(key); };
}

Change removeTensor(const std::string& name) {
    return [name](MemoryCheckpoint& c) { c.removeTensor(name); };
}

} // namespace

Q_DECLARE_METATYPE(Change)

class TstArchitectures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyArchitectureHasItsProof();
    void logitsAreThoseOfTransformers_data() { addNames(); }
    void logitsAreThoseOfTransformers();
    void savedFoldersGiveTheSame_data() { addNames(); }
    void savedFoldersGiveTheSame();
    void chunksAndStrangersChangeNothing_data() { addNames(); }
    void chunksAndStrangersChangeNothing();
    void greedyContinuationsAreTheSame_data() { addNames(); }
    void greedyContinuationsAreTheSame();
    void mistakesWouldShow_data();
    void mistakesWouldShow();
    void otherLayoutsOfAFileGiveTheSameBits_data();
    void otherLayoutsOfAFileGiveTheSameBits();
    void theCacheHoldsWhatIsTold();
    void predictionModulesAreSkippedWithANotice();

private:
    static void addNames() {
        QTest::addColumn<std::string>("name");
        for (const std::string& name : tests::goldenNames()) {
            QTest::newRow(name.c_str()) << name;
        }
    }
};

void TstArchitectures::everyArchitectureHasItsProof() {
    std::vector<std::string> proven;
    for (const std::string& name : tests::goldenNames()) {
        proven.emplace_back(*tests::readGoldenModel(name).checkpoint.text("general.architecture"));
    }
    for (const char* name : {"llama", "qwen2", "qwen3", "qwen3moe", "gemma3", "deepseek2"}) {
        QVERIFY2(isSupportedArchitecture(name), name);
        QVERIFY2(std::ranges::find(proven, name) != proven.end(), name);
    }
}

void TstArchitectures::logitsAreThoseOfTransformers() {
    QFETCH(const std::string, name);
    const GoldenModel golden = tests::readGoldenModel(name);
    Runner runner(golden.checkpoint);
    for (const GoldenPrompt& prompt : golden.prompts) {
        const Difference difference =
            differenceFrom(golden, prompt, runner.logits(prompt.ids, prompt.ids.size()));
        QVERIFY2(difference.ofRange <= kBound && difference.isSameChoice,
                 fmt::format("{} tokens: {:.2g} of the range, same choice: {}", prompt.ids.size(),
                             difference.ofRange, difference.isSameChoice)
                     .c_str());
    }
}

void TstArchitectures::savedFoldersGiveTheSame() {
    QFETCH(const std::string, name);
    const GoldenModel golden = tests::readGoldenModel(name);
    const auto folder = openCheckpoint(tests::goldenFolder(name));
    QVERIFY2(folder.has_value(), folder ? "" : folder.error().message.c_str());
    Runner runner(**folder);
    for (const GoldenPrompt& prompt : golden.prompts) {
        const Difference difference =
            differenceFrom(golden, prompt, runner.logits(prompt.ids, prompt.ids.size()));
        QVERIFY2(difference.ofRange <= kBound && difference.isSameChoice,
                 fmt::format("{} tokens: {:.2g} of the range, same choice: {}", prompt.ids.size(),
                             difference.ofRange, difference.isSameChoice)
                     .c_str());
    }
}

void TstArchitectures::chunksAndStrangersChangeNothing() {
    QFETCH(const std::string, name);
    const GoldenModel golden = tests::readGoldenModel(name);
    Runner runner(golden.checkpoint);
    Runner cut(golden.checkpoint);
    for (const GoldenPrompt& prompt : golden.prompts) {
        const Rows whole = runner.logits(prompt.ids, prompt.ids.size());
        for (const std::size_t chunk : {1UL, 7UL, 64UL}) {
            QVERIFY(runner.logits(prompt.ids, chunk) == whole);
            QVERIFY(runner.logitsAmongStrangers(prompt.ids, chunk) == whole);
            cut.cutWindows();
            QVERIFY(cut.logitsAmongStrangers(prompt.ids, chunk) == whole);
        }
    }
}

void TstArchitectures::greedyContinuationsAreTheSame() {
    QFETCH(const std::string, name);
    const GoldenModel golden = tests::readGoldenModel(name);
    Runner runner(golden.checkpoint);
    for (const GoldenPrompt& prompt : golden.prompts) {
        QCOMPARE(runner.continuation(prompt.ids, prompt.greedy.size()), prompt.greedy);
    }
}

void TstArchitectures::mistakesWouldShow_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<Change>("change");
    const auto add = [](const char* name, const char* what, Change change) {
        QTest::addRow("%s, %s", name, what) << std::string(name) << std::move(change);
    };
    add("llama", "epsilon", setKey("llama.attention.layer_norm_rms_epsilon", 0.03));
    add("llama", "base", setKey("llama.rope.freq_base", 400.0));
    add("llama", "no divisors", removeTensor("rope_freqs.weight"));
    add("llama", "bias of keys", removeTensor("blk.1.attn_k.bias"));
    add("llama", "bias of the output", removeTensor("blk.0.attn_output.bias"));
    add("llama", "bias of up", removeTensor("blk.2.ffn_up.bias"));
    add("qwen2", "bias of queries", removeTensor("blk.1.attn_q.bias"));
    add("qwen2", "no scaling", setKey("qwen2.rope.scaling.type", std::string("none")));
    add("qwen2", "linear", setKey("qwen2.rope.scaling.type", std::string("linear")));
    add("qwen2", "factor", setKey("qwen2.rope.scaling.factor", 3.5));
    add("qwen2", "original context",
        setKey("qwen2.rope.scaling.original_context_length", std::int64_t{64}));
    add("qwen2", "fast turns", removeKey("qwen2.rope.scaling.yarn_beta_fast"));
    add("qwen2", "slow turns", removeKey("qwen2.rope.scaling.yarn_beta_slow"));
    add("qwen2", "magnitude", setKey("qwen2.rope.scaling.attn_factor", 1.0));
    add("qwen3", "base", setKey("qwen3.rope.freq_base", 1000.0));
    add("qwen3", "scale", setKey("qwen3.attention.scale", 0.2));
    add("qwen3moe", "one expert less", setKey("qwen3moe.expert_used_count", std::int64_t{2}));
    add("qwen3moe", "one expert more", setKey("qwen3moe.expert_used_count", std::int64_t{4}));
    add("qwen3moe", "weights as they are", setKey("qwen3moe.expert_weights_norm", false));
    add("gemma3", "a longer window", setKey("gemma3.attention.sliding_window", std::int64_t{10}));
    add("gemma3", "a shorter window", setKey("gemma3.attention.sliding_window", std::int64_t{8}));
    add("gemma3", "another pattern",
        setKey("gemma3.attention.sliding_window_pattern", std::int64_t{7}));
    add("gemma3", "base of windows", setKey("gemma3.rope.freq_base_swa", 120.0));
    add("gemma3", "base of the others", setKey("gemma3.rope.freq_base", 4000.0));
    add("gemma3", "factor", setKey("gemma3.rope.scaling.factor", 3.0));
    add("gemma3", "scale", removeKey("gemma3.attention.scale"));
    add("gemma3", "no cap of logits", removeKey("gemma3.final_logit_softcapping"));
    for (const char* name : {"deepseek_v2", "deepseek_v3"}) {
        add(name, "factor", setKey("deepseek2.rope.scaling.factor", 5.0));
        add(name, "original context",
            setKey("deepseek2.rope.scaling.original_context_length", std::int64_t{80}));
        add(name, "scores of YaRN", removeKey("deepseek2.rope.scaling.yarn_log_multiplier"));
        add(name, "fast turns", removeKey("deepseek2.rope.scaling.yarn_beta_fast"));
        add(name, "one group more", setKey("deepseek2.expert_group_used_count", std::int64_t{3}));
        add(name, "no groups", removeKey("deepseek2.expert_group_count"));
        add(name, "one expert more", setKey("deepseek2.expert_used_count", std::int64_t{5}));
        add(name, "scale of experts", setKey("deepseek2.expert_weights_scale", 3.0));
        add(name, "epsilon", setKey("deepseek2.attention.layer_norm_rms_epsilon", 0.05));
    }
    add("deepseek_v2", "normalised", setKey("deepseek2.expert_weights_norm", true));
    add("deepseek_v2_lite", "sigmoid", setKey("deepseek2.expert_gating_func", std::int64_t{2}));
    add("deepseek_v3", "softmax", setKey("deepseek2.expert_gating_func", std::int64_t{1}));
    add("deepseek_v3", "not normalised", setKey("deepseek2.expert_weights_norm", false));
    add("deepseek_v3", "no bias of choice", removeTensor("blk.1.exp_probs_b.bias"));
}

void TstArchitectures::mistakesWouldShow() {
    QFETCH(const std::string, name);
    QFETCH(const Change, change);
    GoldenModel golden = tests::readGoldenModel(name);
    change(golden.checkpoint);
    if (golden.checkpoint.integer("deepseek2.expert_group_count").value_or(0) == 0) {
        golden.checkpoint.remove("deepseek2.expert_group_used_count");
    }
    Runner runner(golden.checkpoint);
    double largest = 0.0;
    for (const GoldenPrompt& prompt : golden.prompts) {
        const Rows rows = runner.logits(prompt.ids, prompt.ids.size());
        largest = std::max(largest, differenceFrom(golden, prompt, rows).ofRange);
    }
    QVERIFY2(largest > 2.0 * kBound, fmt::format("{:.2g} of the range", largest).c_str());
}

namespace {

// One matrix for keys and values, as files had it before heads were held apart.
void joinHeads(MemoryCheckpoint& c) {
    const std::int64_t heads = *c.integer("deepseek2.attention.head_count");
    const std::int64_t rank = *c.integer("deepseek2.attention.kv_lora_rank");
    const std::int64_t value = *c.integer("deepseek2.attention.value_length_mla");
    const std::int64_t whole = *c.integer("deepseek2.attention.key_length_mla");
    const std::int64_t plain = whole - *c.integer("deepseek2.rope.dimension_count");
    for (std::int64_t i = 0; i < *c.integer("deepseek2.block_count"); ++i) {
        const std::string layer = fmt::format("blk.{}.", i);
        const std::vector<float> keys = c.values(layer + "attn_k_b.weight");
        const std::vector<float> values = c.values(layer + "attn_v_b.weight");
        std::vector<float> both;
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t d = 0; d < plain; ++d) {
                for (std::int64_t r = 0; r < rank; ++r) {
                    both.push_back(keys[static_cast<std::size_t>((head * rank + r) * plain + d)]);
                }
            }
            const auto first = values.begin() + head * value * rank;
            both.insert(both.end(), first, first + value * rank);
        }
        c.removeTensor(layer + "attn_k_b.weight");
        c.removeTensor(layer + "attn_v_b.weight");
        c.setTensor(layer + "attn_kv_b.weight", {heads * (plain + value), rank}, both);
    }
    c.remove("deepseek2.attention.key_length_mla");
    c.remove("deepseek2.attention.value_length_mla");
    c.set("deepseek2.attention.key_length", whole);
    c.set("deepseek2.attention.value_length", value);
    c.set("deepseek2.attention.head_count_kv", heads);
}

// An expert's gate and up in one tensor, the gate first.
void joinGateAndUp(MemoryCheckpoint& c) {
    std::vector<std::string> gates;
    for (const TensorEntry& tensor : c.tensors()) {
        if (tensor.name.ends_with("ffn_gate_exps.weight")) {
            gates.push_back(tensor.name);
        }
    }
    for (const std::string& gateName : gates) {
        const kernels::Shape shape = c.find(gateName)->shape;
        const std::string layer = gateName.substr(0, gateName.find("ffn_"));
        const std::vector<float> gate = c.values(gateName);
        const std::vector<float> up = c.values(layer + "ffn_up_exps.weight");
        std::vector<float> both;
        const std::int64_t length = shape[1] * shape[2];
        for (std::int64_t e = 0; e < shape[0]; ++e) {
            both.insert(both.end(), gate.begin() + e * length, gate.begin() + (e + 1) * length);
            both.insert(both.end(), up.begin() + e * length, up.begin() + (e + 1) * length);
        }
        c.removeTensor(gateName);
        c.removeTensor(layer + "ffn_up_exps.weight");
        c.setTensor(layer + "ffn_gate_up_exps.weight", {shape[0], 2 * shape[1], shape[2]}, both);
    }
}

void giveFlagsAsPattern(MemoryCheckpoint& c) {
    c.set("gemma3.attention.sliding_window_pattern",
          MetadataArray(std::vector<bool>{true, true, true, true, true, false, true}));
}

void giveKvHeadsALayer(MemoryCheckpoint& c) {
    const std::vector<std::int64_t> heads{2, 2, 2};
    c.set("qwen3.attention.head_count_kv", MetadataArray(heads));
}

} // namespace

void TstArchitectures::otherLayoutsOfAFileGiveTheSameBits_data() {
    QTest::addColumn<std::string>("name");
    QTest::addColumn<Change>("change");
    const auto add = [](const char* what, const char* name, Change change) {
        QTest::addRow("%s, %s", name, what) << std::string(name) << std::move(change);
    };
    add("keys and values in one", "deepseek_v3", joinHeads);
    add("keys and values in one", "deepseek_v2_lite", joinHeads);
    add("gate and up in one", "deepseek_v3", joinGateAndUp);
    add("gate and up in one", "qwen3moe", joinGateAndUp);
    add("pattern as flags", "gemma3", giveFlagsAsPattern);
    add("pattern as period", "gemma3",
        setKey("gemma3.attention.sliding_window_pattern", std::int64_t{6}));
    add("groups that limit nothing", "deepseek_v2_lite",
        setKey("deepseek2.expert_group_count", std::int64_t{1}));
    add("kv heads a layer", "qwen3", giveKvHeadsALayer);
}

void TstArchitectures::otherLayoutsOfAFileGiveTheSameBits() {
    QFETCH(const std::string, name);
    QFETCH(const Change, change);
    GoldenModel golden = tests::readGoldenModel(name);
    const std::vector<TokenId>& ids = golden.prompts.front().ids;
    const Rows wanted = Runner(golden.checkpoint).logits(ids, 64);
    change(golden.checkpoint);
    QVERIFY(Runner(golden.checkpoint).logits(ids, 64) == wanted);
}

void TstArchitectures::theCacheHoldsWhatIsTold() {
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    for (const std::string& name : tests::goldenNames()) {
        const GoldenModel golden = tests::readGoldenModel(name);
        const Runner runner(golden.checkpoint);
        const KvCache kv(*ops, runner.spec().kv, 3, 16);
        QCOMPARE(kv.bytes(), 3 * 16 * runner.spec().kvBytesPerToken());
    }
    // Three layers of one latent row, 22 and 6 rotated elements of two bytes.
    const GoldenModel latent = tests::readGoldenModel("deepseek_v3");
    QCOMPARE(Runner(latent.checkpoint).spec().kvBytesPerToken(), std::uint64_t{3 * 28 * 2});
    const GoldenModel grouped = tests::readGoldenModel("qwen3");
    QCOMPARE(Runner(grouped.checkpoint).spec().kvBytesPerToken(),
             std::uint64_t{3 * 2 * 2 * 18 * 2});
}

void TstArchitectures::predictionModulesAreSkippedWithANotice() {
    GoldenModel golden = tests::readGoldenModel("deepseek_v3");
    MemoryCheckpoint& c = golden.checkpoint;
    const std::vector<TokenId> ids = golden.prompts.back().ids;
    QVERIFY(Runner(c).spec().notices.empty());
    const Rows wanted = Runner(c).logits(ids, 64);
    c.setTensor("blk.3.nextn.eh_proj.weight", {45, 90}, std::vector<float>(45 * 90));
    c.setTensor("blk.3.attn_norm.weight", {45}, std::vector<float>(45));
    Runner uncounted(c); // files that do not count the module among the layers
    QCOMPARE(uncounted.spec().notices.size(), std::size_t{1});
    c.set("deepseek2.nextn_predict_layers", std::int64_t{1});
    c.set("deepseek2.block_count", std::int64_t{4});
    Runner counted(c);
    QCOMPARE(counted.spec().layers, std::int64_t{3});
    QVERIFY2(counted.spec().notices.front().find("2 tensors") != std::string::npos,
             counted.spec().notices.front().c_str());
    QVERIFY(counted.logits(ids, 64) == wanted);
    QVERIFY(uncounted.logits(ids, 64) == wanted);
}

QTEST_APPLESS_MAIN(TstArchitectures)
#include "tst_architectures.moc"
