// What other servers send: cut anywhere, in every shape that is seen in the wild, and hostile.
#include "app/remote/metrics_import.h"
#include "app/remote/remote_address.h"
#include "app/remote/remote_request.h"
#include "app/remote/stream_reader.h"

#include <QFloat16> // comparing JSON looks at it
#include <QTest>

#include <nlohmann/json.hpp>

#include <random>

using namespace app;

class TstStreamReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eventsAreTheSameWhereverBytesAreCut();
    void errorsOfEveryDialectAreEvents();
    void anEndlessLineBreaksIt();
    void piecesOfEveryShapeAreRead_data();
    void piecesOfEveryShapeAreRead();
    void errorsAreMessages();
    void randomDataNeverHurts();
    void figuresOfEveryServerAreImported();
    void addressesAreParsed_data();
    void addressesAreParsed();
    void requestsAreWritten();
};

void TstStreamReader::eventsAreTheSameWhereverBytesAreCut() {
    const std::string bytes = ": hello\n\ndata: one\n\nevent: x\ndata: two\ndata: lines\r\n\r\n"
                              "data:three\n\nid: 3\n\n\n\ndata: [DONE]\n\ndata: unfinished";
    const std::vector<std::string> expected = {"one", "two\nlines", "three", "[DONE]"};
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
        for (const std::size_t step : {std::size_t{1}, cut + 1}) {
            EventReader reader;
            std::vector<std::string> events;
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                for (std::string& event : reader.push(bytes.substr(at, step))) {
                    events.push_back(std::move(event));
                }
            }
            QCOMPARE(events, expected);
        }
    }
}

void TstStreamReader::errorsOfEveryDialectAreEvents() {
    const auto errorOf = [](std::string_view bytes) {
        EventReader reader;
        const std::vector<std::string> events = reader.push(bytes);
        return events.size() == 1 ? readPiece(events.front()).error : std::string("no event");
    };
    for (const std::string_view bytes :
         {"error: {\"message\":\"full\",\"code\":500}\n\n", // llama.cpp's field
          "event: error\ndata: {\"message\":\"full\"}\n\n",
          "event: error\ndata: {\"error\":{\"message\":\"full\"}}\n\n",
          "data: {\"error\":{\"message\":\"full\"}}\n\n", "event: error\ndata: full\n\n",
          "error: full\n\n"}) {
        QCOMPARE(errorOf(bytes), std::string("full"));
    }
    EventReader reader; // the name is that of one event
    const auto events = reader.push("event: error\ndata: x\n\ndata: {\"choices\":[]}\n\n");
    QCOMPARE(events.size(), 2U);
    QVERIFY(readPiece(events[1]).error.empty());
    QVERIFY(!errorOf("event: error\ndata: \xff\xfe\n\n").empty());
}

void TstStreamReader::anEndlessLineBreaksIt() {
    EventReader reader;
    const std::string megabyte(1U << 20U, 'x');
    for (int i = 0; i < 10; ++i) {
        QVERIFY(reader.push(megabyte).empty());
    }
    QVERIFY(reader.isBroken());
    QVERIFY(reader.push("\n\ndata: late\n\n").empty());
}

