// Every rule of the alarm table, driven over its limit and back; noise, thin samples and gaps.
#include "tests/support/alarm_drive.h"

#include <QTest>

#include <algorithm>

using namespace app;
using tests::answered;
using Drive = tests::AlarmDrive;
using tests::indexOf;

class TstAlarms : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theTableIsSound();
    void everyRuleGoesOverAndBack_data();
    void everyRuleGoesOverAndBack();
    void qualityIsLostUntilItIsTakenBack();
    void aShortExcursionRaisesNothing();
    void aValueBetweenTheLimitsKeepsTheState();
    void thinSamplesRaiseNothing();
    void nothingToJudgeClears();
    void failedRequestsAreTimeOuts();
    void whoGivesUpIsATimeOut();
    void anIdleDeviceIsNotStarved();
    void anAttachedServerIsNotStarved();
    void theBestValueClearsWhateverTheLimit();
    void acknowledgingLastsUntilItClears();
    void aMutedAlarmIsWatchedWithoutABadge();
    void anOperatorsLimitKeepsTheDistance();
};

void TstAlarms::theTableIsSound() {
    QCOMPARE(tests::alarmCases().size(), alarmTable().size()); // a new rule needs its case
    for (const AlarmRule& rule : alarmTable()) {
        const bool isAbove = rule.side == AlarmSide::Above;
        QVERIFY2(isAbove ? rule.clear < rule.limit : rule.clear > rule.limit, rule.key.data());
        QVERIFY(rule.limit > 0 && rule.limit < rule.maximum);
        QVERIFY(rule.holdSeconds > 0 && rule.clearSeconds > 0);
        QVERIFY(rule.read != nullptr && !rule.label.empty());
        QCOMPARE(findAlarm(rule.key), &rule);
    }
    QCOMPARE(findAlarm("no such alarm"), nullptr);
}

void TstAlarms::everyRuleGoesOverAndBack_data() {
    QTest::addColumn<int>("row");
    for (int row = 0; row < static_cast<int>(tests::alarmCases().size()); ++row) {
        QTest::newRow(tests::alarmCases()[static_cast<std::size_t>(row)].key) << row;
    }
}

void TstAlarms::everyRuleGoesOverAndBack() {
    QFETCH(int, row);
    const tests::AlarmCase& given = tests::alarmCases()[static_cast<std::size_t>(row)];
    const AlarmRule& rule = *findAlarm(given.key);
    const auto ofRule = [&](const std::vector<AlarmChange>& changes) {
        std::vector<bool> found;
        for (const AlarmChange& change : changes) {
            if (change.rule == indexOf(given.key)) {
                found.push_back(change.isRaised);
            }
        }
        return found;
    };
    Drive drive;
    given.makeGood(drive);
    QVERIFY(ofRule(drive.run(70.0)).empty());
    given.makeBad(drive);
    // A window of samples has to fill with what is bad, then the hold passes.
    QCOMPARE(ofRule(drive.run(60.0 + rule.holdSeconds)), std::vector<bool>{true});
    QVERIFY(drive.alarms.states()[indexOf(given.key)].reading.value.has_value());
    given.makeGood(drive);
    QCOMPARE(ofRule(drive.run(65.0 + rule.clearSeconds)), std::vector<bool>{false});
}

void TstAlarms::qualityIsLostUntilItIsTakenBack() {
    const auto raised = [](Drive& drive) {
        drive.checkQuality("150.0", "yes");
        drive.run(10.0);
        return drive.phase("quality_loss") == AlarmPhase::Raised;
    };
    Drive drive;
    QVERIFY(raised(drive));
    drive.beginRun(); // that makes the answers no better
    drive.run(20.0);
    QCOMPARE(drive.phase("quality_loss"), AlarmPhase::Raised);
    drive.applyConfig("attention.share", "30", "40"); // nor does what has no bearing
    drive.applyConfig("batching.max_batch", "8", "16");
    drive.run(20.0);
    QCOMPARE(drive.phase("quality_loss"), AlarmPhase::Raised);
    drive.applyConfig("weights.precision", "int4", "file"); // needs no check
    drive.run(20.0);
    QVERIFY(drive.phase("quality_loss") != AlarmPhase::Raised);
    drive.applyConfig("attention.mode", "full", "sparse");
    QVERIFY(raised(drive));
    drive.applyConfig("attention.share", "30", "40"); // to be checked anew
    drive.run(20.0);
    QVERIFY(drive.phase("quality_loss") != AlarmPhase::Raised);
    QVERIFY(raised(drive));
    drive.takeModel();
    drive.run(20.0);
    QVERIFY(drive.phase("quality_loss") != AlarmPhase::Raised);
}

void TstAlarms::aShortExcursionRaisesNothing() {
    Drive drive;
    for (int round = 0; round < 20; ++round) {
        drive.level.machineShare = 0.95;
        QVERIFY(drive.run(3.0).empty());
        drive.level.machineShare = 0.3;
        QVERIFY(drive.run(8.0).empty());
    }
}

void TstAlarms::aValueBetweenTheLimitsKeepsTheState() {
    Drive drive;
    drive.level.machineShare = 0.835; // below 85, above 82
    QVERIFY(drive.run(60.0).empty());
    drive.level.machineShare = 0.9;
    QCOMPARE(drive.run(20.0).size(), std::size_t{1});
    drive.level.machineShare = 0.835;
    QVERIFY(drive.run(120.0).empty());
    QCOMPARE(drive.phase("memory"), AlarmPhase::Raised);
}

