#include "engine/base/mailbox.h"

#include <QTest>

#include <atomic>
#include <memory>
#include <thread>

using namespace std::chrono_literals;

class TstMailbox : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void latestValueShowsTheInitialUntilPublished();
    void latestValueIsNeverTornNorOlder();
    void inboxKeepsEveryItemInOrderPerWriter();
    void inboxWaitEndsOnPushWakeAndStop();
    void inboxWaitUntilEndsAtItsLimit();
    void wakeBeforeWaitIsNotLost();
    void outboxDropsOnlyDroppableItems();
    void outboxTakesMoveOnlyItems();
};

namespace {

// Wide enough that a torn copy would show.
struct Wide {
    std::array<std::uint64_t, 64> words{};
    static Wide of(std::uint64_t value) {
        Wide wide;
        wide.words.fill(value);
        return wide;
    }
    bool isWhole() const {
        for (const std::uint64_t word : words) {
            if (word != words.front()) {
                return false;
            }
        }
        return true;
    }
};

} // namespace

void TstMailbox::latestValueShowsTheInitialUntilPublished() {
    engine::LatestValue<int> value(7);
    QCOMPARE(value.read(), 7);
    value.publish(8);
    value.publish(9);
    QCOMPARE(value.read(), 9);
    QCOMPARE(value.read(), 9);
}

void TstMailbox::latestValueIsNeverTornNorOlder() {
    engine::LatestValue<Wide> value;
    constexpr std::uint64_t kLast = 50'000;
    std::jthread writer([&value] {
        for (std::uint64_t i = 1; i <= kLast; ++i) {
            value.publish(Wide::of(i));
        }
    });
    std::uint64_t seen = 0;
    while (seen < kLast) {
        const Wide& latest = value.read();
        QVERIFY(latest.isWhole());
        QVERIFY2(latest.words[0] >= seen, "an older value came after a newer one");
        seen = latest.words[0];
    }
}

void TstMailbox::inboxKeepsEveryItemInOrderPerWriter() {
    struct Item {
        int writer, number;
    };
    constexpr int kWriters = 3;
    constexpr int kItems = 2000;
    engine::Inbox<Item> inbox;
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
        writers.emplace_back([&inbox, writer] {
            for (int number = 0; number < kItems; ++number) {
                inbox.push(Item{writer, number});
            }
        });
    }
    std::array<int, kWriters> next{};
    int total = 0;
    const std::stop_source never;
    while (total < kWriters * kItems) {
        QVERIFY(inbox.wait(never.get_token()));
        for (const Item& item : inbox.take()) {
            QCOMPARE(item.number, next[static_cast<std::size_t>(item.writer)]++);
            ++total;
        }
    }
    QVERIFY(inbox.take().empty());
}

void TstMailbox::inboxWaitEndsOnPushWakeAndStop() {
    engine::Inbox<int> inbox;
    std::stop_source stop;
    std::atomic<int> rounds{0};
    std::vector<int> received;
    std::jthread reader([&] {
        while (inbox.wait(stop.get_token())) {
            for (const int item : inbox.take()) {
                received.push_back(item);
            }
            ++rounds;
            rounds.notify_all();
        }
    });
    inbox.push(1);
    rounds.wait(0);
    const int afterPush = rounds;
    inbox.wake();
    rounds.wait(afterPush);
    stop.request_stop();
    reader.join();
    QCOMPARE(received, std::vector<int>{1});
    QVERIFY(rounds >= 2);
}

void TstMailbox::inboxWaitUntilEndsAtItsLimit() {
    engine::Inbox<int> inbox;
    const std::stop_source never;
    QVERIFY(!inbox.waitUntil(never.get_token(), std::chrono::steady_clock::now() + 5ms));
    inbox.push(1);
    QVERIFY(inbox.waitUntil(never.get_token(), std::chrono::steady_clock::now()));
}

void TstMailbox::wakeBeforeWaitIsNotLost() {
    engine::Inbox<int> inbox;
    const std::stop_source never;
    inbox.wake();
    QVERIFY(inbox.wait(never.get_token()));
    QVERIFY(inbox.isEmpty()); // a call to wake is no item
    QVERIFY(inbox.take().empty());
    inbox.push({});
    QVERIFY(!inbox.isEmpty());
    inbox.take();
    QVERIFY(inbox.isEmpty());
    QVERIFY(!inbox.waitUntil(never.get_token(), std::chrono::steady_clock::now()));
}

void TstMailbox::outboxDropsOnlyDroppableItems() {
    engine::Outbox<int> outbox(3);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(outbox.push(i, engine::Delivery::Droppable));
    }
    QVERIFY(!outbox.hasOverflowed());
    QVERIFY(!outbox.push(3, engine::Delivery::Droppable));
    QVERIFY(outbox.push(4, engine::Delivery::Guaranteed));
    QVERIFY(outbox.push(5, engine::Delivery::Guaranteed));
    QCOMPARE(outbox.dropped(), std::uint64_t{1});
    QCOMPARE(outbox.take(), (std::vector<int>{0, 1, 2, 4, 5}));
    QVERIFY(outbox.push(6, engine::Delivery::Droppable));
    QVERIFY2(outbox.hasOverflowed(), "the flag stays: the record lacks an item");
}

void TstMailbox::outboxTakesMoveOnlyItems() {
    engine::Outbox<std::unique_ptr<int>> outbox(1);
    QVERIFY(outbox.push(std::make_unique<int>(5), engine::Delivery::Guaranteed));
    const auto items = outbox.take();
    QCOMPARE(*items.at(0), 5);
}

QTEST_APPLESS_MAIN(TstMailbox)
#include "tst_mailbox.moc"
