// Blocks that a query chooses by bounds of their keys, and attention over lists that differ from
// token to token.
#include "kernels/check_inputs.h"
#include "kernels/reference/reference.h"
#include "kernels/thread_pool.h"
#include "tests/support/close_to.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using kernels::BlockQuery;
using kernels::BlockRef;
using kernels::Buffer;
using kernels::Format;
using kernels::KvCoding;
using kernels::Shape;
using kernels::ThreadPool;

namespace {

constexpr std::int64_t kKvHeads = 2, kHeads = 6;

// Random keys and values in all blocks of a layer.
struct Layer {
    Layer(kernels::Ops& ops, kernels::check::Inputs& inputs, KvCoding coding, std::int64_t blocks,
          std::int64_t blockTokens, std::int64_t dim) {
        const bool isPlain = kernels::isPlainCoding(coding);
        const Format format = coding == KvCoding::F32 ? Format::F32
                              : isPlain               ? Format::F16
                                                      : Format::I8;
        const std::int64_t row = isPlain ? dim : kernels::kvRowBytes(coding, dim, 0);
        keys = ops.allocate(format, {blocks, kKvHeads, blockTokens, row});
        values = ops.allocate(Format::F16, {blocks, kKvHeads, blockTokens, dim});
        bounds = ops.allocate(Format::F32, {blocks, kKvHeads, 2, dim});
        kv = {.keys = keys.view(), .values = values.view(), .keyCoding = coding};
        kv.bounds = bounds.view();
        const std::int64_t tokens = blocks * blockTokens;
        std::vector<std::int32_t> slots(static_cast<std::size_t>(tokens));
        std::iota(slots.begin(), slots.end(), 0);
        const Buffer q = inputs.normal({tokens, kHeads, dim}, 1.0F);
        const Buffer k = inputs.normal({tokens, kKvHeads, dim}, 1.0F);
        const Buffer v = inputs.normal({tokens, kKvHeads, dim}, 1.0F);
        ops.ropeAndStore(q.view(), k.view(), v.view(), {.frequencies = {0.0F}}, slots, slots, kv);
        all.resize(static_cast<std::size_t>(blocks));
        std::iota(all.begin(), all.end(), 0);
    }
    Buffer keys, values, bounds;
    kernels::KvLayer kv;
    std::vector<std::int32_t> all; // its blocks
};

} // namespace

class TstBlockSelection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void boundsAreThoseOfTheKeys_data();
    void boundsAreThoseOfTheKeys();
    void theLargestAreChosen_data();
    void theLargestAreChosen();
    void noScoreExceedsItsBound();
    void equalOnesComeInOrder();
    void noNumbersChooseAsMany();
    void tokensSeeBlocksOfTheirOwn_data();
    void tokensSeeBlocksOfTheirOwn();
    void wrongArgumentsAreRefused();

private:
    std::uint64_t m_seed = std::random_device()();
};

void TstBlockSelection::boundsAreThoseOfTheKeys_data() {
    QTest::addColumn<int>("coding");
    QTest::addRow("F32") << static_cast<int>(KvCoding::F32);
    QTest::addRow("F16") << static_cast<int>(KvCoding::F16);
    QTest::addRow("INT8") << static_cast<int>(KvCoding::Row8);
    QTest::addRow("F16 by channel") << static_cast<int>(KvCoding::Channel16);
}

void TstBlockSelection::boundsAreThoseOfTheKeys() {
    QFETCH(const int, coding);
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Layer layer(*ops, inputs, static_cast<KvCoding>(coding), 7, 32, 40);
    ops->boundKeys(layer.kv, std::vector<std::int32_t>{6, 0, 3});
    const auto wanted = kernels::reference::boundKeys(layer.kv, 40);
    const float* got = layer.bounds.view().f32();
    const std::size_t perBlock = kKvHeads * 2 * 40;
    for (std::size_t i = 0; i < 7 * perBlock; ++i) {
        const std::size_t block = i / perBlock;
        const bool isAsked = block == 0 || block == 3 || block == 6;
        const double difference = std::abs(static_cast<double>(got[i]) - wanted[i]);
        QVERIFY(isAsked ? difference <= 1e-6 * std::abs(wanted[i]) : got[i] == 0.0F);
    }
}

void TstBlockSelection::theLargestAreChosen_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("dim");
    for (const std::string& isa : kernels::cpuIsas()) {
        for (const int dim : {10, 64, 72, 128}) {
            QTest::addRow("%s, dim %d", isa.c_str(), dim) << QString::fromStdString(isa) << dim;
        }
    }
}

