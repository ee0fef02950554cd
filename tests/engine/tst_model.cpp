// The llama graph against an implementation of its own in double precision, and what is refused.
#include "engine/model/registry.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"
#include "tests/support/memory_checkpoint.h"

#include <QTest>

#include <cmath>
#include <functional>
#include <string>

using namespace engine;
using tests::MemoryCheckpoint;

namespace {

using Row = std::vector<double>;
using Rows = std::vector<Row>;

// Straight from the formulas, every position from scratch, no cache.
class Reference {
public:
    Reference(const MemoryCheckpoint& checkpoint, const tests::MemoryLlama& shape)
        : m_checkpoint(checkpoint),
          m_shape(shape) {}

    double ropeFactor = 1.0;

    Rows logits(const std::vector<TokenId>& ids) const {
        Rows x;
        for (const TokenId id : ids) {
            x.push_back(tensorRow("token_embd.weight", id, m_shape.hidden));
        }
        for (std::int64_t i = 0; i < m_shape.layers; ++i) {
            addAttention(fmt::format("blk.{}.", i), x);
            addFeedForward(fmt::format("blk.{}.", i), x);
        }
        Rows result;
        for (const Row& row : x) {
            const char* output = m_checkpoint.hasTensor("output.weight") ? "output" : "token_embd";
            result.push_back(project(output, m_shape.vocabulary, norm("output_norm.weight", row)));
        }
        return result;
    }

private:
    Row tensorRow(const std::string& name, std::int64_t row, std::int64_t length) const {
        const auto& values = m_checkpoint.values(name);
        const auto begin = values.begin() + row * length;
        return Row(begin, begin + length);
    }

    Row norm(const std::string& gain, const Row& x) const {
        double squares = 0.0;
        for (const double value : x) {
            squares += value * value;
        }
        const double scale = 1.0 / std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
        Row result;
        for (std::size_t i = 0; i < x.size(); ++i) {
            result.push_back(x[i] * scale * static_cast<double>(m_checkpoint.values(gain)[i]));
        }
        return result;
    }

    Row project(const std::string& name, std::int64_t rows, const Row& x) const {
        Row result;
        for (std::int64_t n = 0; n < rows; ++n) {
            const Row weight = tensorRow(name + ".weight", n, static_cast<std::int64_t>(x.size()));
            double sum = 0.0;
            for (std::size_t k = 0; k < x.size(); ++k) {
                sum += x[k] * weight[k];
            }
            if (m_checkpoint.hasTensor(name + ".bias")) {
                sum += static_cast<double>(
                    m_checkpoint.values(name + ".bias")[static_cast<std::size_t>(n)]);
            }
            result.push_back(sum);
        }
        return result;
    }

    void turn(Row& x, std::int64_t heads, std::size_t position) const {
        for (std::int64_t head = 0; head < heads; ++head) {
            for (std::int64_t pair = 0; pair < m_shape.headDim / 2; ++pair) {
                double frequency = std::pow(10000.0, -2.0 * static_cast<double>(pair) /
                                                         static_cast<double>(m_shape.headDim));
                frequency /= ropeFactor;
                if (m_checkpoint.hasTensor("rope_freqs.weight")) {
                    frequency /= static_cast<double>(
                        m_checkpoint.values("rope_freqs.weight")[static_cast<std::size_t>(pair)]);
                }
                const double angle = static_cast<double>(position) * frequency;
                const auto at = static_cast<std::size_t>(head * m_shape.headDim + 2 * pair);
                const double a = x[at];
                const double b = x[at + 1];
                x[at] = a * std::cos(angle) - b * std::sin(angle);
                x[at + 1] = a * std::sin(angle) + b * std::cos(angle);
            }
        }
    }

