#include "app/report/html_writer.h"
#include "app/report/phases.h"
#include "app/report/report.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"
#include "app/store/columns.h"
#include "app/store/event_json.h"
#include "engine/output_place.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <nlohmann/json.hpp>

#include <cmath>
#include <numeric>

using app::RunData;
using nlohmann::json;

namespace {

constexpr const char* kHostile =
    "</title><script>alert('x')</script> | a \"b\" & 'c' \x01\x1b[31m \xe2\x80\xae"
    "exe.txt \xff\xfe";

// Everything between tags, and every element's name, by a strict XML reader.
struct Parsed {
    QStringList elements, texts;
    QString error;
};

Parsed parse(const std::string& html) {
    Parsed parsed;
    QXmlStreamReader reader(QByteArray::fromStdString(html));
    while (!reader.atEnd()) {
        switch (reader.readNext()) {
        case QXmlStreamReader::StartElement:
            parsed.elements << reader.name().toString();
            break;
        case QXmlStreamReader::Characters:
            parsed.texts << reader.text().toString();
            break;
        default:
            break;
        }
    }
    if (reader.hasError()) {
        parsed.error =
            QStringLiteral("%1 in line %2").arg(reader.errorString()).arg(reader.lineNumber());
    }
    return parsed;
}

// Rows of RFC 4180.
std::vector<std::vector<std::string>> parseCsv(const QByteArray& bytes) {
    std::vector<std::vector<std::string>> rows;
    std::vector<std::string> row(1);
    bool isQuoted = false;
    for (qsizetype i = 0; i < bytes.size(); ++i) {
        const char c = bytes[i];
        if (isQuoted && c == '"' && i + 1 < bytes.size() && bytes[i + 1] == '"') {
            row.back() += bytes[++i];
        } else if (c == '"') {
            isQuoted = !isQuoted;
        } else if (!isQuoted && c == ',') {
            row.emplace_back();
        } else if (!isQuoted && c == '\n') {
            rows.push_back(std::exchange(row, std::vector<std::string>(1)));
        } else if (isQuoted || c != '\r') {
            row.back() += c;
        }
    }
    return rows;
}

bool holdsNoStrangeNumber(const std::string& text) {
    static const QRegularExpression strange(QStringLiteral("\\b(nan|inf|-nan|null)\\b"),
                                            QRegularExpression::CaseInsensitiveOption);
    return !QString::fromStdString(text).contains(strange);
}

app::RunPair pairOf(const RunData& a, const RunData& b) {
    return app::comparePair(std::make_shared<const RunData>(a), std::make_shared<const RunData>(b));
}

QString visible(const Parsed& parsed) {
    return parsed.texts.join(QLatin1Char(' '));
}

} // namespace

class TstReport : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void htmlIsWellFormedAndSelfContained();
    void htmlSaysTheFiguresOfTheSummary();
    void everySectionIsThereAndEverySeriesHasATitle();
    void hostileTextStaysText();
    void emptyRunHasDashesAndNoStrangeNumbers();
    void interruptedRunSaysSo();
    void fewRequestsSayHowManyMoreAreNeeded();
    void phasesAreCutAtChangesAndAddUp();
    void effectOfAChangeHasIntervalAndVerdict();
    void resultNamesTheChangeOrTheLatency();
    void comparisonHasBothRunsDifferencesAndVerdicts();
    void manyMarkersAreCutWithACount();
    void markdownTablesAreWhole();
    void csvHasEveryRowAndEveryColumn();
    void jsonComesBackEqual();
    void damagedJsonIsRefused();
    void damagedJsonIsNamedByItsPlace();
    void csvMakesTextOfFormulas();
    void pdfHasPagesOfRealText();
    void jsonHasTheKeysThatScriptsRead();
    void comparisonJsonHasTheKeysThatScriptsRead();
    void setsOfRunsAreHeldAgainstTheFirst();
    void failingFilesAreSaid();
    void whatIsNoFileIsWrittenInto();
    void sharesAddUpToAHundred_data();
    void sharesAddUpToAHundred();
    void digestsAreShortened();
    void reportOfALongRunStaysSmall();

private:
    RunData load(const tests::ScriptedRun& script);
    QTemporaryDir m_folder;
    std::unique_ptr<app::RunStore> m_store;
    RunData m_run, m_fast;
};

RunData TstReport::load(const tests::ScriptedRun& script) {
    return *m_store->load(tests::writeScriptedRun(*m_store, script));
}

