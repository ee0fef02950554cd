// `headway serve` as a process, with real clients: sockets always; curl and the official OpenAI
// client where this machine has them.
#include "app/store/run_store.h"
#include "tests/support/prometheus_text.h"
#include "tests/support/served.h"
#include "tests/support/tiny_model.h"

#include <QDir>
#include <QFile>
#include <QFloat16> // comparing JSON looks at it
#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace std::chrono_literals;
using nlohmann::json;
using tests::get;
using tests::HttpAnswer;
using tests::HttpClient;
using tests::post;
using tests::ProgramRunner;
using tests::Served;
using tests::stop;

class TstServeProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { tests::allowManyFiles(); }
    void init();

    void answersUntilItIsStopped();
    void countsAgreeInAllThreePlaces();
    void levelsAreToldAndForced();
    void aLightModelThatIsNoneIsSaid();
    void answersOnDiskOutliveTheServer();
    void streamedPromptsAreWritten();
    void whatRunsAtTheEndIsRecorded();
    void whoLeavesFreesTheEngine();
    void hostileClientsLeaveItServing();
    void overloadIsToldWithATime();
    void curlReadsAStream();
    void theOfficialClientWorks();

private:
    Served serve(const QStringList& more = {}) const { return tests::serve(*m_headway, more); }

    std::unique_ptr<ProgramRunner> m_headway;
};

namespace {

const json kHello = {{"messages", {{{"role", "user"}, {"content", "Say hello."}}}},
                     {"max_tokens", 5},
                     {"temperature", 0},
                     {"ignore_eos", true}};

json with(json body, const char* name, json value) {
    body[name] = std::move(value);
    return body;
}

} // namespace

void TstServeProgram::init() {
    m_headway = std::make_unique<ProgramRunner>(QStringLiteral("headway"));
    tests::writeTinyModel(m_headway->path(QStringLiteral("tiny.gguf")).toStdString());
}