    void addAttention(const std::string& layer, Rows& x) const {
        const std::int64_t d = m_shape.headDim;
        Rows q;
        Rows k;
        Rows v;
        for (std::size_t t = 0; t < x.size(); ++t) {
            const Row n = norm(layer + "attn_norm.weight", x[t]);
            q.push_back(project(layer + "attn_q", m_shape.heads * d, n));
            k.push_back(project(layer + "attn_k", m_shape.kvHeads * d, n));
            v.push_back(project(layer + "attn_v", m_shape.kvHeads * d, n));
            turn(q.back(), m_shape.heads, t);
            turn(k.back(), m_shape.kvHeads, t);
        }
        for (std::size_t t = 0; t < x.size(); ++t) {
            Row mixed(static_cast<std::size_t>(m_shape.heads * d), 0.0);
            for (std::int64_t head = 0; head < m_shape.heads; ++head) {
                mixHead(q[t], k, v, t, head, mixed);
            }
            const Row delta = project(layer + "attn_output", m_shape.hidden, mixed);
            for (std::size_t i = 0; i < delta.size(); ++i) {
                x[t][i] += delta[i];
            }
        }
    }

    void mixHead(const Row& q, const Rows& k, const Rows& v, std::size_t t, std::int64_t head,
                 Row& mixed) const {
        const std::int64_t d = m_shape.headDim;
        const auto qAt = static_cast<std::size_t>(head * d);
        const auto kvAt = static_cast<std::size_t>(head / (m_shape.heads / m_shape.kvHeads) * d);
        Row weights;
        double total = 0.0;
        for (std::size_t s = 0; s <= t; ++s) {
            double score = 0.0;
            for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
                score += q[qAt + i] * k[s][kvAt + i];
            }
            weights.push_back(std::exp(score / std::sqrt(static_cast<double>(d))));
            total += weights.back();
        }
        for (std::size_t s = 0; s <= t; ++s) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(d); ++i) {
                mixed[qAt + i] += weights[s] / total * v[s][kvAt + i];
            }
        }
    }

    void addFeedForward(const std::string& layer, Rows& x) const {
        for (Row& row : x) {
            const Row n = norm(layer + "ffn_norm.weight", row);
            Row gate = project(layer + "ffn_gate", m_shape.feedForward, n);
            const Row up = project(layer + "ffn_up", m_shape.feedForward, n);
            for (std::size_t i = 0; i < gate.size(); ++i) {
                gate[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
            }
            const Row delta = project(layer + "ffn_down", m_shape.hidden, gate);
            for (std::size_t i = 0; i < delta.size(); ++i) {
                row[i] += delta[i];
            }
        }
    }

    const MemoryCheckpoint& m_checkpoint;
    const tests::MemoryLlama& m_shape;
};

std::vector<TokenId> someIds(std::size_t count, std::int64_t vocabulary) {
    std::vector<TokenId> ids;
    for (std::size_t i = 0; i < count; ++i) {
        ids.push_back(static_cast<TokenId>((i * i * 7 + 3) % static_cast<std::size_t>(vocabulary)));
    }
    return ids;
}

struct Loaded {
    kernels::ThreadPool pool{2};
    std::unique_ptr<kernels::Ops> ops = kernels::makeCpuOps(pool);

    std::unique_ptr<Model> make(const MemoryCheckpoint& checkpoint) {
        return makeModel(checkpoint, *ops, {});
    }

    // Logits of every position, computed in steps of `chunk` over scattered blocks of 16.
    Rows logits(Model& model, const std::vector<TokenId>& ids, std::size_t chunk) {
        constexpr std::int64_t kBlockTokens = 16;
        const ModelSpec& spec = model.spec();
        KvCache kv(*ops, spec.kv, 32, kBlockTokens);
        std::vector<BlockId> table;
        for (std::int32_t i = 0; i < 8; ++i) {
            table.push_back(BlockId{(i * 13 + 5) % 32});
        }
        model.reserve(static_cast<std::int64_t>(chunk), static_cast<std::int64_t>(chunk));
        Rows rows;
        for (std::size_t at = 0; at < ids.size(); at += chunk) {
            const std::size_t count = std::min(chunk, ids.size() - at);
            Batch batch;
            batch.add(std::span(ids).subspan(at, count), static_cast<std::int64_t>(at), table,
                      kBlockTokens);
            for (std::size_t i = 0; i < count; ++i) {
                batch.logitRows.push_back(static_cast<std::int32_t>(i));
            }
            const kernels::View view = model.forward(batch, kv, {});
            for (std::size_t i = 0; i < count; ++i) {
                const float* row = view.f32() + static_cast<std::int64_t>(i) * spec.vocabulary;
                rows.emplace_back(row, row + spec.vocabulary);
            }
        }
        return rows;
    }
};

