// The executor that runs CUDA kernels on the CPU: right kernels pass in every order of threads, and
// each planted fault is found and named.
#include "tests/kernels/simt_samples.h"
#include "tests/support/close_to.h"
#include "tests/support/cpu_time.h"
#include "tests/support/simt/device.h"
#include "tests/support/simt/device_array.h"

#include <QTest>

#include <functional>
#include <optional>
#include <random>
#include <vector>

using simt::DeviceArray;
using simt::FindingKind;
using simt::Schedule;
using tests::Fault;

Q_DECLARE_METATYPE(simt::FindingKind)
Q_DECLARE_METATYPE(simt::Schedule)
Q_DECLARE_METATYPE(tests::Fault)

class TstSimt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rightKernelsPassInEveryOrder_data();
    void rightKernelsPassInEveryOrder();
    void plantedFaultsAreFound_data();
    void plantedFaultsAreFound();
    void findingsNameKernelBlockThreadAndLine();
    void aFindingLeavesTheExecutorUsable();
    void switchesAreFast();
};

namespace {

constexpr std::uint64_t kSeed = 20261130;

std::vector<float> randomFloats(std::size_t count) {
    std::mt19937 random(static_cast<unsigned>(kSeed + count));
    // Of one sign: what a sum rounds off is then small beside it.
    std::uniform_real_distribution<float> distribution(0.5F, 1.5F);
    std::vector<float> values(count);
    for (float& value : values) {
        value = distribution(random);
    }
    return values;
}

// Sums of `length` neighbours each, the last of what is left.
std::vector<double> sums(const std::vector<float>& values, std::size_t length) {
    std::vector<double> result((values.size() + length - 1) / length);
    for (std::size_t i = 0; i < values.size(); ++i) {
        result[i / length] += static_cast<double>(values[i]);
    }
    return result;
}

std::string sumBlocksProblem(int n, Fault fault = Fault::None) {
    const auto values = randomFloats(static_cast<std::size_t>(n));
    const auto expected = sums(values, tests::kBlockThreads);
    const DeviceArray<float> in(values), out(expected.size());
    tests::sumBlocks(in.data(), out.data(), n, fault, nullptr);
    std::string text;
    return tests::closeTo(std::span<const float>(out.read()), expected, 1e-5, &text) ? "" : text;
}

std::string sumWarpsProblem(int n, Fault fault = Fault::None) {
    const auto values = randomFloats(static_cast<std::size_t>(n));
    auto expected = sums(values, 32);
    expected.resize((values.size() + 63) / 64 * 2); // warps of the last block
    const DeviceArray<float> in(values), out(expected.size());
    tests::sumWarps(in.data(), out.data(), n, fault, nullptr);
    std::string text;
    return tests::closeTo(std::span<const float>(out.read()), expected, 1e-5, &text) ? "" : text;
}

std::string tilesProblem(int m, int n, int k, Fault fault = Fault::None) {
    const auto left = randomFloats(static_cast<std::size_t>(m * k));
    const auto right = randomFloats(static_cast<std::size_t>(k * n));
    std::vector<double> expected(static_cast<std::size_t>(m * n));
    for (int i = 0; i < m * n; ++i) {
        for (int j = 0; j < k; ++j) {
            expected[static_cast<std::size_t>(i)] +=
                static_cast<double>(left[static_cast<std::size_t>(i / n * k + j)]) *
                static_cast<double>(right[static_cast<std::size_t>(j * n + i % n)]);
        }
    }
    const DeviceArray<float> a(left), b(right), c(expected.size());
    tests::multiplyTiles(a.data(), b.data(), c.data(), m, n, k, fault, nullptr);
    std::string text;
    return tests::closeTo(std::span<const float>(c.read()), expected, 1e-5, &text) ? "" : text;
}

std::string copyProblem(int n, Fault fault = Fault::None) {
    const auto values = randomFloats(static_cast<std::size_t>(n));
    const DeviceArray<float> in(values), out(values.size());
    tests::copyThrough(in.data(), out.data(), n, fault, nullptr);
    return out.read() == values ? "" : "the copy differs";
}

std::string reverseProblem(int n, Fault fault = Fault::None) {
    const auto values = randomFloats(static_cast<std::size_t>(n));
    const DeviceArray<float> in(values), out(values.size());
    tests::reverseWarps(in.data(), out.data(), n, fault, nullptr);
    const auto got = out.read();
    for (std::size_t i = 0; i < got.size(); ++i) {
        const std::size_t other = i ^ 31U;
        if (got[i] != (other < values.size() ? values[other] : 0.0F)) {
            return "a lane has another's value";
        }
    }
    return "";
}

std::string countProblem(int n) {
    std::vector<std::uint32_t> values(static_cast<std::size_t>(n)), expected(16);
    std::mt19937 random(static_cast<unsigned>(kSeed));
    for (auto& value : values) {
        value = static_cast<std::uint32_t>(random());
        ++expected[value % 16];
    }
    const DeviceArray<std::uint32_t> in(values), counts(std::vector<std::uint32_t>(16, 0));
    tests::countValues(in.data(), counts.data(), n, nullptr);
    return counts.read() == expected ? "" : "counts differ";
}

void misbehave(Fault fault) {
    const DeviceArray<float> out(64);
    tests::misbehave(out.data(), 64, fault, nullptr);
}

// What the fault's own kernel does with it; a finding passes through.
void plant(Fault fault) {
    switch (fault) {
    case Fault::MissingBarrier:
    case Fault::DivergentBarrier:
    case Fault::EarlyExit:
    case Fault::UninitialisedShared:
        sumBlocksProblem(200, fault);
        return;
    case Fault::MissingSecondBarrier:
    case Fault::OffByOneShared:
        tilesProblem(17, 19, 35, fault);
        return;
    case Fault::WrongLaneMask:
        sumWarpsProblem(64, fault);
        return;
    case Fault::MissingCopyWait:
    case Fault::LeftCopy:
        copyProblem(516, fault);
        return;
    case Fault::MissingWarpBarrier:
        reverseProblem(128, fault);
        return;
    case Fault::HostPointer: {
        std::vector<float> host(64);
        tests::misbehave(host.data(), 64, fault, nullptr);
        return;
    }
    default:
        misbehave(fault);
    }
}

std::optional<simt::Finding> findingOf(const std::function<void()>& work) {
    try {
        work();
    } catch (const simt::Finding& finding) {
        return finding;
    }
    return std::nullopt;
}

} // namespace

