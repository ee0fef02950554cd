// Memory of layers with a window: what a token sees is where it was written, and no more is held
// than the plan says.
#include "engine/base/failure.h"
#include "engine/loop/kv_pools.h"
#include "engine/loop/kv_size.h"
#include "engine/schedule/window_places.h"
#include "kernels/thread_pool.h"

#include <QTest>

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <random>

using namespace engine;

namespace {

struct Owner { // of a place's token
    int sequence = -1;
    std::int64_t position = -1;
    bool operator==(const Owner&) const = default;
};

struct Running {
    int id = 0;
    std::int64_t length = 0;
    std::vector<BlockId> table;
};

// Sequences that come, grow by slices and go, as the engine moves them; what a step writes and sees
// is checked token by token.
class Simulation {
public:
    Simulation(const WindowSight& sight, std::int64_t sequences, std::int64_t budget,
               std::uint32_t seed, const AttentionTiers& tiers = {})
        : m_sight(sight),
          m_tiers(tiers),
          m_sequences(sequences),
          m_budget(budget),
          m_map(kBlocks, windowPlacesNeeded(sight, sequences, budget)),
          m_random(seed) {}

    // Empty, or what is wrong.
    std::string run(int steps) {
        for (int i = 0; i < steps; ++i) {
            startAndEnd();
            if (std::string problem = step(); !problem.empty()) {
                return fmt::format("step {}: {}", i, problem);
            }
        }
        return {};
    }

private:
    static constexpr std::int64_t kBlocks = 400;

    std::int64_t upTo(std::int64_t most) {
        return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(most)) + 1;
    }

    void startAndEnd() {
        if (!m_running.empty() && upTo(12) == 1) {
            const auto gone = m_running.begin() + upTo(std::ssize(m_running)) - 1;
            for (const BlockId block : gone->table) {
                m_pool.release(block);
            }
            m_running.erase(gone);
        }
        if (std::ssize(m_running) < m_sequences && upTo(3) == 1) {
            m_running.push_back({.id = m_nextId++, .length = 0, .table = {}});
        }
    }

    std::string step() {
        Batch batch;
        std::vector<const Running*> sliced;
        std::int64_t left = m_budget;
        for (Running& sequence : m_running) {
            // Some wait, some decode, some take all that is left.
            const std::int64_t kind = upTo(4);
            const std::int64_t tokens = kind == 1 ? 0 : kind == 2 ? upTo(left) : 1;
            const std::int64_t end = sequence.length + tokens;
            if (tokens == 0 || tokens > left || end > 40 * m_sight.blockTokens) {
                continue;
            }
            while (std::ssize(sequence.table) * m_sight.blockTokens < end) {
                sequence.table.push_back(m_pool.acquire());
            }
            left -= tokens;
            batch.add(std::vector<TokenId>(static_cast<std::size_t>(tokens)), sequence.length,
                      sequence.table, m_sight.blockTokens, m_tiers);
            sequence.length = end;
            sliced.resize(batch.slices.size(), &sequence);
            if (left == 0) {
                break;
            }
        }
        placeWindows(batch, m_map, m_sight, m_pool);
        std::string problem = writeAndSee(batch, sliced);
        trimWindows(batch, m_map, m_sight);
        return problem;
    }

    std::string writeAndSee(const Batch& batch, const std::vector<const Running*>& sliced) {
        for (std::size_t s = 0; s < sliced.size(); ++s) {
            const kernels::AttentionSlice& slice = batch.slices[s];
            for (std::int32_t i = 0; i < slice.tokens; ++i) {
                const std::int32_t slot =
                    batch.windowSlots[static_cast<std::size_t>(slice.firstRow + i)];
                if (slot < 0 || slot >= m_map.places() * m_sight.blockTokens) {
                    return fmt::format("slot {} is no place", slot);
                }
                m_memory[slot] = {sliced[s]->id, slice.firstPosition + i};
            }
        }
        for (std::size_t s = 0; s < sliced.size(); ++s) {
            const kernels::AttentionSlice& slice = batch.slices[s];
            const std::int64_t first = slice.firstPosition - m_sight.window + 1;
            const std::int64_t end = slice.firstPosition + slice.tokens;
            for (std::int64_t p = std::max<std::int64_t>(0, first); p < end; ++p) {
                const auto own = std::span(batch.windowBlocks)
                                     .subspan(static_cast<std::size_t>(slice.firstBlock),
                                              static_cast<std::size_t>(slice.blockCount));
                const auto block =
                    std::ranges::find(own, p / m_sight.blockTokens * m_sight.blockTokens,
                                      &kernels::BlockRef::firstPosition);
                if (block == own.end()) {
                    return fmt::format("position {} of sequence {} is in no list", p,
                                       sliced[s]->id);
                }
                const std::int64_t slot =
                    block->block * m_sight.blockTokens + p % m_sight.blockTokens;
                if (!(m_memory[static_cast<std::int32_t>(slot)] == Owner{sliced[s]->id, p})) {
                    return fmt::format("position {} of sequence {} is not where it was written", p,
                                       sliced[s]->id);
                }
            }
        }
        return {};
    }