const tests::MemoryLlama kShape;

std::vector<float> rampOf(std::size_t count, float from, float step) {
    std::vector<float> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(from + step * static_cast<float>(i));
    }
    return values;
}

using Change = std::function<void(MemoryCheckpoint&)>;

} // namespace

Q_DECLARE_METATYPE(Change)

class TstModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void logitsAreThoseOfTheFormulas_data();
    void logitsAreThoseOfTheFormulas();
    void chunksGiveTheSameBits();
    void onlyWantedRowsGiveTheSameBits();
    void hostileNumbersAreRefusedByName_data();
    void hostileNumbersAreRefusedByName();
    void loadingAndStepsStopWhenTold();
    void trafficCountsWhatAStepReads();
};

void TstModel::logitsAreThoseOfTheFormulas_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<double>("ropeFactor");
    QTest::newRow("plain") << Change([](MemoryCheckpoint&) {}) << 1.0;
    QTest::newRow("tied output") << Change([](MemoryCheckpoint& c) {
        c.removeTensor("output.weight");
    }) << 1.0;
    QTest::newRow("rope divisors") << Change([](MemoryCheckpoint& c) {
        c.setTensor("rope_freqs.weight", {4}, {1.0F, 1.5F, 4.0F, 8.0F});
    }) << 1.0;
    QTest::newRow("linear scaling") << Change([](MemoryCheckpoint& c) {
        c.set("llama.rope.scaling.type", std::string("linear"));
        c.set("llama.rope.scaling.factor", 4.0);
    }) << 4.0;
    QTest::newRow("biases") << Change([](MemoryCheckpoint& c) {
        c.setTensor("blk.0.attn_q.bias", {32}, rampOf(32, -0.2F, 0.02F));
        c.setTensor("blk.0.attn_k.bias", {16}, rampOf(16, 0.3F, -0.05F));
        c.setTensor("blk.1.attn_v.bias", {16}, rampOf(16, 0.1F, 0.03F));
        c.setTensor("blk.1.attn_output.bias", {32}, rampOf(32, 0.4F, -0.02F));
    }) << 1.0;
    QTest::newRow("one number a layer") << Change([](MemoryCheckpoint& c) {
        c.set("llama.attention.head_count_kv", MetadataArray(std::vector<std::int64_t>{2, 2}));
    }) << 1.0;
}

void TstModel::logitsAreThoseOfTheFormulas() {
    QFETCH(const Change, change);
    QFETCH(const double, ropeFactor);
    MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 11);
    change(checkpoint);
    Reference reference(checkpoint, kShape);
    reference.ropeFactor = ropeFactor;
    const auto ids = someIds(50, kShape.vocabulary);
    const Rows expected = reference.logits(ids);
    Loaded loaded;
    const auto model = loaded.make(checkpoint);
    const Rows got = loaded.logits(*model, ids, 50);
    for (std::size_t t = 0; t < ids.size(); ++t) {
        std::string text;
        // Keys and values are F16: 2^-11 each, averaged over two layers.
        QVERIFY2(tests::closeTo<double>(got[t], expected[t], 2e-3, &text), text.c_str());
    }
}