void TstReport::initTestCase() {
    m_store = std::move(*app::RunStore::open(
        m_folder.filePath(QStringLiteral("runs.db")).toStdString(), app::StoreMode::Write));
    m_run = load({.name = "Chat, two slots then sixteen",
                  .seed = 4,
                  .phases = {{.seconds = 60, .ratePerSecond = 7, .maxBatch = 2},
                             {.seconds = 60, .ratePerSecond = 7, .maxBatch = 16},
                             {.seconds = 40, .ratePerSecond = 12, .maxBatch = 16}}});
    m_fast = load({.name = "Chat, sixteen slots", .seed = 4, .phases = {{.seconds = 60}}});
}

void TstReport::htmlIsWellFormedAndSelfContained() {
    for (const std::string& html : {app::reportHtml(m_run), app::reportHtml(pairOf(m_fast, m_run)),
                                    app::reportHtml(RunData{})}) {
        const Parsed parsed = parse(html);
        QVERIFY2(parsed.error.isEmpty(), qPrintable(parsed.error));
        for (const char* element : {"script", "link", "img", "iframe", "object", "a"}) {
            QVERIFY2(!parsed.elements.contains(QLatin1String(element)), element);
        }
        for (const char* outside : {" src=", " href=", "@import", "url(http", "onload="}) {
            QVERIFY2(html.find(outside) == std::string::npos, outside);
        }
        QVERIFY(html.find("prefers-color-scheme: dark") != std::string::npos);
        QVERIFY(html.find("@media print") != std::string::npos);
        QVERIFY(parsed.elements.contains(QLatin1String("h1")));
    }
}

void TstReport::htmlSaysTheFiguresOfTheSummary() {
    const QString text = visible(parse(app::reportHtml(m_run)));
    const app::RunSummary& summary = m_run.summary;
    const auto& tail = *app::findMeasure("ttft_p99_ms");
    QVERIFY(text.contains(QStringLiteral("Run %1").arg(summary.run.id)));
    QVERIFY(text.contains(QStringLiteral("2026-11-30 14:31:07 UTC")));
    QVERIFY(text.contains(QStringLiteral("02:40")));
    QVERIFY(text.contains(app::report::valueText(tail, summary.ttftMs.p99)));
    const auto interval = app::intervalOf(tail, app::valuesOf(tail, m_run));
    QVERIFY(interval.has_value());
    QVERIFY(text.contains(app::report::intervalText(*interval)));
    QVERIFY(text.contains(app::report::countText(summary.completed)));
    QVERIFY(text.contains(QStringLiteral("≤ 300 ms, ≤ 50 ms")));
    QVERIFY(text.contains(QStringLiteral("scheduled → first visible text")));
    QVERIFY(text.contains(app::report::shortDigest(m_run.digest)));
    QVERIFY(text.contains(QStringLiteral("batching.max_batch")));
}

void TstReport::everySectionIsThereAndEverySeriesHasATitle() {
    for (const app::report::RunSection& row : app::report::runSections()) {
        QVERIFY2(!row.make(m_run).blocks.empty(), row.key.data());
    }
    const std::string html = app::reportHtml(m_run);
    const Parsed parsed = parse(html);
    const auto charts = parsed.elements.count(QLatin1String("svg")) - 1; // and the mark
    QVERIFY(charts >= 7);
    QVERIFY(parsed.elements.count(QLatin1String("title")) > charts + 10);
    QVERIFY(parsed.texts.contains(QStringLiteral("p99")));
    // Ids within one page stay apart, or a chart is clipped by another one's area.
    QStringList ids;
    const QRegularExpression id(QStringLiteral(" id=\"([^\"]+)\""));
    for (auto match = id.globalMatch(QString::fromStdString(html)); match.hasNext();) {
        ids << match.next().captured(1);
    }
    QVERIFY(ids.size() >= charts);
    QCOMPARE(QSet<QString>(ids.begin(), ids.end()).size(), ids.size());
}

