// The table of definitions: every figure that is shown has one, and no key means two things.
#include "app/compare/comparison.h"
#include "app/definitions.h"
#include "app/plot/charts.h"

#include <QTest>

#include <set>

using namespace app;

class TstDefinitions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keysAreUnique();
    void everyChartHasOne();
    void everyMeasureHasTheOneOfItsKind();
    void unknownKeysHaveNone();
    void tipsAreSafeText();
};

void TstDefinitions::keysAreUnique() {
    std::set<std::string_view> keys;
    for (const Definition& definition : definitions()) {
        QVERIFY2(keys.insert(definition.key).second, definition.name);
        QVERIFY(!QString::fromUtf8(definition.formula).isEmpty());
        QVERIFY(!definitionMeaning(definition).isEmpty());
    }
}

void TstDefinitions::everyChartHasOne() {
    for (const ChartRow& row : chartTable()) {
        QVERIFY2(findDefinition(row.key) != nullptr, std::string(row.key).c_str());
    }
}

void TstDefinitions::everyMeasureHasTheOneOfItsKind() {
    for (const Measure& measure : measures()) {
        const Definition* definition = findDefinition(measure.key);
        QVERIFY2(definition != nullptr, std::string(measure.key).c_str());
    }
    QCOMPARE(findDefinition("ttft_p99_ms")->key, std::string_view("ttft"));
    QCOMPARE(findDefinition("tpot_p50_ms")->key, std::string_view("tpot"));
    QCOMPARE(findDefinition("output_tokens_per_s")->key, std::string_view("output"));
    QCOMPARE(findDefinition("kv_peak_percent")->key, std::string_view("kv"));
}

void TstDefinitions::unknownKeysHaveNone() {
    for (const char* key : {"", "x", "ttf", "TTFT", "<b>"}) {
        QVERIFY2(findDefinition(key) == nullptr, key);
        QVERIFY(definitionTip(key).isEmpty());
    }
}

void TstDefinitions::tipsAreSafeText() {
    const QString tip = definitionTip("level"); // its formula holds a sign that HTML would take
    QVERIFY(tip.contains(QStringLiteral("&gt; 800 ms")));
    QVERIFY(tip.startsWith(QStringLiteral("<b>")));
}

QTEST_GUILESS_MAIN(TstDefinitions)
#include "tst_definitions.moc"