void TstModel::chunksGiveTheSameBits() {
    const MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 12);
    const auto ids = someIds(97, kShape.vocabulary);
    Loaded loaded;
    const auto model = loaded.make(checkpoint);
    const Rows whole = loaded.logits(*model, ids, 97);
    for (const std::size_t chunk : {1UL, 7UL, 16UL, 64UL}) {
        QVERIFY(loaded.logits(*model, ids, chunk) == whole);
    }
}

void TstModel::onlyWantedRowsGiveTheSameBits() {
    const MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 13);
    const auto ids = someIds(40, kShape.vocabulary);
    Loaded loaded;
    const auto model = loaded.make(checkpoint);
    const Rows all = loaded.logits(*model, ids, 40);
    const ModelSpec& spec = model->spec();
    const KvCache kv(*loaded.ops, spec.kv, 3, 16);
    const std::vector<BlockId> table = {BlockId{2}, BlockId{0}, BlockId{1}};
    Batch batch;
    batch.add(ids, 0, table, 16);
    batch.logitRows = {3, 39};
    const kernels::View logits = model->forward(batch, kv, {});
    QCOMPARE(logits.shape[0], std::int64_t(2));
    const float* first = logits.f32();
    QVERIFY(Row(first, first + spec.vocabulary) == all[3]);
    QVERIFY(Row(first + spec.vocabulary, first + 2 * spec.vocabulary) == all[39]);
    batch.logitRows.clear();
    QCOMPARE(model->forward(batch, kv, {}).shape[0], std::int64_t(0));
}

void TstModel::hostileNumbersAreRefusedByName_data() {
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("name");
    const auto number = [](const char* row, const char* key, std::int64_t value) {
        QTest::newRow(row) << Change([key, value](MemoryCheckpoint& c) { c.set(key, value); })
                           << std::string(key);
    };
    number("no layers", "llama.block_count", 0);
    number("negative layers", "llama.block_count", -1);
    number("a billion layers", "llama.block_count", 1000000000);
    number("no heads", "llama.attention.head_count", 0);
    number("kv heads that do not divide", "llama.attention.head_count_kv", 3);
    number("more kv heads than heads", "llama.attention.head_count_kv", 8);
    number("odd head", "llama.attention.key_length", 7);
    number("values of another length", "llama.attention.value_length", 16);
    number("no context", "llama.context_length", 0);
    number("huge width", "llama.embedding_length", std::int64_t{1} << 40);
    number("odd rope width", "llama.rope.dimension_count", 5);
    number("rope wider than a head", "llama.rope.dimension_count", 16);
    number("experts", "llama.expert_count", 8);
    const auto real = [](const char* row, const char* key, double value) {
        QTest::newRow(row) << Change([key, value](MemoryCheckpoint& c) { c.set(key, value); })
                           << std::string(key);
    };
    real("epsilon of zero", "llama.attention.layer_norm_rms_epsilon", 0.0);
    real("epsilon that is no number", "llama.attention.layer_norm_rms_epsilon", NAN);
    real("negative rope base", "llama.rope.freq_base", -1.0);
    real("infinite rope base", "llama.rope.freq_base", INFINITY);
    real("scaling by zero", "llama.rope.scaling.factor", 0.0);
    const auto other = [](const char* row, const char* name, Change change) {
        QTest::newRow(row) << std::move(change) << std::string(name);
    };
    other("text for a number", "llama.block_count",
          [](MemoryCheckpoint& c) { c.set("llama.block_count", std::string("two")); });
    other("missing key", "llama.embedding_length",
          [](MemoryCheckpoint& c) { c.remove("llama.embedding_length"); });
    other("numbers for fewer layers", "llama.feed_forward_length", [](MemoryCheckpoint& c) {
        c.set("llama.feed_forward_length", MetadataArray(std::vector<std::int64_t>{64}));
    });
    other("unknown scaling", "llama.rope.scaling.type",
          [](MemoryCheckpoint& c) { c.set("llama.rope.scaling.type", std::string("longrope")); });
    other(
        "kv heads of one layer that do not divide", "llama.attention.head_count_kv",
        [](MemoryCheckpoint& c) {
            c.set("llama.attention.head_count_kv", MetadataArray(std::vector<std::int64_t>{2, 3}));
        });
    other("tokens that see later ones", "llama.attention.causal",
          [](MemoryCheckpoint& c) { c.set("llama.attention.causal", false); });
    other("missing tensor", "blk.1.ffn_up.weight",
          [](MemoryCheckpoint& c) { c.removeTensor("blk.1.ffn_up.weight"); });
    other("wrong shape", "blk.0.attn_q.weight", [](MemoryCheckpoint& c) {
        c.setTensor("blk.0.attn_q.weight", {16, 32}, std::vector<float>(512));
    });
    other("tensor of another model", "blk.0.attn_q_norm.weight", [](MemoryCheckpoint& c) {
        c.setTensor("blk.0.attn_q_norm.weight", {8}, std::vector<float>(8));
    });
    other("no embedding", "token_embd.weight",
          [](MemoryCheckpoint& c) { c.removeTensor("token_embd.weight"); });
    other("rope divided by zero", "rope", [](MemoryCheckpoint& c) {
        c.setTensor("rope_freqs.weight", {4}, {1.0F, 0.0F, 1.0F, 1.0F});
    });
    other("another architecture", "mamba",
          [](MemoryCheckpoint& c) { c.set("general.architecture", std::string("mamba")); });
}

