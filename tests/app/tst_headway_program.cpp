// The program `headway` from the outside: statuses, messages, documents, records.
#include "app/store/run_store.h"
#include "tests/support/program.h"
#include "tests/support/tiny_model.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSet>
#include <QTest>

#include <nlohmann/json.hpp>
#include <sqlite3.h>

#include <csignal>

using nlohmann::json;
using tests::ProgramEnd;
using tests::ProgramRunner;

class TstHeadwayProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void withoutDisplayItSaysHowToGoOn();
    void aDeadDisplayIsNoCrash();
    void everyCommandHasHelpWithAnExample_data();
    void everyCommandHasHelpWithAnExample();
    void wrongUsageIsTwo_data();
    void wrongUsageIsTwo();
    void failedWorkIsOne_data();
    void failedWorkIsOne();
    void fieldsAreADocument();
    void loadRecordsAndTellsInOneDocument();
    void settingsAreInTheRun();
    void failOnDecidesTheStatus();
    void aRaisedAlarmIsAReasonToFail();
    void interruptSavesAndIs130();
    void interruptWhileLoadingIs130();
    void aLockedLogLeavesTheRunItsOwn();
    void fourLoadsAtOnceAreAllRecorded();
    void aLogLockedAtTheEndIsWaitedFor();
    void aLogThatStaysLockedIsALossThatIsSaid();
    void aKilledRunIsToldAsInterrupted();
    void nonsensePlatformsAreNoCrash();
    void theUsersRunLogIsTheDefault();
    void runsShowReportAndCompareReadIt();
    void badDatabasesAreMessages_data();
    void badDatabasesAreMessages();
    void aNewerDatabaseIsReadNotWritten();

private:
    ProgramEnd load(const QStringList& more) const;
    static json documentOf(const ProgramEnd& end);

    std::unique_ptr<ProgramRunner> m_headway;
};

namespace {

constexpr const char* kWorkload = R"([workload]
seed = 3
[[stage]]
rate = 60
seconds = 0.6
[lengths]
prompt = [4, 12]
output = [2, 6]
[prompts]
sets = ["english"]
)";

void writeFile(const QString& path, const QByteArray& content) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("can't write %s", qPrintable(path));
    }
}

