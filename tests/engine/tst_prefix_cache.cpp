#include "engine/kv/prefix_cache.h"

#include <QTest>

#include <map>
#include <random>

using namespace engine;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kBlockTokens = 4;

std::vector<TokenId> text(std::size_t tokens, TokenId first = 0) {
    std::vector<TokenId> ids(tokens);
    for (std::size_t i = 0; i < tokens; ++i) {
        ids[i] = first + static_cast<TokenId>(i);
    }
    return ids;
}

// Puts the full blocks of a text into the cache, as a sequence that computed them would.
std::vector<BlockId> keep(PrefixCache& cache, BlockPool& pool, std::uint64_t salt,
                          std::span<const TokenId> ids) {
    std::vector<BlockId> blocks;
    PrefixLink link = PrefixCache::root(salt);
    for (std::size_t begin = 0; begin + kBlockTokens <= ids.size(); begin += kBlockTokens) {
        blocks.push_back(pool.acquire());
        link = cache.insert(link, ids.subspan(begin, kBlockTokens), blocks.back(), pool);
    }
    return blocks;
}

void giveBack(PrefixCache& cache, BlockPool& pool, const std::vector<BlockId>& blocks,
              TimePoint now) {
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
        pool.release(*block);
        if (pool.references(*block) == 1) {
            cache.noteIdle(*block, now);
        }
    }
}

} // namespace

class TstPrefixCache : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheLongestKnownBeginning();
    void leavesOneTokenToCompute();
    void tenantsShareNothing();
    void theSameBlockBehindAnotherIsAnotherText();
    void evictsTheLongestIdleFirst();
    void timeEndsWhatIsIdle();
    void resetForgetsWhatIsInUse();
    void anEmptyCacheHoldsNothing();
    void randomUseNeverGivesAWrongBlock();
};

void TstPrefixCache::findsTheLongestKnownBeginning() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    const auto blocks = keep(cache, pool, 0, text(12));
    QCOMPARE(cache.find(0, text(20)), blocks);
    std::vector<TokenId> other = text(20);
    other[6] = 999; // in the second block
    QCOMPARE(cache.find(0, other), std::vector<BlockId>{blocks[0]});
    other[0] = 999;
    QVERIFY(cache.find(0, other).empty());
    QVERIFY(cache.find(0, {}).empty());
}

void TstPrefixCache::leavesOneTokenToCompute() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    keep(cache, pool, 0, text(12));
    QCOMPARE(cache.find(0, text(12)).size(), std::size_t(2));
    QCOMPARE(cache.find(0, text(13)).size(), std::size_t(3));
    QCOMPARE(cache.find(0, text(4)).size(), std::size_t(0));
}

void TstPrefixCache::tenantsShareNothing() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    keep(cache, pool, 7, text(12));
    QVERIFY(cache.find(0, text(20)).empty());
    QVERIFY(cache.find(8, text(20)).empty());
    QCOMPARE(cache.find(7, text(20)).size(), std::size_t(3));
}

void TstPrefixCache::theSameBlockBehindAnotherIsAnotherText() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    keep(cache, pool, 0, text(8));
    std::vector<TokenId> swapped = text(12, 4); // begins with the second block
    QVERIFY(cache.find(0, swapped).empty());
    // Known twice over: the first copy stays, the second keeps its own block.
    const auto again = keep(cache, pool, 0, text(8));
    QCOMPARE(cache.blocks(), std::int64_t(2));
    QVERIFY(cache.find(0, text(9)) != again);
}

void TstPrefixCache::evictsTheLongestIdleFirst() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    const auto first = keep(cache, pool, 0, text(8));
    const auto second = keep(cache, pool, 0, text(8, 100));
    giveBack(cache, pool, first, TimePoint{} + 1s);
    giveBack(cache, pool, second, TimePoint{} + 2s);
    QCOMPARE(cache.idle(), std::int64_t(4));
    cache.evictOne(pool); // the end of the first text
    QCOMPARE(cache.find(0, text(9)).size(), std::size_t(1));
    // Held again: not for eviction.
    pool.retain(first[0]);
    cache.noteHeld(first[0]);
    cache.evictOne(pool);
    cache.evictOne(pool);
    QCOMPARE(cache.idle(), std::int64_t(0));
    QVERIFY_EXCEPTION_THROWN(cache.evictOne(pool), std::logic_error);
    QCOMPARE(cache.find(0, text(9)), std::vector<BlockId>{first[0]});
    QCOMPARE(pool.free(), std::int64_t(15));
}