void TstModel::hostileNumbersAreRefusedByName() {
    QFETCH(const Change, change);
    QFETCH(const std::string, name);
    MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 14);
    change(checkpoint);
    Loaded loaded;
    try {
        static_cast<void>(loaded.make(checkpoint));
        QFAIL("it was not refused");
    } catch (const Failure& failure) {
        QVERIFY2(std::string(failure.what()).find(name) != std::string::npos, failure.what());
    }
}

void TstModel::loadingAndStepsStopWhenTold() {
    const MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 15);
    Loaded loaded;
    std::stop_source stop;
    std::uint64_t seen = 0;
    WeightOptions options;
    options.stop = stop.get_token();
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
        QVERIFY(done > seen && done <= total);
        seen = done;
        stop.request_stop();
    };
    QVERIFY_EXCEPTION_THROWN(makeModel(checkpoint, *loaded.ops, options), Interrupted);
    const auto model = loaded.make(checkpoint);
    model->reserve(4, 4);
    const KvCache kv(*loaded.ops, model->spec().kv, 1, 16);
    Batch batch;
    batch.add(someIds(4, kShape.vocabulary), 0, std::vector{BlockId{0}}, 16);
    QVERIFY_EXCEPTION_THROWN(model->forward(batch, kv, stop.get_token()), Interrupted);
}

void TstModel::trafficCountsWhatAStepReads() {
    MemoryCheckpoint checkpoint = tests::makeMemoryLlama(kShape, 16);
    Loaded loaded;
    const auto untied = loaded.make(checkpoint);
    checkpoint.removeTensor("output.weight");
    const auto tied = loaded.make(checkpoint);
    QVERIFY(isSupportedArchitecture("llama") && !isSupportedArchitecture("mamba"));
    QCOMPARE(untied->trafficBytes(1, true), tied->trafficBytes(1, true));
    QCOMPARE(untied->trafficBytes(1, false), tied->trafficBytes(1, false));
    QVERIFY(untied->trafficBytes(1, true) >
            untied->trafficBytes(1, false) + static_cast<std::uint64_t>(kShape.vocabulary));
    QCOMPARE(tied->spec().isOutputTied, true);
    QCOMPARE(untied->spec().parameters - tied->spec().parameters,
             static_cast<std::uint64_t>(kShape.vocabulary * kShape.hidden));
}

QTEST_APPLESS_MAIN(TstModel)
#include "tst_model.moc"
