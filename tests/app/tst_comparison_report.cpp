// Reports of two runs and of a run that was cut: every format says the same of its sides.
#include "app/report/report.h"
#include "app/store/summary.h"
#include "tests/support/json_schema.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

using nlohmann::json;

class TstComparisonReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aCutRunSaysWhatItsSidesAre();
    void aCutRunSaysSoInJson();
    void aCutRunKeepsToTheSchema();
    void twoRunsSayWhichIsWhich();
    void anotherTargetIsSaid();
    void noLimitIsNoNumber();

private:
    QTemporaryDir m_folder;
    std::unique_ptr<app::RunStore> m_store;
    app::RunData m_run, m_other;
    app::RunPair m_split;
};

void TstComparisonReport::initTestCase() {
    m_store = std::move(*app::RunStore::open(
        m_folder.filePath(QStringLiteral("runs.db")).toStdString(), app::StoreMode::Write));
    const auto load = [this](const tests::ScriptedRun& script) {
        return *m_store->load(tests::writeScriptedRun(*m_store, script));
    };
    m_run = load({.name = "Two then sixteen",
                  .phases = {{.seconds = 40, .ratePerSecond = 7, .maxBatch = 2},
                             {.seconds = 40, .ratePerSecond = 7, .maxBatch = 16}}});
    m_other = load({.name = "Sixteen", .phases = {{.seconds = 60}}});
    auto split = app::splitRun(m_run, 40.0);
    QVERIFY(split);
    m_split = app::compareSplit(std::move(*split));
    QVERIFY(m_split.split->inFlight > 0);
}

void TstComparisonReport::aCutRunSaysWhatItsSidesAre() {
    const QString html = QString::fromStdString(app::reportHtml(m_split));
    const QString markdown = QString::fromStdString(app::reportMarkdown(m_split));
    for (const QString& text : {html, markdown}) {
        QVERIFY(text.contains(QStringLiteral("before and after 00:40")));
        QVERIFY(text.contains(QStringLiteral("after \u2212 before")));
        QVERIFY(text.contains(QStringLiteral("left out")));
        QVERIFY(text.contains(QStringLiteral("Two parts of one run")));
        // Nothing of what is said about two runs.
        QVERIFY(!text.contains(QStringLiteral("Two runs in sequence")));
        QVERIFY(!text.contains(QStringLiteral("same request list")));
        QVERIFY(!text.contains(QStringLiteral("against run")));
    }
    QVERIFY(app::reportPdf(m_split).starts_with("%PDF-"));
}

void TstComparisonReport::aCutRunSaysSoInJson() {
    const json document = json::parse(app::comparisonJson(m_split));
    QCOMPARE(document.at("split").at("at_s").get<double>(), 40.0);
    QCOMPARE(document.at("split").at("in_flight").get<std::int64_t>(), m_split.split->inFlight);
    QVERIFY(document.at("run_a") == document.at("run_b"));
    const std::vector<std::string> cautions = document.at("cautions");
    QVERIFY(std::ranges::find(cautions, "split") != cautions.end());
    QVERIFY(std::ranges::find(cautions, "request_list_differs") == cautions.end());
}

void TstComparisonReport::aCutRunKeepsToTheSchema() {
    QFile file(QStringLiteral(HEADWAY_SOURCE_DIR "/resources/schemas/documents.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const json schema = json::parse(file.readAll().toStdString());
    json made = json::parse(app::comparisonJson(m_split));
    const json& rule = schema.at("$defs").at("comparison");
    const std::string problem = tests::schemaProblem(made, rule, schema);
    QVERIFY2(problem.empty(), problem.c_str());
    made.at("split").erase("at_s");
    QVERIFY(!tests::schemaProblem(made, rule, schema).empty());
}

void TstComparisonReport::twoRunsSayWhichIsWhich() {
    const app::RunPair pair = app::comparePair(std::make_shared<const app::RunData>(m_run),
                                               std::make_shared<const app::RunData>(m_other));
    const json document = json::parse(app::comparisonJson(pair));
    QCOMPARE(document.at("run_a").get<std::int64_t>(), m_run.summary.run.id);
    QCOMPARE(document.at("run_b").get<std::int64_t>(), m_other.summary.run.id);
    QVERIFY(!document.contains("split"));
    const json& runs = document.at("runs");
    QCOMPARE(runs.size(), std::size_t{2});
    QCOMPARE(runs.at(0).at("name").get<std::string>(), m_run.summary.run.name);
    QCOMPARE(runs.at(1).at("digest").get<std::string>(), m_other.digest);
    QVERIFY(runs.at(0).at("digest") != runs.at(1).at("digest"));
    const std::string markdown = app::reportMarkdown(pair);
    QVERIFY(markdown.find("Sixteen against Two then sixteen") != std::string::npos);
}

void TstComparisonReport::anotherTargetIsSaid() {
    app::RunData strict = m_run;
    strict.summary.run.sloTtftMs = 20.0;
    const app::RunPair pair = app::comparePair(std::make_shared<const app::RunData>(m_run),
                                               std::make_shared<const app::RunData>(strict));
    for (const std::string& text : {app::reportHtml(pair), app::reportMarkdown(pair)}) {
        QVERIFY(text.find("service targets differ") != std::string::npos);
    }
}

// A search without a limit of TPOT is not within a billion milliseconds of it.
void TstComparisonReport::noLimitIsNoNumber() {
    app::RunData run = m_run;
    run.summary.run.sloTpotMs = app::kNoLimitMs;
    const std::string html = app::reportHtml(run);
    QVERIFY(html.find("no limit") != std::string::npos);
    QVERIFY(html.find("1,000,000,000") == std::string::npos);
    const std::string text = app::reportJson(run);
    QVERIFY(json::parse(text).at("slo").at("tpot_ms").is_null());
    const auto back = app::parseRunJson(text);
    QVERIFY(back);
    QCOMPARE(back->summary.run.sloTpotMs, app::kNoLimitMs);
    QCOMPARE(back->summary.run.sloTtftMs, run.summary.run.sloTtftMs);
}

QTEST_MAIN(TstComparisonReport)
#include "tst_comparison_report.moc"