void TstPrefixCache::timeEndsWhatIsIdle() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    giveBack(cache, pool, keep(cache, pool, 0, text(8)), TimePoint{} + 1s);
    giveBack(cache, pool, keep(cache, pool, 0, text(8, 50)), TimePoint{} + 3s);
    const auto held = keep(cache, pool, 0, text(8, 90));
    QCOMPARE(cache.expire(TimePoint{} + 2s, pool), std::int64_t(2));
    QVERIFY(cache.find(0, text(9)).empty());
    QCOMPARE(cache.expire(TimePoint::max(), pool), std::int64_t(2));
    QCOMPARE(cache.blocks(), std::int64_t(2)); // held ones
    giveBack(cache, pool, held, TimePoint{} + 4s);
    QCOMPARE(cache.expire(TimePoint::max(), pool), std::int64_t(2));
    QCOMPARE(pool.free(), std::int64_t(16));
}

void TstPrefixCache::resetForgetsWhatIsInUse() {
    PrefixCache cache(16, kBlockTokens);
    BlockPool pool(16);
    const auto held = keep(cache, pool, 0, text(8));
    QCOMPARE(cache.reset(pool), std::int64_t(2));
    QVERIFY(cache.find(0, text(9)).empty());
    QCOMPARE(pool.used(), std::int64_t(2));
    giveBack(cache, pool, held, TimePoint{});
    QCOMPARE(pool.free(), std::int64_t(16));
}

void TstPrefixCache::anEmptyCacheHoldsNothing() {
    PrefixCache none;
    QVERIFY(none.find(0, text(100)).empty());
    QVERIFY(!none.holds(BlockId{3}));
    none.noteIdle(BlockId{3}, {});
    QCOMPARE(none.idle(), std::int64_t(0));
    QVERIFY(!none.oldestIdle());
}

// Texts over two tokens collide as often as can be; the model remembers what each block holds.
void TstPrefixCache::randomUseNeverGivesAWrongBlock() {
    std::mt19937_64 random(11);
    PrefixCache cache(40, kBlockTokens);
    BlockPool pool(40);
    std::map<BlockId, std::vector<TokenId>> contents; // whole text up to the block's end, and salt
    std::vector<std::vector<BlockId>> held;
    std::int64_t hits = 0;
    for (int round = 0; round < 20000; ++round) {
        const TimePoint now = TimePoint{} + std::chrono::seconds(round);
        const std::uint64_t salt = random() % 2;
        std::vector<TokenId> ids(4 + random() % 20);
        for (TokenId& id : ids) {
            id = static_cast<TokenId>(random() % 2);
        }
        std::vector<BlockId> blocks = cache.find(salt, ids);
        QVERIFY(blocks.size() * kBlockTokens < ids.size());
        PrefixLink link = PrefixCache::root(salt);
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            std::vector<TokenId> expected(
                ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>((i + 1) * kBlockTokens));
            expected.push_back(static_cast<TokenId>(salt));
            QCOMPARE(contents.at(blocks[i]), expected);
            pool.retain(blocks[i]);
            cache.noteHeld(blocks[i]);
            link = cache.linkOf(blocks[i]);
            ++hits;
        }
        const std::size_t full = ids.size() / kBlockTokens;
        while (blocks.size() < full && pool.free() + cache.idle() > 0) {
            if (pool.free() == 0) {
                cache.evictOne(pool);
            }
            blocks.push_back(pool.acquire());
            std::vector<TokenId> content(
                ids.begin(),
                ids.begin() + static_cast<std::ptrdiff_t>(blocks.size() * kBlockTokens));
            content.push_back(static_cast<TokenId>(salt));
            contents[blocks.back()] = content;
            link = cache.insert(
                link, std::span(ids).subspan((blocks.size() - 1) * kBlockTokens, kBlockTokens),
                blocks.back(), pool);
        }
        held.push_back(std::move(blocks));
        while (held.size() > random() % 8) {
            giveBack(cache, pool, held.front(), now);
            held.erase(held.begin());
        }
        std::vector<std::span<const BlockId>> tables(held.begin(), held.end());
        const std::vector<BlockId> kept = cache.table();
        tables.push_back(kept);
        const auto problem = pool.findProblem(tables);
        QVERIFY2(!problem, problem.value_or("").c_str());
    }
    QVERIFY(hits > 1000);
}

QTEST_APPLESS_MAIN(TstPrefixCache)
#include "tst_prefix_cache.moc"