// A lock of another program on a log, from when the log is there on.
class LockHeld {
public:
    explicit LockHeld(const std::filesystem::path& log) {
        QElapsedTimer timer;
        timer.start();
        while (!takes(log) && timer.elapsed() < 20'000) {
            QTest::qWait(1);
        }
    }
    ~LockHeld() { sqlite3_close(m_handle); }
    LockHeld(const LockHeld&) = delete;
    LockHeld& operator=(const LockHeld&) = delete;

private:
    // With the run in it, which the program makes before it sends anything.
    bool takes(const std::filesystem::path& log) {
        // Looked at before it is locked: a log that is locked when it is opened is left alone.
        if (sqlite3_open_v2(log.c_str(), &m_handle, SQLITE_OPEN_READWRITE, nullptr) == SQLITE_OK &&
            hasRun() &&
            sqlite3_exec(m_handle, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK) {
            return true;
        }
        sqlite3_close(m_handle);
        m_handle = nullptr;
        return false;
    }
    bool hasRun() const {
        sqlite3_stmt* runs = nullptr;
        sqlite3_prepare_v2(m_handle, "SELECT id FROM run", -1, &runs, nullptr);
        const bool has = runs != nullptr && sqlite3_step(runs) == SQLITE_ROW;
        sqlite3_finalize(runs);
        return has;
    }

    sqlite3* m_handle = nullptr;
};

bool waitForNote(QProcess& process, const QByteArray& text) {
    QElapsedTimer timer;
    timer.start();
    process.setReadChannel(QProcess::StandardError);
    QByteArray said;
    while (!said.contains(text) && timer.elapsed() < 30'000) {
        process.waitForReadyRead(100);
        said = process.peek(1 << 20);
    }
    return said.contains(text);
}

QStringList words(const char* text) {
    return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

void TstHeadwayProgram::initTestCase() {
    m_headway = std::make_unique<ProgramRunner>(QStringLiteral("headway"));
    tests::writeTinyModel(m_headway->path(QStringLiteral("tiny.gguf")).toStdString());
    writeFile(m_headway->path(QStringLiteral("short.toml")), kWorkload);
    writeFile(m_headway->path(QStringLiteral("bad.toml")), "[[stage]]\nrate = 1\nratee = 2\n");
    writeFile(m_headway->path(QStringLiteral("noise")), QByteArray(5000, '\x7F'));
    QVERIFY(QDir().mkpath(m_headway->path(QStringLiteral("empty")))); // a folder without a model
}

ProgramEnd TstHeadwayProgram::load(const QStringList& more) const {
    return m_headway->run(words("load short.toml tiny.gguf") + more);
}

json TstHeadwayProgram::documentOf(const ProgramEnd& end) {
    const json document = json::parse(end.out.toStdString(), nullptr, false);
    if (document.is_discarded()) {
        qFatal("no JSON document: %s\n%s", end.out.constData(), end.err.constData());
    }
    return document;
}

void TstHeadwayProgram::withoutDisplayItSaysHowToGoOn() {
    for (const char* arguments : {"", "tiny.gguf"}) {
        const ProgramEnd end = m_headway->run(words(arguments));
        QCOMPARE(end.status, 2);
        QVERIFY2(end.err.contains("headway load demo"), end.err.constData());
        QVERIFY(end.out.isEmpty());
        QCOMPARE(end.err.count('\n'), 1);
    }
}

void TstHeadwayProgram::aDeadDisplayIsNoCrash() {
    ProgramRunner headway(QStringLiteral("headway"));
    headway.setVariable(QStringLiteral("DISPLAY"), QStringLiteral(":7531"));
    const ProgramEnd end = headway.run({});
    QCOMPARE(end.status, 2);
    QVERIFY2(end.err.contains(":7531"), end.err.constData());
}

void TstHeadwayProgram::everyCommandHasHelpWithAnExample_data() {
    QTest::addColumn<QString>("command");
    for (const char* command : {"", "load", "runs", "show", "report", "compare", "fields"}) {
        QTest::newRow(command[0] != '\0' ? command : "none") << QString::fromLatin1(command);
    }
}

void TstHeadwayProgram::everyCommandHasHelpWithAnExample() {
    QFETCH(QString, command);
    const ProgramEnd end = m_headway->run(words(command.toLatin1()) << QStringLiteral("--help"));
    QCOMPARE(end.status, 0);
    QVERIFY(end.out.contains("Example:\n  headway " + command.toLatin1()));
    QVERIFY(end.err.isEmpty());
}

void TstHeadwayProgram::wrongUsageIsTwo_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* arguments, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(says);
    };
    row("laod demo", "laod");
    row("nosuchfile.gguf", "neither a command nor a model file");
    row("--fast", "--fast");
    row("load", "WORKLOAD");
    row("load demo tiny.gguf --fast", "--fast");
    row("load nosuch tiny.gguf", "demo, chat, ramp");
    row("load demo tiny.gguf --for never", "60s");
    row("load demo tiny.gguf --for 1e12s", "86400");
    row("load demo tiny.gguf --for 0s", "0.1");
    row("load demo tiny.gguf --fail-on speed>1", "ttft_p99_ms");
    row("load demo tiny.gguf --max-batch 0", "--max-batch");
    row("load demo tiny.gguf --batching static", "continuous");
    row("load demo tiny.gguf --max-batch", "--max-batch");
    row("load demo tiny.gguf --token-budget 4 --max-batch 16", "token budget");
    row("show", "Name one run");
    row("show 1 2", "Name one run");
    row("show a.db b.db", "no run id");
    row("report 1", "--html");
    row("report 1 2 3 4 5 6 --html x", "one run, or two");
    row("compare 1", "Name two to five runs");
    row("compare 1 2 3 4 5 6", "Name two to five runs");
    row("runs a.db 3", "headway show");
    row("fields extra", "extra");
    row("load demo tiny.gguf --device cuda", "cpu");
    row("tune tiny.gguf --slo ttft_p99=300ms --minutes nan", "--minutes");
}