void TstReport::hostileTextStaysText() {
    RunData run = m_run;
    run.summary.run.name = kHostile;
    run.summary.run.note = kHostile;
    run.summary.run.modelName = kHostile;
    run.summary.run.workloadName = kHostile;
    run.summary.run.machineJson = json({{"cpu", "<i>cpu"}, {"isa", "\"><b>"}}).dump();
    run.requests[0].record.label = kHostile;
    run.requests[1].record.message = kHostile;
    run.requests[1].record.reason = engine::FinishReason::Failed;
    run.summary.settings[0].reason = kHostile;
    run.summary.settings[0].field = kHostile;
    engine::Event event;
    event.time = engine::TimePoint(std::chrono::seconds(5));
    event.body = engine::Notice{.kind = kHostile, .values = {{kHostile, kHostile}}};
    run.history.addEvent(event);
    for (const std::string& html : {app::reportHtml(run), app::reportHtml(pairOf(run, m_fast)),
                                    app::reportHtml(pairOf(m_fast, run))}) {
        const Parsed parsed = parse(html);
        QVERIFY2(parsed.error.isEmpty(), qPrintable(parsed.error));
        QVERIFY(!parsed.elements.contains(QLatin1String("script")));
        QVERIFY(!parsed.elements.contains(QLatin1String("i")));
        QVERIFY(visible(parsed).contains(QStringLiteral("<script>alert('x')</script>")));
        QVERIFY(html.find("\xe2\x80\xae") == std::string::npos); // no text turned round
        QVERIFY(html.find('\x1b') == std::string::npos);
    }
    const std::string markdown = app::reportMarkdown(run);
    QVERIFY(markdown.find("<script>") == std::string::npos);
    QVERIFY(json::accept(app::reportJson(run)));
}

void TstReport::emptyRunHasDashesAndNoStrangeNumbers() {
    RunData empty;
    empty.summary.run.name = "Nothing happened";
    const std::string html = app::reportHtml(empty);
    QVERIFY(holdsNoStrangeNumber(visible(parse(html)).toStdString()));
    QVERIFY(visible(parse(html)).contains(QChar(0x2014)));
    QVERIFY(visible(parse(html)).contains(QStringLiteral("No warm request had a first token.")));
    QVERIFY(holdsNoStrangeNumber(visible(parse(app::reportHtml(m_run))).toStdString()));
    const std::string markdown = app::reportMarkdown(empty);
    QVERIFY(holdsNoStrangeNumber(markdown));
    // A run of no time has no rates; none is shown as 0.
    QVERIFY(markdown.find("| **\u2014** tok/s | **\u2014** req/s |") != std::string::npos);
    QVERIFY(markdown.find("has no length") != std::string::npos);
    const json document = json::parse(app::reportJson(empty));
    for (const char* rate : {"output_tokens_per_s", "prompt_tokens_per_s", "requests_per_s",
                             "goodput_per_s", "achieved_rate", "wanted_rate"}) {
        QVERIFY2(document.at(rate).is_null(), rate);
    }
    QVERIFY(app::reportMarkdown(m_run).find("has no length") == std::string::npos);
    QVERIFY(parse(app::reportHtml(pairOf(empty, empty))).error.isEmpty());
}

void TstReport::interruptedRunSaysSo() {
    RunData run = m_fast;
    run.summary.run.state = app::RunState::Interrupted;
    QVERIFY(visible(parse(app::reportHtml(run))).contains(QStringLiteral("was interrupted")));
    QVERIFY(!visible(parse(app::reportHtml(m_fast))).contains(QStringLiteral("was interrupted")));
    run.summary.run.state = app::RunState::Finished;
    run.summary.run.isIncomplete = true;
    QVERIFY(visible(parse(app::reportHtml(run))).contains(QStringLiteral("events were lost")));
}

void TstReport::fewRequestsSayHowManyMoreAreNeeded() {
    const RunData few = load({.phases = {{.seconds = 5, .ratePerSecond = 7}}});
    const auto n = few.summary.ttftMs.n;
    QVERIFY(n > 6 && n < 299);
    const QString text = visible(parse(app::reportHtml(few)));
    QVERIFY(text.contains(QStringLiteral("n %1, %2 more needed").arg(n).arg(299 - n)));
}

void TstReport::phasesAreCutAtChangesAndAddUp() {
    const auto phases = app::report::phases(m_run);
    QCOMPARE(phases.size(), std::size_t{3});
    QCOMPARE(phases[0].from, 0.0);
    QCOMPARE(phases[0].to, 60.0);
    QCOMPARE(phases[1].to, 120.0);
    QCOMPARE(phases[2].to, 160.0);
    QCOMPARE(phases[0].letter, QStringLiteral("A"));
    QVERIFY(phases[0].settings.contains(QStringLiteral("2")));
    QVERIFY(phases[1].settings.contains(QStringLiteral("16")));
    QVERIFY(phases[2].settings.contains(QStringLiteral("12 req/s")));
    double tokens = 0, samples = 0, good = 0;
    for (const auto& phase : phases) {
        tokens += *phase.outputPerSecond * (phase.to - phase.from);
        good += *phase.goodputPerSecond * (phase.to - phase.from);
        samples += static_cast<double>(phase.ttftMs.size());
        QVERIFY(std::ranges::is_sorted(phase.ttftMs));
        QVERIFY(phase.running.has_value());
    }
    QVERIFY(std::abs(tokens - *m_run.summary.outputPerSecond * 160) < 1e-6);
    QVERIFY(std::abs(good - *m_run.summary.goodputPerSecond * 160) < 1e-6);
    QCOMPARE(samples, static_cast<double>(m_run.summary.ttftMs.n));
    QCOMPARE(app::report::phases(m_fast).size(), std::size_t{1});
    QCOMPARE(app::report::phases(RunData{}).size(), std::size_t{1});
}