void TstAlarms::thinSamplesRaiseNothing() {
    Drive drive;
    drive.requestsPerTick = 1;
    // One in ten ticks: 30 requests in the window of the gap, 60 in that of the time-outs.
    int tick = 0;
    drive.request = [&tick](int) {
        RequestPoint point = answered(tick % 2 == 0 ? 2000 : 10);
        if (tick++ % 10 != 0) {
            point.tags = static_cast<std::uint32_t>(engine::SampleTag::Cold);
        }
        return point;
    };
    QVERIFY(drive.run(200.0).empty());
    QVERIFY(drive.alarms.states()[indexOf("ttft_gap")].reading.value.has_value());
}

void TstAlarms::nothingToJudgeClears() {
    Drive drive;
    drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 25.0};
    QCOMPARE(drive.run(10.0).size(), std::size_t{1});
    drive.load = {};
    const auto changes = drive.run(10.0);
    QCOMPARE(changes.size(), std::size_t{1});
    QVERIFY(!changes.front().isRaised);
    QVERIFY(!changes.front().reading.value);
}

void TstAlarms::failedRequestsAreTimeOuts() {
    Drive drive;
    drive.request = [](int n) {
        RequestPoint point = answered(20);
        if (n % 40 == 0) {
            point.ttftMs = std::numeric_limits<double>::quiet_NaN();
            point.outcome = engine::Outcome::Failed;
        }
        return point;
    };
    drive.run(80.0);
    QCOMPARE(drive.phase("ttft_timeouts"), AlarmPhase::Raised);
    const double share = *drive.alarms.states()[indexOf("ttft_timeouts")].reading.value;
    QVERIFY(std::abs(share - 2.5) < 0.2);
}

void TstAlarms::whoGivesUpIsATimeOut() {
    const auto given = [](double waitedMs) {
        return [waitedMs](int n) {
            RequestPoint point = answered(20);
            if (n % 40 == 0) {
                point.ttftMs = std::numeric_limits<double>::quiet_NaN();
                point.outcome = engine::Outcome::Cancelled;
                point.waitedMs = waitedMs;
            }
            return point;
        };
    };
    Drive drive;
    drive.request = given(500.0); // below the target: nobody knows
    QVERIFY(drive.run(80.0).empty());
    QCOMPARE(*drive.alarms.states()[indexOf("ttft_timeouts")].reading.value, 0.0);
    drive.request = given(900.0);
    drive.run(80.0);
    QCOMPARE(drive.phase("ttft_timeouts"), AlarmPhase::Raised);
    drive.request = given(500.0);
    drive.run(80.0);
    QCOMPARE(drive.phase("ttft_timeouts"), AlarmPhase::Quiet);
}

void TstAlarms::anIdleDeviceIsNotStarved() {
    Drive drive;
    drive.level.busyShare = 0.0;
    QVERIFY(drive.run(120.0).empty());
}

void TstAlarms::anAttachedServerIsNotStarved() {
    Drive drive;
    drive.level.busyShare = 0.0;
    drive.level.slots = 0.0; // it tells neither
    drive.level.waiting = 5.0;
    QVERIFY(drive.run(120.0).empty());
    QVERIFY(!drive.alarms.states()[indexOf("device_starved")].reading.value);
}

void TstAlarms::theBestValueClearsWhateverTheLimit() {
    for (const AlarmRule& rule : alarmTable()) {
        const bool isAbove = rule.side == AlarmSide::Above;
        const AlarmSetting setting{.limit = rule.maximum, .holdSeconds = 0.0};
        const double clear = clearingValue(rule, setting);
        QVERIFY2(isAbove ? clear > 0.0 && clear < rule.maximum
                         : clear > rule.maximum && (rule.unit != "%" || clear <= 100.0),
                 rule.key.data());
        QCOMPARE(clearingValue(rule, {.limit = rule.limit, .holdSeconds = 0.0}), rule.clear);
    }
}

void TstAlarms::acknowledgingLastsUntilItClears() {
    Drive drive;
    drive.level.machineShare = 0.9;
    drive.run(20.0);
    QCOMPARE(drive.alarms.raised(true), 1);
    drive.alarms.acknowledge(indexOf("memory"));
    QCOMPARE(drive.alarms.raised(true), 0);
    QCOMPARE(drive.alarms.raised(false), 1);
    QVERIFY(drive.alarms.isRaised(AlarmTile::Memory));
    drive.level.machineShare = 0.5;
    drive.run(30.0);
    QCOMPARE(drive.alarms.raised(false), 0);
    drive.level.machineShare = 0.9;
    drive.run(20.0);
    QCOMPARE(drive.alarms.raised(true), 1);
    drive.alarms.acknowledge(indexOf("load_lag")); // not raised: nothing to acknowledge
    QVERIFY(!drive.alarms.states()[indexOf("load_lag")].isAcknowledged);
}

void TstAlarms::aMutedAlarmIsWatchedWithoutABadge() {
    Drive drive;
    auto settings = defaultAlarmSettings();
    settings[indexOf("memory")].isMuted = true;
    drive.alarms.setSettings(settings);
    drive.level.machineShare = 0.9;
    QCOMPARE(drive.run(20.0).size(), std::size_t{1});
    QCOMPARE(drive.alarms.raised(false), 0);
    QVERIFY(!drive.alarms.isRaised(AlarmTile::Memory));
}

void TstAlarms::anOperatorsLimitKeepsTheDistance() {
    Drive drive;
    auto settings = defaultAlarmSettings();
    settings[indexOf("memory")].limit = 42.5; // half: clears below 41
    drive.alarms.setSettings(settings);
    drive.level.machineShare = 0.45;
    QCOMPARE(drive.run(20.0).size(), std::size_t{1});
    drive.level.machineShare = 0.42;
    QVERIFY(drive.run(30.0).empty());
    drive.level.machineShare = 0.40;
    QCOMPARE(drive.run(30.0).size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(TstAlarms)
#include "tst_alarms.moc"