void TstHeadwayProgram::wrongUsageIsTwo() {
    QFETCH(QString, arguments);
    QFETCH(QByteArray, says);
    const ProgramEnd end = m_headway->run(words(arguments.toLatin1()));
    QVERIFY2(end.status == 2, end.err.constData());
    QVERIFY2(end.err.contains(says), end.err.constData());
    QVERIFY(end.out.isEmpty());
}

void TstHeadwayProgram::failedWorkIsOne_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* arguments, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(says);
    };
    row("load bad.toml tiny.gguf", "bad.toml:3:");
    row("load noise tiny.gguf", "noise");
    row("load demo nosuch.gguf", "nosuch.gguf");
    row("load demo empty", "empty");
    row("load demo noise", "noise");
    row("load demo short.toml", "short.toml");
    row("load short.toml tiny.gguf --record /proc/no/runs.db", "/proc/no");
    row("load short.toml tiny.gguf --record noise", "noise");
    row("load short.toml tiny.gguf --record .", "");
    row("runs nosuch.db", "nosuch.db");
    row("runs noise", "noise");
    row("show nosuch.db 1", "nosuch.db");
}

void TstHeadwayProgram::failedWorkIsOne() {
    QFETCH(QString, arguments);
    QFETCH(QByteArray, says);
    const ProgramEnd end = m_headway->run(words(arguments.toLatin1()));
    QVERIFY2(end.status == 1, end.err.constData());
    QVERIFY2(end.err.contains(says), end.err.constData());
    QVERIFY(end.out.isEmpty());
}

void TstHeadwayProgram::fieldsAreADocument() {
    const ProgramEnd end = m_headway->run(words("fields --json"));
    QCOMPARE(end.status, 0);
    const json fields = documentOf(end);
    QCOMPARE(fields.size(), engine::fieldTable().size());
    for (const json& field : fields) {
        QVERIFY(engine::findField(field["flag"].get<std::string>()) != nullptr);
        QVERIFY(!field["help"].get<std::string>().empty());
    }
    const ProgramEnd text = m_headway->run(words("fields"));
    QVERIFY(text.out.contains("--max-batch"));
}

