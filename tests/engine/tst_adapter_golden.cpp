// Low-rank adapters against models whose weights they were added to in double precision; the two
// orders of llama's q and k in files of both kinds; rows among rows of others, bit for bit. Data:
// tests/golden/make_adapters.py.
#include "engine/checkpoint/checkpoint.h"
#include "engine/model/adapter_file.h"
#include "engine/model/registry.h"
#include "kernels/thread_pool.h"

#include <QFile>
#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace fs = std::filesystem;
using namespace engine;

namespace {

constexpr std::int64_t kBlockTokens = 16;
constexpr std::int32_t kBlocks = 64;
// Keys and values are kept in F32, so that nothing but the order of sums differs.
constexpr float kBound = 2e-4F; // of the range of the logits

fs::path goldenPath(const std::string& name) {
    return fs::path(HEADWAY_SOURCE_DIR) / "tests/golden" / name;
}

std::vector<float> readFloats(const fs::path& path) {
    QFile file(QString::fromStdString(path.string()));
    const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    std::vector<float> values(static_cast<std::size_t>(bytes.size()) / sizeof(float));
    std::memcpy(values.data(), bytes.constData(), values.size() * sizeof(float));
    return values;
}

std::vector<TokenId> idsOf(const std::string& name) {
    std::ifstream stream(goldenPath("safetensors/" + name) / "ids.json");
    return nlohmann::json::parse(stream).get<std::vector<TokenId>>();
}

// A model and adapters over it.
class Runner {
public:
    explicit Runner(const fs::path& base)
        : m_checkpoint(open(base)),
          m_model(makeModel(*m_checkpoint, *m_ops, {})),
          m_kv(*m_ops, m_model->spec().kv, kBlocks, kBlockTokens,
               KvFormat{.keys = KvPrecision::FP32, .values = KvPrecision::FP32}) {
        m_model->reserve(192, 192);
    }

    std::shared_ptr<const Adapter> adapter(const fs::path& path) {
        const AdapterFile file =
            readAdapterFile(path, adapterBaseOf(m_model->spec(), *m_checkpoint));
        Adapter::Pairs pairs;
        for (const AdapterMatrices& matrices : file.matrices) {
            pairs.emplace(
                matrices.site,
                LowRankPair{.a = m_ops->prepare(matrices.a.view(), kernels::WeightLayout::Packed),
                            .b = m_ops->prepare(matrices.b.view(), kernels::WeightLayout::Packed),
                            .scale = matrices.scale});
        }
        return std::make_shared<const Adapter>(AdapterInfo{.digest = file.digest},
                                               std::move(pairs));
    }

    // Of every position of the last sequence, in steps of `chunk` tokens beside those before it.
    std::vector<float> logits(const std::vector<TokenId>& ids, std::size_t chunk,
                              const std::vector<const Adapter*>& adapters) {
        std::vector<float> result;
        for (std::size_t at = 0; at < ids.size(); at += chunk) {
            const std::size_t count = std::min(chunk, ids.size() - at);
            m_batch.clear();
            for (std::size_t i = 0; i < adapters.size(); ++i) {
                addSlice(static_cast<std::int32_t>(i), std::span(ids).subspan(at, count), at,
                         adapters[i], i + 1 == adapters.size());
            }
            const kernels::View rows = m_model->forward(m_batch, m_kv, {});
            result.insert(result.end(), rows.f32(), rows.f32() + rows.shape.elements());
        }
        return result;
    }

private:
    static std::unique_ptr<Checkpoint> open(const fs::path& path) {
        auto opened = openCheckpoint(path);
        if (!opened) {
            throw std::runtime_error(opened.error().message);
        }
        return std::move(*opened);
    }

    void addSlice(std::int32_t sequence, std::span<const TokenId> ids, std::size_t at,
                  const Adapter* adapter, bool wantsLogits) {
        std::vector<BlockId> table;
        for (std::int32_t i = 0; i < 8; ++i) {
            table.push_back(BlockId{8 * sequence + i});
        }
        const std::int64_t first = m_batch.tokens();
        const auto count = static_cast<std::int64_t>(ids.size());
        m_batch.add(ids, static_cast<std::int64_t>(at), table, kBlockTokens);
        addAdapterRows(m_batch.adapters, adapter, first, count);
        if (!wantsLogits) {
            return;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            addAdapterRows(m_batch.wantedAdapters, adapter, i, 1);
            m_batch.logitRows.push_back(static_cast<std::int32_t>(first + i));
        }
    }

