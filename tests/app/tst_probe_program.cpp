// The program `headway-probe` from the outside, on a tiny model.
#include "tests/support/program.h"
#include "tests/support/tiny_model.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>

using nlohmann::json;
using tests::ProgramEnd;
using tests::ProgramRunner;

class TstProbeProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyCommandHasHelpWithAnExample_data();
    void everyCommandHasHelpWithAnExample();
    void wrongUsageIsTwo_data();
    void wrongUsageIsTwo();
    void failedWorkIsOne_data();
    void failedWorkIsOne();
    void inspectReadsHeaders();
    void generateTellsIdsStampsAndLedger();
    void greedyAnswersRepeat();
    void seededAnswersRepeatAndDiffer();
    void textAndIdsAreTheSameAnswer();
    void chatWrapsThePrompt();
    void chatFormatTellsThePrompt();
    void textsAreMeasured();
    void hostilePromptsAreAnswersOrMessages_data();
    void hostilePromptsAreAnswersOrMessages();
    void listsLeaveTheModelAlone();
    void helpNamesValues();
    void interruptedSynthLeavesNothing();
    void tokensGoThereAndBack_data();
    void tokensGoThereAndBack();
    void linesInArraysOut();
    void controlTokensAreParsedOnlyOnDemand();
    void logitsDoNotDependOnChunks();
    void benchIsADocument();
    void synthesizedModelsRun();
    void checkEndsWithCounts();

private:
    ProgramEnd run(const char* arguments, const QByteArray& input = {}) const {
        return m_probe->run(words(arguments), input);
    }
    static QStringList words(const char* text) {
        return QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    }
    static json documentOf(const ProgramEnd& end) {
        const json document = json::parse(end.out.toStdString(), nullptr, false);
        if (document.is_discarded()) {
            qFatal("no JSON document: %s\n%s", end.out.constData(), end.err.constData());
        }
        return document;
    }
    QByteArray contentOf(const char* name) const {
        QFile file(m_probe->path(QString::fromLatin1(name)));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<ProgramRunner> m_probe;
};

void TstProbeProgram::initTestCase() {
    m_probe = std::make_unique<ProgramRunner>(QStringLiteral("headway-probe"));
    tests::writeTinyModel(m_probe->path(QStringLiteral("tiny.gguf")).toStdString());
    QFile noise(m_probe->path(QStringLiteral("noise")));
    QVERIFY(noise.open(QIODevice::WriteOnly));
    noise.write(QByteArray(5000, '\x7F'));
    // A real file that ends in the middle of its tensors.
    const QByteArray whole = contentOf("tiny.gguf");
    QFile cut(m_probe->path(QStringLiteral("cut.gguf")));
    QVERIFY(cut.open(QIODevice::WriteOnly));
    cut.write(whole.left(whole.size() / 2));
}

void TstProbeProgram::everyCommandHasHelpWithAnExample_data() {
    QTest::addColumn<QString>("command");
    for (const char* command :
         {"", "inspect", "generate", "logits", "tokenize", "detokenize", "chat-format", "synth",
          "bench", "tokenize-bench", "quality", "check", "roofline"}) {
        QTest::newRow(command[0] != '\0' ? command : "none") << QString::fromLatin1(command);
    }
}

void TstProbeProgram::everyCommandHasHelpWithAnExample() {
    QFETCH(QString, command);
    const ProgramEnd end = m_probe->run(words(command.toLatin1()) << QStringLiteral("--help"));
    QCOMPARE(end.status, 0);
    QVERIFY(end.out.contains("Example:\n  headway-probe " + command.toLatin1()));
}