void TstSimt::rightKernelsPassInEveryOrder_data() {
    QTest::addColumn<Schedule>("schedule");
    QTest::addColumn<quint64>("seed");
    QTest::addRow("in order") << Schedule::InOrder << quint64{0};
    QTest::addRow("reverse") << Schedule::Reverse << quint64{0};
    for (quint64 seed = 1; seed <= 5; ++seed) {
        QTest::addRow("random %d", static_cast<int>(seed)) << Schedule::Random << seed;
        QTest::addRow("one warp ahead %d", static_cast<int>(seed)) << Schedule::WarpAhead << seed;
    }
}

void TstSimt::rightKernelsPassInEveryOrder() {
    QFETCH(Schedule, schedule);
    QFETCH(quint64, seed);
    simt::Device device({.schedule = schedule, .seed = seed});
    const auto passes = [](const std::string& problem) {
        if (!problem.empty()) {
            qWarning("%s", problem.c_str());
        }
        return problem.empty();
    };
    for (const int n : {1, 31, 32, 33, 127, 128, 129, 1000}) {
        QVERIFY(passes(sumBlocksProblem(n)));
        QVERIFY(passes(sumWarpsProblem(n)));
        QVERIFY(passes(reverseProblem(n)));
        QVERIFY(passes(countProblem(n)));
        QVERIFY(passes(copyProblem(4 * n)));
    }
    QVERIFY(passes(tilesProblem(1, 1, 1)));
    QVERIFY(passes(tilesProblem(16, 16, 16)));
    QVERIFY(passes(tilesProblem(17, 33, 47)));
    QVERIFY(device.leaks().empty());
}

