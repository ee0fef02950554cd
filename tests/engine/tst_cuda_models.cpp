// Whole models through the CUDA operators under emulation: every architecture on the tiny models of
// tests/golden, and an engine that serves requests, each with the tokens of the CPU.
#include "engine/kv/kv_cache.h"
#include "engine/loop/engine.h"
#include "engine/model/registry.h"
#include "kernels/cuda/make_cuda_ops.h"
#include "kernels/thread_pool.h"
#include "tests/support/golden_model.h"
#include "tests/support/simt/device.h"
#include "tests/support/tiny_engine.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

using namespace engine;

namespace {

constexpr std::int64_t kBlockTokens = 16;
constexpr std::int32_t kBlocks = 24;

using Row = std::vector<float>;

// One model with its memory and one sequence.
class Runner {
public:
    Runner(const Checkpoint& checkpoint, std::unique_ptr<kernels::Ops> ops)
        : m_ops(std::move(ops)),
          m_model(makeModel(checkpoint, *m_ops, {})),
          m_kv(*m_ops, m_model->spec().kv, kBlocks, kBlockTokens) {
        m_model->reserve(64, 1);
        for (std::int32_t i = 0; i < 16; ++i) {
            m_table.push_back(BlockId{(i * 13 + 5) % kBlocks});
        }
    }

    // The logits of the last of the tokens [begin, end).
    Row logits(const std::vector<TokenId>& ids, std::size_t begin, std::size_t end) {
        m_batch.clear();
        m_batch.add(std::span(ids).subspan(begin, end - begin), static_cast<std::int64_t>(begin),
                    m_table, kBlockTokens);
        m_batch.logitRows.push_back(static_cast<std::int32_t>(end - begin) - 1);
        const kernels::View view = m_model->forward(m_batch, m_kv, {});
        return {view.f32(), view.f32() + m_model->spec().vocabulary};
    }

private:
    std::unique_ptr<kernels::Ops> m_ops;
    std::unique_ptr<Model> m_model;
    KvCache m_kv;
    std::vector<BlockId> m_table;
    Batch m_batch;
};

TokenId argmax(const Row& row) {
    return static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
}

// Largest difference of a logit over the range of all.
double difference(const Row& got, const Row& wanted) {
    const auto [least, most] = std::ranges::minmax(wanted);
    double largest = 0.0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const double distance = std::abs(static_cast<double>(got[i] - wanted[i]));
        largest = distance <= largest ? largest : distance;
    }
    return largest / static_cast<double>(most - least);
}

} // namespace

class TstCudaModels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyArchitectureGivesTheCpusTokens_data();
    void everyArchitectureGivesTheCpusTokens();
    void anEngineAnswersAsOnTheCpu_data();
    void anEngineAnswersAsOnTheCpu();
};

void TstCudaModels::everyArchitectureGivesTheCpusTokens_data() {
    QTest::addColumn<std::string>("name");
    for (const std::string& name : tests::goldenNames()) {
        QTest::newRow(name.c_str()) << name;
    }
}

void TstCudaModels::everyArchitectureGivesTheCpusTokens() {
    QFETCH(const std::string, name);
    constexpr double kBound = 1e-4;
    constexpr std::size_t kTokens = 3;
    const tests::GoldenModel golden = tests::readGoldenModel(name);
    simt::Device device({.workTime = simt::WorkTime::AsLateAsPossible});
    kernels::ThreadPool pool(1);
    {
        Runner cpu(golden.checkpoint, kernels::makeCpuOps(pool));
        Runner cuda(golden.checkpoint, kernels::cuda::makeCudaOps(pool));
        std::vector<TokenId> ids = golden.prompts.front().ids;
        ids.resize(std::min<std::size_t>(ids.size(), 24));
        std::size_t done = 0;
        for (std::size_t i = 0; i < kTokens; ++i) {
            const Row wanted = cpu.logits(ids, done, ids.size());
            const Row got = cuda.logits(ids, done, ids.size());
            const double distance = difference(got, wanted);
            QVERIFY2(distance <= kBound,
                     fmt::format("token {}: {:.3g} of the range", i, distance).c_str());
            QCOMPARE(argmax(got), argmax(wanted));
            done = ids.size();
            ids.push_back(argmax(wanted));
        }
    }
    QVERIFY(device.leaks().empty());
}

void TstCudaModels::anEngineAnswersAsOnTheCpu_data() {
    QTest::addColumn<int>("format");
    for (const kernels::Format format :
         {kernels::Format::F32, kernels::Format::Q4_0, kernels::Format::Q6_K}) {
        QTest::addRow("%s", std::string(kernels::traits(format).name).c_str())
            << static_cast<int>(format);
    }
}

void TstCudaModels::anEngineAnswersAsOnTheCpu() {
    QFETCH(const int, format);
    simt::Device device({.schedule = simt::Schedule::WarpAhead});
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file, {.format = static_cast<kernels::Format>(format)});
    const auto answers = [&](const OpsFactory& makeOps) {
        auto started = startEngine(file, {.config = tests::TinyEngine::smallConfig(),
                                          .progress = {},
                                          .stop = {},
                                          .makeOps = makeOps,
                                          .readBytesPerSecond = 1e10});
        std::vector<std::vector<TokenId>> all;
        if (!started) {
            return all;
        }
        std::vector<std::shared_ptr<TokenStream>> streams;
        for (const char* prompt : {"one", "a longer prompt than the other one", "x"}) {
            streams.push_back((*started)->submit(tests::TinyEngine::request(prompt, 4)));
        }
        for (const auto& stream : streams) {
            all.push_back(tests::readToEnd(*stream).ids);
        }
        return all;
    };
    const auto wanted = answers({});
    const auto got =
        answers([](kernels::ThreadPool& pool) { return kernels::cuda::makeCudaOps(pool); });
    QCOMPARE(wanted.size(), std::size_t{3});
    QVERIFY(!wanted.front().empty());
    QVERIFY(got == wanted);
    QVERIFY(device.leaks().empty());
}

QTEST_APPLESS_MAIN(TstCudaModels)
#include "tst_cuda_models.moc"