    WindowSight m_sight;
    AttentionTiers m_tiers;
    std::int64_t m_sequences;
    std::int64_t m_budget;
    BlockPool m_pool{kBlocks};
    WindowMap m_map;
    std::mt19937 m_random;
    std::vector<Running> m_running;
    std::map<std::int32_t, Owner> m_memory;
    int m_nextId = 0;
};

ModelSpec specWithWindows() {
    ModelSpec spec;
    spec.contextTokens = 32768;
    spec.weightFormat = kernels::Format::F16; // keys and values too, then
    // Gemma 3 270M: 15 layers with a window of 512 and 3 without, one head of 256.
    for (int i = 0; i < 18; ++i) {
        spec.kv.push_back(
            {.heads = 1, .keyDim = 256, .valueDim = 256, .window = i % 6 == 5 ? 0 : 512});
    }
    return spec;
}

} // namespace

class TstWindowPlaces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatATokenSeesIsWhereItWasWritten_data();
    void whatATokenSeesIsWhereItWasWritten();
    void sparseListsLeaveNoPlaceBehind_data();
    void sparseListsLeaveNoPlaceBehind();
    void aCutKeepsItsPlacesWhereTheyAreInSight();
    void blocksOfAnotherCacheLeaveTheirPlaces();
    void growingKeepsWhatIsHeld();
    void memoryOfWindowsStopsGrowing();
    void blocksAreChosenByWhatTheyTake();
};

void TstWindowPlaces::whatATokenSeesIsWhereItWasWritten_data() {
    QTest::addColumn<int>("window");
    QTest::addColumn<int>("blockTokens");
    for (const int blockTokens : {1, 8, 16}) {
        for (const int window : {1, 2, 7, 8, 9, 33}) {
            QTest::addRow("%d in blocks of %d", window, blockTokens) << window << blockTokens;
        }
    }
}

void TstWindowPlaces::whatATokenSeesIsWhereItWasWritten() {
    QFETCH(int, window);
    QFETCH(int, blockTokens);
    const std::uint32_t seed = std::random_device()();
    Simulation simulation({.window = window, .blockTokens = blockTokens}, 5, 48, seed);
    const std::string problem = simulation.run(400);
    QVERIFY2(problem.empty(), fmt::format("{}, seed {}", problem, seed).c_str());
}

void TstWindowPlaces::sparseListsLeaveNoPlaceBehind_data() {
    whatATokenSeesIsWhereItWasWritten_data();
}

void TstWindowPlaces::sparseListsLeaveNoPlaceBehind() {
    QFETCH(int, window);
    QFETCH(int, blockTokens);
    const std::uint32_t seed = std::random_device()();
    for (const int share : {0, 30}) {
        Simulation simulation({.window = window, .blockTokens = blockTokens}, 5, 48, seed,
                              {.isSparse = true, .first = 0, .window = window, .share = share});
        const std::string problem = simulation.run(400);
        QVERIFY2(problem.empty(), fmt::format("{}, seed {}", problem, seed).c_str());
    }
}

void TstWindowPlaces::aCutKeepsItsPlacesWhereTheyAreInSight() {
    for (const std::int32_t window : {1, 5, 8, 9, 20}) {
        const WindowSight sight{.window = window, .blockTokens = 4};
        BlockPool pool(40);
        WindowMap map(40, windowPlacesNeeded(sight, 1, 1));
        std::vector<BlockId> table;
        for (std::int64_t length = 0; length < 100; ++length) {
            if (length % 4 == 0) {
                table.push_back(pool.acquire());
            }
            Batch batch;
            batch.add(std::vector<TokenId>(1), length, table, 4);
            placeWindows(batch, map, sight, pool);
            trimWindows(batch, map, sight);
            for (std::int64_t cut = 0; cut <= length + 1; ++cut) {
                // What placeWindows() asks for, block by block.
                bool isThere = true;
                for (std::size_t block = 0; block < table.size(); ++block) {
                    const auto first = static_cast<std::int64_t>(4 * block);
                    const bool isSeen = first < cut && first + 4 > cut - window + 1;
                    isThere = isThere && (!isSeen || map.find(table[block]) >= 0);
                }
                QCOMPARE(holdsSight(map, sight, table, cut), isThere);
            }
            QVERIFY(holdsSight(map, sight, table, length + 1));
        }
        QVERIFY(window > 90 || !holdsSight(map, sight, table, 50) || window == 1);
        QVERIFY(sequencesWithin(sight, windowPlacesNeeded(sight, 7, 40), 40) == 7);
    }
}

