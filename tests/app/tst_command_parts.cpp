// The parts of the command line that need no program: rules, tables, figures, settings, run ids.
#include "app/cli_database.h"
#include "app/command/command.h"
#include "app/command/field_text.h"
#include "app/command/setting_flags.h"
#include "app/command/text_table.h"
#include "app/fail_rule.h"
#include "app/run_text.h"

#include <QTest>

#include <CLI/CLI.hpp>

using namespace app;

class TstCommandParts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void detailsTellEventsForPeople();
    void rulesJudgeFigures_data();
    void rulesJudgeFigures();
    void aFigureWithoutValueFailsItsRule();
    void badRulesSayWhatIsKnown_data();
    void badRulesSayWhatIsKnown();
    void figuresHaveThreeDigits_data();
    void figuresHaveThreeDigits();
    void columnsAlignInWideScripts();
    void elidingKeepsTheWidth();
    void everySettingIsAFlag();
    void badSettingsNameTheFlag();
    void settingsThatContradictAreRefused();
    void runIdsAndDatabases_data();
    void runIdsAndDatabases();
    void statusesAreWhatScriptsRelyOn_data();
    void statusesAreWhatScriptsRelyOn();
    void summaryGreysThinTails();
    void detailsTellWhyRequestsWereNotAnswered();
    void namesAreNotObeyedByTerminals();
};

namespace {

RunSummary exampleSummary() {
    RunSummary summary;
    summary.run.id = 7;
    summary.run.name = "demo";
    summary.run.state = RunState::Finished;
    summary.run.seconds = 60.0;
    summary.completed = summary.requests = 120;
    std::vector<double> values;
    for (int i = 1; i <= 120; ++i) {
        values.push_back(i);
    }
    summary.ttftMs = quantiles(values);
    summary.outputPerSecond = 350.0;
    summary.achievedRate = 12.0;
    return summary;
}

} // namespace

void TstCommandParts::rulesJudgeFigures_data() {
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<bool>("isViolated");
    QTest::newRow("above") << QByteArray("ttft_max_ms>119") << true;
    QTest::newRow("not above") << QByteArray("ttft_max_ms>120") << false;
    QTest::newRow("at least") << QByteArray("ttft_max_ms>=120") << true;
    QTest::newRow("below") << QByteArray("achieved_rate < 12.5") << true;
    QTest::newRow("not below") << QByteArray("achieved_rate < 12") << false;
    QTest::newRow("at most") << QByteArray("achieved_rate<=12") << true;
    QTest::newRow("count") << QByteArray("failed>0") << false;
    QTest::newRow("exponent") << QByteArray("output_tokens_per_s<1e3") << true;
}

void TstCommandParts::rulesJudgeFigures() {
    QFETCH(QByteArray, rule);
    QFETCH(bool, isViolated);
    const auto parsed = parseFailRule(rule.toStdString());
    QVERIFY2(parsed.has_value(), parsed ? "" : parsed.error().message.c_str());
    QCOMPARE(violation(*parsed, exampleSummary()).has_value(), isViolated);
}

void TstCommandParts::aFigureWithoutValueFailsItsRule() {
    for (const char* text : {"ttft_p99_ms>300", "ttft_p99_ms<300", "lag_p50_ms>10"}) {
        const auto reason = violation(*parseFailRule(text), RunSummary{});
        QVERIFY(reason.has_value());
        QVERIFY2(reason->find("no value") != std::string::npos, reason->c_str());
    }
}

void TstCommandParts::badRulesSayWhatIsKnown_data() {
    QTest::addColumn<QByteArray>("rule");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("no relation") << QByteArray("ttft_p99_ms") << QByteArray("failed>0");
    QTest::newRow("unknown") << QByteArray("speed>1") << QByteArray("ttft_p99_ms");
    QTest::newRow("no number") << QByteArray("failed>many") << QByteArray("not a number");
    QTest::newRow("nan") << QByteArray("failed>nan") << QByteArray("not a number");
    QTest::newRow("empty") << QByteArray("") << QByteArray("failed>0");
    QTest::newRow("unit") << QByteArray("ttft_p99_ms>300ms") << QByteArray("not a number");
}

void TstCommandParts::badRulesSayWhatIsKnown() {
    QFETCH(QByteArray, rule);
    QFETCH(QByteArray, says);
    const auto parsed = parseFailRule(rule.toStdString());
    QVERIFY(!parsed.has_value());
    QVERIFY2(parsed.error().message.find(says.toStdString()) != std::string::npos,
             parsed.error().message.c_str());
}

