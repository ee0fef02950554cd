// `headway experiment`, `advise`, `replay`, `archive`, `import`, `check-db` from the outside, on a
// tiny model.
#include "tests/support/json_schema.h"
#include "tests/support/program.h"
#include "tests/support/tiny_model.h"

#include <QFile>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;
using tests::ProgramEnd;
using tests::ProgramRunner;

namespace {

constexpr const char* kExperiment = R"([experiment]
title = "Slots"
metric = "requests_per_s"
statistic = "ratio"
claim = ">= 0.01x"
blocks = 8
measure = "200ms"
warmup = "50ms"
drain = "5s"
[a]
"batching.max_batch" = 1
[b]
"batching.max_batch" = 4
[[stage]]
kind = "closed"
users = 4
[lengths]
prompt = [4, 12]
output = [2, 6]
[prompts]
sets = ["english"]
)";

constexpr const char* kSweep = R"([experiment]
title = "Sweep"
metric = "output_tokens_per_s"
statistic = "best"
blocks = 8
measure = "200ms"
warmup = "50ms"
drain = "5s"
[sweep]
key = "batching.max_batch"
values = [1, 4]
[[stage]]
kind = "closed"
users = 4
[lengths]
prompt = [4, 12]
output = [2, 6]
[prompts]
sets = ["english"]
)";

constexpr const char* kTrace = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
                               "2023-11-16 18:00:00.0,6,3\n"
                               "2023-11-16 18:00:00.2,8,2\n"
                               "2023-11-16 18:00:00.4,4,4\n";

QStringList words(const char* text) {
    return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

} // namespace

class TstExperimentProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void theLibraryIsADocument();
    void anOwnExperimentEndsWithAVerdict();
    void documentsKeepToTheirSchema_data();
    void documentsKeepToTheirSchema();
    void mistakesAreMessages_data();
    void mistakesAreMessages();
    void theRuleIsTold();
    void aTraceIsReplayed();
    void runsAreArchivedAndImported();

private:
    ProgramEnd run(const char* arguments) { return m_headway->run(words(arguments)); }
    void write(const char* name, const char* content);
    std::string content(const char* name) const;

    std::unique_ptr<ProgramRunner> m_headway;
};

void TstExperimentProgram::write(const char* name, const char* content) {
    QFile file(m_headway->path(QLatin1String(name)));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
}