// Two caches share the blocks of one pool: what is taken for the one leaves its place in the other.
void TstWindowPlaces::blocksOfAnotherCacheLeaveTheirPlaces() {
    kernels::ThreadPool threads(1);
    const auto ops = kernels::makeCpuOps(threads);
    const KvShape shape{{.heads = 1, .keyDim = 4, .valueDim = 4, .window = 8}};
    const WindowSight sight{.window = 8, .blockTokens = 4};
    constexpr std::int64_t kBlocks = 40;
    KvPools pools;
    const std::int64_t places = windowPlacesNeeded(sight, 1, 4);
    pools.open(KvCache(*ops, shape, kBlocks, 4, places));
    const std::uint32_t first = pools.currentId();
    pools.open(KvCache(*ops, shape, kBlocks, 4, places));
    const std::uint32_t second = pools.currentId();
    BlockPool pool(kBlocks);
    // Sequences come and go in both, in turn: places would run out after a few.
    for (int round = 0; round < 40; ++round) {
        const std::uint32_t id = round % 2 == 0 ? first : second;
        const std::uint32_t other = first + second - id;
        std::vector<BlockId> table = {pool.acquire(), pool.acquire(), pool.acquire()};
        pools.claim(id, table);
        Batch batch;
        batch.add(std::vector<TokenId>(12), 0, table, 4);
        WindowMap& map = *pools.of(id).windows();
        placeWindows(batch, map, sight, pool);
        for (const BlockId block : table) {
            QVERIFY(map.find(block) >= 0);
            QVERIFY(pools.of(other).windows()->find(block) < 0);
        }
        for (const BlockId block : table) {
            pool.release(block);
        }
        if (round % 3 == 0) { // one of them lives on in the other
            const BlockId back = pool.acquire();
            const std::array living = {pool.acquire()};
            pools.claim(other, living);
            pool.release(back);
        }
    }
}

void TstWindowPlaces::growingKeepsWhatIsHeld() {
    kernels::ThreadPool pool(1);
    const auto ops = kernels::makeCpuOps(pool);
    const KvShape shape{{.heads = 2, .keyDim = 4, .valueDim = 4, .window = 8},
                        {.heads = 1, .keyDim = 6, .valueDim = 0}};
    KvCache kv(*ops, shape, 10, 4, 3);
    QCOMPARE(kv.bytes(), std::uint64_t{2 * 4 * (3 * 2 * 8 + 10 * 6)});
    auto* keys = static_cast<std::uint16_t*>(kv.layer(0).keys.data);
    std::fill_n(keys, 3 * 2 * 4 * 4, std::uint16_t{7});
    QCOMPARE(kv.windows()->take(BlockId{9}), 0);
    kv.growWindows(*ops, 5);
    QCOMPARE(kv.layer(0).keys.shape[0], std::int64_t{5});
    QCOMPARE(kv.layer(1).keys.shape[0], std::int64_t{10});
    QCOMPARE(static_cast<const std::uint16_t*>(kv.layer(0).keys.data)[3 * 2 * 4 * 4 - 1],
             std::uint16_t{7});
    QCOMPARE(kv.windows()->find(BlockId{9}), 0);
    QCOMPARE(kv.windows()->free(), std::int64_t{4});
    kv.growWindows(*ops, 4); // fewer than there are
    QCOMPARE(kv.windows()->places(), std::int64_t{5});
    KvCache whole(*ops, shape, 10, 4, 10);
    QVERIFY(whole.windows() == nullptr);
}

void TstWindowPlaces::memoryOfWindowsStopsGrowing() {
    const ModelSpec spec = specWithWindows();
    QCOMPARE(spec.kvBytes(100), std::uint64_t{100 * 18432});
    QCOMPARE(spec.kvBytes(512), std::uint64_t{512 * 18432});
    QCOMPARE(spec.kvBytes(8192), std::uint64_t{8192 * 3072 + 512 * 15360});
    const EngineConfig config{.maxBatch = 4, .tokenBudget = 512, .blockTokens = 64};
    const std::int64_t places = windowPlaces(config, spec);
    QCOMPARE(places, std::int64_t{2 * 4 * 11 + 8}); // as many may be paused
    QCOMPARE(kvMemory(config, spec, 10), std::uint64_t{10 * 64 * 18432});
    QCOMPARE(kvMemory(config, spec, 2048),
             static_cast<std::uint64_t>(2048 * 64 * 3072 + places * 64 * 15360));
}

void TstWindowPlaces::blocksAreChosenByWhatTheyTake() {
    const ModelSpec spec = specWithWindows();
    EngineConfig config{.maxBatch = 4, .tokenBudget = 512, .blockTokens = 64};
    constexpr std::uint64_t kGibi = std::uint64_t{1} << 30U;
    // All four contexts, though with every layer whole they would take 2.3 GiB.
    QCOMPARE(chooseKvBlocks(config, spec, 2 * kGibi), std::int64_t{4 * 512});
    const std::int64_t fewer = chooseKvBlocks(config, spec, kGibi / 2);
    QVERIFY(fewer > 0 && fewer < 4 * 512);
    QVERIFY(kvMemory(config, spec, fewer) <= kGibi / 8);
    QVERIFY(kvMemory(config, spec, fewer + 1) > kGibi / 8);
    config.kvBlocks = 4 * 512;
    QCOMPARE(chooseKvBlocks(config, spec, kGibi), std::int64_t{4 * 512});
    QVERIFY_EXCEPTION_THROWN(chooseKvBlocks(config, spec, kGibi / 4), Failure);
}

QTEST_APPLESS_MAIN(TstWindowPlaces)
#include "tst_window_places.moc"
