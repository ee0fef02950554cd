// Traces of other systems: the three kinds, and damaged files.
#include "app/load/trace.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

namespace {

const std::string kAzure = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                           "2023-11-16 23:59:59.5000000,374,44\r\n"
                           "2023-11-17 00:00:00.2500000,396,109\r\n"
                           "2023-11-17 00:00:02.2500000+00:00,7,1\r\n";
const std::string kBurst = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
                           "5,ChatGPT,472,18,490,Conversation log\n"
                           "45,GPT-4,1087,0,1087,API log\n"
                           "118.5,GPT-4,417,276,693,Conversation log\n";
const std::string kMooncake =
    "{\"timestamp\": 27482, \"input_length\": 6955, \"output_length\": 52, \"hash_ids\": [46, "
    "47]}\n"
    "{\"timestamp\": 30535, \"input_length\": 6472, \"output_length\": 26, \"hash_ids\": []}\n";

} // namespace

class TstTrace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void threeKindsAreRead();
    void damageNamesItsLine_data();
    void damageNamesItsLine();
    void aTraceStandsAsAWorkload();
};

void TstTrace::threeKindsAreRead() {
    const auto azure = app::parseTrace(kAzure, "a.csv");
    QVERIFY2(azure, azure ? "" : azure.error().message.c_str());
    QCOMPARE(azure->kind, app::TraceKind::Azure);
    QCOMPARE(azure->requests.size(), std::size_t{3});
    QVERIFY(std::abs(azure->requests[1].atSeconds - 0.75) < 1e-4); // over midnight
    QVERIFY(std::abs(azure->requests[2].atSeconds - 2.75) < 1e-4);
    QCOMPARE(azure->requests[0].promptTokens, 374);
    QCOMPARE(azure->requests[0].maxTokens, 44);
    const auto burst = app::parseTrace(kBurst, "b.csv");
    QVERIFY(burst);
    QCOMPARE(burst->kind, app::TraceKind::BurstGpt);
    QCOMPARE(burst->requests.size(), std::size_t{2});
    QCOMPARE(burst->skipped, 1); // a failure, without an answer
    QCOMPARE(burst->requests[1].atSeconds, 113.5);
    const auto mooncake = app::parseTrace(kMooncake, "m.jsonl");
    QVERIFY(mooncake);
    QCOMPARE(mooncake->kind, app::TraceKind::Mooncake);
    QVERIFY(std::abs(mooncake->requests[1].atSeconds - 3.053) < 1e-9);
    QCOMPARE(app::parseTrace("\xEF\xBB\xBF" + kBurst, "b.csv")->requests.size(), std::size_t{2});
    // Without a line's end at the end, and out of order.
    const auto turned = app::parseTrace(
        "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-17 00:00:02,2,2\n2023-11-17 00:00:01,1,1",
        "a.csv");
    QVERIFY(turned);
    QCOMPARE(turned->requests.front().promptTokens, 1);
    QCOMPARE(turned->requests.back().atSeconds, 1.0);
}

void TstTrace::damageNamesItsLine_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& text, const char* expected) {
        QTest::newRow(name) << text << std::string(expected);
    };
    row("unknown", "hello\n", "t:1: this is no trace that is known");
    row("empty", "", "there is no request");
    row("head alone", kAzure.substr(0, kAzure.find('\n') + 1), "there is no request");
    row("cut row", kAzure + "2023-11-17 00:00:03.1,5", "t:5: 2 columns instead of 3");
    row("bad date", kAzure + "2023-17-11 00:00:03.1,5,5", "t:5: the time is");
    row("short date", kAzure + "2023,5,5", "t:5: the time is");
    row("negative tokens", kAzure + "2023-11-17 00:00:03.1,-5,5", "t:5: ContextTokens is -5");
    row("half a token", kAzure + "2023-11-17 00:00:03.1,5,1.5", "t:5: GeneratedTokens is 1.5");
    row("word", kBurst + "x,GPT-4,1,1,2,API log", "t:5: Timestamp is \"x\"");
    row("infinite", kBurst + "inf,GPT-4,1,1,2,API log", "t:5: Timestamp is \"inf\"");
    row("too long", kBurst + "119,GPT-4,9999999,1,2,API log", "t:5: Request tokens is");
    row("broken JSON", kMooncake + "{\"timestamp\": 1", "t:3: this line is no JSON object");
    row("missing key", kMooncake + "{\"timestamp\": 1}", "t:3: input_length is missing");
    row("text as number",
        kMooncake + "{\"timestamp\": \"1\", \"input_length\": 1, \"output_length\": 1}",
        "t:3: timestamp is missing or no number");
}

void TstTrace::damageNamesItsLine() {
    QFETCH(std::string, text);
    QFETCH(std::string, expected);
    const auto trace = app::parseTrace(text, "t");
    QVERIFY(!trace);
    QVERIFY2(trace.error().message.find(expected) != std::string::npos,
             trace.error().message.c_str());
}

void TstTrace::aTraceStandsAsAWorkload() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("b.csv")).toStdString();
    std::ofstream(file) << kBurst;
    const auto trace = app::loadTrace(file);
    QVERIFY(trace);
    const app::Workload workload = app::traceWorkload(*trace, "b");
    QVERIFY(app::validateWorkload(workload));
    QCOMPARE(workload.promptTokens.minimum, 417);
    QCOMPARE(workload.promptTokens.maximum, 472);
    QCOMPARE(app::loadTrace(file + ".gone").error().code, engine::ErrorCode::NotFound);
}

QTEST_GUILESS_MAIN(TstTrace)
#include "tst_trace.moc"