std::string TstExperimentProgram::content(const char* name) const {
    QFile file(m_headway->path(QLatin1String(name)));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

void TstExperimentProgram::initTestCase() {
    m_headway = std::make_unique<ProgramRunner>(QStringLiteral("headway"));
    tests::writeTinyModel(m_headway->path(QStringLiteral("tiny.gguf")).toStdString());
    write("slots.toml", kExperiment);
    write("again.toml", kExperiment);
    write("sweep.toml", kSweep);
    write("bad.toml", "[experiment]\nblox = 3\n");
    write("trace.csv", kTrace);
    write("broken.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00.0,six,3\n");
}

void TstExperimentProgram::theLibraryIsADocument() {
    const ProgramEnd end = run("experiment list --json");
    QCOMPARE(end.status, 0);
    const json list = json::parse(end.out.toStdString());
    QVERIFY(list.size() >= 25);
    QVERIFY(std::ranges::any_of(list, [](const json& row) { return row["name"] == "priority"; }));
    QVERIFY(run("experiment list").out.contains("continuous-single"));
}

void TstExperimentProgram::anOwnExperimentEndsWithAVerdict() {
    const ProgramEnd end =
        run("experiment slots.toml tiny.gguf --record e.db --report e.html --json");
    QVERIFY2(end.status == 0, end.err.constData());
    const json result = json::parse(end.out.toStdString());
    QCOMPARE(result["blocks"].size(), std::size_t{8});
    QVERIFY(result["claim"]["verdict"] == "holds");
    QVERIFY(result["claim"]["low"].get<double>() <= result["claim"]["measured"].get<double>());
    QCOMPARE(result["rows"].size() >= 6, true);
    QFile report(m_headway->path(QStringLiteral("e.html")));
    QVERIFY(report.open(QIODevice::ReadOnly));
    QVERIFY(report.readAll().contains("Slots"));
    const ProgramEnd claims = run("experiment claims --record e.db --json");
    QCOMPARE(claims.status, 0);
    QVERIFY(json::parse(claims.out.toStdString())["claims"].size() >= 25);
    // The run's document brings the experiment into another log, every figure of it.
    QCOMPARE(run("report e.db 1 --json one.json").status, 0);
    QCOMPARE(run("import one.json --record copy.db").status, 0);
    QCOMPARE(run("report copy.db 1 --json two.json").status, 0);
    const json one = json::parse(content("one.json")), two = json::parse(content("two.json"));
    QVERIFY(one["experiment"]["blocks"].size() == 8 && one == two);
    // The result alone has no requests in it: it is told what it is, and what to import.
    write("result.json", end.out.constData());
    const ProgramEnd noRun = run("import result.json --record copy.db");
    QCOMPARE(noRun.status, 1);
    QVERIFY2(noRun.err.contains("result.json holds the result of an experiment") &&
                 noRun.err.contains("write run 1 with `headway report DB RUN --json FILE`"),
             noRun.err.constData());
    // One that can't be right is refused by its place, and nothing of it stays.
    const auto refused = [&](const char* says, auto spoil) {
        json other = one;
        other["uuid"] = says;
        spoil(other["experiment"]);
        write("spoilt.json", other.dump().c_str());
        const ProgramEnd spoilt = run("import spoilt.json --record copy.db");
        QCOMPARE(spoilt.status, 1);
        QVERIFY2(spoilt.err.contains(says), spoilt.err.constData());
    };
    refused("does not go up", [](json& all) { all["blocks"][3]["number"] = 1; });
    refused("doesn't have", [](json& all) { all["blocks"][0]["block"]["side"] = 2; });
    refused("block of the experiment", [](json& all) { all["blocks"][0]["block"]["side"] = -1; });
    refused("block of the experiment", [](json& all) { all["blocks"][0]["block"]["round"] = -1; });
    refused("spoilt.json was not imported", [](json& all) { all["toml"] = "[experiment"; });
    refused("should be a list", [](json& all) { all["blocks"] = "none"; });
    QCOMPARE(json::parse(run("runs copy.db --json").out.toStdString()).size(), std::size_t{1});
    QCOMPARE(run("experiment claims --record copy.db --report claims.csv").status, 0);
    QVERIFY(content("claims.csv").starts_with("experiment,title,group,claimed"));
    const ProgramEnd pdf = run("experiment claims --record e.db --report claims.pdf");
    QCOMPARE(pdf.status, 0);
    QVERIFY(QFile::exists(m_headway->path(QStringLiteral("claims.pdf"))));
}

void TstExperimentProgram::documentsKeepToTheirSchema_data() {
    QTest::addColumn<QString>("document");
    QTest::addColumn<QString>("command");
    const auto row = [](const char* document, const char* command) {
        QTest::newRow(command) << QString::fromLatin1(document) << QString::fromLatin1(command);
    };
    row("run", "show e.db 1 --json");
    row("summary", "load trace.csv tiny.gguf --record load.db --json");
    row("run", "report e.db 1 --json -");
    row("comparison", "compare e.db 1 2 --json");
    row("comparison_of_many", "compare e.db 1 2 3 --json");
    row("experiment", "experiment again.toml tiny.gguf --record again.db --json");
    row("experiment", "experiment sweep.toml tiny.gguf --record again.db --json");
    row("claims", "experiment claims --record e.db --json");
    row("tune", "tune tiny.gguf --minutes 0.2 --record tune.db --json");
    row("advise", "advise --slo ttft_p99=299ms --record e.db --json");
    row("advise", "advise --record gone.db --json");
    row("replay", "replay trace.csv tiny.gguf --record replay.db --json");
    row("replay", "replay e.db 2 tiny.gguf --record replay.db --json --simulate-only");
}

void TstExperimentProgram::documentsKeepToTheirSchema() {
    QFETCH(QString, document);
    QFETCH(QString, command);
    if (command.startsWith(QLatin1String("show"))) { // what the others compare
        QCOMPARE(run("load trace.csv tiny.gguf --record e.db").status, 0);
        QCOMPARE(run("load trace.csv tiny.gguf --record e.db").status, 0);
    }
    const json schema =
        json::parse(m_headway->run({QStringLiteral("schema"), document}).out.toStdString());
    const ProgramEnd end = m_headway->run(words(command.toLatin1()));
    QVERIFY2(end.status == 0, end.err.constData());
    json made = json::parse(end.out.toStdString());
    write("made.json", end.out.constData());
    const ProgramEnd in = run("import made.json --record in.db");
    QVERIFY2(document == QLatin1String("run")
                 ? in.status == 0 || in.err.contains("in the log already")
                 : in.status == 1 && in.err.contains(", not a run: "),
             in.err.constData());
    const std::string problem = tests::schemaProblem(made, schema, schema);
    QVERIFY2(problem.empty(), problem.c_str());
    // The schema is not one that everything keeps to.
    QVERIFY(!tests::schemaProblem(json::array(), schema, schema).empty());
    made.erase(made.begin());
    QVERIFY(!tests::schemaProblem(made, schema, schema).empty());
}

void TstExperimentProgram::mistakesAreMessages_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<int>("status");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* arguments, int status, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments) << status << QByteArray(says);
    };
    row("experiment nosuch tiny.gguf", 2, "experiment list");
    row("experiment bad.toml tiny.gguf", 1, "bad.toml:2: unknown key");
    row("experiment slots.toml gone.gguf", 1, "no model file gone.gguf");
    row("experiment slots.toml tiny.gguf --measure soon", 2, "--measure");
    row("experiment cuda-graphs tiny.gguf --record n.db", 1, "cuda");
    row("experiment claims --record e.db --report claims.docx", 2, "claims.docx");
    row("experiment slots.toml tiny.gguf --report slots.doc", 2, "slots.doc");
    row("schema runs", 2, "comparison_of_many");
    row("tune tiny.gguf --slo ttft=3", 2, "ttft_p99=300ms");
    row("advise --slo fast", 2, "ttft_p99=300ms");
    row("replay broken.csv tiny.gguf", 1, "broken.csv:2: ContextTokens");
    row("replay gone.csv tiny.gguf", 1, "gone.csv");
    row("import gone.db", 1, "gone.db");
    row("check-db gone.db", 1, "gone.db");
}

