// Tiers of a run say what its rows say, however they came to be: while it was recorded, afterwards,
// in an older log, or not at all. And runs of many rows go in pieces.
#include "app/compare/run_slice.h"
#include "app/compare/run_views.h"
#include "app/store/migrations.h"
#include "app/store/request_points.h"
#include "app/store/run_archive.h"
#include "app/store/run_store.h"
#include "app/store/sqlite.h"
#include "app/store/tiers.h"
#include "tests/support/scripted_run.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>

namespace fs = std::filesystem;
using app::Database;
using app::DatabaseAccess;
using app::RunStore;
using app::StoreMode;

namespace {

std::unique_ptr<RunStore> opened(const fs::path& file, StoreMode mode = StoreMode::Write) {
    auto store = RunStore::open(file, mode);
    if (!store) {
        qFatal("%s", store.error().message.c_str());
    }
    return std::move(*store);
}

void tidyUp(RunStore& store) {
    for (int piece = 0; piece < 100'000; ++piece) {
        const auto some = store.tidySome();
        if (!some) {
            qFatal("%s", some.error().message.c_str());
        }
        if (!*some) {
            return;
        }
    }
    qFatal("tidying up finds no end");
}

tests::ScriptedRun minutes(double count, bool hasEnd = true) {
    return {.phases = {{.seconds = 60.0 * count, .ratePerSecond = 12.0}}, .hasEnd = hasEnd};
}

// Of an earlier version of the log: it has no tiers.
void forgetTiers(const fs::path& file) {
    Database raw(file, DatabaseAccess::Write, 0);
    raw.run("DROP TABLE sample_60s; DROP TABLE request_page; DROP TABLE run_figures; "
            "DROP TABLE removal; PRAGMA user_version = 2");
}

bool sameNumber(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

bool samePoint(const app::RequestPoint& a, const app::RequestPoint& b) {
    return a.id == b.id && a.seconds == b.seconds && sameNumber(a.ttftMs, b.ttftMs) &&
           sameNumber(a.tpotMs, b.tpotMs) && sameNumber(a.e2eMs, b.e2eMs) && a.tags == b.tags &&
           a.outcome == b.outcome && a.outputTokens == b.outputTokens &&
           a.promptTokens == b.promptTokens && a.hitTokens == b.hitTokens &&
           a.metDeadline == b.metDeadline && a.ledgerMs == b.ledgerMs &&
           a.hasLedger == b.hasLedger &&
           sameNumber(double(a.ttftFromReceivedMs), double(b.ttftFromReceivedMs)) &&
           sameNumber(double(a.ttftFromAdmittedMs), double(b.ttftFromAdmittedMs));
}

QString differs(const app::Quantiles& a, const app::Quantiles& b) {
    return a.n == b.n && a.p50 == b.p50 && a.p90 == b.p90 && a.p95 == b.p95 && a.p99 == b.p99 &&
                   a.minimum == b.minimum && a.maximum == b.maximum
               ? QString()
               : QStringLiteral("n %1 and %2").arg(a.n).arg(b.n);
}

QString differs(const app::RunSummary& a, const app::RunSummary& b) {
    QStringList found;
    const auto compare = [&found](const char* name, const auto& left, const auto& right) {
        if (left != right) {
            found << QLatin1String(name);
        }
    };
    compare("requests", a.requests, b.requests);
    compare("completed", a.completed, b.completed);
    compare("failed", a.failed, b.failed);
    compare("output", a.outputPerSecond, b.outputPerSecond);
    compare("prompt", a.promptPerSecond, b.promptPerSecond);
    compare("rate", a.requestsPerSecond, b.requestsPerSecond);
    compare("wanted", a.wantedRate, b.wantedRate);
    compare("achieved", a.achievedRate, b.achievedRate);
    compare("lag p50", a.lagP50Ms, b.lagP50Ms);
    compare("lag p99", a.lagP99Ms, b.lagP99Ms);
    compare("hits", a.hitShare, b.hitShare);
    compare("goodput", a.goodputPerSecond, b.goodputPerSecond);
    compare("settings", a.settings.size(), b.settings.size());
    found << differs(a.ttftMs, b.ttftMs) << differs(a.tpotMs, b.tpotMs) << differs(a.e2eMs, b.e2eMs)
          << differs(a.itlMs, b.itlMs);
    found.removeAll(QString());
    return found.join(QStringLiteral(", "));
}

// The overview of a run against the same run read whole.
void compareToWhole(const RunStore& store, std::int64_t run) {
    const auto whole = store.load(run);
    const auto overview = store.overview(run);
    QVERIFY2(whole.has_value() && overview.has_value(), "read");
    QVERIFY(!overview->isWhole && overview->requests.empty() && overview->samples.empty());
    const QString wrong = differs(whole->summary, overview->summary);
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    const auto& all = whole->history.requests();
    const auto& points = overview->history.requests();
    QCOMPARE(points.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        QVERIFY2(samePoint(all[i], points[i]), qPrintable(QString::number(i)));
    }
    QCOMPARE(overview->history.markers().size(), whole->history.markers().size());
    // Each minute is the mean of its seconds, and tells the highest use of memory.
    double sum = 0.0, highest = 0.0, tokens = 0.0;
    double from = 0.0, seconds = 0.0;
    std::size_t at = 0;
    const auto& samples = whole->history.samples();
    for (const app::Sample& minute : overview->history.samples()) {
        sum = seconds = highest = 0.0;
        for (; at < samples.size() && samples[at].seconds <= minute.seconds; ++at) {
            sum += samples[at].outputPerSecond;
            highest = std::max(highest, samples[at].processBytes);
            seconds += 1.0;
        }
        QVERIFY(seconds > 0 && seconds <= 60.0);
        QVERIFY(std::abs(minute.outputPerSecond - sum / seconds) <= 1e-9 * (1.0 + sum));
        QVERIFY(minute.processBytes >= highest);
        QVERIFY(minute.seconds > from);
        from = minute.seconds;
        tokens += sum;
    }
    QCOMPARE(at, samples.size());
    QVERIFY(tokens > 0.0);
}

std::int64_t count(const fs::path& file, const char* sql) {
    const Database raw(file, DatabaseAccess::Read, 0);
    return raw.integer(sql);
}

} // namespace

class TstTiers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void overviewSaysWhatTheRowsSay();
    void tiersGrowWhileARunIsRecorded();
    void anOlderLogReadsTheSameAndIsCompleted();
    void anInterruptedRunIsCompleted();
    void figuresAreKeptUntilRequestsJoin();
    void damagedTiersAreReplacedByTheRows();
    void pointsRoundTripAndDamageIsRefused();
    void aSpanIsTheSameAsOfTheWholeRun();
    void secondsOfAPartAreTheRows();
    void runsOfDaysLoadMinutes();
    void longRunsOpenWithoutTheirRequests();
    void removalGoesInPiecesAndOnAfterARestart();
    void removedRunsAreNotArchived();

private:
    fs::path file(const char* name) const { return fs::path(m_folder.path().toStdString()) / name; }
    QTemporaryDir m_folder;
};