void TstBlockSelection::theLargestAreChosen() {
    QFETCH(const QString, isa);
    QFETCH(const int, dim);
    ThreadPool pool(2);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    const Layer layer(*ops, inputs, KvCoding::F16, 40, 16, dim);
    ops->boundKeys(layer.kv, layer.all);
    std::vector<std::int32_t> candidates = layer.all;
    std::shuffle(candidates.begin(), candidates.end(), std::mt19937(m_seed));
    const Buffer q = inputs.normal({5, kHeads, dim}, 1.0F);
    std::vector<BlockQuery> queries;
    std::int64_t flagCount = 0;
    for (int i = 0; i < 30; ++i) {
        const auto count = static_cast<std::int32_t>(inputs.bits() % 20);
        queries.push_back({.row = i % 5,
                           .firstCandidate = static_cast<std::int32_t>(inputs.bits() % 20),
                           .count = count,
                           .keep = static_cast<std::int32_t>(inputs.bits() %
                                                             static_cast<std::uint64_t>(count + 1)),
                           .firstFlag = flagCount});
        flagCount += count;
    }
    std::vector<std::uint8_t> flags(static_cast<std::size_t>(flagCount), 9);
    const float scale = 1.0F / std::sqrt(static_cast<float>(dim));
    ops->selectBlocks(q.view(), layer.kv, queries, candidates, scale, flags);
    for (const BlockQuery& query : queries) {
        const auto shares = kernels::reference::blockShares(q.view(), layer.kv, query, candidates,
                                                            static_cast<double>(scale));
        double leastIn = 1e9, mostOut = -1e9;
        int chosen = 0;
        for (std::size_t i = 0; i < shares.size(); ++i) {
            const std::uint8_t flag = flags[static_cast<std::size_t>(query.firstFlag) + i];
            QVERIFY(flag <= 1);
            chosen += flag;
            leastIn = flag != 0 ? std::min(leastIn, shares[i]) : leastIn;
            mostOut = flag == 0 ? std::max(mostOut, shares[i]) : mostOut;
        }
        QCOMPARE(chosen, query.keep);
        QVERIFY2(leastIn >= mostOut - 1e-4, fmt::format("seed {}", m_seed).c_str());
    }
}

void TstBlockSelection::noScoreExceedsItsBound() {
    // A query along one key of a block finds that block before those of smaller keys.
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Layer layer(*ops, inputs, KvCoding::F32, 20, 16, 64);
    constexpr std::int64_t kBlock = 13;
    Buffer q = Buffer::cpu(Format::F32, {1, kHeads, 64});
    for (std::int64_t head = 0; head < kHeads; ++head) {
        float* key = layer.keys.view().f32() + ((kBlock * kKvHeads + head / 3) * 16 + 5) * 64;
        for (int d = 0; d < 64; ++d) {
            key[d] = (d % 2 == 0 ? 9.0F : -9.0F);
            q.view().f32()[head * 64 + d] = key[d];
        }
    }
    ops->boundKeys(layer.kv, layer.all);
    std::vector<std::uint8_t> flags(20);
    const std::vector<BlockQuery> query{{.row = 0, .count = 20, .keep = 1}};
    ops->selectBlocks(q.view(), layer.kv, query, layer.all, 0.125F, flags);
    for (std::size_t i = 0; i < flags.size(); ++i) {
        QCOMPARE(int{flags[i]}, i == kBlock ? 1 : 0);
    }
}

void TstBlockSelection::equalOnesComeInOrder() {
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Layer layer(*ops, inputs, KvCoding::F16, 12, 16, 32);
    ops->boundKeys(layer.kv, layer.all);
    const Buffer q = Buffer::cpu(Format::F32, {1, kHeads, 32}); // zeros: all scores are 0
    std::vector<std::uint8_t> flags(12);
    const std::vector<BlockQuery> query{{.row = 0, .count = 12, .keep = 5}};
    ops->selectBlocks(q.view(), layer.kv, query, layer.all, 1.0F, flags);
    for (std::size_t i = 0; i < flags.size(); ++i) {
        QCOMPARE(int{flags[i]}, i < 5 ? 1 : 0);
    }
}

void TstBlockSelection::noNumbersChooseAsMany() {
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    const Layer layer(*ops, inputs, KvCoding::F16, 12, 16, 32);
    ops->boundKeys(layer.kv, layer.all);
    const Buffer q = inputs.poisoned({1, kHeads, 32});
    std::vector<std::uint8_t> flags(12);
    const std::vector<BlockQuery> query{{.row = 0, .count = 12, .keep = 7}};
    ops->selectBlocks(q.view(), layer.kv, query, layer.all, 1.0F, flags);
    QCOMPARE(std::accumulate(flags.begin(), flags.end(), 0), 7);
}

void TstBlockSelection::tokensSeeBlocksOfTheirOwn_data() {
    QTest::addColumn<QString>("isa");
    QTest::addColumn<int>("threads");
    for (const std::string& isa : kernels::cpuIsas()) {
        QTest::addRow("%s, one thread", isa.c_str()) << QString::fromStdString(isa) << 1;
        QTest::addRow("%s, spans apart", isa.c_str()) << QString::fromStdString(isa) << 3;
    }
}

