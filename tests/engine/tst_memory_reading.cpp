// Memory as the system tells it, and as a container's control group bounds it.
#include "engine/base/failure.h"
#include "engine/loop/memory_reading.h"

#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

using engine::readGroupMemory;

class TstMemoryReading : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void thisMachineHasMemory();
    void groupsBoundIt_data();
    void groupsBoundIt();
    void withoutALimitThereIsNoBound();
    void whatIsPromisedIsNotPromisedTwice();
    void claimsOfManyThreadsAddUp();
};

namespace {

constexpr std::uint64_t kGibi = std::uint64_t{1} << 30;

void write(const QTemporaryDir& folder, const char* name, const std::string& text) {
    std::ofstream(folder.path().toStdString() + "/" + name) << text;
}

} // namespace

void TstMemoryReading::thisMachineHasMemory() {
    const engine::MemoryReading reading = engine::readMemory();
    QVERIFY(reading.processBytes > 0);
    QVERIFY(reading.totalBytes >= reading.processBytes);
    QVERIFY(reading.availableBytes <= reading.totalBytes);
}

void TstMemoryReading::groupsBoundIt_data() {
    QTest::addColumn<QString>("stat");
    QTest::addColumn<quint64>("current");
    QTest::addColumn<quint64>("available");
    const QString files = QStringLiteral("anon 1073741824\nfile 3221225472\nactive_file 0\n"
                                         "inactive_file 3221225472\nslab 7\n");
    QTest::newRow("a file was read") << files << quint64{4 * kGibi} << quint64{3 * kGibi};
    QTest::newRow("files alone") << files << quint64{3 * kGibi} << quint64{4 * kGibi};
    QTest::newRow("more files than all") << files << quint64{2 * kGibi} << quint64{4 * kGibi};
    QTest::newRow("no files") << QString() << quint64{3 * kGibi} << quint64{kGibi};
    QTest::newRow("above the limit") << QString() << quint64{5 * kGibi} << quint64{0};
    QTest::newRow("no numbers") << QStringLiteral("inactive_file many") << quint64{kGibi}
                                << quint64{3 * kGibi};
}

void TstMemoryReading::groupsBoundIt() {
    QFETCH(const QString, stat);
    QFETCH(const quint64, current);
    QFETCH(const quint64, available);
    const QTemporaryDir folder;
    write(folder, "memory.max", std::to_string(4 * kGibi) + "\n");
    write(folder, "memory.current", std::to_string(current) + "\n");
    if (!stat.isEmpty()) {
        write(folder, "memory.stat", stat.toStdString());
    }
    const auto group = readGroupMemory(folder.path().toStdString());
    QVERIFY(group.has_value());
    QCOMPARE(group->limitBytes, 4 * kGibi);
    QCOMPARE(static_cast<quint64>(group->availableBytes), available);
}

void TstMemoryReading::withoutALimitThereIsNoBound() {
    const QTemporaryDir folder;
    QVERIFY(!readGroupMemory(folder.path().toStdString()));
    write(folder, "memory.current", "5\n");
    write(folder, "memory.max", "max\n");
    QVERIFY(!readGroupMemory(folder.path().toStdString()));
}

void TstMemoryReading::whatIsPromisedIsNotPromisedTwice() {
    engine::MemoryClaims claims;
    {
        const auto first = claims.claimOf(5 * kGibi, 10 * kGibi);
        // Nine tenths of it can be had.
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(claims.claimOf(5 * kGibi, 10 * kGibi)),
                                 engine::Failure);
        const auto second = claims.claimOf(4 * kGibi, 10 * kGibi);
        QVERIFY_EXCEPTION_THROWN(static_cast<void>(claims.claimOf(1, 10 * kGibi)), engine::Failure);
    }
    const auto again = claims.claimOf(9 * kGibi, 10 * kGibi);
    // Less is available than was promised: nothing is left, and nothing wraps around.
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(claims.claimOf(kGibi, 2 * kGibi)), engine::Failure);
    QVERIFY_EXCEPTION_THROWN(static_cast<void>(claims.claim(UINT64_MAX)), engine::Failure);
}

void TstMemoryReading::claimsOfManyThreadsAddUp() {
    engine::MemoryClaims claims;
    std::atomic<std::int64_t> held{0};
    std::atomic<bool> isTooMuch{false};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                for (int round = 0; round < 2000; ++round) {
                    try {
                        const auto claim = claims.claimOf(kGibi, 3 * kGibi);
                        isTooMuch = isTooMuch || ++held > 2;
                        --held;
                    } catch (const engine::Failure&) {
                        std::this_thread::yield();
                    }
                }
            });
        }
    }
    QVERIFY(!isTooMuch);
    const auto all = claims.claimOf(2 * kGibi, 3 * kGibi);
}

QTEST_APPLESS_MAIN(TstMemoryReading)
#include "tst_memory_reading.moc"