void TstCommandParts::figuresHaveThreeDigits_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    const auto row = [](double value, const char16_t* text) {
        QTest::addRow("%g", value) << value << QString::fromUtf16(text);
    };
    row(0.0, u"0.00");
    row(0.123, u"0.12");
    row(9.994, u"9.99");
    row(9.996, u"10.0");
    row(99.94, u"99.9");
    row(99.96, u"100");
    row(348.2, u"348");
    row(1112.0, u"1,112");
    row(1234567.0, u"1,234,567");
    row(-42.0, u"\u221242.0");
    row(std::numeric_limits<double>::infinity(), u"\u2013");
    row(std::numeric_limits<double>::quiet_NaN(), u"\u2013");
}

void TstCommandParts::figuresHaveThreeDigits() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(figureText(value)), text);
    QCOMPARE(QString::fromStdString(figureText(std::nullopt)), QStringLiteral("\u2013"));
}

void TstCommandParts::columnsAlignInWideScripts() {
    TextTable table({{"name"}, {"n", Align::Right}});
    table.add({"demo", "1"});
    table.add({"\u6f14\u793a", "12"});
    table.add({"a longer name", "123"});
    QCOMPARE(QString::fromStdString(table.text()), QStringLiteral("name             n\n"
                                                                  "demo             1\n"
                                                                  "\u6f14\u793a            12\n"
                                                                  "a longer name  123\n"));
}

void TstCommandParts::elidingKeepsTheWidth() {
    for (const char* text : {"plain text that is long", "\u6f14\u793a\u6f14\u793a\u6f14\u793a",
                             "e\u0301a\xFF\xFE broken", ""}) {
        for (int columns = 1; columns < 30; ++columns) {
            QVERIFY(displayWidth(elided(text, columns)) <= columns);
        }
        QCOMPARE(elided(text, 100), std::string(text));
    }
}

void TstCommandParts::everySettingIsAFlag() {
    for (const engine::Field& field : engine::fieldTable()) {
        CLI::App parser;
        SettingFlags flags;
        flags.declare(parser);
        const std::string value = engine::valueText(field, engine::EngineConfig{});
        std::vector<std::string> arguments = {value, std::string(field.flag)}; // reversed
        parser.parse(arguments);
        const auto changed = flags.changed();
        QCOMPARE(changed.size(), std::size_t(1));
        QCOMPARE(changed[0].first, std::string(field.key));
        QCOMPARE(changed[0].second, value);
        QVERIFY(!allowedText(field).empty());
        QVERIFY(!defaultText(field).empty());
        QVERIFY(SettingFlags::applied(changed) == engine::EngineConfig{});
    }
}

void TstCommandParts::badSettingsNameTheFlag() {
    for (const char* value : {"0", "-1", "many", "1e99", "", "2.5"}) {
        CLI::App parser;
        SettingFlags flags;
        flags.declare(parser);
        parser.parse(std::vector<std::string>{value, "--max-batch"});
        try {
            flags.changed();
            QFAIL(value);
        } catch (const CommandError& error) {
            QCOMPARE(error.status(), ExitStatus::Usage);
            QVERIFY(std::string_view(error.what()).starts_with("--max-batch: "));
        }
    }
}

void TstCommandParts::settingsThatContradictAreRefused() {
    QVERIFY_EXCEPTION_THROWN(SettingFlags::applied({{"batching.max_batch", "64"},
                                                    {"batching.token_budget", "8"},
                                                    {"batching.prefill_chunk", "8"}}),
                             CommandError);
}

void TstCommandParts::runIdsAndDatabases_data() {
    QTest::addColumn<QList<QByteArray>>("arguments");
    QTest::addColumn<int>("runs"); // negative: refused
    QTest::addColumn<bool>("hasDatabase");
    using List = QList<QByteArray>;
    QTest::newRow("nothing") << List{} << 0 << false;
    QTest::newRow("one") << List{"12"} << 1 << false;
    QTest::newRow("database") << List{"a.db"} << 0 << true;
    QTest::newRow("database and two") << List{"a.db", "3", "4"} << 2 << true;
    QTest::newRow("two databases") << List{"a.db", "b.db"} << -1 << true;
    QTest::newRow("text after a run") << List{"1", "x"} << -1 << false;
    QTest::newRow("zero is no run") << List{"a.db", "0"} << -1 << true;
    QTest::newRow("negative is no run") << List{"a.db", "-4"} << -1 << true;
    QTest::newRow("too large") << List{"a.db", "99999999999999999999"} << -1 << true;
}

void TstCommandParts::runIdsAndDatabases() {
    QFETCH(QList<QByteArray>, arguments);
    QFETCH(int, runs);
    QFETCH(bool, hasDatabase);
    std::vector<std::string> texts;
    for (const QByteArray& argument : arguments) {
        texts.push_back(argument.toStdString());
    }
    if (runs < 0) {
        QVERIFY_EXCEPTION_THROWN(parseRunArguments(texts), CommandError);
        return;
    }
    const RunArguments parsed = parseRunArguments(texts);
    QCOMPARE(int(parsed.runs.size()), runs);
    QCOMPARE(parsed.runLog == "a.db", hasDatabase);
}