void TstExperimentProgram::mistakesAreMessages() {
    QFETCH(QString, arguments);
    QFETCH(int, status);
    QFETCH(QByteArray, says);
    const ProgramEnd end = m_headway->run(words(arguments.toLatin1()));
    QVERIFY2(end.err.contains(says), end.err.constData());
    QCOMPARE(end.status, status);
    QVERIFY(end.out.isEmpty());
}

void TstExperimentProgram::theRuleIsTold() {
    const json fast = json::parse(run("advise --slo ttft_p99=299ms --json").out.toStdString());
    QVERIFY(fast["rule"] == "realtime first");
    QVERIFY(fast["settings"]["batching.policy"] == "single");
    const json slow = json::parse(run("advise --slo ttft_p99=301ms --json").out.toStdString());
    QVERIFY(slow["settings"]["batching.policy"] == "dynamic");
}

void TstExperimentProgram::aTraceIsReplayed() {
    const ProgramEnd end = run("replay trace.csv tiny.gguf --record r.db --json");
    QVERIFY2(end.status == 0, end.err.constData());
    const json real = json::parse(end.out.toStdString())["real"];
    QVERIFY(real["outcomes"]["completed"] == 3);
    // And the recorded run once more, from its own log.
    const ProgramEnd again = run("replay r.db 1 tiny.gguf --record r.db --json --max-batch 1");
    QVERIFY2(again.status == 0, again.err.constData());
    QVERIFY(json::parse(again.out.toStdString())["real"]["outcomes"]["completed"] == 3);
}

void TstExperimentProgram::runsAreArchivedAndImported() {
    QVERIFY2(run("archive r.db 1 --out one.db").status == 0, "archive");
    const ProgramEnd in = run("import one.db --record other.db");
    QVERIFY2(in.status == 0, in.err.constData());
    QVERIFY(in.out.contains("Imported as run 1."));
    QVERIFY(run("import one.db --record other.db").out.contains("already"));
    QVERIFY(run("check-db other.db").out.contains("is sound; 1 runs"));
    QVERIFY(run("check-db other.db --salvage saved.db").status == 0);
    QCOMPARE(run("check-db saved.db").status, 0);
}

QTEST_GUILESS_MAIN(TstExperimentProgram)
#include "tst_experiment_program.moc"
