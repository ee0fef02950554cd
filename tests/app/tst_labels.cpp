// Labels, numbers and event sentences.
#include "app/labels.h"
#include "app/observe/alarms.h"
#include "engine/schedule/admission.h"

#include <QTest>
#include <QTranslator>

#include <limits>

using namespace app;

namespace {

engine::Event eventOf(decltype(engine::Event::body) body) {
    engine::Event event;
    event.body = std::move(body);
    return event;
}

} // namespace

class TstLabels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTextOfTheTablesIsListed();
    void everyEnumeratorHasALabel();
    void numbersAreForPeople();
    void sizesAndTimesHaveThreeDigits();
    void eventsAreSentences();
    void anAlarmThatLostItsSamplesIsNotSaidToBeBetter();
    void valuesAreNoTemplates();
    void markersAreShort();
    void sentencesWithNumbersAreTranslated();
};

void TstLabels::everyTextOfTheTablesIsListed() {
    const auto isListed = [](std::string_view text) {
        return std::ranges::any_of(engineTexts(), [text](const char* t) { return text == t; });
    };
    const auto check = [&isListed](std::string_view text) {
        QVERIFY2(text.empty() || isListed(text),
                 ("add to app/engine_texts.cpp: " + std::string(text)).c_str());
    };
    engine::EngineConfig single;
    single.batching = engine::Batching::Single;
    for (const engine::Field& field : engine::fieldTable()) {
        check(field.label);
        check(field.help);
        check(field.zeroMeans);
        check(field.unit);
        check(field.idleReason(single));
        check(field.idleReason(engine::EngineConfig{}));
        for (const std::string_view choice : field.choices) {
            const bool isNumber = choice.find_first_not_of("0123456789") == choice.npos;
            check(isNumber ? std::string_view{} : choice);
        }
        QVERIFY(!fieldLabel(field).isEmpty() && !fieldHelp(field).isEmpty());
        QVERIFY2(
            fieldGroupLabel(field.group) !=
                QString::fromUtf8(field.group.data(), static_cast<qsizetype>(field.group.size())),
            field.group.data());
    }
    for (const engine::Metric& metric : engine::metricTable()) {
        check(metric.label);
        QVERIFY(!metricLabel(metric).isEmpty());
    }
}

void TstLabels::everyEnumeratorHasALabel() {
    for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
        QVERIFY(!stageLabel(static_cast<engine::Stage>(stage)).isEmpty());
    }
    for (int i = 0; i <= static_cast<int>(engine::FinishReason::Failed); ++i) {
        QVERIFY(!finishLabel(static_cast<engine::FinishReason>(i)).isEmpty());
    }
    for (int i = 0; i <= static_cast<int>(engine::EngineState::Failed); ++i) {
        QVERIFY(!stateLabel(static_cast<engine::EngineState>(i)).isEmpty());
    }
    for (int i = 0; i <= static_cast<int>(engine::EventSource::Operator); ++i) {
        QVERIFY(!sourceLabel(static_cast<engine::EventSource>(i)).isEmpty());
    }
}

void TstLabels::numbersAreForPeople() {
    QCOMPARE(numberText(1234567.0), QStringLiteral("1,234,567"));
    QCOMPARE(numberText(-42.25, 1), QStringLiteral("\u221242.3"));
    QCOMPARE(numberText(-0.04, 1), QStringLiteral("0.0"));
    QCOMPARE(numberText(2.0, 1), QStringLiteral("2.0"));
    const QString dash = QStringLiteral("\u2014");
    QCOMPARE(numberText(std::numeric_limits<double>::quiet_NaN()), dash);
    QCOMPARE(numberText(std::numeric_limits<double>::infinity()), dash);
    QCOMPARE(numberText(std::optional<double>{}), dash);
    QCOMPARE(millisecondsText(std::nullopt), dash);
}