void TstReport::effectOfAChangeHasIntervalAndVerdict() {
    const auto& markers = m_run.history.markers();
    const auto change = std::ranges::find_if(markers, [](const app::HistoryMarker& marker) {
        return std::holds_alternative<engine::ConfigApplied>(marker.event.body);
    });
    QVERIFY(change != markers.end());
    const auto at = static_cast<std::size_t>(change - markers.begin());
    const auto effect = app::report::effectOf(m_run, at);
    QVERIFY(effect.has_value() && effect->interval.has_value());
    QCOMPARE(effect->verdict, app::Verdict::Better);
    QVERIFY(*effect->after < *effect->before);
    QVERIFY(effect->interval->high < 0);
    QVERIFY(effect->nBefore > 100 && effect->nAfter > 100);
    QVERIFY(!app::report::effectOf(m_run, at + 1).has_value()); // more arrivals: no setting
}

void TstReport::resultNamesTheChangeOrTheLatency() {
    const QString changed = visible(parse(app::reportHtml(m_run)));
    QVERIFY(changed.contains(QStringLiteral("at 01:00 the median TTFT fell from")));
    const QString plain = visible(parse(app::reportHtml(m_fast)));
    QVERIFY(plain.contains(QStringLiteral("warm requests had their first text within")));
    QVERIFY(plain.contains(QStringLiteral("requests completed; they arrived at")));
}

void TstReport::comparisonHasBothRunsDifferencesAndVerdicts() {
    const RunData slow = load({.seed = 4, .phases = {{.seconds = 60, .maxBatch = 2}}});
    const QString text = visible(parse(app::reportHtml(pairOf(slow, m_fast))));
    QVERIFY(text.contains(QStringLiteral("Run %1 against run %2")
                              .arg(m_fast.summary.run.id)
                              .arg(slow.summary.run.id)));
    QVERIFY(text.contains(QStringLiteral("TTFT p50 fell from")));
    QVERIFY(text.contains(QStringLiteral("better")));
    QVERIFY(text.contains(QStringLiteral("Max batch")));
    QVERIFY(text.contains(QStringLiteral("drift between them")));
    for (const app::Measure& measure : app::measures()) {
        QVERIFY2(text.contains(app::report::measureLabel(measure)), measure.key.data());
    }
}

void TstReport::manyMarkersAreCutWithACount() {
    RunData run = m_fast;
    for (int i = 0; i < 500; ++i) {
        engine::Event event;
        event.time = engine::TimePoint(std::chrono::milliseconds(100 * i));
        event.body = engine::ConfigApplied{
            .changes = {{"batching.max_batch", std::to_string(i), std::to_string(i + 1)}},
            .fromStep = 1};
        run.history.addEvent(event);
    }
    const QString text = visible(parse(app::reportHtml(run)));
    const std::size_t more = run.history.markers().size() - 60;
    QVERIFY(more >= 440);
    QVERIFY(text.contains(QStringLiteral("%1 more events").arg(more)));
    QVERIFY(text.contains(QStringLiteral("more phases")));
}

void TstReport::markdownTablesAreWhole() {
    const QStringList lines =
        QString::fromStdString(app::reportMarkdown(m_run)).split(QLatin1Char('\n'));
    QVERIFY(lines.front().startsWith(QStringLiteral("# Chat, two slots")));
    const auto cells = [](QString line) { return line.remove(QStringLiteral("\\|")).count(u'|'); };
    int tables = 0;
    for (qsizetype i = 1; i < lines.size(); ++i) {
        if (lines[i].startsWith(QStringLiteral("| ---"))) {
            ++tables;
            for (qsizetype row = i - 1; lines[row].startsWith(u'|'); ++row) {
                QCOMPARE(cells(lines[row]), cells(lines[i]));
            }
        }
    }
    QVERIFY(tables >= 7);
    const QString comparison = QString::fromStdString(app::reportMarkdown(pairOf(m_run, m_fast)));
    QVERIFY(comparison.contains(QStringLiteral("TTFT p99")));
    QVERIFY(!comparison.contains(QStringLiteral("+100 |")));
}