void TstServeProgram::answersUntilItIsStopped() {
    Served server = serve();
    QVERIFY(server.port != 0);
    QCOMPARE(get(server, "/health").status, 200);
    const json models = json::parse(get(server, "/v1/models").body);
    QCOMPARE(models["data"].size(), std::size_t{1});
    const json answer = json::parse(post(server, "/v1/chat/completions", kHello).body);
    QCOMPARE(answer["usage"]["completion_tokens"], json(5));
    const json again = json::parse(post(server, "/v1/chat/completions", kHello).body);
    QCOMPARE(answer["choices"][0]["message"], again["choices"][0]["message"]);
    QCOMPARE(stop(server), 0);
    auto store = app::RunStore::open(server.runLog, app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto summary = (*store)->summary(server.run);
    QVERIFY(summary.has_value());
    QCOMPARE(summary->completed, std::int64_t{2});
}

void TstServeProgram::countsAgreeInAllThreePlaces() {
    Served server = serve();
    std::int64_t prompt = 0;
    std::int64_t output = 0;
    std::map<std::int64_t, json> ledgers;
    constexpr int kRequests = 6;
    for (int i = 0; i < kRequests; ++i) {
        const json body = with(kHello, "max_tokens", 3 + i);
        const json answer = json::parse(
            post(server, i % 2 == 0 ? "/v1/chat/completions" : "/v1/completions",
                 i % 2 == 0 ? body
                            : json{{"prompt", std::string(static_cast<std::size_t>(20 + i), 'a')},
                                   {"max_tokens", 3 + i},
                                   {"temperature", 0},
                                   {"ignore_eos", true}})
                .body);
        prompt += answer["usage"]["prompt_tokens"].get<std::int64_t>();
        output += answer["usage"]["completion_tokens"].get<std::int64_t>();
        ledgers[answer["headway"]["request_id"]] = answer["headway"];
    }
    tests::PrometheusText metrics;
    for (int i = 0; i < 100; ++i) {
        metrics = tests::parsePrometheus(get(server, "/metrics").body);
        if (metrics.value("vllm:time_to_first_token_seconds_count") == kRequests) {
            break;
        }
        QTest::qWait(50);
    }
    QVERIFY2(metrics.problem.empty(), metrics.problem.c_str());
    QCOMPARE(metrics.value("vllm:request_success_total", {{"finished_reason", "length"}}),
             static_cast<double>(kRequests));
    QCOMPARE(metrics.value("vllm:generation_tokens_total"), static_cast<double>(output));
    QCOMPARE(metrics.value("vllm:request_prompt_tokens_sum"), static_cast<double>(prompt));
    QCOMPARE(stop(server), 0);
    auto store = app::RunStore::open(server.runLog, app::StoreMode::ReadOnly);
    const auto run = (*store)->load(server.run);
    QVERIFY(run.has_value());
    QCOMPARE(run->requests.size(), std::size_t{kRequests});
    double seconds = 0.0;
    for (const app::StoredRequest& stored : run->requests) {
        const engine::RequestRecord& record = stored.record;
        prompt -= record.promptTokens;
        output -= record.outputTokens;
        const json& told = ledgers.at(static_cast<std::int64_t>(record.id));
        QVERIFY(record.ledgerNs.has_value());
        double sum = 0.0;
        for (std::size_t stage = 0; stage < engine::kStages; ++stage) {
            const double ms = static_cast<double>((*record.ledgerNs)[stage]) / 1e6;
            sum += ms;
            const std::string name(engine::name(static_cast<engine::Stage>(stage)));
            QVERIFY(std::abs(told["ledger_ms"][name].get<double>() - ms) < 1e-5);
        }
        QVERIFY(std::abs(sum - told["ttft_ms"].get<double>()) < 1e-3);
        seconds += told["ttft_ms"].get<double>() / 1e3;
    }
    QCOMPARE(prompt, std::int64_t{0});
    QCOMPARE(output, std::int64_t{0});
    QVERIFY(std::abs(*metrics.value("vllm:time_to_first_token_seconds_sum") - seconds) < 1e-6);
}

void TstServeProgram::levelsAreToldAndForced() {
    Served server = serve({QStringLiteral("--batching"), QStringLiteral("dynamic")});
    const json before = json::parse(get(server, "/v1/degradation").body);
    QCOMPARE(before["mode"].get<std::string>(), std::string("off"));
    QCOMPARE(before["level"].get<int>(), 0);
    QCOMPARE(before["actions"].size(), std::size_t{4});
    const auto force = [&](const json& body) {
        return tests::ask(server.port,
                          HttpClient::request("PUT", "/v1/degradation", server.token, body.dump()));
    };
    QCOMPARE(force({{"mode", "3"}}).status, 400);
    QCOMPARE(force(json::object()).status, 400);
    QCOMPARE(force({{"mode", 1}}).status, 200);
    json now = json::object();
    for (int i = 0; i < 100 && now.value("level", 0) != 1; ++i) {
        QTest::qWait(20);
        now = json::parse(get(server, "/v1/degradation").body);
    }
    QCOMPARE(now["level"].get<int>(), 1);
    QCOMPARE(now["mode"].get<std::string>(), std::string("1"));
    json policy = json::object();
    for (int i = 0; i < 100 && policy.value("effective", "") != "continuous"; ++i) {
        QTest::qWait(20);
        const json config = json::parse(get(server, "/v1/config").body);
        for (const json& field : config["fields"]) {
            policy = field["field"] == "batching.policy" ? field : policy;
        }
    }
    QCOMPARE(policy["requested"].get<std::string>(), std::string("dynamic"));
    QCOMPARE(policy["state"].get<std::string>(), std::string("held"));
    const json answer = json::parse(post(server, "/v1/chat/completions", kHello).body);
    QCOMPARE(answer["headway"]["degraded"].get<bool>(), true);
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::aLightModelThatIsNoneIsSaid() {
    const QString file = m_headway->path(QStringLiteral("no-model.gguf"));
    QFile out(file);
    QVERIFY(out.open(QIODevice::WriteOnly) && out.write("words") == 5);
    out.close();
    Served server = serve({QStringLiteral("--light-model"), file, QStringLiteral("--degradation"),
                           QStringLiteral("auto")});
    QVERIFY(server.port != 0);
    QByteArray said = server.process->readAllStandardError();
    for (int i = 0; i < 100 && !said.contains("no-model"); ++i) {
        server.process->waitForReadyRead(50);
        said += server.process->readAllStandardError();
    }
    QVERIFY2(said.contains("no-model"), said.constData());
    QCOMPARE(json::parse(
                 post(server, "/v1/chat/completions", kHello).body)["usage"]["completion_tokens"],
             json(5));
    QCOMPARE(stop(server), 0);
    Served idle = serve({QStringLiteral("--light-model"), file});
    QVERIFY(idle.process->readAllStandardError().contains("degradation is off"));
    QCOMPARE(stop(idle), 0);
}

void TstServeProgram::answersOnDiskOutliveTheServer() {
    const QStringList flags = {QStringLiteral("--answer-store"), QStringLiteral("on"),
                               QStringLiteral("--answers-on-disk"), QStringLiteral("on")};
    const auto source = [](const HttpAnswer& answer) {
        return json::parse(answer.body)["headway"].value("source", "");
    };
    std::string text;
    {
        Served server = serve(flags);
        const HttpAnswer answer = post(server, "/v1/chat/completions", kHello);
        QVERIFY(source(answer) != "cache");
        text = json::parse(answer.body)["choices"][0]["message"].dump();
        QTest::qWait(500); // the file is taken up before anything is written to it
        QCOMPARE(stop(server), 0);
    }
    Served server = serve(flags);
    HttpAnswer answer;
    for (int i = 0;
         i < 50 && source(answer = post(server, "/v1/chat/completions", kHello)) != "cache"; ++i) {
        QTest::qWait(50);
    }
    QCOMPARE(source(answer), std::string("cache"));
    QCOMPARE(json::parse(answer.body)["choices"][0]["message"].dump(), text);
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::streamedPromptsAreWritten() {
    Served server = serve();
    // A random model may answer with marks alone, which is no text: the first prompt that it does
    // not do that for.
    std::string text;
    json whole;
    for (int i = 0; i < 20 && whole.is_null(); ++i) {
        text = "A prompt " + std::to_string(i) + " that is written piece by piece, then completed.";
        const HttpAnswer answer =
            post(server, "/v1/completions",
                 {{"prompt", text}, {"max_tokens", 4}, {"temperature", 0}, {"ignore_eos", true}});
        whole = answer.status == 200 ? json::parse(answer.body) : json();
    }
    QVERIFY(!whole.is_null());
    const HttpAnswer opened = post(
        server, "/v1/streams", {{"prompt", "A prompt "}, {"ignore_eos", true}, {"temperature", 0}});
    QCOMPARE(opened.status, 201);
    const std::string id = json::parse(opened.body)["id"];
    const std::string path = "/v1/streams/" + id;
    QCOMPARE(get(server, path.c_str()).status, 200);
    QCOMPARE(post(server, (path + "/append").c_str(), {{"text", "that was never"}}).status, 204);
    QCOMPARE(post(server, (path + "/truncate").c_str(), {{"bytes", 9}}).status, 204);
    QCOMPARE(post(server, (path + "/append").c_str(), {{"text", text.substr(9)}}).status, 204);
    for (const char* wrong : {"stop", "logprobs", "tools"}) { // said when it is opened, or never
        QCOMPARE(post(server, (path + "/complete").c_str(), {{wrong, json::array({"x"})}}).status,
                 400);
    }
    for (const char* wrong : {"X-Mode: batch", "X-Batch: true", "X-Deadline-Ms: 500"}) {
        QCOMPARE(tests::ask(server.port, HttpClient::request("POST", path + "/complete",
                                                             server.token, "{}", {wrong}))
                     .status,
                 400);
    }
    const HttpAnswer done = // with the temperature it was opened with
        post(server, (path + "/complete").c_str(), {{"max_tokens", 4}});
    QVERIFY2(done.status == 200, done.body.c_str());
    QCOMPARE(json::parse(done.body)["choices"][0]["text"], whole["choices"][0]["text"]);
    QCOMPARE(get(server, path.c_str()).status, 404);
    const std::string second =
        json::parse(post(server, "/v1/streams", {{"prompt", "x"}}).body)["id"];
    QCOMPARE(tests::ask(server.port,
                        HttpClient::request("DELETE", "/v1/streams/" + second, server.token))
                 .status,
             204);
    QCOMPARE(post(server, "/v1/streams/99/append", {{"text", "x"}}).status, 404);
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::whatRunsAtTheEndIsRecorded() {
    Served server = serve();
    const json endless = with(with(kHello, "max_tokens", 400), "stream", true);
    HttpClient client(server.port);
    QVERIFY(client.send(
        HttpClient::request("POST", "/v1/chat/completions", server.token, endless.dump())));
    client.readUntil("data: ");
    QCOMPARE(stop(server), 0);
    auto store = app::RunStore::open(server.runLog, app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto summary = (*store)->summary(server.run);
    QVERIFY(summary.has_value());
    QCOMPARE(summary->cancelled + summary->completed, std::int64_t{1}); // fast ones are done
}

void TstServeProgram::whoLeavesFreesTheEngine() {
    Served server = serve();
    const json endless = with(kHello, "max_tokens", 400);
    HttpClient client(server.port);
    QVERIFY(client.send(HttpClient::request("POST", "/v1/chat/completions", server.token,
                                            with(endless, "stream", true).dump())));
    client.readUntil("data: ");
    client.close();
    tests::PrometheusText metrics;
    for (int i = 0; i < 100; ++i) {
        metrics = tests::parsePrometheus(get(server, "/metrics").body);
        if (metrics.value("vllm:request_success_total", {{"finished_reason", "abort"}}) == 1.0) {
            break;
        }
        QTest::qWait(20);
    }
    const double aborted =
        metrics.value("vllm:request_success_total", {{"finished_reason", "abort"}}).value_or(0.0);
    const double ended =
        metrics.value("vllm:request_success_total", {{"finished_reason", "length"}}).value_or(0.0);
    QCOMPARE(aborted + ended, 1.0); // a fast machine may have been done
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::hostileClientsLeaveItServing() {
    Served server = serve();
    std::vector<std::unique_ptr<HttpClient>> idle;
    for (int i = 0; i < 1000; ++i) {
        idle.push_back(std::make_unique<HttpClient>(server.port));
    }
    for (int i = 0; i < 50; ++i) {
        idle[static_cast<std::size_t>(i)]->send("POST /v1/chat/completions HTTP/1.1\r\nHost:");
    }
    HttpClient huge(server.port);
    huge.send(fmt::format("POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                          "Bearer {}\r\nContent-Length: {}\r\n\r\n",
                          server.token, std::int64_t{1} << 40));
    QCOMPARE(huge.answer().status, 413);
    QCOMPARE(tests::ask(server.port, HttpClient::request("POST", "/v1/completions", server.token,
                                                         "{\"prompt\": \"\xc3\x28\"}"))
                 .status,
             400);
    // One that asks for a long answer and never reads it.
    HttpClient slow(server.port);
    slow.send(HttpClient::request("POST", "/v1/chat/completions", server.token,
                                  with(with(kHello, "max_tokens", 400), "stream", true).dump()));
    HttpClient pipelined(server.port);
    std::string requests;
    for (int i = 0; i < 20; ++i) {
        requests +=
            HttpClient::request("POST", "/v1/chat/completions", server.token, kHello.dump());
    }
    pipelined.send(requests);
    for (int i = 0; i < 20; ++i) {
        QCOMPARE(pipelined.answer(30s).status, 200);
    }
    QCOMPARE(post(server, "/v1/chat/completions", kHello).status, 200);
    idle.clear();
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::overloadIsToldWithATime() {
    Served server = serve({QStringLiteral("--max-waiting"), QStringLiteral("2"),
                           QStringLiteral("--max-batch"), QStringLiteral("1")});
    const std::string request = HttpClient::request("POST", "/v1/chat/completions", server.token,
                                                    with(kHello, "max_tokens", 300).dump());
    std::vector<std::unique_ptr<HttpClient>> clients;
    for (int i = 0; i < 12; ++i) {
        clients.push_back(std::make_unique<HttpClient>(server.port));
        QVERIFY(clients.back()->send(request));
    }
    int refused = 0;
    int answered = 0;
    for (const auto& client : clients) {
        const HttpAnswer answer = client->answer(60s);
        if (answer.status == 429) {
            ++refused;
            QVERIFY(std::stoi(answer.headers.at("retry-after")) >= 1);
            QCOMPARE(json::parse(answer.body)["error"]["code"], json("overloaded"));
        } else {
            QCOMPARE(answer.status, 200);
            ++answered;
        }
    }
    QVERIFY(refused > 0 && answered > 0);
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::curlReadsAStream() {
    const QString curl = tests::findProgram(QStringLiteral("curl"));
    if (curl.isEmpty()) {
        QSKIP("curl is not installed");
    }
    Served server = serve();
    QProcess process;
    process.start(
        curl, {QStringLiteral("-sN"), QStringLiteral("--max-time"), QStringLiteral("30"),
               QStringLiteral("-H"),
               QStringLiteral("Authorization: Bearer ") + QString::fromStdString(server.token),
               QStringLiteral("-H"), QStringLiteral("Content-Type: application/json"),
               QStringLiteral("-d"), QString::fromStdString(with(kHello, "stream", true).dump()),
               QStringLiteral("http://127.0.0.1:%1/v1/chat/completions").arg(server.port)});
    const auto end = ProgramRunner::wait(process);
    QCOMPARE(end.status, 0);
    QVERIFY(end.out.contains("\"finish_reason\":\"length\""));
    QVERIFY(end.out.endsWith("data: [DONE]\n\n"));
    QCOMPARE(stop(server), 0);
}

void TstServeProgram::theOfficialClientWorks() {
    const QString python = tests::openaiPython();
    if (python.isEmpty()) {
        QSKIP("There is no Python with the package openai: packaging/clients");
    }
    Served server = serve();
    QProcess process;
    process.start(python, {QStringLiteral(HEADWAY_SOURCE_DIR "/tests/app/openai_client.py"),
                           QStringLiteral("http://127.0.0.1:%1/v1").arg(server.port),
                           QString::fromStdString(server.token)});
    const auto end = ProgramRunner::wait(process);
    QVERIFY2(end.status == 0, end.err.constData());
    QCOMPARE(end.out.trimmed(), QByteArray("ok"));
    QCOMPARE(stop(server), 0);
}

QTEST_GUILESS_MAIN(TstServeProgram)
#include "tst_serve_program.moc"
