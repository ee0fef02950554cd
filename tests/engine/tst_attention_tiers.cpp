// Sparse attention: what is seen, that positions alone decide, and that full is the whole.
#include "engine/evaluate.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/block_chooser.h"
#include "engine/schedule/batch.h"
#include "kernels/thread_pool.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <algorithm>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;

namespace {

std::vector<TokenId> someIds(int count) {
    std::vector<TokenId> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back((i * i * 5 + i + 7) % 320);
    }
    return ids;
}

std::vector<BlockId> table(int blocks) {
    std::vector<BlockId> ids;
    for (int i = 0; i < blocks; ++i) {
        ids.push_back(BlockId{(i * 7 + 3) % blocks});
    }
    return ids;
}

// Seen positions of every row, through the arrays that a model gets.
std::vector<std::vector<std::int32_t>> seenBy(const Batch& batch, std::int64_t blockTokens) {
    std::vector<std::vector<std::int32_t>> seen(batch.ids.size());
    for (const kernels::AttentionSlice& slice : batch.slices) {
        for (std::int32_t token = 0; token < slice.tokens; ++token) {
            auto& positions = seen[static_cast<std::size_t>(slice.firstRow + token)];
            for (std::int32_t b = 0; b < slice.blockCount; ++b) {
                const auto& block = batch.blocks[static_cast<std::size_t>(slice.firstBlock + b)];
                for (std::int32_t i = 0; i < static_cast<std::int32_t>(blockTokens); ++i) {
                    if (block.firstPosition + i <= slice.firstPosition + token) {
                        positions.push_back(block.firstPosition + i);
                    }
                }
            }
        }
    }
    return seen;
}

} // namespace

class TstAttentionTiers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tiersAreSeen();
    void theShareIsKept_data();
    void theShareIsKept();
    void chunksSeeTheSame();
    void tokensChooseAmongWhatIsBetween();
    void whatIsChosenIsWhatMatters();
    void logitsDependOnPositionsAlone();
    void everythingInSightIsFullAttention();
    void requestsChooseForThemselves();
};

void TstAttentionTiers::tiersAreSeen() {
    const AttentionTiers tiers{.isSparse = true, .first = 100, .window = 200, .share = 30};
    constexpr std::int64_t kBlock = 32;
    constexpr std::int64_t kQuery = 90;
    for (std::int64_t block = 0; block < 4; ++block) { // 100 tokens and the rest of their block
        QVERIFY(tiers.seesEvenly(kQuery, block, kBlock));
    }
    for (std::int64_t block = 83; block <= kQuery; ++block) { // the last ends at 2688 > 2880 - 200
        QVERIFY(tiers.seesEvenly(kQuery, block, kBlock));
    }
    int between = 0;
    for (std::int64_t block = 4; block < 83; ++block) {
        between += tiers.seesEvenly(kQuery, block, kBlock) ? 1 : 0;
        if (!tiers.seesEvenly(kQuery, block, kBlock)) { // left out once, left out for ever
            QVERIFY(!tiers.seesEvenly(kQuery + 500, block, kBlock));
        }
    }
    QCOMPARE(between, 79 * 30 / 100);
}

void TstAttentionTiers::theShareIsKept_data() {
    QTest::addColumn<int>("share");
    for (const int share : {0, 1, 10, 30, 50, 99, 100}) {
        QTest::addRow("%d %%", share) << share;
    }
}

void TstAttentionTiers::theShareIsKept() {
    QFETCH(const int, share);
    const AttentionTiers tiers{.isSparse = true, .first = 0, .window = 0, .share = share};
    int seen = 0;
    for (std::int64_t block = 0; block < 1000; ++block) {
        seen += tiers.seesEvenly(1'000'000, block, 64) ? 1 : 0;
    }
    QCOMPARE(seen, 10 * share);
}

