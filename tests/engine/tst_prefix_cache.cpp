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
    void coldBlocksLeaveThePoolAndComeBack();
    void whoHoldsABlockKeepsItFromBeingPacked();
    void packedTextsComputedAnewTakeTheNewBlock();
    void resetWhileBlocksAreOnTheirWay();
    void randomPackingKeepsTheBooks();
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

namespace {

PackedPtr packedAs(std::uint8_t mark) {
    PackedBlock packed;
    packed.bytes = {std::byte{mark}};
    packed.plainBytes = 10;
    return std::make_shared<const PackedBlock>(std::move(packed));
}

} // namespace

void TstPrefixCache::coldBlocksLeaveThePoolAndComeBack() {
    PrefixCache cache(8, kBlockTokens);
    BlockPool pool(8);
    const TimePoint start{};
    giveBack(cache, pool, keep(cache, pool, 0, text(12)), start);
    QVERIFY(cache.takeCold(start, 9, pool).empty()); // not yet
    const std::vector<BlockId> cold = cache.takeCold(start + 1s, 2, pool);
    QCOMPARE(cold.size(), std::size_t(2));
    QCOMPARE(cache.idle(), std::int64_t(1));
    for (const BlockId block : cold) {
        QVERIFY(cache.keepPacked(block, packedAs(1), pool, start + 2s));
    }
    QCOMPARE(pool.free(), std::int64_t(7));
    QCOMPARE(cache.packed(), std::int64_t(2));
    QCOMPARE(cache.packedBytes(), std::uint64_t(2));
    QCOMPARE(cache.unpackedBytes(), std::uint64_t(20));
    // The last two went first: of the beginning one block is left.
    QCOMPARE(cache.find(0, text(20)).size(), std::size_t(1));
    const PrefixCache::Cold found = cache.findCold(0, text(20));
    QCOMPARE(found.packed.size(), std::size_t(2));
    QVERIFY(cache.findCold(1, text(20)).packed.empty());
    std::vector<BlockId> places;
    for (const std::uint64_t key : found.packed) {
        places.push_back(cache.beginRestore(key, pool).block);
    }
    QCOMPARE(cache.findCold(0, text(20)).restoring, std::int64_t(2));
    QCOMPARE(cache.find(0, text(20)).size(), std::size_t(1));
    cache.keepRestored(found.packed[0], places[0], true, pool, start + 3s);
    cache.keepRestored(found.packed[1], places[1], false, pool, start + 3s); // it failed
    QCOMPARE(cache.find(0, text(20)).size(), std::size_t(2));
    QCOMPARE(cache.blocks(), std::int64_t(2));
    QCOMPARE(pool.free(), std::int64_t(6));
    QCOMPARE(cache.packedBytes(), std::uint64_t(0));
    QCOMPARE(cache.reset(pool), std::int64_t(2));
    QCOMPARE(pool.free(), pool.total());
}

void TstPrefixCache::whoHoldsABlockKeepsItFromBeingPacked() {
    PrefixCache cache(4, kBlockTokens);
    BlockPool pool(4);
    const TimePoint start{};
    giveBack(cache, pool, keep(cache, pool, 0, text(4)), start);
    const BlockId block = cache.takeCold(start + 1s, 1, pool).at(0);
    pool.retain(block); // somebody begins with it
    cache.noteHeld(block);
    QVERIFY(!cache.keepPacked(block, packedAs(1), pool, start + 1s));
    QCOMPARE(cache.find(0, text(8)), std::vector<BlockId>{block});
    giveBack(cache, pool, {block}, start + 2s);
    // Nor is what would take no less.
    QCOMPARE(cache.takeCold(start + 3s, 1, pool).size(), std::size_t(1));
    auto large = std::make_shared<PackedBlock>();
    large->bytes.resize(10);
    large->plainBytes = 10;
    QVERIFY(!cache.keepPacked(block, large, pool, start + 3s));
    QCOMPARE(cache.idle(), std::int64_t(1));
    QVERIFY(!cache.keepPacked(cache.takeCold(start + 4s, 1, pool).at(0), nullptr, pool, start));
    QCOMPARE(cache.idle(), std::int64_t(1));
}

void TstPrefixCache::packedTextsComputedAnewTakeTheNewBlock() {
    PrefixCache cache(4, kBlockTokens);
    BlockPool pool(4);
    const TimePoint start{};
    giveBack(cache, pool, keep(cache, pool, 0, text(4)), start);
    QVERIFY(cache.keepPacked(cache.takeCold(start + 1s, 1, pool).at(0), packedAs(1), pool, start));
    const std::vector<BlockId> anew = keep(cache, pool, 0, text(4));
    QCOMPARE(cache.packed(), std::int64_t(0));
    QCOMPARE(cache.find(0, text(8)), anew);
    giveBack(cache, pool, anew, start);
    QCOMPARE(cache.idle(), std::int64_t(1));
}