// Together they are computed as each of them alone with its list, to the bit.
void TstBlockSelection::tokensSeeBlocksOfTheirOwn() {
    QFETCH(const QString, isa);
    QFETCH(const int, threads);
    ThreadPool pool(threads);
    const auto ops = kernels::makeCpuOps(pool, isa.toStdString());
    kernels::check::Inputs inputs(m_seed);
    constexpr std::int32_t kBlocks = 80, kTokens = 32, kFirst = 1248; // several spans of positions
    const Layer layer(*ops, inputs, KvCoding::Channel16, kBlocks, 16, 64);
    const Buffer q = inputs.normal({kTokens, kHeads, 64}, 1.0F);
    std::vector<BlockRef> together;
    for (std::int32_t i = 0; i < kBlocks; ++i) {
        const bool isOwn = i * 16 + 16 > kFirst;
        together.push_back({i, i * 16,
                            isOwn ? kernels::kAllTokens
                                  : static_cast<std::uint32_t>(inputs.bits() & inputs.bits())});
    }
    const kernels::AttentionSlice slice{.firstRow = 0,
                                        .tokens = kTokens,
                                        .firstPosition = kFirst,
                                        .firstBlock = 0,
                                        .blockCount = kBlocks};
    std::vector<BlockRef> apart;
    std::vector<kernels::AttentionSlice> slices;
    for (std::int32_t token = 0; token < kTokens; ++token) {
        slices.push_back({.firstRow = token,
                          .tokens = 1,
                          .firstPosition = kFirst + token,
                          .firstBlock = static_cast<std::int32_t>(apart.size()),
                          .blockCount = 0});
        for (const BlockRef& block : together) {
            if ((block.tokens >> token & 1U) != 0) {
                apart.push_back({block.block, block.firstPosition});
            }
        }
        slices.back().blockCount =
            static_cast<std::int32_t>(apart.size()) - slices.back().firstBlock;
    }
    const auto run = [&](const kernels::AttentionBatch& batch) {
        Buffer out = inputs.poisoned(q.view().shape);
        ops->attention(q.view(), layer.kv, batch, {.scale = 0.125F}, out.view());
        return std::vector<float>(out.view().f32(), out.view().f32() + out.view().shape.elements());
    };
    const kernels::AttentionBatch chosen{.slices = {&slice, 1}, .blocks = together};
    const auto got = run(chosen);
    QVERIFY(got == run({.slices = slices, .blocks = apart}));
    const auto wanted =
        kernels::reference::attention(q.view(), layer.kv, chosen, {.scale = 0.125F}, 64);
    std::string text;
    QVERIFY2(tests::closeTo<float>(got, wanted, 1e-5, &text),
             fmt::format("{}, seed {}", text, m_seed).c_str());
}

void TstBlockSelection::wrongArgumentsAreRefused() {
    ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    kernels::check::Inputs inputs(m_seed);
    Layer layer(*ops, inputs, KvCoding::F16, 4, 16, 32);
    const Buffer q = inputs.normal({2, kHeads, 32}, 1.0F);
    std::vector<std::uint8_t> flags(4);
    using Wrong = std::invalid_argument;
    QVERIFY_EXCEPTION_THROWN(ops->boundKeys(layer.kv, std::vector<std::int32_t>{4}), Wrong);
    const auto select = [&](const BlockQuery& query) {
        ops->selectBlocks(q.view(), layer.kv, {&query, 1}, layer.all, 1.0F, flags);
    };
    QVERIFY_EXCEPTION_THROWN(select({.row = 2, .count = 1}), Wrong);
    QVERIFY_EXCEPTION_THROWN(select({.row = 0, .count = 5}), Wrong);
    QVERIFY_EXCEPTION_THROWN(select({.row = 0, .firstCandidate = 3, .count = 2}), Wrong);
    QVERIFY_EXCEPTION_THROWN(select({.row = 0, .count = 2, .keep = 3}), Wrong);
    QVERIFY_EXCEPTION_THROWN(select({.row = 0, .count = 2, .firstFlag = 3}), Wrong);
    layer.kv.bounds = {};
    QVERIFY_EXCEPTION_THROWN(select({.row = 0, .count = 2}), Wrong);
    std::vector<BlockRef> blocks{{0, 0, 1U}};
    const kernels::AttentionSlice slice{.tokens = 33, .blockCount = 1};
    const Buffer long33 = inputs.normal({33, kHeads, 32}, 1.0F);
    Buffer out = inputs.poisoned(long33.view().shape);
    QVERIFY_EXCEPTION_THROWN(ops->attention(long33.view(), layer.kv,
                                            {.slices = {&slice, 1}, .blocks = blocks}, {},
                                            out.view()),
                             Wrong);
}

QTEST_APPLESS_MAIN(TstBlockSelection)
#include "tst_block_selection.moc"