void TstProbeProgram::wrongUsageIsTwo_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* arguments, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(says);
    };
    row("", "--help");
    row("inspekt tiny.gguf", "inspekt");
    row("inspect", "MODEL");
    row("inspect tiny.gguf --fast", "--fast");
    row("generate tiny.gguf", "--prompt");
    row("generate tiny.gguf --prompt a --max-tokens 0", "--max-tokens");
    row("generate tiny.gguf --prompt a --max-tokens 99999999999", "--max-tokens");
    row("generate tiny.gguf --prompt a --temperature -1", "--temperature");
    row("generate tiny.gguf --prompt a --top-p 2", "--top-p");
    row("generate tiny.gguf --prompt a --max-batch 0", "--max-batch");
    row("logits tiny.gguf --ids 1,x --out a", "\"x\"");
    row("logits tiny.gguf --ids -4 --out a", "");
    row("logits tiny.gguf --ids , --out a", "at least one");
    row("tokenize tiny.gguf", "--text");
    row("tokenize tiny.gguf --text a --file b", "one of");
    row("bench tiny.gguf -p 0 -n 0", "-p and -n");
    row("bench tiny.gguf -b 0", "-b");
    row("bench tiny.gguf -r 0", "-r");
    row("check --device cuda", "CPU");
    row("synth --out a.gguf", "--shape");
    row("synth --shape nosuch --out a.gguf", "smollm2-135m");
    row("synth --shape smollm2-135m --format Q99 --out a.gguf", "Q99");
    row("synth --shape smollm2-135m --layers 600 --out a.gguf", "512");
    row("check --isa sse9", "sse9");
    row("logits tiny.gguf --ids 1 --out a --isa sse9", "sse9");
    row("generate tiny.gguf --prompt a --temperature nan", "--temperature");
    row("generate tiny.gguf --prompt a --device cuda", "cpu");
}

void TstProbeProgram::wrongUsageIsTwo() {
    QFETCH(QString, arguments);
    QFETCH(QByteArray, says);
    const ProgramEnd end = m_probe->run(words(arguments.toLatin1()));
    QVERIFY2(end.status == 2, end.err.constData());
    QVERIFY2(end.err.contains(says), end.err.constData());
    QVERIFY(end.out.isEmpty());
}

void TstProbeProgram::failedWorkIsOne_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* arguments, const char* says) {
        QTest::newRow(arguments) << QString::fromLatin1(arguments) << QByteArray(says);
    };
    for (const char* model : {"nosuch.gguf", ".", "noise", "cut.gguf", "/dev/null"}) {
        for (const char* command :
             {"inspect %1", "generate %1 --prompt a", "tokenize %1 --text a",
              "detokenize %1 --ids 1", "logits %1 --ids 1 --out a", "bench %1 -p 1 -n 1 -r 1"}) {
            row(QString::fromLatin1(command).arg(QString::fromLatin1(model)).toLatin1(), "");
        }
    }
    row("logits tiny.gguf --ids 99999 --out a", "99999");
    row("logits tiny.gguf --ids 1 --out nosuchfolder/a", "nosuchfolder");
    row("detokenize tiny.gguf --ids 99999", "99999");
    row("tokenize tiny.gguf --file nosuch.txt", "nosuch.txt");
    row("generate tiny.gguf --prompt-file nosuch.txt", "nosuch.txt");
    row("synth --shape smollm2-135m --layers 1 --out nosuchfolder/a.gguf", "nosuchfolder");
    row("bench tiny.gguf -p 100000 -n 0 -r 1", "");
}

void TstProbeProgram::failedWorkIsOne() {
    QFETCH(QString, arguments);
    QFETCH(QByteArray, says);
    const ProgramEnd end = m_probe->run(words(arguments.toLatin1()));
    QVERIFY2(end.status == 1, end.err.constData());
    QVERIFY2(end.err.contains(says), end.err.constData());
    QVERIFY(end.err.size() > 10);
    QVERIFY(end.out.isEmpty());
    QVERIFY(!QFile::exists(m_probe->path(QStringLiteral("a.part"))));
}

void TstProbeProgram::inspectReadsHeaders() {
    const json model = documentOf(run("inspect tiny.gguf --json"));
    QCOMPARE(model["shape"]["layers"].get<int>(), 2);
    QCOMPARE(model["shape"]["hidden"].get<int>(), 64);
    QCOMPARE(model["supported"].get<bool>(), true);
    QVERIFY(model["tensors"].size() > 2);
    const ProgramEnd text = run("inspect tiny.gguf");
    QVERIFY2(text.out.contains("2 layers"), text.out.constData());
}