void TstAttentionTiers::chunksSeeTheSame() {
    const AttentionTiers tiers{.isSparse = true, .first = 64, .window = 192, .share = 30};
    constexpr std::int64_t kBlock = 32;
    const auto ids = someIds(1000);
    const auto blocks = table(32);
    Batch whole;
    whole.add(ids, 0, blocks, kBlock, tiers);
    const auto wanted = seenBy(whole, kBlock);
    QVERIFY(wanted.back().size() < 1000 && wanted.back().size() > 64 + 192);
    std::vector<std::vector<std::int32_t>> got;
    for (std::size_t at = 0, step = 1; at < ids.size(); step = step * 3 % 97 + 1) {
        const std::size_t count = std::min(step, ids.size() - at);
        Batch part;
        part.add(std::span(ids).subspan(at, count), static_cast<std::int64_t>(at), blocks, kBlock,
                 tiers);
        const auto seen = seenBy(part, kBlock);
        got.insert(got.end(), seen.begin(), seen.end());
        at += count;
    }
    QVERIFY(got == wanted);
    QCOMPARE(whole.slots.size(), ids.size());
}

void TstAttentionTiers::tokensChooseAmongWhatIsBetween() {
    const AttentionTiers tiers{.isSparse = true, .first = 100, .window = 200, .share = 30};
    constexpr std::int64_t kBlock = 32;
    Batch batch;
    batch.add(someIds(950), 0, table(40), kBlock, tiers);
    QVERIFY(!batch.choices.empty());
    for (const BlockChoice& choice : batch.choices) {
        const kernels::AttentionSlice& slice = batch.slices[static_cast<std::size_t>(choice.slice)];
        QVERIFY(slice.tokens <= Batch::kChoosingTokens);
        QCOMPARE(choice.keep, choice.count * 30 / 100);
        const std::int32_t windowBegin = slice.firstPosition / 32 * 32 - 200;
        for (std::int32_t i = 0; i < choice.count; ++i) {
            const auto& block =
                batch.candidates[static_cast<std::size_t>(choice.firstCandidate + i)];
            QCOMPARE(block.firstPosition, (4 + i) * 32); // behind the 100 first and their block
            QVERIFY(block.firstPosition + 32 <= windowBegin);
        }
        QVERIFY((4 + choice.count + 1) * 32 > windowBegin); // and the next one reaches into it
    }
    QCOMPARE(batch.filled.size(), std::size_t{950 / 32});
    Batch full;
    full.add(someIds(950), 0, table(40), kBlock);
    QVERIFY(full.choices.empty() && full.filled.empty() && full.slices.size() == 1);
}

// A key that one query is along, far back and between those that are spread evenly.
void TstAttentionTiers::whatIsChosenIsWhatMatters() {
    constexpr std::int64_t kBlock = 32, kDim = 16, kBlocks = 40;
    const AttentionTiers tiers{.isSparse = true, .first = 32, .window = 64, .share = 5};
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    KvCache cache(*ops, {{.heads = 1, .keyDim = kDim, .valueDim = kDim}}, kBlocks, kBlock,
                  {.keys = KvPrecision::FP16, .values = KvPrecision::FP16});
    const kernels::KvLayer& kv = cache.layer(0);
    QVERIFY(kv.bounds.data != nullptr);
    const auto blocks = table(kBlocks);
    constexpr int kTokens = 1200;
    for (const int needle : {70, 333, 800, 1000}) {
        Batch batch;
        batch.add(someIds(kTokens), 0, blocks, kBlock, tiers);
        const kernels::Buffer q = kernels::Buffer::cpu(kernels::Format::F32, {kTokens, 1, kDim});
        const kernels::Buffer k = kernels::Buffer::cpu(kernels::Format::F32, {kTokens, 1, kDim});
        const kernels::Buffer v = kernels::Buffer::cpu(kernels::Format::F32, {kTokens, 1, kDim});
        for (std::int64_t d = 0; d < kDim; ++d) {
            k.view().f32()[needle * kDim + d] = d % 3 == 0 ? 4.0F : -4.0F;
            q.view().f32()[(kTokens - 1) * kDim + d] = d % 3 == 0 ? 1.0F : -1.0F;
        }
        ops->ropeAndStore(q.view(), k.view(), v.view(), {.frequencies = {0.0F}}, batch.positions,
                          batch.slots, kv);
        BlockChooser chooser;
        const kernels::AttentionBatch seen = chooser.choose(*ops, batch, q.view(), kv, 1.0F);
        const kernels::AttentionSlice& last = seen.slices.back();
        const auto own = seen.blocks.subspan(static_cast<std::size_t>(last.firstBlock),
                                             static_cast<std::size_t>(last.blockCount));
        const auto found =
            std::ranges::find(own, needle / 32 * 32, &kernels::BlockRef::firstPosition);
        QVERIFY(found != own.end());
        QVERIFY((found->tokens >> (last.tokens - 1) & 1U) != 0);
        QVERIFY(std::ranges::is_sorted(own, {}, &kernels::BlockRef::firstPosition));
    }
}