void TstHeadwayProgram::loadRecordsAndTellsInOneDocument() {
    const ProgramEnd end = load(words("--record one.db --json"));
    QVERIFY2(end.status == 0, end.err.constData());
    const json document = documentOf(end);
    QCOMPARE(document["state"].get<std::string>(), std::string("finished"));
    QVERIFY(document["run_id"].get<int>() > 0);
    const int completed = document["outcomes"]["completed"].get<int>();
    QVERIFY(completed > 15);
    QCOMPARE(document["ttft_ms"]["n"].get<int>() > 0, true);
    QVERIFY(document["ttft_ms"]["p50"].get<double>() <= document["ttft_ms"]["p99"].get<double>());
    for (const char* key :
         {"output_tokens_per_s", "prompt_tokens_per_s", "requests_per_s", "achieved_rate"}) {
        QVERIFY2(document[key].get<double>() > 0, key);
    }
    QVERIFY(document.contains("lag_ms"));
    QCOMPARE(document["run_log"].get<std::string>(), std::string("one.db"));
    const auto store = app::RunStore::open(m_headway->path(QStringLiteral("one.db")).toStdString(),
                                           app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto summary = (*store)->summary(document["run_id"].get<int>());
    QVERIFY(summary.has_value());
    QCOMPARE(summary->completed, std::int64_t(completed));
    // The same request list gives the same digest; the text form ends with id and database.
    const ProgramEnd text = load(words("--record one.db"));
    QCOMPARE(text.status, 0);
    QVERIFY2(text.out.contains("Run 2") && text.out.contains("one.db"), text.out.constData());
    const auto second = (*store)->summary(2);
    QVERIFY(second.has_value());
    QCOMPARE(second->run.requestDigest, summary->run.requestDigest);
}

void TstHeadwayProgram::settingsAreInTheRun() {
    const ProgramEnd end =
        load(words("--record settings.db --max-batch 3 --batching continuous --json"));
    QVERIFY2(end.status == 0, end.err.constData());
    const auto store = app::RunStore::open(
        m_headway->path(QStringLiteral("settings.db")).toStdString(), app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto summary = (*store)->summary(1);
    QVERIFY(summary.has_value());
    const auto row =
        std::find_if(summary->settings.begin(), summary->settings.end(),
                     [](const auto& setting) { return setting.field == "batching.max_batch"; });
    QVERIFY(row != summary->settings.end());
    QCOMPARE(row->effective, std::string("3"));
    QVERIFY(summary->run.workloadToml.find("\"batching.max_batch\" = \"3\"") != std::string::npos);
}

void TstHeadwayProgram::failOnDecidesTheStatus() {
    // A rule takes one word: what follows it is workload or model.
    const ProgramEnd held =
        m_headway->run(words("load --record rules.db --fail-on failed>0 short.toml --fail-on "
                             "requests_per_s<0.001 tiny.gguf --device cpu --json"));
    QVERIFY2(held.status == 0, held.err.constData());
    const ProgramEnd broken = load(words("--record rules.db --fail-on completed>0 --json"));
    QVERIFY2(broken.status == 3, broken.err.constData());
    QVERIFY2(broken.err.contains("completed>0"), broken.err.constData());
    QCOMPARE(documentOf(broken)["state"].get<std::string>(), std::string("finished"));
}

// Far more than any machine computes, and nobody waits long: most end without a text.
void TstHeadwayProgram::aRaisedAlarmIsAReasonToFail() {
    QByteArray flood = kWorkload;
    flood.replace("rate = 60", "rate = 300").replace("seconds = 0.6", "seconds = 9");
    flood.replace("output = [2, 6]", "output = [400, 400]");
    writeFile(m_headway->path(QStringLiteral("flood.toml")), flood);
    const QStringList rules = words("--record alarms.db --fail-on alarms>0 --json");
    const ProgramEnd calm = load(rules);
    QVERIFY2(calm.status == 0, calm.err.constData());
    const ProgramEnd broken =
        m_headway->run(words("load flood.toml tiny.gguf --max-batch 1 --threads 1 "
                             "--realtime-deadline 300") +
                       rules);
    QVERIFY2(broken.status == 3, broken.err.constData());
    QVERIFY2(broken.err.contains("alarms>0"), broken.err.constData());
    const std::string run = std::to_string(documentOf(broken)["run_id"].get<int>());
    const ProgramEnd shown =
        m_headway->run(words("show alarms.db") +
                       QStringList{QString::fromStdString(run), QStringLiteral("--json")});
    const json document = documentOf(shown);
    bool isTold = false;
    for (const json& event : document["events"]) {
        isTold = isTold || event["kind"] == "alarm_raised";
    }
    QVERIFY(isTold);
}

void TstHeadwayProgram::interruptSavesAndIs130() {
    const auto process =
        m_headway->start(words("load short.toml tiny.gguf --for 60s --record cut.db --json"));
    // The run exists once the log tells so.
    const std::filesystem::path log = m_headway->path(QStringLiteral("cut.db")).toStdString();
    QTRY_VERIFY_WITH_TIMEOUT(
        [&] {
            const auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
            const auto summary =
                store ? (*store)->summary(1)
                      : engine::Result<app::RunSummary>(std::unexpected(engine::Error{}));
            return summary && summary->requests > 5;
        }(),
        20'000);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const ProgramEnd end = ProgramRunner::wait(*process);
    QVERIFY2(end.status == 130, end.err.constData());
    const json document = documentOf(end);
    QCOMPARE(document["state"].get<std::string>(), std::string("interrupted"));
    QVERIFY(document["outcomes"]["completed"].get<int>() > 5);
}

void TstHeadwayProgram::interruptWhileLoadingIs130() {
    const auto process = m_headway->start(words("load short.toml tiny.gguf --record early.db"));
    QVERIFY(process->waitForStarted());
    QTest::qWait(30); // somewhere between start and the first requests; each must end well
    ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
    const ProgramEnd end = ProgramRunner::wait(*process);
    // Before the handler stands, the system's own end is the right one.
    QVERIFY2(end.status == 130 || process->exitStatus() == QProcess::CrashExit,
             end.err.constData());
}

void TstHeadwayProgram::aLockedLogLeavesTheRunItsOwn() {
    const std::filesystem::path log = m_headway->path(QStringLiteral("held.db")).toStdString();
    const auto holder = app::RunStore::open(log, app::StoreMode::Write);
    QVERIFY(holder.has_value());
    const ProgramEnd end = load(words("--record held.db --json"));
    QVERIFY2(end.status == 0, end.err.constData());
    const std::string used = documentOf(end)["run_log"].get<std::string>();
    QVERIFY(used != "held.db");
    QVERIFY2(end.err.contains(used.c_str()), end.err.constData());
    QCOMPARE((*holder)->runs()->size(), std::size_t(0));
}

void TstHeadwayProgram::fourLoadsAtOnceAreAllRecorded() {
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < 4; ++i) {
        processes.push_back(
            m_headway->start(words("load short.toml tiny.gguf --record shared.db --json")));
    }
    QSet<QString> logs;
    for (const auto& process : processes) {
        const ProgramEnd end = ProgramRunner::wait(*process);
        QVERIFY2(end.status == 0, end.err.constData());
        const json document = documentOf(end);
        QCOMPARE(document["state"].get<std::string>(), std::string("finished"));
        logs.insert(QString::fromStdString(document["run_log"].get<std::string>()) +
                    QString::number(document["run_id"].get<int>()));
    }
    QCOMPARE(logs.size(), 4);
}

// The run ends and can't be written; the lock is given back once it waits.
void TstHeadwayProgram::aLogLockedAtTheEndIsWaitedFor() {
    const std::filesystem::path log = m_headway->path(QStringLiteral("waits.db")).toStdString();
    const auto process = m_headway->start(words("load short.toml tiny.gguf --for 4s "
                                                "--record waits.db --json"));
    {
        const LockHeld held(log);
        QVERIFY(waitForNote(*process, "Ctrl-C ends without"));
    }
    const ProgramEnd end = ProgramRunner::wait(*process);
    QVERIFY2(end.status == 0, end.err.constData());
    const json document = documentOf(end);
    QCOMPARE(document["state"].get<std::string>(), std::string("finished"));
    QVERIFY(!document["is_incomplete"].get<bool>());
    QVERIFY(document["outcomes"]["completed"].get<int>() > 15);
}

void TstHeadwayProgram::aLogThatStaysLockedIsALossThatIsSaid() {
    const std::filesystem::path log = m_headway->path(QStringLiteral("lost.db")).toStdString();
    const auto process = m_headway->start(words("load short.toml tiny.gguf --for 4s "
                                                "--record lost.db --json"));
    const LockHeld held(log);
    QVERIFY(waitForNote(*process, "Ctrl-C ends without"));
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const ProgramEnd end = ProgramRunner::wait(*process);
    QCOMPARE(end.status, 1);
    QVERIFY2(end.err.contains("lost: "), end.err.constData());
    QVERIFY2(end.err.contains(" of run 1."), end.err.constData());
    const json document = documentOf(end);
    QCOMPARE(document["state"].get<std::string>(), std::string("interrupted"));
    QVERIFY(document["is_incomplete"].get<bool>());
    QVERIFY(document["unwritten_requests"].get<int>() > 0);
}

void TstHeadwayProgram::aKilledRunIsToldAsInterrupted() {
    const auto process =
        m_headway->start(words("load short.toml tiny.gguf --for 60s --record killed.db"));
    const auto firstState = [this]() -> std::string {
        const ProgramEnd end = m_headway->run(words("runs killed.db --json"));
        const json runs = json::parse(end.out.toStdString(), nullptr, false);
        return runs.is_array() && !runs.empty() ? runs[0]["state"].get<std::string>() : "";
    };
    QTRY_COMPARE_WITH_TIMEOUT(firstState(), std::string("recording"), 20'000);
    process->kill();
    QVERIFY(process->waitForFinished());
    QCOMPARE(firstState(), std::string("interrupted"));
    const ProgramEnd shown = m_headway->run(words("show killed.db 1 --json"));
    QCOMPARE(documentOf(shown)["state"].get<std::string>(), std::string("interrupted"));
}

void TstHeadwayProgram::nonsensePlatformsAreNoCrash() {
    ProgramRunner headway(QStringLiteral("headway"));
    headway.setVariable(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("nonsense"));
    const ProgramEnd named = headway.run({});
    QCOMPARE(named.status, 2);
    QVERIFY2(named.err.contains("\"nonsense\"") && named.err.contains("offscreen"),
             named.err.constData());
    ProgramRunner wayland(QStringLiteral("headway"));
    wayland.setVariable(QStringLiteral("WAYLAND_DISPLAY"), QStringLiteral("wayland-nobody"));
    const ProgramEnd unreachable = wayland.run({});
    QCOMPARE(unreachable.status, 2);
    QVERIFY2(unreachable.err.contains("wayland-nobody"), unreachable.err.constData());
    const ProgramEnd asked = wayland.run(words("--check-display"));
    QCOMPARE(asked.status, 1);
    QVERIFY2(asked.out.contains("wayland-nobody"), asked.out.constData());
}

void TstHeadwayProgram::theUsersRunLogIsTheDefault() {
    QCOMPARE(documentOf(m_headway->run(words("runs --json"))).size(), std::size_t(0));
    QVERIFY(m_headway->run(words("runs")).out.contains("headway load demo"));
    QCOMPARE(m_headway->run(words("show 1")).status, 1);
    ProgramRunner relative(QStringLiteral("headway"));
    relative.setVariable(QStringLiteral("XDG_DATA_HOME"), QStringLiteral("rel"));
    relative.setVariable(QStringLiteral("HOME"), relative.path(QStringLiteral("own")));
    const ProgramEnd ignored = relative.run(words("show 1"));
    QVERIFY2(ignored.err.contains("own/.local/share/headway/runs.db"), ignored.err.constData());
    const ProgramEnd end = load(words("--json"));
    QVERIFY2(end.status == 0, end.err.constData());
    QVERIFY(QFile::exists(m_headway->path(QStringLiteral("home/headway/runs.db"))));
    const ProgramEnd runs = m_headway->run(words("runs --json"));
    QCOMPARE(runs.status, 0);
    QCOMPARE(documentOf(runs).size(), std::size_t(1));
    const ProgramEnd shown = m_headway->run(words("show 1"));
    QVERIFY2(shown.out.contains("batching.max_batch"), shown.out.constData());
}

void TstHeadwayProgram::runsShowReportAndCompareReadIt() {
    QCOMPARE(load(words("--record read.db --json")).status, 0);
    QCOMPARE(load(words("--record read.db --json --max-batch 1")).status, 0);
    const json runs = documentOf(m_headway->run(words("runs read.db --json")));
    QCOMPARE(runs.size(), std::size_t(2));
    QCOMPARE(runs[0]["run_id"].get<int>(), 2); // newest first
    const json shown = documentOf(m_headway->run(words("show read.db 1 --json")));
    QCOMPARE(shown["run_id"].get<int>(), 1);
    QCOMPARE(shown["state"].get<std::string>(), std::string("finished"));
    QVERIFY(shown.contains("outcomes") && shown.contains("ttft_ms"));
    const ProgramEnd missing = m_headway->run(words("show read.db 99"));
    QCOMPARE(missing.status, 1);
    QVERIFY2(missing.err.contains("99"), missing.err.constData());

    const ProgramEnd report = m_headway->run(
        words("report read.db 1 --html a.html --csv tables --json a.json --markdown a.md"));
    QVERIFY2(report.status == 0, report.err.constData());
    QFile html(m_headway->path(QStringLiteral("a.html")));
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray page = html.readAll();
    QVERIFY(page.contains("<svg") && page.contains("</html>") && !page.contains("<script"));
    QVERIFY(QFile::exists(m_headway->path(QStringLiteral("tables/requests.csv"))));
    const ProgramEnd both = m_headway->run(words("report read.db 1 2 --html both.html"));
    QVERIFY2(both.status == 0, both.err.constData());
    QCOMPARE(m_headway->run(words("report read.db 1 --html /proc/x.html")).status, 1);

    const json comparison = documentOf(m_headway->run(words("compare read.db 1 2 --json")));
    QVERIFY(comparison["rows"].size() > 3);
    for (const char* key : {"metric", "a", "b", "difference", "verdict", "n_a", "n_b"}) {
        QVERIFY2(comparison["rows"][0].contains(key), key);
    }
    const ProgramEnd text = m_headway->run(words("compare read.db 1 2"));
    QVERIFY2(text.out.contains("batching.max_batch"), text.out.constData());

    // Three and more are held against the first, in every form that two can be written in.
    const ProgramEnd three = m_headway->run(
        words("report read.db 2 1 1 --html set.html --pdf set.pdf --csv set --json set.json "
              "--markdown set.md"));
    QVERIFY2(three.status == 0, three.err.constData());
    for (const char* name : {"set.html", "set.pdf", "set.json", "set.md", "set/comparison.csv",
                             "set/run-2/requests.csv"}) {
        QVERIFY2(QFile::exists(m_headway->path(QString::fromLatin1(name))), name);
    }
    const json set = documentOf(m_headway->run(words("compare read.db 2 1 1 --json")));
    QCOMPARE(set["runs"].size(), std::size_t(3));
    QCOMPARE(set["against_first"].size(), std::size_t(2));
    QCOMPARE(set["against_first"][0]["run_a"].get<int>(), 2);
    QCOMPARE(set["against_first"][1]["run_b"].get<int>(), 1);
    const ProgramEnd setText = m_headway->run(words("compare read.db 2 1 1"));
    QVERIFY2(setText.out.contains("to run 2"), setText.out.constData());
}

void TstHeadwayProgram::badDatabasesAreMessages_data() {
    QTest::addColumn<QString>("name");
    QTest::newRow("cut off") << QStringLiteral("cut-off.db");
    QTest::newRow("other") << QStringLiteral("other.db");
    QTest::newRow("empty") << QStringLiteral("empty.db");
}

void TstHeadwayProgram::badDatabasesAreMessages() {
    QFETCH(QString, name);
    const auto make = [&](const char* file, const char* sql) {
        sqlite3* database = nullptr;
        const QByteArray path = m_headway->path(QString::fromLatin1(file)).toUtf8();
        QFile::remove(QString::fromUtf8(path));
        QCOMPARE(sqlite3_open(path.constData(), &database), SQLITE_OK);
        QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
    };
    QFile::remove(m_headway->path(QStringLiteral("cut-off.db")));
    QCOMPARE(load(words("--record cut-off.db --json")).status, 0);
    QVERIFY(QFile::resize(m_headway->path(QStringLiteral("cut-off.db")), 3000));
    make("other.db", "CREATE TABLE cake (id INTEGER)");
    writeFile(m_headway->path(QStringLiteral("empty.db")), {});
    for (const char* command :
         {"runs %1", "show %1 1", "report %1 1 --html x.html", "compare %1 1 1"}) {
        const ProgramEnd end =
            m_headway->run(words(QString::fromLatin1(command).arg(name).toLatin1()));
        QVERIFY2(end.status == 1, end.err.constData());
        QVERIFY2(end.err.contains(name.toUtf8()), end.err.constData());
        QVERIFY(end.out.isEmpty());
    }
}

void TstHeadwayProgram::aNewerDatabaseIsReadNotWritten() {
    QCOMPARE(load(words("--record newer.db --json")).status, 0);
    sqlite3* newer = nullptr;
    QCOMPARE(sqlite3_open(m_headway->path(QStringLiteral("newer.db")).toUtf8().constData(), &newer),
             SQLITE_OK);
    QCOMPARE(sqlite3_exec(newer, "PRAGMA user_version = 9999", nullptr, nullptr, nullptr),
             SQLITE_OK);
    sqlite3_close(newer);
    QCOMPARE(documentOf(m_headway->run(words("runs newer.db --json"))).size(), std::size_t(1));
    const ProgramEnd end = load(words("--record newer.db"));
    QCOMPARE(end.status, 1);
    QVERIFY2(end.err.contains("newer.db") && end.err.contains("9999"), end.err.constData());
}

QTEST_GUILESS_MAIN(TstHeadwayProgram)
#include "tst_headway_program.moc"