void TstProbeProgram::generateTellsIdsStampsAndLedger() {
    const json answer =
        documentOf(run("generate tiny.gguf --prompt hello --max-tokens 6 --ignore-end --json"));
    QCOMPARE(answer["output_ids"].size(), std::size_t(6));
    QVERIFY(!answer["prompt_ids"].empty());
    QCOMPARE(answer["prompt_tokens"].get<std::size_t>(), answer["prompt_ids"].size());
    QCOMPARE(answer["finish_reason"].get<std::string>(), std::string("length"));
    double sum = 0.0;
    for (const auto& stage : answer["ledger_ms"]) {
        QVERIFY(stage.get<double>() >= 0.0);
        sum += stage.get<double>();
    }
    QVERIFY(std::abs(sum - answer["ttft_ms"].get<double>()) < 0.001);
    double previous = 0.0;
    for (const char* stamp :
         {"received_ms", "tokenized_ms", "admitted_ms", "planned_ms", "prefill_done_ms",
          "first_sampled_ms", "first_visible_ms", "last_token_ms", "finished_ms"}) {
        QVERIFY2(answer["stamps_ms"].contains(stamp), stamp);
        QVERIFY(answer["stamps_ms"][stamp].get<double>() >= previous);
        previous = answer["stamps_ms"][stamp].get<double>();
    }
}

void TstProbeProgram::greedyAnswersRepeat() {
    const char* arguments = "generate tiny.gguf --prompt hello --max-tokens 8 --ignore-end --ids";
    const ProgramEnd first = run(arguments);
    QCOMPARE(first.status, 0);
    QCOMPARE(run(arguments).out, first.out);
    QCOMPARE(run((QByteArray(arguments) + " --threads 1 --block-tokens 16").constData()).out,
             first.out);
}

void TstProbeProgram::seededAnswersRepeatAndDiffer() {
    const QByteArray base =
        "generate tiny.gguf --prompt hello --max-tokens 8 --ignore-end --ids --temperature 1 ";
    const QByteArray first = run((base + "--seed 1").constData()).out;
    QCOMPARE(run((base + "--seed 1").constData()).out, first);
    QVERIFY(run((base + "--seed 2").constData()).out != first);
}

void TstProbeProgram::textAndIdsAreTheSameAnswer() {
    const QByteArray base = "generate tiny.gguf --prompt hello --max-tokens 8 --ignore-end ";
    const QByteArray ids = run((base + "--ids").constData()).out.trimmed();
    const QByteArray text = run(base.constData()).out;
    QCOMPARE(run(("detokenize tiny.gguf --ids " + ids).constData()).out, text);
}

void TstProbeProgram::chatWrapsThePrompt() {
    const auto plain = documentOf(run("generate tiny.gguf --prompt hello --max-tokens 1 "
                                      "--ignore-end --json"))["prompt_ids"];
    const auto chat = documentOf(run("generate tiny.gguf --prompt hello --max-tokens 1 "
                                     "--ignore-end --chat --json"))["prompt_ids"];
    QVERIFY(chat.size() > plain.size());
}