void TstAttentionTiers::logitsDependOnPositionsAlone() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file, {.context = 2048});
    const auto logitsOf = [&](Attention attention, std::int64_t chunk) {
        auto evaluator = openEvaluator(file, {.threads = 1,
                                              .blockTokens = 32,
                                              .attention = attention,
                                              .attentionFirst = 64,
                                              .attentionWindow = 192});
        std::vector<float> all;
        const auto done = (*evaluator)
                              ->logits(someIds(1200), chunk, LogitRows::All,
                                       [&](std::int64_t, std::span<const float> row) {
                                           all.insert(all.end(), row.begin(), row.end());
                                       });
        return done ? all : std::vector<float>{};
    };
    const auto whole = logitsOf(Attention::Sparse, 2048);
    QCOMPARE(whole.size(), std::size_t{1200 * 320});
    QVERIFY(logitsOf(Attention::Sparse, 7) == whole);
    QVERIFY(logitsOf(Attention::Sparse, 100) == whole);
    const auto full = logitsOf(Attention::Full, 2048);
    QVERIFY(std::equal(whole.begin(), whole.begin() + 64 * 320, full.begin()));
    QVERIFY(full != whole);
}

void TstAttentionTiers::everythingInSightIsFullAttention() {
    EngineConfig config = TinyEngine::smallConfig();
    TinyEngine full(config);
    const Ended wanted = full.run(TinyEngine::request("in sight", 200));
    config.attention = Attention::Sparse; // 1024 first tokens: more than there are
    TinyEngine sparse(config);
    QCOMPARE(sparse.run(TinyEngine::request("in sight", 200)).ids, wanted.ids);
}

void TstAttentionTiers::requestsChooseForThemselves() {
    EngineConfig config = TinyEngine::smallConfig();
    config.attentionFirst = 0;
    config.attentionWindow = 192;
    config.attentionShare = 0;
    TinyEngine engine(config);
    std::string prompt;
    for (int i = 0; i < 45; ++i) {
        prompt += "word" + std::to_string(i * i) + " ";
    }
    const Ended full = engine.run(TinyEngine::request(prompt, 60));
    Request own = TinyEngine::request(prompt, 60);
    own.attention = Attention::Sparse;
    const Ended sparse = engine.run(own);
    QCOMPARE(sparse.record->hitTokens, std::int64_t{0}); // the other's beginning is no use
    QVERIFY(engine->edit([](EngineConfig& c) { c.attention = Attention::Sparse; }));
    const Ended again = engine.run(TinyEngine::request(prompt, 60));
    QVERIFY(again.record->hitTokens > 0);
    QCOMPARE(again.ids, sparse.ids);
    own.attention = Attention::Full;
    const Ended whole = engine.run(own);
    QVERIFY(whole.record->hitTokens > 0);
    QCOMPARE(whole.ids, full.ids);
}

QTEST_APPLESS_MAIN(TstAttentionTiers)
#include "tst_attention_tiers.moc"
