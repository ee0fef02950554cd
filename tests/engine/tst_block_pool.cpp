#include "engine/kv/block_pool.h"

#include <QTest>

#include <random>
#include <set>

using engine::BlockId;
using engine::BlockPool;

class TstBlockPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyBlockIsTakenOnce();
    void anEmptyPoolGivesNothing();
    void aBlockIsGivenBackOnce();
    void randomUseKeepsTheBooks();
    void brokenBooksAreFound();
};

void TstBlockPool::everyBlockIsTakenOnce() {
    BlockPool pool(100);
    std::set<BlockId> blocks;
    while (pool.free() > 0) {
        blocks.insert(pool.acquire());
    }
    QCOMPARE(blocks.size(), std::size_t(100));
    QCOMPARE(pool.used(), std::int64_t(100));
}

void TstBlockPool::anEmptyPoolGivesNothing() {
    BlockPool none(0);
    QVERIFY_EXCEPTION_THROWN(none.acquire(), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(BlockPool(-1), std::logic_error);
}

void TstBlockPool::aBlockIsGivenBackOnce() {
    BlockPool pool(2);
    const BlockId block = pool.acquire();
    pool.release(block);
    QVERIFY_EXCEPTION_THROWN(pool.release(block), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(pool.release(BlockId{2}), std::logic_error);
    QVERIFY_EXCEPTION_THROWN(pool.release(BlockId{-1}), std::logic_error);
}

void TstBlockPool::randomUseKeepsTheBooks() {
    std::mt19937_64 random(7);
    BlockPool pool(64);
    std::vector<std::vector<BlockId>> tables(8);
    for (int round = 0; round < 5000; ++round) {
        auto& table = tables[random() % tables.size()];
        if (random() % 3 != 0 && pool.free() > 0) {
            table.push_back(pool.acquire());
        } else if (!table.empty()) {
            pool.release(table.back());
            table.pop_back();
        }
        const std::vector<std::span<const BlockId>> views(tables.begin(), tables.end());
        const auto problem = pool.findProblem(views);
        QVERIFY2(!problem, problem.value_or("").c_str());
        QCOMPARE(pool.free() + pool.used(), pool.total());
    }
}

void TstBlockPool::brokenBooksAreFound() {
    BlockPool pool(4);
    const std::vector<BlockId> table = {pool.acquire(), pool.acquire()};
    const std::vector<BlockId> tooFew = {table[0]};
    const std::vector<BlockId> free = {BlockId{3}};
    const std::vector<BlockId> foreign = {BlockId{9}};
    using Tables = std::vector<std::span<const BlockId>>;
    QVERIFY(!pool.findProblem(Tables{table}));
    QVERIFY(pool.findProblem(Tables{tooFew}));        // leaked
    QVERIFY(pool.findProblem(Tables{table, tooFew})); // doubly owned
    QVERIFY(pool.findProblem(Tables{table, free}));   // owned and free
    QVERIFY(pool.findProblem(Tables{table, foreign}));
}

QTEST_APPLESS_MAIN(TstBlockPool)
#include "tst_block_pool.moc"