void TstSimt::plantedFaultsAreFound_data() {
    QTest::addColumn<Fault>("fault");
    QTest::addColumn<FindingKind>("kind");
    QTest::addRow("missing barrier") << Fault::MissingBarrier << FindingKind::Race;
    QTest::addRow("missing barrier in a loop") << Fault::MissingSecondBarrier << FindingKind::Race;
    QTest::addRow("missing warp barrier") << Fault::MissingWarpBarrier << FindingKind::Race;
    QTest::addRow("off by one") << Fault::OffByOneShared << FindingKind::SharedBounds;
    QTest::addRow("redzone") << Fault::PastRedzone << FindingKind::Redzone;
    QTest::addRow("wrong lane mask") << Fault::WrongLaneMask << FindingKind::WarpMask;
    QTest::addRow("one lane missing") << Fault::OneLaneMissing << FindingKind::WarpMask;
    QTest::addRow("missing wait") << Fault::MissingCopyWait << FindingKind::PendingCopy;
    QTest::addRow("copy left behind") << Fault::LeftCopy << FindingKind::PendingCopy;
    QTest::addRow("divergent barrier") << Fault::DivergentBarrier << FindingKind::DivergentBarrier;
    QTest::addRow("early exit") << Fault::EarlyExit << FindingKind::EarlyExit;
    QTest::addRow("uninitialised") << Fault::UninitialisedShared << FindingKind::Uninitialised;
    QTest::addRow("global read") << Fault::GlobalOutOfBounds << FindingKind::GlobalBounds;
    QTest::addRow("global write") << Fault::GlobalWriteBehind << FindingKind::GlobalBounds;
    QTest::addRow("host pointer") << Fault::HostPointer << FindingKind::ForeignPointer;
    QTest::addRow("misaligned") << Fault::MisalignedVector << FindingKind::Misaligned;
    QTest::addRow("too much shared") << Fault::TooMuchShared << FindingKind::Carving;
    QTest::addRow("deadlock") << Fault::Deadlock << FindingKind::Deadlock;
    QTest::addRow("different carving") << Fault::DifferentCarving << FindingKind::Carving;
    QTest::addRow("full stack") << Fault::Recursion << FindingKind::StackOverflow;
    QTest::addRow("trap") << Fault::Trap << FindingKind::Trap;
}

void TstSimt::plantedFaultsAreFound() {
    QFETCH(Fault, fault);
    QFETCH(FindingKind, kind);
    for (const Schedule schedule :
         {Schedule::InOrder, Schedule::Reverse, Schedule::Random, Schedule::WarpAhead}) {
        simt::Device device({.schedule = schedule, .seed = kSeed});
        const auto finding = findingOf([&] { plant(fault); });
        QVERIFY2(finding, "nothing was found");
        QVERIFY2(finding->kind() == kind, finding->what());
        QVERIFY(device.leaks().empty());
    }
}

void TstSimt::findingsNameKernelBlockThreadAndLine() {
    simt::Device device({.schedule = Schedule::InOrder});
    const auto finding = findingOf([] { sumBlocksProblem(200, Fault::MissingBarrier); });
    QVERIFY(finding);
    const QString text = QString::fromUtf8(finding->what());
    QVERIFY2(text.contains(QLatin1String("sumBlocksKernel")), finding->what());
    QVERIFY2(text.contains(QLatin1String("block (0,0,0), thread (")), finding->what());
    QVERIFY2(text.contains(QRegularExpression(QStringLiteral("simt_samples\\.cu:\\d+"))),
             finding->what());
}

void TstSimt::aFindingLeavesTheExecutorUsable() {
    simt::Device device;
    for (const Fault fault : {Fault::MissingBarrier, Fault::GlobalOutOfBounds, Fault::Recursion,
                              Fault::DivergentBarrier, Fault::OneLaneMissing}) {
        QVERIFY(findingOf([&] { plant(fault); }));
        QCOMPARE(sumBlocksProblem(300), std::string());
        QCOMPARE(tilesProblem(5, 6, 7), std::string());
    }
}

void TstSimt::switchesAreFast() {
    // Tests of kernels need millions of switches; a system call in each would cost minutes.
    simt::Device device;
    const double seconds = tests::cpuSeconds([] { tests::passBarriers(1024, 300, nullptr); });
    QVERIFY(device.switches() >= 300'000);
    const double perSecond = static_cast<double>(device.switches()) / seconds;
    qInfo("%.1f million switches a second", perSecond / 1e6);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    QVERIFY(perSecond > 2e4);
#else
    QVERIFY(perSecond > 1e6); // ten times as many on an idle machine
#endif
}

QTEST_APPLESS_MAIN(TstSimt)
#include "tst_simt.moc"