void TstTiers::overviewSaysWhatTheRowsSay() {
    const auto store = opened(file("whole.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(7.4));
    compareToWhole(*store, run); // before anything was tidied up
    tidyUp(*store);
    QCOMPARE(count(file("whole.db"), "SELECT count(*) FROM sample_60s"), 8);
    QCOMPARE(count(file("whole.db"), "SELECT sum(seconds) FROM sample_60s"),
             count(file("whole.db"), "SELECT count(*) FROM sample_1s"));
    QCOMPARE(count(file("whole.db"), "SELECT max(last_n) FROM request_page"),
             count(file("whole.db"), "SELECT max(n) FROM request"));
    compareToWhole(*store, run);
}

void TstTiers::tiersGrowWhileARunIsRecorded() {
    const auto store = opened(file("recorded.db"));
    const auto run = store->beginRun({}, {});
    QVERIFY(run.has_value());
    const auto start = engine::TimePoint(std::chrono::hours(1));
    for (int second = 1; second <= 200; ++second) {
        RunStore::Batch batch;
        app::SampleRow row;
        row.sample.seconds = second;
        row.sample.outputPerSecond = second % 10;
        row.sample.processBytes = row.processBytesPeak = second;
        batch.samples.push_back(row);
        for (int i = 0; i < 6; ++i) {
            engine::Event event;
            event.time = start + std::chrono::seconds(second);
            event.body = engine::RequestFinished{std::make_shared<engine::RequestRecord>(
                tests::makeRecord(start, second * 1000.0 + i, 40.0, 9.0, 5))};
            batch.events.push_back(std::move(event));
        }
        QVERIFY(store->append(*run, start, batch).has_value());
    }
    // 200 seconds: the fourth minute may still grow; 1200 requests: two pages of 500.
    QCOMPARE(count(file("recorded.db"), "SELECT count(*) FROM sample_60s"), 3);
    QCOMPARE(count(file("recorded.db"), "SELECT max(t_ns) FROM sample_60s"),
             std::int64_t{180'000'000'000});
    QCOMPARE(count(file("recorded.db"), "SELECT max(last_n) FROM request_page"), 1000);
    compareToWhole(*store, *run);
    QVERIFY(store->endRun(*run, app::RunState::Finished, 200.0, false).has_value());
    tidyUp(*store);
    QCOMPARE(count(file("recorded.db"), "SELECT count(*) FROM sample_60s"), 4);
    compareToWhole(*store, *run);
}

void TstTiers::anOlderLogReadsTheSameAndIsCompleted() {
    std::int64_t run = 0;
    {
        const auto store = opened(file("older.db"));
        run = tests::writeScriptedRun(*store, minutes(3.0));
    }
    forgetTiers(file("older.db"));
    compareToWhole(*opened(file("older.db"), StoreMode::ReadOnly), run);
    QCOMPARE(opened(file("older.db"), StoreMode::ReadOnly)->runs()->size(), std::size_t{1});
    {
        const auto store = opened(file("older.db")); // brings it to the present form
        QVERIFY(fs::exists(file("older.db.version-2.backup")));
        tidyUp(*store);
        compareToWhole(*store, run);
    }
    QCOMPARE(count(file("older.db"), "PRAGMA user_version"), 3);
    QVERIFY(count(file("older.db"), "SELECT count(*) FROM sample_60s") >= 3);
    QCOMPARE(count(file("older.db.version-2.backup"), "PRAGMA user_version"), 2);
    QCOMPARE(count(file("older.db.version-2.backup"), "SELECT count(*) FROM request"),
             count(file("older.db"), "SELECT count(*) FROM request"));
}

void TstTiers::anInterruptedRunIsCompleted() {
    std::int64_t run = 0;
    {
        const auto store = opened(file("interrupted.db"));
        run = tests::writeScriptedRun(*store, minutes(2.5, false));
    }
    const auto store = opened(file("interrupted.db"));
    QCOMPARE(store->interruptedAtOpen(), std::vector{run});
    tidyUp(*store);
    QCOMPARE(count(file("interrupted.db"), "SELECT sum(seconds) FROM sample_60s"),
             count(file("interrupted.db"), "SELECT count(*) FROM sample_1s"));
    QCOMPARE(count(file("interrupted.db"), "SELECT count(*) FROM run_figures"), 1);
    compareToWhole(*store, run);
}

void TstTiers::figuresAreKeptUntilRequestsJoin() {
    const auto store = opened(file("figures.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(1.0));
    const auto before = store->summary(run);
    tidyUp(*store);
    const auto kept = store->summary(run);
    QVERIFY2(differs(*before, *kept).isEmpty(), qPrintable(differs(*before, *kept)));
    {
        // What is kept is what is shown: a mark that no request explains.
        Database raw(file("figures.db"), DatabaseAccess::Write, 1000);
        raw.run("UPDATE run_figures SET figures_json = json_set(figures_json, '$.alarms', 77)");
    }
    QCOMPARE(store->summary(run)->alarms, 77);
    QCOMPARE(store->runs()->front().alarms, 77);
    engine::Event event;
    event.body = engine::RequestFinished{
        std::make_shared<engine::RequestRecord>(tests::makeRecord({}, 100.0, 40.0, 9.0, 5))};
    QVERIFY(store->append(run, {}, {.events = {event}, .samples = {}, .settings = {}}).has_value());
    QCOMPARE(store->summary(run)->requests, before->requests + 1);
    QVERIFY(store->summary(run)->alarms != 77);
    tidyUp(*store);
    QCOMPARE(store->summary(run)->requests, before->requests + 1);
}

void TstTiers::damagedTiersAreReplacedByTheRows() {
    const auto store = opened(file("damaged.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(3.0));
    tidyUp(*store);
    {
        Database raw(file("damaged.db"), DatabaseAccess::Write, 1000);
        raw.run("UPDATE request_page SET points = x'0102' WHERE last_n > 600; "
                "UPDATE run_figures SET figures_json = '{\"requests\": 1}'");
    }
    compareToWhole(*store, run);
    {
        Database raw(file("damaged.db"), DatabaseAccess::Write, 1000);
        raw.run("UPDATE run_figures SET figures_json = 'no JSON'; DELETE FROM request_page");
    }
    compareToWhole(*store, run);
}

void TstTiers::pointsRoundTripAndDamageIsRefused() {
    std::vector<app::RequestPoint> points(3);
    points[0] = app::requestPointOf(tests::makeRecord({}, 1000.0, 40.0, 9.0, 5), {});
    points[1].ttftMs = std::nan("");
    points[1].outcome.reset();
    points[1].metDeadline = false;
    points[2].outcome = engine::Outcome::Rejected;
    points[2].metDeadline = true;
    points[2].seconds = -3.25;
    const std::vector<std::byte> page = app::packPoints(points);
    const auto again = app::unpackPoints(page);
    QVERIFY(again.has_value());
    QCOMPARE(again->size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        QVERIFY(samePoint(points[i], (*again)[i]));
    }
    QVERIFY(app::unpackPoints(app::packPoints({}))->empty());
    // Every shorter or longer page is refused, and no change of its head reads beyond it.
    for (std::size_t size = 0; size < page.size(); ++size) {
        QVERIFY(!app::unpackPoints(std::span(page).first(size)).has_value());
    }
    std::vector<std::byte> longer = page;
    longer.push_back(std::byte{0});
    QVERIFY(!app::unpackPoints(longer).has_value());
    for (std::size_t place = 0; place < 12; ++place) {
        for (int value = 0; value < 256; ++value) {
            std::vector<std::byte> changed = page;
            changed[place] = static_cast<std::byte>(value);
            const auto read = app::unpackPoints(changed);
            QVERIFY(!read || changed == page);
        }
    }
}

void TstTiers::aSpanIsTheSameAsOfTheWholeRun() {
    const auto store = opened(file("span.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(4.0));
    tidyUp(*store);
    const auto whole = store->load(run);
    for (const auto& [from, to] : {std::pair(30.0, 31.5), std::pair(60.0, 180.0),
                                   std::pair(0.0, 240.0), std::pair(500.0, 600.0)}) {
        const auto part = store->loadSpan(run, from, to);
        QVERIFY(part.has_value());
        const app::RunData a = app::sliceRun(*whole, from, to);
        const app::RunData b = app::sliceRun(*part, from, to);
        QVERIFY2(differs(a.summary, b.summary).isEmpty(),
                 qPrintable(differs(a.summary, b.summary)));
        QCOMPARE(b.requests.size(), a.requests.size());
        QCOMPARE(b.samples.size(), a.samples.size());
        QVERIFY(to - from > 100.0 || part->requests.size() < whole->requests.size());
    }
}

void TstTiers::secondsOfAPartAreTheRows() {
    const auto store = opened(file("seconds.db"));
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(3.0));
    const auto whole = store->load(run);
    const auto part = store->seconds(run, 50.0, 130.0);
    QVERIFY(part.has_value());
    std::size_t at = 0;
    for (const app::SampleRow& row : whole->samples) {
        if (row.sample.seconds >= 50.0 && row.sample.seconds <= 130.0) {
            QCOMPARE((*part)[at].seconds, row.sample.seconds);
            QCOMPARE((*part)[at].outputPerSecond, row.sample.outputPerSecond);
            QCOMPARE((*part)[at].machineShare, row.sample.machineShare);
            ++at;
        }
    }
    QCOMPARE(at, part->size());
    QVERIFY(at >= 80);
}

// Seconds made by the database itself: three days of them.
std::int64_t daysOfSeconds(RunStore& store, const fs::path& file, std::int64_t seconds) {
    app::RunInfo info;
    info.name = "days";
    const auto run = store.beginRun(info, {});
    Database raw(file, DatabaseAccess::Write, 1000);
    app::Statement insert = raw.prepare(
        "WITH RECURSIVE s(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM s WHERE i < ?2) "
        "INSERT INTO sample_1s (run_id, t_ns, running, output_per_second, process_bytes, "
        "process_bytes_peak, metric_steps) "
        "SELECT ?1, i * 1000000000, 4.0, i % 60, 7e8, 8e8 + i, i FROM s");
    insert.add(*run).add(seconds).execute();
    if (!store.endRun(*run, app::RunState::Finished, static_cast<double>(seconds), false)) {
        return -1;
    }
    return *run;
}

void TstTiers::runsOfDaysLoadMinutes() {
    const auto store = opened(file("days.db"));
    constexpr std::int64_t kSeconds = RunStore::kMostSeconds + 60;
    const std::int64_t run = daysOfSeconds(*store, file("days.db"), kSeconds);
    tidyUp(*store);
    QCOMPARE(store->size(run)->samples, kSeconds);
    const auto data = store->load(run);
    QVERIFY(data.has_value() && data->hasMinutes);
    QCOMPARE(data->samples.size(), static_cast<std::size_t>((kSeconds + 59) / 60));
    QCOMPARE(data->samples.front().sample.outputPerSecond, 29.5);
    QCOMPARE(data->samples.front().processBytesPeak, 8e8 + 60);
    const auto& table = engine::metricTable();
    const auto steps = static_cast<std::size_t>(
        std::ranges::find(table, "steps", &engine::Metric::key) - table.begin());
    QCOMPARE(data->samples.front().metrics.at(steps).value_or(0), 60.0);
    // Nothing of its beginning is dropped, as a live view of more than a day would.
    QCOMPARE(data->history.samples().front().seconds, 60.0);
    QCOMPARE(data->history.samples().size(), data->samples.size());
}

void TstTiers::longRunsOpenWithoutTheirRequests() {
    fs::path log = file("long.db");
    std::int64_t run = 0, few = 0;
    {
        const auto store = opened(log);
        run = daysOfSeconds(*store, log, app::kReadWhole.samples + 100);
        few = tests::writeScriptedRun(*store, minutes(1.0));
        tidyUp(*store);
    }
    const auto small = app::openRun(log, few);
    QVERIFY(small.has_value() && small->data->isWhole);
    QVERIFY(!app::needsSeconds(*small->data, 0.0, 10.0));
    const auto large = app::openRun(log, run);
    QVERIFY(large.has_value() && !large->data->isWhole);
    QCOMPARE(large->data->history.grain().usual, 60.0);
    QVERIFY(!large->plots.empty());
    // A line over minutes has no gaps: each of its points is a value.
    const auto throughput = std::ranges::find(large->plots, QStringLiteral("throughput"),
                                              [](const app::Plot& plot) { return plot.key; });
    QVERIFY(throughput != large->plots.end());
    for (const QPointF& point : throughput->series.front().points) {
        QVERIFY(std::isfinite(point.y()));
    }
    QVERIFY(app::needsSeconds(*large->data, 100.0, 200.0));
    QVERIFY(!app::needsSeconds(*large->data, 0.0, 86'400.0));
    const auto part = app::readFinePart(*large, 100.0, 200.0);
    QVERIFY(part.has_value());
    QCOMPARE((*part)->history.samples().size(), std::size_t{101});
    QCOMPARE((*part)->history.grain().usual, 1.0);
    const auto whole = app::wholeRun(*large);
    QVERIFY(whole.has_value() && (*whole)->isWhole);
    QCOMPARE((*whole)->samples.size(), static_cast<std::size_t>(app::kReadWhole.samples + 100));
    QCOMPARE(app::spanFigures(*large, 0.0, 60.0)->requests, 0);
}

void TstTiers::removalGoesInPiecesAndOnAfterARestart() {
    const fs::path log = file("removal.db");
    std::int64_t run = 0, kept = 0;
    std::string uuid;
    {
        const auto store = opened(log);
        run = daysOfSeconds(*store, log, 35'000);
        kept = tests::writeScriptedRun(*store, minutes(1.0));
        tidyUp(*store);
        uuid = store->summary(run)->run.uuid;
        QVERIFY(store->beginRemove(run).has_value());
        // Gone from every list at once, while its rows are still there.
        QCOMPARE(store->runs()->size(), std::size_t{1});
        QVERIFY(!store->load(run).has_value());
        QVERIFY(!store->overview(run).has_value());
        QVERIFY(!store->beginRemove(run).has_value());
        const std::int64_t before = count(log, "SELECT count(*) FROM sample_1s");
        QVERIFY(*store->tidySome());
        QVERIFY(*store->tidySome());
        const std::int64_t after = count(log, "SELECT count(*) FROM sample_1s");
        QVERIFY2(after < before && after > 0, qPrintable(QString::number(after)));
    }
    const auto store = opened(log); // as after a crash in the middle
    QCOMPARE(store->runs()->size(), std::size_t{1});
    tidyUp(*store);
    for (const char* table : {"sample_1s", "sample_60s", "request", "request_page", "run_figures",
                              "setting", "event", "tag"}) {
        const std::string sql =
            std::string("SELECT count(*) FROM ") + table + " WHERE run_id = " + std::to_string(run);
        QCOMPARE(count(log, sql.c_str()), 0);
    }
    QCOMPARE(count(log, "SELECT count(*) FROM run"), 1);
    QCOMPARE(count(log, "SELECT count(*) FROM removal"), 0);
    QVERIFY(store->load(kept).has_value());
    QVERIFY(store->remove(kept).has_value()); // the whole way in one call
    QCOMPARE(count(log, "SELECT count(*) FROM request"), 0);
    QVERIFY(!store->remove(kept).has_value());
}

void TstTiers::removedRunsAreNotArchived() {
    const fs::path log = file("source.db");
    const auto store = opened(log);
    const std::int64_t run = tests::writeScriptedRun(*store, minutes(1.0));
    QVERIFY(app::archiveRun(log, run, file("archive.db")).has_value());
    QVERIFY(store->beginRemove(run).has_value());
    QVERIFY(!app::archiveRun(log, run, file("archive-2.db")).has_value());
    // The archive comes back while the old rows are still there.
    const auto again = store->importRuns(file("archive.db"));
    QVERIFY(again.has_value());
    QCOMPARE(again->size(), std::size_t{1});
    tidyUp(*store);
    QCOMPARE(store->runs()->size(), std::size_t{1});
    compareToWhole(*store, again->front());
}

QTEST_GUILESS_MAIN(TstTiers)
#include "tst_tiers.moc"