namespace {

void declareExample(CLI::App& command, ChosenCommand& chosen) {
    const auto status = std::make_shared<int>(0);
    command.add_option("--end", *status, "How to end");
    command.callback([status, &chosen] {
        chosen = [status] {
            if (*status == 99) {
                throw std::runtime_error("something else");
            }
            if (*status == 98) {
                throw CommandError(ExitStatus::NotMet, "a rule");
            }
            return static_cast<ExitStatus>(*status);
        };
    });
}

} // namespace

void TstCommandParts::statusesAreWhatScriptsRelyOn_data() {
    QTest::addColumn<QList<QByteArray>>("arguments");
    QTest::addColumn<int>("status");
    using List = QList<QByteArray>;
    QTest::newRow("done") << List{"go"} << 0;
    QTest::newRow("failed") << List{"go", "--end", "1"} << 1;
    QTest::newRow("interrupted") << List{"go", "--end", "130"} << 130;
    QTest::newRow("not met") << List{"go", "--end", "98"} << 3;
    QTest::newRow("unforeseen") << List{"go", "--end", "99"} << 1;
    QTest::newRow("no number") << List{"go", "--end", "x"} << 2;
    QTest::newRow("unknown flag") << List{"go", "--fast"} << 2;
    QTest::newRow("unknown command") << List{"come"} << 2;
    QTest::newRow("no command") << List{} << 42;
    QTest::newRow("help") << List{"go", "--help"} << 0;
}

void TstCommandParts::statusesAreWhatScriptsRelyOn() {
    QFETCH(QList<QByteArray>, arguments);
    QFETCH(int, status);
    constexpr CommandRow kTable[] = {{"go", "Goes", "program go", declareExample}};
    CLI::App root("A program.", "program");
    std::vector<const char*> list = {"program"};
    for (const QByteArray& argument : arguments) {
        list.push_back(argument.constData());
    }
    QCOMPARE(runCommands(root, kTable, int(list.size()), list.data(), [] { return 42; }), status);
}

void TstCommandParts::summaryGreysThinTails() {
    const std::string text = runSummaryText(exampleSummary(), "runs.db");
    QVERIFY2(text.find("(119)") != std::string::npos, text.c_str()); // p99 of 120: too few
    QVERIFY(text.find("(108)") == std::string::npos);                // p90 of 120: enough
    QVERIFY(text.find("120 completed") != std::string::npos);
    QVERIFY(text.find("nan") == std::string::npos);
}

void TstCommandParts::detailsTellEventsForPeople() {
    app::RunData run;
    run.events = {{.sequence = 1, .source = "app", .kind = "stage", .payloadJson = "{}"},
                  {.sequence = 2, .source = "engine", .kind = "step_cost", .payloadJson = "{}"}};
    const std::string text = app::runDetailsText(run);
    QVERIFY(text.find("stage") != std::string::npos);
    QVERIFY(text.find("step_cost") == std::string::npos);
}

void TstCommandParts::detailsTellWhyRequestsWereNotAnswered() {
    app::RunData run;
    const auto add = [&run](engine::FinishReason reason, const char* message) {
        app::StoredRequest request;
        request.record.reason = reason;
        request.record.message = message;
        run.requests.push_back(std::move(request));
    };
    add(engine::FinishReason::Stop, "");
    add(engine::FinishReason::TooLong, "over the context");
    add(engine::FinishReason::Failed, "broken");
    add(engine::FinishReason::Failed, "broken");
    const std::string text = app::runDetailsText(run);
    const std::size_t failed = text.find("broken"), rejected = text.find("over the context");
    QVERIFY2(failed < rejected && rejected != std::string::npos, text.c_str()); // the most first
    QVERIFY2(text.find("too_long") != std::string::npos, text.c_str());
    QVERIFY(app::runDetailsText({}).find("message") == std::string::npos);
}

void TstCommandParts::namesAreNotObeyedByTerminals() {
    QCOMPARE(printable("ok 好 é"), std::string("ok 好 é"));
    QCOMPARE(printable(std::string("a\0\x1b[31m\n", 8)), std::string("a��[31m�"));
    QCOMPARE(printable("\xC2\x9B"
                       "1A"),
             std::string("�1A")); // the one-character CSI
    QCOMPARE(printable("\xFF"
                       "a"),
             std::string("�a")); // no UTF-8
    QCOMPARE(printable("\u202E"
                       "abc"),
             std::string("�abc")); // right to left from here
    RunSummary summary = exampleSummary();
    summary.run.name = "evil\x1b[2J";
    QVERIFY(runSummaryText(summary, "runs.db").find('\x1b') == std::string::npos);
    QVERIFY(runListText({summary}).find('\x1b') == std::string::npos);
}

QTEST_GUILESS_MAIN(TstCommandParts)
#include "tst_command_parts.moc"
