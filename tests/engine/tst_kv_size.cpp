// Blocks that may be in use while sequences of two formats share the memory.
#include "engine/loop/kv_size.h"

#include <QTest>

#include <fmt/format.h>

#include <cmath>
#include <random>

using engine::EarlierSequence;
using engine::kvAllowance;

class TstKvSize : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutEarlierOnesItIsWhatIsWanted();
    void allTogetherStayWithinTheMemory();
    void whoFittedGoesOn();
};

void TstKvSize::withoutEarlierOnesItIsWhatIsWanted() {
    QCOMPARE(kvAllowance(100, {}), std::int64_t{100});
}

void TstKvSize::allTogetherStayWithinTheMemory() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (int round = 0; round < 2000; ++round) {
        const auto wanted = static_cast<std::int64_t>(1 + random() % 1000);
        std::vector<EarlierSequence> earlier;
        double theirs = 0.0;
        std::int64_t held = 0;
        for (std::size_t left = random() % 5; left > 0; --left) {
            const double size = std::uniform_real_distribution(0.1, 1.0)(random);
            earlier.push_back({.held = static_cast<std::int64_t>(random() % 100), .size = size});
            held += earlier.back().held;
            theirs += static_cast<double>(earlier.back().held) * size;
        }
        const std::int64_t allowed = kvAllowance(wanted, earlier);
        const double memory = static_cast<double>(allowed - held) + theirs;
        QVERIFY2(memory <= static_cast<double>(wanted) + 1e-6, fmt::format("{}", seed).c_str());
        QVERIFY2(memory > static_cast<double>(wanted) - 1.0 - 1e-6, // not a block is left unused
                 fmt::format("{}", seed).c_str());
    }
    // Larger ones of before change nothing: what they take too much is not theirs to leave.
    const EarlierSequence larger{.held = 10, .size = 2.0};
    QCOMPARE(kvAllowance(100, {&larger, 1}), std::int64_t{100});
}

// Whatever the ratio of the formats: one that had all blocks of before, and lost them, gets them
// again, and one that is to have the last of them gets that.
void TstKvSize::whoFittedGoesOn() {
    for (std::int64_t total = 1; total <= 60; ++total) {
        for (const double size : {0.26, 1.0 / 3, 0.5, 0.53125, 0.7, 1.0, 1.9, 4.0}) {
            const auto wanted =
                static_cast<std::int64_t>(std::floor(static_cast<double>(total) * size));
            for (std::int64_t needed = 1; needed <= total; ++needed) {
                for (const std::int64_t held : {std::int64_t{0}, needed - 1, needed}) {
                    const EarlierSequence one{.held = held, .needed = needed, .size = size};
                    QVERIFY2(kvAllowance(wanted, {&one, 1}) >= needed,
                             fmt::format("{} of {}, {}", needed, total, size).c_str());
                }
            }
        }
    }
}

QTEST_APPLESS_MAIN(TstKvSize)
#include "tst_kv_size.moc"
