// The fork-join pool: every index once, exceptions, resizing, busy time, parking.
#include "kernels/thread_pool.h"
#include "tests/support/address_space.h"

#include <QTest>

#include <fmt/format.h>
#include <sys/resource.h>
#include <system_error>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using kernels::ThreadPool;
using namespace std::chrono_literals;

class TstThreadPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyIndexRunsOnce_data();
    void everyIndexRunsOnce();
    void piecesAreAtLeastTheGrain();
    void smallWorkStaysOnTheCaller();
    void nothingToDoCallsNothing();
    void resultsAreVisibleToTheCaller();
    void anExceptionReachesTheCallerAndThePoolGoesOn();
    void resizingKeepsThePoolWorking();
    void refusedThreadsLeaveThePoolAsItWas();
    void aLimitKeepsTheOthersOut();
    void fewerThanOneThreadIsRefused();
    void manyShortJobsInARow();
    void busyTimeGrowsWithWork();
    void idleWorkersPark();
};

namespace {

using Clock = std::chrono::steady_clock;

double processSeconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void spinFor(std::chrono::microseconds time) {
    const auto end = Clock::now() + time;
    while (Clock::now() < end) {
    }
}

} // namespace

void TstThreadPool::everyIndexRunsOnce_data() {
    QTest::addColumn<int>("threads");
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("grain");
    for (const int threads : {1, 2, 3, 8}) {
        for (const int count : {1, 2, 7, 64, 1001}) {
            for (const int grain : {0, 1, 5, 2000}) {
                QTest::addRow("%d threads, %d, grain %d", threads, count, grain)
                    << threads << count << grain;
            }
        }
    }
}

void TstThreadPool::everyIndexRunsOnce() {
    QFETCH(int, threads);
    QFETCH(int, count);
    QFETCH(int, grain);
    ThreadPool pool(threads);
    QCOMPARE(pool.threads(), threads);
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    std::atomic<bool> isWorkerInRange{true};
    pool.parallelFor(count, grain, [&](std::int64_t begin, std::int64_t end, int worker) {
        isWorkerInRange = isWorkerInRange && worker >= 0 && worker < threads && begin < end;
        for (std::int64_t i = begin; i < end; ++i) {
            ++visits[static_cast<std::size_t>(i)];
        }
    });
    QVERIFY(isWorkerInRange);
    for (const std::atomic<int>& visit : visits) {
        QCOMPARE(visit.load(), 1);
    }
}

void TstThreadPool::piecesAreAtLeastTheGrain() {
    ThreadPool pool(4);
    std::atomic<std::int64_t> least{1 << 30};
    pool.parallelFor(1000, 100, [&](std::int64_t begin, std::int64_t end, int) {
        std::int64_t seen = least.load();
        while (end - begin < seen && !least.compare_exchange_weak(seen, end - begin)) {
        }
    });
    QVERIFY(least.load() >= 100);
}

void TstThreadPool::smallWorkStaysOnTheCaller() {
    ThreadPool pool(4);
    const auto caller = std::this_thread::get_id();
    pool.parallelFor(9, 10, [&](std::int64_t begin, std::int64_t end, int worker) {
        QVERIFY(std::this_thread::get_id() == caller);
        QCOMPARE(begin, std::int64_t{0});
        QCOMPARE(end, std::int64_t{9});
        QCOMPARE(worker, 0);
    });
}

void TstThreadPool::nothingToDoCallsNothing() {
    ThreadPool pool(2);
    bool wasCalled = false;
    pool.parallelFor(0, 1, [&](std::int64_t, std::int64_t, int) { wasCalled = true; });
    pool.parallelFor(-5, 1, [&](std::int64_t, std::int64_t, int) { wasCalled = true; });
    QVERIFY(!wasCalled);
}

void TstThreadPool::resultsAreVisibleToTheCaller() {
    // Plain memory on both sides: ThreadSanitizer watches that the join orders it.
    ThreadPool pool(3);
    std::vector<std::int64_t> values(4096);
    for (std::int64_t round = 1; round <= 50; ++round) {
        pool.parallelFor(4096, 16, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                values[static_cast<std::size_t>(i)] += round * i;
            }
        });
    }
    for (std::int64_t i = 0; i < 4096; ++i) {
        QCOMPARE(values[static_cast<std::size_t>(i)], 1275 * i);
    }
}

void TstThreadPool::anExceptionReachesTheCallerAndThePoolGoesOn() {
    ThreadPool pool(4);
    for (int round = 0; round < 20; ++round) {
        std::string message;
        try {
            pool.parallelFor(64, 1, [&](std::int64_t begin, std::int64_t end, int) {
                if (begin <= 37 && 37 < end) {
                    throw std::runtime_error("piece 37");
                }
            });
        } catch (const std::runtime_error& error) {
            message = error.what();
        }
        QCOMPARE(message, std::string("piece 37"));
        std::atomic<std::int64_t> sum{0};
        pool.parallelFor(64, 1,
                         [&](std::int64_t begin, std::int64_t end, int) { sum += end - begin; });
        QCOMPARE(sum.load(), std::int64_t{64});
    }
    ThreadPool single(1);
    QVERIFY_THROWS_EXCEPTION(std::runtime_error,
                             single.parallelFor(1, 1, [](std::int64_t, std::int64_t, int) {
                                 throw std::runtime_error("alone");
                             }));
}