void TstPrefixCache::resetWhileBlocksAreOnTheirWay() {
    PrefixCache cache(8, kBlockTokens);
    BlockPool pool(8);
    const TimePoint start{};
    giveBack(cache, pool, keep(cache, pool, 0, text(8)), start);
    const std::vector<BlockId> cold = cache.takeCold(start + 1s, 2, pool);
    QVERIFY(cache.keepPacked(cold[0], packedAs(1), pool, start));
    const std::uint64_t key = cache.findCold(0, text(12)).packed.at(0);
    const BlockId place = cache.beginRestore(key, pool).block;
    cache.reset(pool);
    QCOMPARE(pool.used(), std::int64_t(2)); // both are still read and written
    QVERIFY(!cache.keepPacked(cold[1], packedAs(1), pool, start));
    cache.keepRestored(key, place, true, pool, start);
    QCOMPARE(pool.free(), pool.total());
    QCOMPARE(cache.blocks(), std::int64_t(0));
    QCOMPARE(cache.idle(), std::int64_t(0));
}

void TstPrefixCache::randomPackingKeepsTheBooks() {
    std::mt19937_64 random(5);
    PrefixCache cache(24, kBlockTokens);
    BlockPool pool(24);
    struct Restoring {
        std::uint64_t key;
        BlockId block;
    };
    std::vector<std::vector<BlockId>> held;
    std::vector<BlockId> packing;
    std::vector<Restoring> restoring;
    std::int64_t packed = 0;
    std::int64_t restored = 0;
    for (int round = 0; round < 20000; ++round) {
        const TimePoint now = TimePoint{} + std::chrono::seconds(round);
        std::vector<TokenId> ids(4 + random() % 16);
        for (TokenId& id : ids) {
            id = static_cast<TokenId>(random() % 2);
        }
        const auto free = [&] { return pool.free() + cache.idle(); };
        if (random() % 2 == 0 && free() >= static_cast<std::int64_t>(ids.size() / kBlockTokens)) {
            while (pool.free() < static_cast<std::int64_t>(ids.size() / kBlockTokens)) {
                cache.evictOne(pool);
            }
            held.push_back(keep(cache, pool, 0, ids));
        }
        const std::vector<BlockId> known = cache.find(0, ids);
        if (random() % 2 == 0 && !known.empty()) {
            for (const BlockId block : known) {
                pool.retain(block);
                cache.noteHeld(block);
            }
            held.push_back(known);
        }
        while (held.size() > random() % 5) {
            giveBack(cache, pool, held.front(), now);
            held.erase(held.begin());
        }
        for (const BlockId block :
             cache.takeCold(now, static_cast<std::int64_t>(random() % 3), pool)) {
            packing.push_back(block);
        }
        while (packing.size() > random() % 4) {
            packed += cache.keepPacked(packing.back(), random() % 8 == 0 ? nullptr : packedAs(1),
                                       pool, now)
                          ? 1
                          : 0;
            packing.pop_back();
        }
        for (const std::uint64_t key : cache.findCold(0, ids).packed) {
            if (pool.free() > 0) {
                restoring.push_back({key, cache.beginRestore(key, pool).block});
            }
        }
        while (restoring.size() > random() % 4) {
            const bool isThere = random() % 8 != 0;
            cache.keepRestored(restoring.back().key, restoring.back().block, isThere, pool, now);
            restored += isThere ? 1 : 0;
            restoring.pop_back();
        }
        if (random() % 500 == 0) {
            cache.reset(pool);
        }
        if (random() % 50 == 0) {
            cache.expire(now - 20s, pool);
        }
        if (random() % 50 == 0) {
            cache.trimPacked(random() % 4);
        }
        std::vector<std::span<const BlockId>> tables(held.begin(), held.end());
        const std::vector<BlockId> kept = cache.table();
        std::vector<BlockId> places;
        for (const Restoring& one : restoring) {
            places.push_back(one.block);
        }
        tables.insert(tables.end(), {kept, packing, places});
        const auto problem = pool.findProblem(tables);
        QVERIFY2(!problem, problem.value_or("").c_str());
        QCOMPARE(cache.unpackedBytes(), 10 * static_cast<std::uint64_t>(cache.packed()));
        QCOMPARE(cache.packedBytes(), static_cast<std::uint64_t>(cache.packed()));
    }
    QVERIFY(packed > 1000 && restored > 500);
}

QTEST_APPLESS_MAIN(TstPrefixCache)
#include "tst_prefix_cache.moc"