void TstStreamReader::piecesOfEveryShapeAreRead_data() {
    QTest::addColumn<QString>("data");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("finish"); // -1: none
    QTest::addColumn<int>("output"); // -1: none
    QTest::newRow("role only") << R"({"choices":[{"index":0,"delta":{"role":"assistant"}}]})"
                               << "" << -1 << -1;
    QTest::newRow("null content")
        << R"({"choices":[{"delta":{"role":"assistant","content":null},"finish_reason":null}]})"
        << "" << -1 << -1;
    QTest::newRow("several tokens") << R"({"choices":[{"delta":{"content":"a b c"}}]})"
                                    << "a b c" << -1 << -1;
    QTest::newRow("end") << R"({"choices":[{"delta":{},"finish_reason":"stop"}]})"
                         << "" << static_cast<int>(engine::FinishReason::Stop) << -1;
    QTest::newRow("end with text")
        << R"({"choices":[{"delta":{"content":"z"},"finish_reason":"length"}]})"
        << "z" << static_cast<int>(engine::FinishReason::Length) << -1;
    QTest::newRow("trailing usage")
        << R"({"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12}})"
        << "" << -1 << 7;
    QTest::newRow("usage null") << R"({"choices":[{"delta":{"content":"q"}}],"usage":null})"
                                << "q" << -1 << -1;
    QTest::newRow("plain completion") << R"({"choices":[{"text":"hi","finish_reason":null}]})"
                                      << "hi" << -1 << -1;
    QTest::newRow("whole answer")
        << R"({"choices":[{"message":{"role":"assistant","content":"all"},"finish_reason":"stop"}],)"
           R"("usage":{"completion_tokens":2}})"
        << "all" << static_cast<int>(engine::FinishReason::Stop) << 2;
    QTest::newRow("reasoning") << R"({"choices":[{"delta":{"reasoning_content":"hm"}}]})"
                               << "" << -1 << -1;
    QTest::newRow("negative counts") << R"({"choices":[],"usage":{"completion_tokens":-3}})"
                                     << "" << -1 << -1;
}

void TstStreamReader::piecesOfEveryShapeAreRead() {
    QFETCH(QString, data);
    QFETCH(QString, text);
    QFETCH(int, finish);
    QFETCH(int, output);
    const RemotePiece piece = readPiece(data.toStdString());
    QCOMPARE(QString::fromStdString(piece.text), text);
    QCOMPARE(piece.finish ? static_cast<int>(*piece.finish) : -1, finish);
    QCOMPARE(piece.usage.outputTokens.value_or(-1), output);
    QVERIFY(piece.error.empty() && !piece.isEnd);
}

