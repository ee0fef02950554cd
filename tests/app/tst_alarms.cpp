// Every rule of the alarm table, driven over its limit and back; noise, thin samples and gaps.
#include "app/observe/alarms.h"

#include <QTest>

#include <algorithm>
#include <functional>

using namespace app;

namespace {

std::size_t indexOf(std::string_view key) {
    return static_cast<std::size_t>(findAlarm(key) - alarmTable().data());
}

// A history that is fed ten times a second, evaluated once a second.
class Drive {
public:
    Drive() { m_history.reset(engine::TimePoint{}); }

    Sample level;                             // what every further sample says
    std::function<RequestPoint(int)> request; // of the n-th of a tick; none where empty
    int requestsPerTick = 3;
    LoadProgress load;
    ServiceTarget target;

    std::vector<AlarmChange> run(double seconds) {
        std::vector<AlarmChange> changes;
        for (int tick = 0; tick < static_cast<int>(seconds * 10.0); ++tick) {
            m_seconds += 0.1;
            level.seconds = m_seconds;
            m_history.addSample(level);
            for (int n = 0; request && n < requestsPerTick; ++n) {
                RequestPoint point = request(m_count++);
                point.seconds = m_seconds;
                m_history.addRequest(point);
            }
            if (tick % 10 == 9) {
                const auto some = alarms.evaluate({m_history, target, load}, m_seconds);
                changes.insert(changes.end(), some.begin(), some.end());
            }
        }
        return changes;
    }
    void checkQuality(const char* lossPercent, const char* garbled) {
        engine::Event event;
        event.body = engine::Notice{
            .kind = "quality_checked",
            .values = {{"perplexity_change_percent", lossPercent}, {"garbled", garbled}}};
        m_history.addEvent(event);
    }
    void applyConfig(const char* key, const char* before, const char* after) {
        engine::Event event;
        event.body = engine::ConfigApplied{.changes = {{key, before, after}}, .fromStep = 1};
        m_history.addEvent(event);
    }
    void beginRun() { m_history.reset(engine::TimePoint{}); }
    void takeModel() { m_history.resetQuality(engine::Attention::Full); }
    AlarmPhase phase(std::string_view key) const { return alarms.states()[indexOf(key)].phase; }

    Alarms alarms;

private:
    History m_history;
    double m_seconds = 0.0;
    int m_count = 0;
};

RequestPoint answered(double ttftMs) {
    RequestPoint point;
    point.ttftMs = ttftMs;
    return point;
}

// One state of the world that a rule calls bad, and one it calls good.
struct Case {
    const char* key;
    void (*makeBad)(Drive&);
    void (*makeGood)(Drive&);
};

const Case kCases[] = {
    {"ttft_gap",
     [](Drive& drive) { drive.request = [](int n) { return answered(n % 20 == 0 ? 250 : 50); }; },
     [](Drive& drive) { drive.request = [](int n) { return answered(n % 20 == 0 ? 90 : 50); }; }},
    {"ttft_timeouts",
     [](Drive& drive) { drive.request = [](int n) { return answered(n % 50 == 0 ? 900 : 50); }; },
     [](Drive& drive) { drive.request = [](int) { return answered(50); }; }},
    {"memory", [](Drive& drive) { drive.level.machineShare = 0.9; },
     [](Drive& drive) { drive.level.machineShare = 0.5; }},
    {"device_busy", [](Drive& drive) { drive.level.busyShare = 0.95; },
     [](Drive& drive) { drive.level.busyShare = 0.7; }},
    {"device_starved",
     [](Drive& drive) {
         drive.level.busyShare = 0.3;
         drive.level.waiting = 4;
     },
     [](Drive& drive) {
         drive.level.busyShare = 0.7;
         drive.level.waiting = 4;
     }},
    {"batch_timeliness",
     [](Drive& drive) {
         drive.request = [](int n) {
             RequestPoint point = answered(50);
             point.metDeadline = n % 100 != 0;
             return point;
         };
     },
     [](Drive& drive) {
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.metDeadline = true;
             return point;
         };
     }},
    {"prefix_hits",
     [](Drive& drive) {
         drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 1.0};
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.promptTokens = 100;
             point.hitTokens = 5;
             return point;
         };
     },
     [](Drive& drive) {
         drive.request = [](int) {
             RequestPoint point = answered(50);
             point.promptTokens = 100;
             return point;
         };
     }},
    {"quality_loss", [](Drive& drive) { drive.checkQuality("3.0", "yes"); },
     [](Drive& drive) { drive.checkQuality("1.5", "no"); }},
    {"load_lag",
     [](Drive& drive) { drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 25.0}; },
     [](Drive& drive) { drive.load = {.isRunning = true, .sent = 50, .lagP50Ms = 1.0}; }},
};

} // namespace

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
    void anIdleDeviceIsNotStarved();
    void anAttachedServerIsNotStarved();
    void theBestValueClearsWhateverTheLimit();
    void acknowledgingLastsUntilItClears();
    void aMutedAlarmIsWatchedWithoutABadge();
    void anOperatorsLimitKeepsTheDistance();
};

void TstAlarms::theTableIsSound() {
    QCOMPARE(std::size(kCases), alarmTable().size()); // a new rule needs its case
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
    for (int row = 0; row < static_cast<int>(std::size(kCases)); ++row) {
        QTest::newRow(kCases[row].key) << row;
    }
}

void TstAlarms::everyRuleGoesOverAndBack() {
    QFETCH(int, row);
    const Case& given = kCases[row];
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