    kernels::ThreadPool m_pool{2};
    std::unique_ptr<kernels::Ops> m_ops = kernels::makeCpuOps(m_pool);
    std::unique_ptr<Checkpoint> m_checkpoint;
    std::unique_ptr<Model> m_model;
    KvCache m_kv;
    Batch m_batch;
};

} // namespace

class TstAdapterGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void logitsAreThoseOfTheMergedModel_data();
    void logitsAreThoseOfTheMergedModel();
    void rowsDoNotDependOnOtherAdapters();
    void anOrderThatIsWrongWouldShow();
};

void TstAdapterGolden::logitsAreThoseOfTheMergedModel_data() {
    QTest::addColumn<QByteArray>("base");
    QTest::addColumn<QByteArray>("adapter");
    QTest::addColumn<QByteArray>("wanted");
    for (const char* name : {"llama", "qwen2", "gemma3", "v3"}) {
        QTest::newRow(name) << QByteArray("safetensors/") + name << QByteArray("adapters/") + name
                            << QByteArray(name);
    }
    QTest::newRow("GGUF over safetensors")
        << QByteArray("safetensors/llama") << QByteArray("adapters/llama/adapter.gguf")
        << QByteArray("llama");
    QTest::newRow("PEFT over GGUF") << QByteArray("adapters/llama/base.gguf")
                                    << QByteArray("adapters/llama") << QByteArray("llama");
    QTest::newRow("GGUF over GGUF")
        << QByteArray("adapters/llama/base.gguf") << QByteArray("adapters/llama/adapter.gguf")
        << QByteArray("llama");
    QTest::newRow("its file instead of its folder")
        << QByteArray("safetensors/llama") << QByteArray("adapters/llama/adapter_model.safetensors")
        << QByteArray("llama");
}

void TstAdapterGolden::logitsAreThoseOfTheMergedModel() {
    QFETCH(QByteArray, base);
    QFETCH(QByteArray, adapter);
    QFETCH(QByteArray, wanted);
    const auto ids = idsOf(wanted.toStdString());
    const auto truth = readFloats(goldenPath("adapters/" + wanted.toStdString()) / "logits.f32");
    const auto [least, most] = std::ranges::minmax(truth);
    Runner runner(goldenPath(base.toStdString()));
    const auto loaded = runner.adapter(goldenPath(adapter.toStdString()));
    for (const std::size_t chunk : {1U, 7U, 64U}) {
        const auto logits = runner.logits(ids, chunk, {loaded.get()});
        QCOMPARE(logits.size(), truth.size());
        for (std::size_t i = 0; i < truth.size(); ++i) {
            QVERIFY2(std::abs(logits[i] - truth[i]) <= kBound * (most - least),
                     fmt::format("logit {}: {}, merged {}", i, logits[i], truth[i]).c_str());
        }
    }
}

void TstAdapterGolden::rowsDoNotDependOnOtherAdapters() {
    Runner runner(goldenPath("safetensors/llama"));
    const auto ids = idsOf("llama");
    const auto one = runner.adapter(goldenPath("adapters/llama"));
    const auto other = runner.adapter(goldenPath("adapters/llama/adapter.gguf"));
    const auto alone = runner.logits(ids, 40, {one.get()});
    const auto plain = runner.logits(ids, 40, {nullptr});
    QVERIFY(alone != plain);
    for (const std::size_t chunk : {1U, 9U, 40U}) {
        QCOMPARE(runner.logits(ids, chunk, {nullptr, other.get(), one.get()}), alone);
        QCOMPARE(runner.logits(ids, chunk, {one.get(), one.get(), one.get(), one.get()}), alone);
        QCOMPARE(runner.logits(ids, chunk, {other.get(), one.get(), nullptr}), plain);
    }
}

// The bound is small enough: rows of q and k in the other order are not within it.
void TstAdapterGolden::anOrderThatIsWrongWouldShow() {
    const auto ids = idsOf("llama");
    const auto truth = readFloats(goldenPath("adapters/llama/logits.f32"));
    Runner halves(goldenPath("safetensors/llama"));
    Runner pairs(goldenPath("adapters/llama/base.gguf"));
    const auto ofPairs = pairs.adapter(goldenPath("adapters/llama"));
    const auto logits = halves.logits(ids, 64, {ofPairs.get()});
    const auto [least, most] = std::ranges::minmax(truth);
    float worst = 0.0F;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        worst = std::max(worst, std::abs(logits[i] - truth[i]));
    }
    QVERIFY(worst > 10.0F * kBound * (most - least));
}

QTEST_APPLESS_MAIN(TstAdapterGolden)
#include "tst_adapter_golden.moc"