void TstStreamReader::errorsAreMessages() {
    QVERIFY(readPiece("[DONE]").isEnd);
    QCOMPARE(readPiece(R"({"error":{"message":"out of memory","code":500}})").error,
             std::string("out of memory"));
    QCOMPARE(readPiece(R"({"error":"plain"})").error, std::string("plain"));
    QVERIFY(!readPiece(R"({"error":{"code":7}})").error.empty());
    QVERIFY(readPiece("<html>").isForeign);
    QVERIFY(readPiece("[1,2]").isForeign);
    QVERIFY(readPiece(std::string(500'000, '[')).isForeign);
    QCOMPARE(errorMessage(R"({"detail":"Not authenticated"})"), std::string("Not authenticated"));
    QCOMPARE(errorMessage("Bad gateway"), std::string("Bad gateway"));
    QVERIFY(errorMessage(std::string(100'000, 'x')).size() < 1000);
}

void TstStreamReader::randomDataNeverHurts() {
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    const std::string valid = R"({"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}],)"
                              R"("usage":{"completion_tokens":3}})";
    for (int round = 0; round < 3000; ++round) {
        std::string data = valid;
        for (int change = 0; change < 1 + round % 5; ++change) {
            data[random() % data.size()] = static_cast<char>(random());
        }
        readPiece(data);
        importMetrics(data);
        EventReader reader;
        reader.push("data: " + data + "\n\n");
    }
}

void TstStreamReader::figuresOfEveryServerAreImported() {
    const ImportedFigures vllm = importMetrics(
        "# HELP vllm:num_requests_running Number\n# TYPE vllm:num_requests_running gauge\n"
        "vllm:num_requests_running{engine=\"0\",model_name=\"a} b\"} 3.0\n"
        "vllm:num_requests_running{engine=\"1\",model_name=\"a} b\"} 2.0\n"
        "vllm:num_requests_waiting{model_name=\"a\"} 1e1\n"
        "vllm:kv_cache_usage_perc{engine=\"0\"} 0.25\nvllm:kv_cache_usage_perc{engine=\"1\"} 0.5\n"
        "vllm:generation_tokens_total{a=\"\\\"}\"} 1234 1700000000\n"
        "vllm:prompt_tokens_total NaN\nvllm:num_preemptions_total -4\n");
    QCOMPARE(vllm.running, std::optional(5.0));
    QCOMPARE(vllm.waiting, std::optional(10.0));
    QCOMPARE(vllm.kvShare, std::optional(0.5));
    QCOMPARE(vllm.outputTokens, std::optional(1234.0));
    QVERIFY(!vllm.promptTokens && !vllm.preemptions);
    const ImportedFigures llama = importMetrics("llamacpp:requests_processing 2\n"
                                                "llamacpp:requests_deferred 1\n"
                                                "llamacpp:tokens_predicted_total 77");
    QCOMPARE(llama.running, std::optional(2.0));
    QCOMPARE(llama.waiting, std::optional(1.0));
    QCOMPARE(llama.outputTokens, std::optional(77.0));
    const ImportedFigures sglang =
        importMetrics("sglang:num_running_reqs{a=\"b\"} 4\nsglang:token_usage{a=\"b\"} 0.3\n");
    QCOMPARE(sglang.running, std::optional(4.0));
    QCOMPARE(sglang.kvShare, std::optional(0.3));
    QVERIFY(importMetrics("").isEmpty());
    QVERIFY(importMetrics("vllm:num_requests_running{").isEmpty());
    QVERIFY(importMetrics("vllm:num_requests_running").isEmpty());
}

void TstStreamReader::addressesAreParsed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown"); // empty: refused
    QTest::newRow("plain") << "http://localhost:8000"
                           << "http://localhost:8000";
    QTest::newRow("v1") << "http://localhost:8000/v1/"
                        << "http://localhost:8000";
    QTest::newRow("path") << "http://host/api/v1"
                          << "http://host:80/api";
    QTest::newRow("token") << "http://h:1?token-file=/tmp/t"
                           << "http://h:1";
    QTest::newRow("https") << "https://host"
                           << "";
    QTest::newRow("port") << "http://host:99999"
                          << "";
    QTest::newRow("port word") << "http://host:http"
                               << "";
    QTest::newRow("no host") << "http://"
                             << "";
    QTest::newRow("user") << "http://me@host"
                          << "";
    QTest::newRow("line end") << "http://host/a\r\nX: y"
                              << "";
    QTest::newRow("query") << "http://host?x=1"
                           << "";
}

void TstStreamReader::addressesAreParsed() {
    QFETCH(QString, text);
    QFETCH(QString, shown);
    const auto address = parseRemoteAddress(text.toStdString());
    QCOMPARE(address.has_value(), !shown.isEmpty());
    if (address) {
        QCOMPARE(QString::fromStdString(address->text()), shown);
    } else {
        QVERIFY(!address.error().message.empty());
    }
}

void TstStreamReader::requestsAreWritten() {
    engine::Request request;
    request.prompt = std::vector<engine::ChatMessage>{{.role = "user", .content = "hi \"you\"\n"}};
    request.maxTokens = 9;
    request.lane = engine::Lane::Batch;
    request.stop = {"END"};
    const RemoteRequest chat = remoteRequest(request, "m");
    QCOMPARE(chat.path, std::string("/v1/chat/completions"));
    const auto body = nlohmann::json::parse(chat.body);
    QCOMPARE(body["messages"][0]["content"], nlohmann::json("hi \"you\"\n"));
    QCOMPARE(body["max_tokens"], nlohmann::json(9));
    QCOMPARE(body["temperature"], nlohmann::json(0.0));
    QCOMPARE(body["stream_options"]["include_usage"], nlohmann::json(true));
    QVERIFY(!body.contains("seed"));
    QCOMPARE(chat.headers.at(0).first, std::string("X-Batch"));
    request.prompt = std::string("text");
    request.sampling = {.temperature = 0.5F, .topK = 3, .seed = 77};
    const auto text = nlohmann::json::parse(remoteRequest(request, "m").body);
    QCOMPARE(text["prompt"], nlohmann::json("text"));
    QCOMPARE(text["seed"], nlohmann::json(77));
    QCOMPARE(text["top_k"], nlohmann::json(3));
}

QTEST_GUILESS_MAIN(TstStreamReader)
#include "tst_stream_reader.moc"