void TstReport::jsonComesBackEqual() {
    app::RunData run = m_run;
    run.summary.run.uuid = "11111111-2222-3333-4444-555555555555"; // not the one of this log
    run.experiment = app::StoredExperiment{
        .run = run.summary.run,
        .name = "own",
        .toml = "[experiment]\n",
        .blocks = {
            {.number = 1, .fromNs = 1'500'000'001, .toNs = 9'000'000'000, .json = "{\"a\":0.1}"},
            {.number = 2, .fromNs = 9'000'000'001, .toNs = 17'000'000'003, .json = "{}"}}};
    const auto read = app::parseRunJson(app::reportJson(run));
    QVERIFY2(read, read ? "" : read.error().message.c_str());
    const std::filesystem::path file = m_folder.filePath(QStringLiteral("back.db")).toStdString();
    const auto store = app::RunStore::open(file, app::StoreMode::Write);
    QVERIFY(store);
    const auto id = (*store)->importRun(*read);
    QVERIFY2(id, id ? "" : id.error().message.c_str());
    auto again = (*store)->load(*id);
    QVERIFY(again);
    QCOMPARE(again->digest, m_run.digest); // of every row
    again->summary.run.id = run.summary.run.id;
    QCOMPARE(app::reportJson(*again), app::reportJson(run));
    QVERIFY(again->experiment && again->experiment->blocks == run.experiment->blocks);
    QCOMPARE((*store)->importRun(*read).error().code, engine::ErrorCode::Busy);
}

void TstReport::damagedJsonIsRefused() {
    const std::string whole = app::reportJson(m_run);
    QVERIFY(!app::parseRunJson(""));
    QVERIFY(!app::parseRunJson("[]"));
    QVERIFY(!app::parseRunJson("{\"run_id\": 1}"));
    // Nested so deep that printing it would overflow the stack: in a file, and in a log.
    const std::string deep =
        "{\"a\":" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
    QVERIFY(!app::parseRunJson(deep));
    app::StoredEvent foreign{};
    foreign.kind = "stage";
    foreign.payloadJson = deep;
    QVERIFY(std::holds_alternative<engine::Notice>(app::eventOf(foreign).body));
    app::RunData odd = m_run;
    odd.summary.run.machineJson = deep;
    QVERIFY(app::reportJson(odd).size() > 100);
    QVERIFY(!app::parseRunJson(whole.substr(0, whole.size() / 2)));
    for (const char* key : {"\"request_list\"", "\"setting_changes\"", "\"max_tokens\"",
                            "\"sequence\"", "\"stamps_s\"", "\"steps\""}) {
        std::string other = whole;
        const auto at = other.rfind(key); // of the last row: others may be figures
        QVERIFY2(at != std::string::npos, key);
        other.replace(at, std::string(key).size(), "\"other\"");
        const auto read = app::parseRunJson(other);
        QVERIFY2(!read, key);
        QVERIFY(read.error().code == engine::ErrorCode::Corrupt);
        // Named, in words of ours.
        QVERIFY2(read.error().message.find(key) != std::string::npos, read.error().message.c_str());
        QVERIFY(read.error().message.find("json.exception") == std::string::npos);
    }
}

void TstReport::damagedJsonIsNamedByItsPlace() {
    const std::string whole = app::reportJson(m_run);
    const auto message = [](const std::string& text) {
        const auto read = app::parseRunJson(text);
        return read ? std::string() : read.error().message;
    };
    QVERIFY(message("").find("it is empty") != std::string::npos);
    QVERIFY(message("[]").find("should be an object") != std::string::npos);
    QVERIFY(message("{\n\"run_id\": 1,\n oops }").find("line 3, column 2") != std::string::npos);
    QVERIFY(message(whole.substr(0, whole.size() / 2)).find("cut short") != std::string::npos);
    std::string other = whole;
    const auto at = other.find("\"seconds\":");
    QVERIFY(at != std::string::npos);
    other.insert(other.find(':', at) + 1, "\"long\", \"x\":");
    QVERIFY2(message(other).find("\"seconds\" should be a number") != std::string::npos,
             message(other).c_str());
    for (const std::string& text : {std::string("nul"), std::string("{\"a\":\xff}"), other}) {
        QVERIFY(message(text).find("exception") == std::string::npos);
    }
}