void TstLabels::sizesAndTimesHaveThreeDigits() {
    QCOMPARE(bytesText(0), QStringLiteral("0 B"));
    QCOMPARE(bytesText(778'043'392), QStringLiteral("742 MiB"));
    QCOMPARE(bytesText(98'362'432), QStringLiteral("93.8 MiB"));
    QCOMPARE(bytesText(1'610'612'736), QStringLiteral("1.50 GiB"));
    QCOMPARE(bytesText(1'048'575), QStringLiteral("1.00 MiB"));
    QCOMPARE(bytesText(std::numeric_limits<std::uint64_t>::max()),
             QStringLiteral("16,777,216 TiB"));
    QCOMPARE(millisecondsText(19.08), QStringLiteral("19.1"));
    QCOMPARE(millisecondsText(348.4), QStringLiteral("348"));
    QCOMPARE(millisecondsText(1112.0), QStringLiteral("1,112"));
    QCOMPARE(millisecondsText(0.424), QStringLiteral("0.42"));
    QCOMPARE(millisecondsText(9.996), QStringLiteral("10.0"));
}

void TstLabels::eventsAreSentences() {
    QCOMPARE(
        eventText(eventOf(engine::ConfigApplied{{{"batching.max_batch", "16", "2000"}}, 2914})),
        QStringLiteral("Max batch 16 → 2,000 req, from step 2,914"));
    QCOMPARE(
        eventText(eventOf(engine::ConfigApplied{{{"batching.token_budget", "512", "1024"}}, 3})),
        QStringLiteral("Token budget 512 → 1,024 tok, from step 3"));
    QCOMPARE(eventText(eventOf(engine::Notice{"stage", {{"stage", "2"}, {"rate", "16"}}})),
             QStringLiteral("Stage 2: 16 req/s"));
    QCOMPARE(eventText(eventOf(engine::Notice{"stage", {{"stage", "1"}, {"users", "32"}}})),
             QStringLiteral("Stage 1: 32 users, closed loop"));
    QCOMPARE(eventText(eventOf(engine::Notice{"odd", {{"a", "1"}, {"b", "2"}}})),
             QStringLiteral("odd: a 1, b 2"));
    QCOMPARE(eventText(eventOf(engine::Failed{"the device is gone", 3})),
             QStringLiteral("the device is gone · requests lost: 3"));
    QVERIFY(!eventText(eventOf(engine::PhaseTimed{"open", std::chrono::milliseconds(12), 0, 0}))
                 .isEmpty());
    QVERIFY(!eventText(eventOf(engine::Preempted{engine::RequestId{4}, 9})).isEmpty());
    QVERIFY(!eventText(eventOf(engine::StateChanged{engine::EngineState::Idle})).isEmpty());
    const auto record = std::make_shared<engine::RequestRecord>();
    QVERIFY(!eventText(eventOf(engine::RequestFinished{record})).isEmpty());
    QVERIFY(eventText(eventOf(engine::RequestFinished{nullptr})).isEmpty());
}

void TstLabels::anAlarmThatLostItsSamplesIsNotSaidToBeBetter() {
    const auto sentence = [](std::vector<std::pair<std::string, std::string>> values) {
        engine::Event event;
        event.body = engine::Notice{.kind = std::string(app::kAlarmCleared), .values = values};
        return app::eventText(event);
    };
    const app::AlarmRule* rule = nullptr;
    for (const app::AlarmRule& each : app::alarmTable()) {
        rule = each.leastCount > 1 ? &each : rule;
    }
    QVERIFY(rule != nullptr);
    const std::string key(rule->key);
    const QString few =
        sentence({{"alarm", key}, {"value", "100.0"}, {"limit", "1.0"}, {"n", "1"}});
    QVERIFY2(few.contains(QStringLiteral("too few samples")), qPrintable(few));
    QVERIFY(!few.contains(QStringLiteral("100")));
    const QString none = sentence({{"alarm", key}, {"limit", "1.0"}, {"n", "0"}});
    QVERIFY2(none.contains(QStringLiteral("too few samples")), qPrintable(none));
    const QString well = sentence({{"alarm", key},
                                   {"value", "0.2"},
                                   {"limit", "1.0"},
                                   {"n", std::to_string(rule->leastCount)}});
    QVERIFY2(well.contains(QStringLiteral("0.2")), qPrintable(well));
}

void TstLabels::valuesAreNoTemplates() {
    // What a person typed may look like a place of a template.
    QCOMPARE(eventText(eventOf(engine::Notice{"run_started", {{"run", "%2"}, {"name", "%1 %n"}}})),
             QStringLiteral("Run %2 began: %1 %n"));
    QCOMPARE(eventText(eventOf(engine::Failed{"%2 of %1", 3})),
             QStringLiteral("%2 of %1 · requests lost: 3"));
}

void TstLabels::markersAreShort() {
    QCOMPARE(markerText(
                 eventOf(engine::ConfigApplied{{{"batching.policy", "single", "continuous"}}, 1})),
             QStringLiteral("single → continuous"));
    QCOMPARE(markerText(eventOf(engine::ConfigApplied{
                 {{"batching.max_batch", "16", "8"}, {"threads", "1", "2"}}, 1})),
             QStringLiteral("Max batch 16 → 8 +1"));
    QCOMPARE(markerText(eventOf(engine::ConfigApplied{})), QString());
    QVERIFY(!markerText(eventOf(engine::Failed{})).isEmpty());
}

namespace {

// Marks what it translates, and turns the order of places around.
class Marker final : public QTranslator {
public:
    QString translate(const char* context, const char* text, const char*, int) const override {
        const QString english = QString::fromUtf8(text);
        if (qstrcmp(context, "labels") != 0) {
            return {};
        }
        return english.contains(QLatin1String("%2"))
                   ? QStringLiteral("<%2 after %1>")
                   : QLatin1Char('<') + english + QLatin1Char('>');
    }
    bool isEmpty() const override { return false; }
};

} // namespace

void TstLabels::sentencesWithNumbersAreTranslated() {
    const char* const kPlain = "The weights are being converted, 12 % done.";
    QCOMPARE(sentenceLabel(kPlain), QString::fromUtf8(kPlain));
    Marker marker;
    QCoreApplication::installTranslator(&marker);
    QCOMPARE(sentenceLabel(kPlain),
             QStringLiteral("<The weights are being converted, 12 % done.>"));
    QCOMPARE(sentenceLabel("It needs 1.5 GiB beside the weights in force, and 0.9 GiB can be had."),
             QStringLiteral("<0.9 after 1.5>"));
    // What is filled in is no place for what is filled in before it.
    QCOMPARE(sentenceLabel("The file has them in %2 bits already: they stay Q4_K."),
             QStringLiteral("<Q4_K after %2>"));
    QCOMPARE(sentenceLabel("The prefix cache is off"), QStringLiteral("<The prefix cache is off>"));
    QVERIFY(sentenceLabel("").isEmpty());
    // What becomes of requests: the engine's own sentences, not copies of them.
    for (const engine::Capacity capacity :
         {engine::Capacity{.contextTokens = 100, .poolTokens = 1000},
          engine::Capacity{.contextTokens = 1000, .poolTokens = 100}}) {
        for (const std::string& sentence : {engine::refuseLength(200, capacity)->message,
                                            engine::refuseBytes(5000, 10, capacity)->message,
                                            engine::cutText(10, 128, capacity)}) {
            QVERIFY2(sentenceLabel(sentence).startsWith(QLatin1Char('<')), sentence.c_str());
        }
    }
    QCoreApplication::removeTranslator(&marker);
}

QTEST_GUILESS_MAIN(TstLabels)
#include "tst_labels.moc"
