// Sparse attention: what is seen, that positions alone decide, and that full is the whole.
#include "engine/evaluate.h"
#include "engine/schedule/batch.h"
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
    void logitsDependOnPositionsAlone();
    void everythingInSightIsFullAttention();
    void requestsChooseForThemselves();
};

void TstAttentionTiers::tiersAreSeen() {
    const AttentionTiers tiers{.isSparse = true, .first = 100, .window = 200, .share = 30};
    constexpr std::int64_t kBlock = 32;
    constexpr std::int64_t kQuery = 90;
    for (std::int64_t block = 0; block < 4; ++block) { // 100 tokens and the rest of their block
        QVERIFY(tiers.sees(kQuery, block, kBlock));
    }
    for (std::int64_t block = 83; block <= kQuery; ++block) { // the last ends at 2688 > 2880 - 200
        QVERIFY(tiers.sees(kQuery, block, kBlock));
    }
    int between = 0;
    for (std::int64_t block = 4; block < 83; ++block) {
        between += tiers.sees(kQuery, block, kBlock) ? 1 : 0;
        if (!tiers.sees(kQuery, block, kBlock)) { // left out once, left out for ever
            QVERIFY(!tiers.sees(kQuery + 500, block, kBlock));
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
        seen += tiers.sees(1'000'000, block, 64) ? 1 : 0;
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