void TstThreadPool::resizingKeepsThePoolWorking() {
    ThreadPool pool(1);
    for (const int threads : {4, 2, 2, 1, 6}) {
        pool.resize(threads);
        QCOMPARE(pool.threads(), threads);
        std::atomic<std::int64_t> sum{0};
        pool.parallelFor(100, 1,
                         [&](std::int64_t begin, std::int64_t end, int) { sum += end - begin; });
        QCOMPARE(sum.load(), std::int64_t{100});
    }
}

// No address space for so many stacks.
void TstThreadPool::refusedThreadsLeaveThePoolAsItWas() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QSKIP("sanitizers reserve more address space than the limit leaves");
#else
    ThreadPool pool(3);
    const tests::AddressSpaceLimit limit(std::uint64_t{100} << 20);
    for (int round = 0; round < 2; ++round) {
        QVERIFY_THROWS_EXCEPTION(std::system_error, pool.resize(1024));
        QCOMPARE(pool.threads(), 3);
        std::atomic<std::int64_t> sum{0};
        pool.parallelFor(100, 1,
                         [&](std::int64_t begin, std::int64_t end, int) { sum += end - begin; });
        QCOMPARE(sum.load(), std::int64_t{100});
    }
    pool.resize(2);
    QCOMPARE(pool.threads(), 2);
#endif
}

void TstThreadPool::aLimitKeepsTheOthersOut() {
    ThreadPool pool(4);
    for (int round = 0; round < 200; ++round) {
        const int limit = round % 6; // 0 and 5 are brought into the range
        const int most = std::clamp(limit, 1, 4);
        pool.limit(limit);
        QCOMPARE(pool.threads(), 4);
        std::atomic<int> sum{0};
        std::atomic<int> largest{0};
        pool.parallelFor(64, 1, [&](std::int64_t begin, std::int64_t end, int worker) {
            sum += static_cast<int>(end - begin);
            int known = largest.load();
            while (worker > known && !largest.compare_exchange_weak(known, worker)) {
            }
            spinFor(5us);
        });
        QCOMPARE(sum.load(), 64);
        QVERIFY2(largest.load() < most,
                 fmt::format("worker {} with a limit of {}", largest.load(), most).c_str());
    }
    pool.resize(3);
    std::array<std::atomic<int>, 3> pieces{};
    for (int i = 0; i < 2000 && pieces[2] == 0; ++i) { // all take part again
        pool.parallelFor(64, 1, [&](std::int64_t, std::int64_t, int worker) {
            ++pieces[static_cast<std::size_t>(worker)];
            spinFor(20us);
        });
    }
    QVERIFY(pieces[2] > 0);
}

void TstThreadPool::fewerThanOneThreadIsRefused() {
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, ThreadPool(0));
    ThreadPool pool(2);
    QVERIFY_THROWS_EXCEPTION(std::invalid_argument, pool.resize(-1));
    QCOMPARE(pool.threads(), 2);
}

void TstThreadPool::manyShortJobsInARow() {
    // Late workers meet the next job: pieces must belong to exactly one.
    ThreadPool pool(4);
    std::int64_t total = 0;
    for (int job = 0; job < 3000; ++job) {
        std::atomic<std::int64_t> sum{0};
        pool.parallelFor(8, 1, [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t i = begin; i < end; ++i) {
                sum.fetch_add(job + i, std::memory_order_relaxed);
            }
        });
        total += sum.load();
        QCOMPARE(sum.load(), std::int64_t{8} * job + 28);
    }
    QCOMPARE(total, std::int64_t{3000} * 2999 / 2 * 8 + 28 * 3000);
}

void TstThreadPool::busyTimeGrowsWithWork() {
    ThreadPool pool(2);
    const std::int64_t before = pool.busyNanoseconds();
    pool.parallelFor(4, 1, [&](std::int64_t begin, std::int64_t end, int) {
        spinFor(std::chrono::milliseconds(2) * (end - begin));
    });
    const std::int64_t busy = pool.busyNanoseconds() - before;
    QVERIFY2(busy >= 8'000'000, fmt::format("{} ns", busy).c_str());
}

void TstThreadPool::idleWorkersPark() {
    ThreadPool pool(3);
    pool.parallelFor(3, 1, [](std::int64_t, std::int64_t, int) {});
    std::this_thread::sleep_for(std::chrono::milliseconds(10)); // more than workers spin
    const double before = processSeconds();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double used = processSeconds() - before;
    QVERIFY2(used < 0.02, fmt::format("{} s of processor time while idle", used).c_str());
}

QTEST_APPLESS_MAIN(TstThreadPool)
#include "tst_thread_pool.moc"