void TstReport::csvMakesTextOfFormulas() {
    app::RunData run = m_run;
    run.summary.run.name = "=HYPERLINK(\"http://x\",\"y\")";
    run.requests.front().record.message = "@SUM(1)";
    run.requests.front().record.stamps.scheduled = engine::TimePoint{} - std::chrono::seconds(2);
    run.settings.front().reason = "+cmd";
    const QString folder = m_folder.filePath(QStringLiteral("formulas"));
    QVERIFY(app::writeCsv(run, folder.toStdString()).has_value());
    const auto all = [&](const char* name) {
        QFile file(folder + QLatin1Char('/') + QLatin1String(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    QVERIFY(all("summary.csv").contains("'=HYPERLINK"));
    QVERIFY(all("requests.csv").contains("'@SUM(1)"));
    QVERIFY(all("requests.csv").contains(",-2.000000000,")); // a number stays one
    QVERIFY(all("settings.csv").contains("'+cmd"));
}

void TstReport::pdfHasPagesOfRealText() {
    const std::string pdf = app::reportPdf(m_run);
    QVERIFY(pdf.starts_with("%PDF-"));
    const QByteArray bytes = QByteArray::fromStdString(pdf);
    QVERIFY(bytes.count("/Type /Page\n") >= 2);
    QVERIFY(bytes.contains("/FontDescriptor")); // text is text, charts are no pictures
    QVERIFY(!bytes.contains("/Subtype /Image"));
    const std::string both = app::reportPdf(pairOf(m_run, m_run));
    QVERIFY(both.starts_with("%PDF-") && both.size() > 5000);
}

void TstReport::csvHasEveryRowAndEveryColumn() {
    RunData run = m_run;
    run.requests[0].record.label = "with \"quotes\", comma\nand line";
    run.requests[0].record.stamps = {};
    run.requests[0].record.ledgerNs.reset();
    const QString folder = m_folder.filePath(QStringLiteral("csv"));
    QVERIFY(app::writeCsv(run, folder.toStdString()).has_value());
    const std::vector<std::pair<const char*, std::size_t>> files = {
        {"requests.csv", run.requests.size()},
        {"samples.csv", run.samples.size()},
        {"events.csv", run.events.size()},
        {"settings.csv", run.settings.size()}};
    for (const auto& [name, rows] : files) {
        QFile file(folder + QLatin1Char('/') + QLatin1String(name));
        QVERIFY2(file.open(QIODevice::ReadOnly), name);
        const auto table = parseCsv(file.readAll());
        QCOMPARE(table.size(), rows + 1);
        for (const auto& row : table) {
            QCOMPARE(row.size(), table[0].size());
        }
    }
    QFile file(folder + QStringLiteral("/requests.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const auto table = parseCsv(file.readAll());
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::ranges::find(table[0], name) - table[0].begin());
    };
    QCOMPARE(table[1][column("label")], run.requests[0].record.label);
    QCOMPARE(table[1][column("received_s")], std::string());
    QCOMPARE(table[1][column("ttft_ms")], std::string());
    const auto received = run.requests[1].record.stamps.received->time_since_epoch().count();
    QVERIFY(std::abs(std::stod(table[2][column("received_s")]) * 1e9 -
                     static_cast<double>(received)) < 1);
    QVERIFY(std::abs(std::stod(table[2][column("ttft_ms")]) * 1e6 -
                     static_cast<double>(run.requests[1].record.ttft()->count())) < 10);
    QFile summary(folder + QStringLiteral("/summary.csv"));
    QVERIFY(summary.open(QIODevice::ReadOnly));
    bool hasTail = false;
    for (const auto& row : parseCsv(summary.readAll())) {
        hasTail = hasTail || row[0] == "ttft_ms.p99";
    }
    QVERIFY(hasTail);
}

void TstReport::jsonHasTheKeysThatScriptsRead() {
    const json document = json::parse(app::summaryJson(m_run.summary, true));
    QCOMPARE(document.at("run_id").get<std::int64_t>(), m_run.summary.run.id);
    QCOMPARE(document.at("state").get<std::string>(), std::string("finished"));
    std::int64_t total = 0;
    for (const char* outcome : {"completed", "cancelled", "failed", "rejected"}) {
        total += document.at("outcomes").at(outcome).get<std::int64_t>();
    }
    QCOMPARE(total, m_run.summary.requests);
    for (const char* quantile : {"p50", "p90", "p99"}) {
        QVERIFY(document.at("ttft_ms").at(quantile).get<double>() > 0);
    }
    QCOMPARE(document.at("ttft_ms").at("n").get<std::int64_t>(), m_run.summary.ttftMs.n);
    for (const char* key : {"output_tokens_per_s", "prompt_tokens_per_s", "requests_per_s",
                            "achieved_rate", "lag_ms"}) {
        QVERIFY2(document.at(key).get<double>() > 0, key);
    }
    QCOMPARE(document.at("settings").size(), m_run.summary.settings.size());
    QVERIFY(!json::parse(app::summaryJson(m_run.summary, false)).contains("settings"));

    const json empty = json::parse(app::summaryJson({}, false));
    QVERIFY(empty.at("ttft_ms").at("p99").is_null() && empty.at("lag_ms").is_null());

    const json whole = json::parse(app::reportJson(m_run));
    QCOMPARE(whole.at("request_list").size(), m_run.requests.size());
    QCOMPARE(whole.at("samples").size(), m_run.samples.size());
    QCOMPARE(whole.at("events").size(), m_run.events.size());
    QCOMPARE(whole.at("setting_changes").size(), m_run.settings.size());
    QCOMPARE(whole.at("digest").get<std::string>(), m_run.digest);
    const json& request = whole.at("request_list").at(5);
    double sum = 0;
    for (const auto& [stage, ms] : request.at("ledger_ms").items()) {
        sum += ms.get<double>();
    }
    const double ttft = 1000 * (request.at("stamps_s").at("first_visible").get<double>() -
                                request.at("stamps_s").at("scheduled").get<double>());
    QVERIFY(std::abs(sum - ttft) < 1e-6);
    QVERIFY(whole.at("events").at(0).at("payload").contains("changes"));
}

void TstReport::comparisonJsonHasTheKeysThatScriptsRead() {
    const json document = json::parse(app::comparisonJson(pairOf(m_run, m_fast)));
    QCOMPARE(document.at("rows").size(), app::measures().size());
    for (const json& row : document.at("rows")) {
        for (const char* key :
             {"metric", "a", "b", "difference", "low", "high", "verdict", "n_a", "n_b"}) {
            QVERIFY2(row.contains(key), key);
        }
        QVERIFY(row.at("low").is_null() == row.at("high").is_null());
    }
    QVERIFY(document.at("cautions").size() >= 1);
    const json empty = json::parse(app::comparisonJson(pairOf({}, {})));
    QVERIFY(empty.at("rows").at(0).at("verdict").is_null());
}

void TstReport::setsOfRunsAreHeldAgainstTheFirst() {
    RunData hostile = m_fast;
    hostile.summary.run.id = 77;
    hostile.summary.run.name = "=1+1 </h1><script>\"'";
    const auto share = [](const RunData& run) { return std::make_shared<const RunData>(run); };
    const app::RunSet set = app::compareSet({share(m_run), share(m_fast), share(hostile)});
    QCOMPARE(set.againstFirst.size(), std::size_t{2});
    QCOMPARE(set.overTime.size(), std::size_t{3});
    const Parsed parsed = parse(app::reportHtml(set));
    QVERIFY2(parsed.error.isEmpty(), qPrintable(parsed.error));
    QVERIFY(!parsed.elements.contains(QStringLiteral("script")));
    const QString text = visible(parsed);
    const auto& rows = set.againstFirst.front().rows;
    for (const app::ComparisonRow& row : rows) {
        const app::Measure& measure = *app::findMeasure(row.metric);
        QVERIFY2(text.contains(app::report::measureLabel(measure)), row.metric.c_str());
        QVERIFY(!row.interval || text.contains(app::report::intervalText(
                                     *row.interval, app::report::Signs::Always)));
    }
    for (const auto& run : set.runs) {
        QVERIFY(text.contains(QStringLiteral("Run %1").arg(run->summary.run.id)));
        QVERIFY(text.contains(app::report::shortDigest(run->digest)));
    }
    QVERIFY(app::reportPdf(set).starts_with("%PDF-"));
    QVERIFY(app::reportMarkdown(set).find("| ") != std::string::npos);
    const json document = json::parse(app::comparisonJson(set));
    QCOMPARE(document.at("runs").size(), std::size_t{3});
    QCOMPARE(document.at("runs").at(2).at("run_id").get<int>(), 77);
    for (const json& comparison : document.at("against_first")) {
        QCOMPARE(comparison.at("run_a").get<std::int64_t>(), m_run.summary.run.id);
        QCOMPARE(comparison.at("rows").size(), app::measures().size());
    }
    const QString folder = m_folder.filePath(QStringLiteral("set"));
    QVERIFY(app::writeCsv(set.runs, set.againstFirst, folder.toStdString()).has_value());
    QFile table(folder + QStringLiteral("/comparison.csv"));
    QVERIFY(table.open(QIODevice::ReadOnly));
    QCOMPARE(table.readAll().count("\r\n"), static_cast<qsizetype>(1 + 2 * app::measures().size()));
    QFile summary(folder + QStringLiteral("/run-77/summary.csv"));
    QVERIFY(summary.open(QIODevice::ReadOnly));
    QVERIFY(summary.readAll().contains("'=1+1"));
    // Two parts of one run have a folder each.
    const QString parts = m_folder.filePath(QStringLiteral("parts"));
    QVERIFY(app::writeCsv(std::vector{share(m_run), share(m_run)}, {}, parts.toStdString())
                .has_value());
    QVERIFY(
        QFile::exists(parts + QStringLiteral("/run-%1-2/events.csv").arg(m_run.summary.run.id)));
    // One run alone, and none, are documents too.
    QVERIFY(!app::reportHtml(app::compareSet({share(m_run)})).empty());
    QVERIFY(!app::reportHtml(app::compareSet({})).empty());
}

void TstReport::failingFilesAreSaid() {
    const auto nowhere = app::writeFile("/proc/headway/report.html", "x");
    QVERIFY(!nowhere.has_value());
    QVERIFY(nowhere.error().message.find("/proc/headway/report.html") != std::string::npos);
    const QString plain = m_folder.filePath(QStringLiteral("plain"));
    QVERIFY(app::writeFile(plain.toStdString(), "x").has_value());
    const auto csv = app::writeCsv(m_run, (plain + QStringLiteral("/csv")).toStdString());
    QVERIFY(!csv.has_value());
}

void TstReport::whatIsNoFileIsWrittenInto() {
    const QString file = m_folder.filePath(QStringLiteral("behind.html"));
    const QString link = m_folder.filePath(QStringLiteral("link.html"));
    QVERIFY(QFile::link(file, link));
    QVERIFY(app::writeFile(link.toStdString(), "text").has_value());
    QVERIFY(QFileInfo(link).isSymLink());
    QFile behind(file);
    QVERIFY(behind.open(QIODevice::ReadOnly));
    QCOMPARE(behind.readAll(), QByteArray("text"));
    QCOMPARE(engine::outputPlace("/dev/null", ".part"), std::filesystem::path("/dev/null"));
    QCOMPARE(engine::outputPlace(file.toStdString(), ".part").string(),
             file.toStdString() + ".part");
}

void TstReport::sharesAddUpToAHundred_data() {
    QTest::addColumn<QList<double>>("parts");
    QTest::addColumn<int>("decimals");
    QTest::newRow("thirds") << QList<double>{1, 1, 1} << 1;
    QTest::newRow("sevenths, whole") << QList<double>{1, 2, 4} << 0;
    QTest::newRow("tiny beside huge") << QList<double>{1e-9, 1e9, 3} << 1;
    QTest::newRow("a negative remainder") << QList<double>{5, -1, 3} << 1;
    QTest::newRow("one") << QList<double>{42} << 1;
}

void TstReport::sharesAddUpToAHundred() {
    QFETCH(QList<double>, parts);
    QFETCH(int, decimals);
    const auto shares =
        app::report::shares(std::vector<double>(parts.begin(), parts.end()), decimals);
    double units = 0;
    for (const double share : shares) {
        units += std::round(share * std::pow(10, decimals));
        QVERIFY(share >= 0);
    }
    QCOMPARE(units, 100 * std::pow(10, decimals));
    const auto nothing = app::report::shares({0, 0}, 1);
    QCOMPARE(nothing[0] + nothing[1], 0.0);
}

void TstReport::digestsAreShortened() {
    QCOMPARE(app::report::shortDigest("sha256:0123456789abcdef"),
             QStringLiteral("sha256 0123…cdef"));
    QCOMPARE(app::report::shortDigest("abc"), QStringLiteral("abc"));
    QCOMPARE(app::report::shortDigest(""), QString());
}

void TstReport::reportOfALongRunStaysSmall() {
    const RunData large =
        load({.phases = {{.seconds = 1200, .ratePerSecond = 12, .maxBatch = 16}}});
    const std::string html = app::reportHtml(large);
    qInfo("%lld requests: %lld KiB", static_cast<long long>(large.summary.requests),
          static_cast<long long>(html.size() / 1024));
    QVERIFY(large.summary.requests > 10'000);
    QVERIFY(html.size() < 1024 * 1024);
}

QTEST_MAIN(TstReport)
#include "tst_report.moc"