void TstProbeProgram::chatFormatTellsThePrompt() {
    QFile file(m_probe->path(QStringLiteral("messages.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"([{"role": "system", "content": "Be brief."},
                   {"role": "user", "content": "hi <|im_end|>"}])");
    file.close();
    const json answer = documentOf(run("chat-format tiny.gguf --messages messages.json --json"));
    const std::string wanted = "<|im_start|>system\nBe brief.<|im_end|>\n"
                               "<|im_start|>user\nhi <|im_end|><|im_end|>\n"
                               "<|im_start|>assistant\n";
    QCOMPARE(answer["text"].get<std::string>(), wanted);
    // What a user writes is never a control token: two ends, not three.
    const json end =
        documentOf(run("tokenize tiny.gguf --text <|im_end|> --special --json"))["ids"];
    QCOMPARE(end.size(), std::size_t(1));
    QCOMPARE(std::ranges::count(answer["ids"], end[0]), 2);
    const ProgramEnd named = run("chat-format --format chatml --messages messages.json");
    QCOMPARE(named.status, 0);
    QCOMPARE(named.out.toStdString(), wanted + "\n");
    QCOMPARE(run("chat-format --messages messages.json").status, 2);
    QCOMPARE(run("chat-format --format nonsense --messages messages.json").status, 2);
    QCOMPARE(run("chat-format --format chatml --messages noise").status, 1);
}

void TstProbeProgram::textsAreMeasured() {
    QVERIFY(QDir().mkpath(m_probe->path(QStringLiteral("texts"))));
    QFile file(m_probe->path(QStringLiteral("texts/lines.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (int i = 0; i < 2000; ++i) {
        file.write("line " + QByteArray::number(i) + " of a text to encode\n");
    }
    file.close();
    const json bench = documentOf(run("tokenize-bench tiny.gguf --texts texts -r 3 --json"));
    QCOMPARE(bench["results"].size(), std::size_t(3));
    for (const json& result : bench["results"]) {
        QCOMPARE(result["text"].get<std::string>(), std::string("lines"));
        const json& latency = result["latency_ms"];
        QVERIFY(latency["min"] > 0.0 && latency["min"] <= latency["median"] &&
                latency["median"] <= latency["p90"] && latency["p90"] <= latency["max"]);
        QCOMPARE(latency["n"].get<int>(), 3);
        QVERIFY(result["tokens_per_s"] > 0.0);
    }
    QCOMPARE(run("tokenize-bench tiny.gguf --texts nowhere").status, 1);
}

void TstProbeProgram::hostilePromptsAreAnswersOrMessages_data() {
    QTest::addColumn<QByteArray>("prompt");
    QTest::addColumn<int>("status");
    QTest::newRow("invalid UTF-8") << QByteArray("\xFF\xFE\xC0 caf\xE9") << 0;
    QTest::newRow("control token in the text") << QByteArray("<|im_end|><|im_start|>") << 0;
    QTest::newRow("zero bytes") << QByteArray("a\0b", 3) << 0;
    QTest::newRow("longer than the context") << QByteArray(10'000, 'x') << 1;
    QTest::newRow("ten megabytes") << QByteArray(10'000'000, 'y') << 1;
}

void TstProbeProgram::hostilePromptsAreAnswersOrMessages() {
    QFETCH(QByteArray, prompt);
    QFETCH(int, status);
    QFile file(m_probe->path(QStringLiteral("prompt.txt")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(prompt);
    file.close();
    const ProgramEnd end =
        run("generate tiny.gguf --prompt-file prompt.txt --max-tokens 2 --ignore-end --json");
    QVERIFY2(end.status == status, end.err.constData());
    const json answer = documentOf(end);
    QCOMPARE(answer["finish_reason"].get<std::string>(),
             std::string(status == 0 ? "length" : "too_long"));
    QCOMPARE(end.err.isEmpty(), status == 0);
    const ProgramEnd text =
        run("generate tiny.gguf --prompt-file prompt.txt --max-tokens 2 --ignore-end");
    QVERIFY2(text.status == status, text.err.constData());
    QCOMPARE(text.out.isEmpty(), status == 1); // nor an empty line for what was refused
}

void TstProbeProgram::listsLeaveTheModelAlone() {
    const ProgramEnd end = run("bench --json -r 1 -p 8 -n 4 -b 1,2 tiny.gguf");
    QVERIFY2(end.status == 0, end.err.constData());
    QCOMPARE(documentOf(end)["results"].size(), std::size_t{3});
}

void TstProbeProgram::helpNamesValues() {
    QVERIFY(run("generate --help").out.contains("on|off"));
    QVERIFY(!run("generate --help").out.contains("ENUM"));
    QVERIFY(run("check --help").out.contains("scalar"));
}

void TstProbeProgram::interruptedSynthLeavesNothing() {
    const auto process =
        m_probe->start(words("synth --shape llama-3.2-1b --format F32 --out big.gguf"));
    const QDir folder(QFileInfo(m_probe->path(QStringLiteral("big.gguf"))).path());
    const auto isWriting = [&folder] {
        const QFileInfo part(folder.filePath(QStringLiteral("big.gguf.partial")));
        return part.exists() && part.size() > 1 << 20;
    };
    QTRY_VERIFY_WITH_TIMEOUT(isWriting(), 20'000);
    ::kill(static_cast<pid_t>(process->processId()), SIGINT);
    const ProgramEnd end = ProgramRunner::wait(*process);
    QVERIFY2(end.status == 130, end.err.constData());
    QVERIFY(folder.entryList({QStringLiteral("big.gguf*")}).isEmpty());
}

void TstProbeProgram::tokensGoThereAndBack_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("words") << QStringLiteral("hello there,  world");
    QTest::newRow("Chinese") << QStringLiteral("\u4f60\u597d\uff0c\u4e16\u754c");
    QTest::newRow("emoji") << QString::fromUtf8("\xF0\x9F\x98\x80 ok");
    QTest::newRow("control text") << QStringLiteral("<|im_start|>");
    QTest::newRow("lines") << QStringLiteral("a\n\n\tb");
}

void TstProbeProgram::tokensGoThereAndBack() {
    QFETCH(QString, text);
    const ProgramEnd there = m_probe->run(
        {QStringLiteral("tokenize"), QStringLiteral("tiny.gguf"), QStringLiteral("--text"), text});
    QCOMPARE(there.status, 0);
    const ProgramEnd back =
        m_probe->run({QStringLiteral("detokenize"), QStringLiteral("tiny.gguf"),
                      QStringLiteral("--ids"), QString::fromLatin1(there.out.trimmed())});
    QCOMPARE(QString::fromUtf8(back.out), text + QLatin1Char('\n'));
}

void TstProbeProgram::linesInArraysOut() {
    const ProgramEnd end =
        run("tokenize tiny.gguf --stdin-jsonl", "\"hello\"\n\"\"\n\n\"a\\nb\"\n");
    QCOMPARE(end.status, 0);
    const QList<QByteArray> lines = end.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1], QByteArray("[]"));
    QVERIFY(json::parse(lines[2].toStdString()).size() >= 2);
    const ProgramEnd bad = run("tokenize tiny.gguf --stdin-jsonl", "\"ok\"\n{\"no\": 1}\n");
    QCOMPARE(bad.status, 1);
    QVERIFY2(bad.err.contains("Line 2"), bad.err.constData());
}

void TstProbeProgram::controlTokensAreParsedOnlyOnDemand() {
    const auto escaped = documentOf(run("tokenize tiny.gguf --text <|im_start|> --json"))["ids"];
    const auto parsed =
        documentOf(run("tokenize tiny.gguf --text <|im_start|> --special --json"))["ids"];
    QVERIFY(escaped.size() > 1);
    QCOMPARE(parsed.size(), std::size_t(1));
}

void TstProbeProgram::logitsDoNotDependOnChunks() {
    QCOMPARE(run("logits tiny.gguf --ids 10,20,30,40,50 --all --out all.f32").status, 0);
    const QByteArray all = contentOf("all.f32");
    QCOMPARE(all.size(), qsizetype(5 * 320 * 4));
    QCOMPARE(run("logits tiny.gguf --ids 10,20,30,40,50 --all --chunk 2 --out two.f32").status, 0);
    QCOMPARE(contentOf("two.f32"), all);
    QCOMPARE(run("logits tiny.gguf --ids 10,20,30,40,50 --threads 1 --out last.f32").status, 0);
    QCOMPARE(contentOf("last.f32"), all.right(320 * 4));
}

void TstProbeProgram::benchIsADocument() {
    const json bench = documentOf(run("bench tiny.gguf -p 32 -n 8 -b 1,4 -d 0,16 -r 2 --json"));
    QCOMPARE(bench["results"].size(), std::size_t(2 * (1 + 2)));
    for (const json& result : bench["results"]) {
        const json& rate = result["tokens_per_s"];
        QVERIFY(rate["min"].get<double>() > 0);
        QVERIFY(rate["min"].get<double>() <= rate["median"].get<double>());
        QVERIFY(rate["median"].get<double>() <= rate["max"].get<double>());
        QCOMPARE(result["n"].get<int>(), 2);
        QVERIFY(result["kind"] == "prefill" || result["kind"] == "decode");
        QVERIFY(result.contains("tokens") && result.contains("batch") && result.contains("depth"));
    }
    for (const char* key : {"cpu", "isa", "threads"}) {
        QVERIFY2(bench["machine"].contains(key), key);
    }
    QVERIFY(bench.contains("model"));
}

void TstProbeProgram::synthesizedModelsRun() {
    const ProgramEnd synth = run("synth --shape smollm2-135m --layers 1 --out synthetic.gguf");
    QVERIFY2(synth.status == 0, synth.err.constData());
    const json model = documentOf(run("inspect synthetic.gguf --json"));
    QCOMPARE(model["shape"]["layers"].get<int>(), 1);
    QCOMPARE(model["shape"]["hidden"].get<int>(), 576);
    const json answer = documentOf(
        run("generate synthetic.gguf --prompt hello --max-tokens 2 --ignore-end --json"));
    QCOMPARE(answer["output_ids"].size(), std::size_t(2));
}

void TstProbeProgram::checkEndsWithCounts() {
    const ProgramEnd end = run("check");
    QVERIFY2(end.status == 0, end.out.constData());
    const QByteArray last = end.out.trimmed().split('\n').last();
    QVERIFY2(last.endsWith(" passed, 0 failed"), last.constData());
}

QTEST_GUILESS_MAIN(TstProbeProgram)
#include "tst_probe_program.moc"
