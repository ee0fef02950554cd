// The local API over a scripted backend: who may call, what is understood, what is told.
#include "app/api/api_server.h"
#include "app/api/http_server.h"
#include "tests/support/fake_session.h"
#include "tests/support/http_client.h"
#include "tests/support/prometheus_text.h"

#include <QFloat16> // comparing JSON looks at it

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <thread>

using namespace std::chrono_literals;
using engine::FinishReason;
using nlohmann::json;
using tests::HttpAnswer;
using tests::HttpClient;

class TstLocalApi : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void onlyWhoHasTheTokenMayCall();
    void whoMayNotCallSendsNoBody();
    void headsHaveNoBody();
    void figuresAreOfOneModel();
    void foreignHostsAndOriginsAreRefused_data();
    void foreignHostsAndOriginsAreRefused();
    void anAnswerInOnePiece();
    void anAnswerAsAStream();
    void plainTextHasNoRole();
    void whatIsAskedReachesTheEngine();
    void wrongBodiesAreRefusedByName_data();
    void wrongBodiesAreRefusedByName();
    void refusalsHaveTheirStatus_data();
    void refusalsHaveTheirStatus();
    void aFailureInTheMiddleIsAFrame();
    void whoLeavesIsCancelled();
    void logprobsAreTold();
    void partsOfCharactersAreTheirBytes();
    void settingsAreReadAndChanged();
    void aChangeIsWholeOrNot();
    void eventsAreTold();
    void figuresAreForPrometheus();
    void textsAndTokens();
    void withoutAModelItSaysSo();
    void theTokenFileIsItsOwners();
    void itStopsAndStarts();

private:
    HttpAnswer get(const std::string& path);
    HttpAnswer post(const std::string& path, const json& body,
                    const std::vector<std::string>& headers = {});

    std::unique_ptr<tests::FakeSession> m_fake;
    std::unique_ptr<app::ApiServer> m_api;
};

namespace {

const json kHello = {{"messages", {{{"role", "user"}, {"content", "hello"}}}}, {"max_tokens", 3}};

json with(json body, const char* name, json value) {
    body[name] = std::move(value);
    return body;
}

} // namespace

void TstLocalApi::init() {
    m_fake = std::make_unique<tests::FakeSession>();
    m_fake->load();
    m_api = std::make_unique<app::ApiServer>(m_fake->session);
    const auto started = m_api->start({.port = 0});
    QVERIFY2(started.has_value(), started ? "" : started.error().message.c_str());
}

void TstLocalApi::cleanup() {
    m_api.reset();
    m_fake.reset();
}

HttpAnswer TstLocalApi::get(const std::string& path) {
    return tests::ask(m_api->port(), HttpClient::request("GET", path, m_api->token()));
}

HttpAnswer TstLocalApi::post(const std::string& path, const json& body,
                             const std::vector<std::string>& headers) {
    return tests::ask(m_api->port(),
                      HttpClient::request("POST", path, m_api->token(), body.dump(), headers));
}

void TstLocalApi::onlyWhoHasTheTokenMayCall() {
    const auto port = m_api->port();
    QCOMPARE(tests::ask(port, HttpClient::request("GET", "/health")).status, 200);
    for (const char* path : {"/v1/models", "/metrics", "/v1/config", "/v1/events"}) {
        QCOMPARE(tests::ask(port, HttpClient::request("GET", path)).status, 401);
        QCOMPARE(tests::ask(port, HttpClient::request("GET", path, "wrong")).status, 401);
        QCOMPARE(tests::ask(port, HttpClient::request("GET", path, m_api->token() + "x")).status,
                 401);
        QCOMPARE(
            tests::ask(port, HttpClient::request("GET", path, m_api->token().substr(1))).status,
            401);
    }
    QVERIFY(m_fake->backend->submitted().empty());
    QCOMPARE(get("/v1/models").status, 200);
    QCOMPARE(m_api->token().size(), std::size_t{64});
    QVERIFY(app::randomToken() != app::randomToken());
    QCOMPARE(get("/nothing").status, 404);
    const HttpAnswer other = get("/v1/chat/completions");
    QCOMPARE(other.status, 405);
    QCOMPARE(other.headers.at("allow"), std::string("POST"));
    QCOMPARE(get("/v1/models/Fake%2D1M").status, 200);
    QCOMPARE(tests::ask(port, HttpClient::request("GET", "/v1/models", {}, {},
                                                  {"Authorization: bearer " + m_api->token()}))
                 .status,
             200);
}

void TstLocalApi::whoMayNotCallSendsNoBody() {
    HttpClient client(m_api->port());
    QVERIFY(client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
                        "Authorization: Bearer wrong\r\nContent-Length: 4000000\r\n"
                        "Expect: 100-continue\r\n\r\n"));
    QCOMPARE(client.answer(2s).status, 401); // of 4 MB nothing was sent
    QVERIFY(client.isClosedWithin(5s));
}

void TstLocalApi::headsHaveNoBody() {
    for (const char* path : {"/v1/models", "/v1/events"}) {
        HttpClient client(m_api->port());
        QVERIFY(client.send(HttpClient::request("HEAD", path, m_api->token()) +
                            HttpClient::request("GET", "/health")));
        const std::string text = client.readUntil("\r\n\r\n{", 5s);
        const std::size_t end = text.find("\r\n\r\n") + 4;
        QVERIFY2(text.substr(end).starts_with("HTTP/1.1 200"), text.c_str());
    }
}

void TstLocalApi::figuresAreOfOneModel() {
    QCOMPARE(post("/v1/chat/completions", kHello).status, 200);
    const auto count = [this] {
        return tests::parsePrometheus(get("/metrics").body)
            .value("vllm:request_success_total", {{"finished_reason", "length"}});
    };
    QTRY_VERIFY(count() == 1.0);
    m_fake->load();
    QTRY_VERIFY(count() == 0.0);
}

void TstLocalApi::foreignHostsAndOriginsAreRefused_data() {
    QTest::addColumn<QString>("headers");
    QTest::addColumn<int>("status");
    QTest::newRow("name") << "Host: localhost:1234\r\n" << 200;
    QTest::newRow("capitals") << "Host: LocalHost:1234\r\n" << 200;
    QTest::newRow("address") << "Host: 127.0.0.1\r\n" << 200;
    QTest::newRow("six") << "Host: [::1]:80\r\n" << 200;
    QTest::newRow("rebound name") << "Host: evil.example\r\n" << 403;
    QTest::newRow("looks alike") << "Host: localhost.evil.example\r\n" << 403;
    QTest::newRow("odd port") << "Host: localhost:80x\r\n" << 403;
    QTest::newRow("none") << "" << 400;
    QTest::newRow("two") << "Host: localhost\r\nHost: localhost\r\n" << 400;
    QTest::newRow("own origin") << "Host: localhost\r\nOrigin: http://localhost:3000\r\n" << 200;
    QTest::newRow("other origin") << "Host: localhost\r\nOrigin: https://evil.example\r\n" << 403;
    QTest::newRow("no origin") << "Host: localhost\r\nOrigin: null\r\n" << 403;
}

void TstLocalApi::foreignHostsAndOriginsAreRefused() {
    QFETCH(QString, headers);
    QFETCH(int, status);
    const std::string request =
        fmt::format("GET /v1/models HTTP/1.1\r\nAuthorization: Bearer {}\r\n{}\r\n", m_api->token(),
                    headers.toStdString());
    QCOMPARE(tests::ask(m_api->port(), request).status, status);
}

void TstLocalApi::anAnswerInOnePiece() {
    const HttpAnswer answer = post("/v1/chat/completions", kHello);
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.headers.at("set-cookie")
                .starts_with(fmt::format("headway_engine={}; Max-Age=", m_api->port())));
    const json body = json::parse(answer.body);
    QCOMPARE(body["object"], json("chat.completion"));
    QCOMPARE(body["model"], json("Fake-1M"));
    QCOMPARE(body["choices"].size(), std::size_t{1});
    QCOMPARE(body["choices"][0]["message"]["role"], json("assistant"));
    QCOMPARE(body["choices"][0]["message"]["content"], json("word word word "));
    QCOMPARE(body["choices"][0]["finish_reason"], json("length"));
    QCOMPARE(body["usage"]["prompt_tokens"], json(8));
    QCOMPARE(body["usage"]["completion_tokens"], json(3));
    QCOMPARE(body["usage"]["total_tokens"], json(11));
    QCOMPARE(body["headway"]["source"], json("model"));
}

void TstLocalApi::anAnswerAsAStream() {
    const json body =
        with(with(kHello, "stream", true), "stream_options", {{"include_usage", true}});
    const HttpAnswer answer = post("/v1/chat/completions", body);
    QCOMPARE(answer.status, 200);
    QVERIFY(answer.headers.at("content-type").starts_with("text/event-stream"));
    const auto events = answer.events();
    QVERIFY(events.size() >= 5);
    QCOMPARE(events.back(), std::string("[DONE]"));
    const json first = json::parse(events.front());
    QCOMPARE(first["object"], json("chat.completion.chunk"));
    QCOMPARE(first["choices"][0]["delta"], json({{"role", "assistant"}, {"content", ""}}));
    std::string text;
    for (std::size_t i = 1; i + 3 < events.size(); ++i) {
        const json frame = json::parse(events[i]);
        QCOMPARE(frame["id"], first["id"]);
        QVERIFY(frame["choices"][0]["finish_reason"].is_null());
        text += frame["choices"][0]["delta"]["content"].get<std::string>();
    }
    QCOMPARE(text, std::string("word word word "));
    const json last = json::parse(events[events.size() - 3]);
    QCOMPARE(last["choices"][0]["finish_reason"], json("length"));
    QVERIFY(last["choices"][0]["delta"].empty());
    const json usage = json::parse(events[events.size() - 2]);
    QVERIFY(usage["choices"].empty());
    QCOMPARE(usage["usage"]["completion_tokens"], json(3));
    // Without being asked for there is no such frame.
    const auto plain = post("/v1/chat/completions", with(kHello, "stream", true)).events();
    QCOMPARE(plain.size(), events.size() - 1);
}

void TstLocalApi::plainTextHasNoRole() {
    const json asked = {{"prompt", "Once"}, {"max_tokens", 2}, {"model", "Fake-1M"}};
    const json body = json::parse(post("/v1/completions", asked).body);
    QCOMPARE(body["object"], json("text_completion"));
    QCOMPARE(body["choices"][0]["text"], json("word word "));
    const auto events = post("/v1/completions", with(asked, "stream", true)).events();
    std::string text;
    for (std::size_t i = 0; i + 1 < events.size(); ++i) {
        text += json::parse(events[i])["choices"][0]["text"].get<std::string>();
    }
    QCOMPARE(text, std::string("word word "));
    const json ids = {{"prompt", {1, 2, 3}}};
    QCOMPARE(post("/v1/completions", ids).status, 200);
    const auto sent = m_fake->backend->submitted().back();
    QCOMPARE(std::get<std::vector<engine::TokenId>>(sent.prompt),
             (std::vector<engine::TokenId>{1, 2, 3}));
    QCOMPARE(sent.maxTokens, 16);
}

void TstLocalApi::whatIsAskedReachesTheEngine() {
    json body = kHello;
    body["temperature"] = 0.5;
    body["top_p"] = 0.9;
    body["top_k"] = 40;
    body["min_p"] = 0.05;
    body["seed"] = -7;
    body["stop"] = {"\n\n", "END"};
    body["cache_salt"] = "team";
    body["attention"] = "sparse";
    body["n"] = 1;
    body["messages"] = {
        {{"role", "developer"}, {"content", "Be brief."}},
        {{"role", "user"},
         {"content", {{{"type", "text"}, {"text", "a"}}, {{"type", "text"}, {"text", "b"}}}}}};
    const auto before = engine::Clock::now();
    QCOMPARE(post("/v1/chat/completions", body, {"X-Batch: true", "X-Deadline-Ms: 5000"}).status,
             200);
    const engine::Request request = m_fake->backend->submitted().back();
    QCOMPARE(request.lane, engine::Lane::Batch);
    QVERIFY(request.attention == engine::Attention::Sparse);
    QVERIFY(request.deadline && *request.deadline >= before + 5s &&
            *request.deadline <= engine::Clock::now() + 5s);
    QCOMPARE(request.sampling.temperature, 0.5F);
    QCOMPARE(request.sampling.topP, 0.9F);
    QCOMPARE(request.sampling.topK, 40);
    QCOMPARE(request.sampling.minP, 0.05F);
    QCOMPARE(request.sampling.seed, static_cast<std::uint64_t>(-7));
    QCOMPARE(request.stop, (std::vector<std::string>{"\n\n", "END"}));
    QCOMPARE(request.tenant, std::string("team"));
    const auto& messages = std::get<std::vector<engine::ChatMessage>>(request.prompt);
    QCOMPARE(messages.at(0).role, std::string("system"));
    QCOMPARE(messages.at(1).content, std::string("ab"));
    QCOMPARE(post("/v1/chat/completions", kHello, {"X-Mode: realtime"}).status, 200);
    QCOMPARE(m_fake->backend->submitted().back().lane, engine::Lane::Realtime);
    QVERIFY(!m_fake->backend->submitted().back().deadline);
}

void TstLocalApi::wrongBodiesAreRefusedByName_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QString>("parameter");
    const auto row = [](const char* name, const json& body, const char* parameter) {
        QTest::newRow(name) << QByteArray::fromStdString(body.dump()) << parameter;
    };
    QTest::newRow("no json") << QByteArray("{\"messages\": [") << "";
    QTest::newRow("bad utf-8") << QByteArray("{\"prompt\": \"\xff\xfe\"}") << "";
    QTest::newRow("a list") << QByteArray("[]") << "";
    QTest::newRow("deep") << QByteArray(100'000, '[') << "";
    QTest::newRow("deep in a member")
        << "{\"stop\":" + QByteArray(100'000, '[') + QByteArray(100'000, ']') + "}"
        << "";
    row("no messages", json::object(), "messages");
    row("empty messages", {{"messages", json::array()}}, "messages");
    row("role", {{"messages", {{{"role", "king"}, {"content", "x"}}}}}, "messages");
    row("image", {{"messages", {{{"role", "user"}, {"content", {{{"type", "image_url"}}}}}}}},
        "messages");
    row("n", with(kHello, "n", 2), "n");
    row("temperature", with(kHello, "temperature", -1), "temperature");
    row("temperature text", with(kHello, "temperature", "hot"), "temperature");
    row("top_p", with(kHello, "top_p", 1.5), "top_p");
    row("max_tokens", with(kHello, "max_tokens", 0), "max_tokens");
    row("max_tokens fraction", with(kHello, "max_tokens", 1.5), "max_tokens");
    row("max_tokens huge", with(kHello, "max_tokens", 1e300), "max_tokens");
    row("seed huge", with(kHello, "seed", 18446744073709551615ULL), "seed");
    row("stop", with(kHello, "stop", json::array({1})), "stop");
    row("empty stop", with(kHello, "stop", ""), "stop");
    row("many stops", with(kHello, "stop", json(std::vector<std::string>(99, "x"))), "stop");
    row("tools", with(kHello, "tools", json::array({json::object()})), "tools");
    row("penalty", with(kHello, "presence_penalty", 0.5), "presence_penalty");
    row("repetition", with(kHello, "repetition_penalty", 1.1), "repetition_penalty");
    row("guided", with(kHello, "guided_regex", "a+"), "guided_regex");
    row("stream", with(kHello, "stream", "yes"), "stream");
    row("options", with(kHello, "stream_options", json::object()), "stream_options");
    row("top_logprobs", with(kHello, "top_logprobs", 2), "top_logprobs");
    row("format", with(kHello, "response_format", {{"type", "json_object"}}), "response_format");
}

void TstLocalApi::wrongBodiesAreRefusedByName() {
    QFETCH(QByteArray, body);
    QFETCH(QString, parameter);
    const HttpAnswer answer =
        tests::ask(m_api->port(), HttpClient::request("POST", "/v1/chat/completions",
                                                      m_api->token(), body.toStdString()));
    QCOMPARE(answer.status, 400);
    const json error = json::parse(answer.body)["error"];
    QVERIFY(!error["message"].get<std::string>().empty());
    QCOMPARE(error["type"], json("invalid_request_error"));
    QCOMPARE(error["param"], parameter.isEmpty() ? json() : json(parameter.toStdString()));
    QVERIFY(m_fake->backend->submitted().empty());
    QCOMPARE(post("/v1/chat/completions", kHello).status, 200);
}

void TstLocalApi::refusalsHaveTheirStatus_data() {
    QTest::addColumn<int>("reason");
    QTest::addColumn<int>("status");
    QTest::newRow("overload") << static_cast<int>(FinishReason::Overloaded) << 429;
    QTest::newRow("too long") << static_cast<int>(FinishReason::TooLong) << 400;
    QTest::newRow("rejected") << static_cast<int>(FinishReason::Rejected) << 400;
    QTest::newRow("deadline") << static_cast<int>(FinishReason::Deadline) << 504;
    QTest::newRow("failed") << static_cast<int>(FinishReason::Failed) << 500;
    QTest::newRow("cancelled") << static_cast<int>(FinishReason::Cancelled) << 503;
}

void TstLocalApi::refusalsHaveTheirStatus() {
    QFETCH(int, reason);
    QFETCH(int, status);
    m_fake->backend->setAnswer([&](const engine::Request&, auto stream) {
        stream->finish(static_cast<FinishReason>(reason), "This is why.", nullptr);
    });
    for (const bool isStreamed : {false, true}) {
        const HttpAnswer answer = post("/v1/chat/completions", with(kHello, "stream", isStreamed));
        QCOMPARE(answer.status, status);
        QCOMPARE(json::parse(answer.body)["error"]["message"], json("This is why."));
        QCOMPARE(answer.headers.contains("retry-after"), status == 429);
    }
    QCOMPARE(post("/v1/chat/completions", with(kHello, "model", "other")).status, 404);
    QCOMPARE(post("/v1/chat/completions", kHello, {"X-Mode: slow"}).status, 400);
    json thin = kHello;
    thin["attention"] = "thin";
    QCOMPARE(post("/v1/chat/completions", thin).status, 400);
    QCOMPARE(post("/v1/chat/completions", kHello, {"X-Mode: realtime", "X-Batch: true"}).status,
             400);
    QCOMPARE(post("/v1/chat/completions", kHello, {"X-Deadline-Ms: -5"}).status, 400);
}

void TstLocalApi::aFailureInTheMiddleIsAFrame() {
    std::jthread later;
    m_fake->backend->setAnswer([&later](const engine::Request&, auto stream) {
        stream->push("half ", 1);
        later = std::jthread([stream] {
            std::this_thread::sleep_for(100ms);
            stream->finish(FinishReason::Failed, "The engine has stopped.", nullptr);
        });
    });
    const HttpAnswer answer = post("/v1/chat/completions", with(kHello, "stream", true));
    QCOMPARE(answer.status, 200);
    const auto events = answer.events();
    QCOMPARE(json::parse(events.at(1))["choices"][0]["delta"]["content"], json("half "));
    QCOMPARE(json::parse(events.at(2))["error"]["message"], json("The engine has stopped."));
    QCOMPARE(events.back(), std::string("[DONE]"));
}

void TstLocalApi::whoLeavesIsCancelled() {
    m_fake->backend->setAnswer([](const engine::Request&, auto stream) { stream->push("a ", 1); });
    for (const bool isStreamed : {false, true}) {
        const auto before = m_fake->backend->cancelled().size();
        HttpClient client(m_api->port());
        QVERIFY(client.send(HttpClient::request("POST", "/v1/chat/completions", m_api->token(),
                                                with(kHello, "stream", isStreamed).dump())));
        const auto sent = m_fake->backend->submitted().size();
        const auto begin = std::chrono::steady_clock::now();
        while (m_fake->backend->submitted().size() == sent &&
               std::chrono::steady_clock::now() - begin < 300ms) {
            std::this_thread::sleep_for(1ms);
        }
        client.close();
        const auto left = std::chrono::steady_clock::now();
        while (m_fake->backend->cancelled().size() == before &&
               std::chrono::steady_clock::now() - left < 5s) {
            std::this_thread::sleep_for(1ms);
        }
        QVERIFY(std::chrono::steady_clock::now() - left < 200ms);
    }
}

void TstLocalApi::logprobsAreTold() {
    m_fake->backend->setAnswer([](const engine::Request& request, auto stream) {
        QVERIFY(request.logprobs.has_value());
        stream->push("a", 97, engine::TokenLogprobs{97, -0.25F, {{97, -0.25F}, {98, -1.5F}}});
        stream->push("b", 98, engine::TokenLogprobs{98, -0.5F, {{98, -0.5F}, {97, -1.0F}}});
        stream->finish(FinishReason::Stop, {}, nullptr);
    });
    const json chat = json::parse(
        post("/v1/chat/completions", with(with(kHello, "logprobs", true), "top_logprobs", 2)).body);
    const json& content = chat["choices"][0]["logprobs"]["content"];
    QCOMPARE(content.size(), std::size_t{2});
    QCOMPARE(content[0]["token"], json("a"));
    QCOMPARE(content[0]["logprob"], json(-0.25));
    QCOMPARE(content[1]["top_logprobs"][1]["token"], json("a"));
    QCOMPARE(content[0]["bytes"], json({97}));
    const json text = json::parse(post("/v1/completions", {{"prompt", "x"}, {"logprobs", 2}}).body);
    const json& logprobs = text["choices"][0]["logprobs"];
    QCOMPARE(logprobs["tokens"], json({"a", "b"}));
    QCOMPARE(logprobs["token_logprobs"], json({-0.25, -0.5}));
    QCOMPARE(logprobs["text_offset"], json({0, 1}));
    QCOMPARE(logprobs["top_logprobs"][0]["b"], json(-1.5));
}

// Two tokens of one character, and others that are parts of characters as well.
void TstLocalApi::partsOfCharactersAreTheirBytes() {
    m_fake->backend->setAnswer([](const engine::Request&, auto stream) {
        stream->push("", 0xC3, engine::TokenLogprobs{0xC3, -0.25F, {{0xC3, -0.25F}, {0xC4, -2.F}}});
        stream->push("é", 0xA9, engine::TokenLogprobs{0xA9, -0.5F, {{0xA9, -0.5F}}});
        stream->finish(FinishReason::Stop, {}, nullptr);
    });
    const json chat =
        json::parse(post("/v1/chat/completions", with(kHello, "logprobs", true)).body);
    const json& content = chat["choices"][0]["logprobs"]["content"];
    QCOMPARE(content[0]["bytes"], json({0xC3}));
    QCOMPARE(content[1]["bytes"], json({0xA9}));
    const json text = json::parse(post("/v1/completions", {{"prompt", "x"}, {"logprobs", 2}}).body);
    const json& logprobs = text["choices"][0]["logprobs"];
    QCOMPARE(logprobs["tokens"], json({"bytes:\\xc3", "bytes:\\xa9"}));
    QCOMPARE(logprobs["top_logprobs"][0].size(), std::size_t{2});
}

void TstLocalApi::settingsAreReadAndChanged() {
    const json before = json::parse(get("/v1/config").body);
    QCOMPARE(before["fields"].size(), engine::fieldTable().size());
    const auto patch = [&](const json& body) {
        return tests::ask(m_api->port(),
                          HttpClient::request("PATCH", "/v1/config", m_api->token(), body.dump()));
    };
    const HttpAnswer changed = patch({{"batching.max_batch", 8},
                                      {"batching.policy", "dynamic"},
                                      {"lanes.priority", false},
                                      {"batching.window", "0.1s"}});
    QCOMPARE(changed.status, 200);
    const engine::EngineConfig config = m_fake->backend->config().requested;
    QCOMPARE(config.maxBatch, std::int64_t{8});
    QCOMPARE(config.batching, engine::Batching::Dynamic);
    QCOMPARE(config.usesPriority, false);
    QCOMPARE(config.batchWindowMs, std::int64_t{100});
    QVERIFY(json::parse(changed.body)["version"] > before["version"]);
    QVERIFY(!before.contains("weights")); // nobody knows
    m_fake->backend->setWeights({{.group = "output",
                                  .requested = "int4",
                                  .effective = "Q8_0",
                                  .reason = "They are held in INT8.",
                                  .tensors = 1,
                                  .bytes = 4096}});
    const json weights = json::parse(get("/v1/config").body)["weights"];
    QCOMPARE(weights.size(), std::size_t{1});
    QCOMPARE(weights[0]["effective"], json("Q8_0"));
    QCOMPARE(weights[0]["reason"], json("They are held in INT8."));
    QCOMPARE(weights[0]["bytes"], json(4096));
}

void TstLocalApi::aChangeIsWholeOrNot() {
    const auto patch = [&](const json& body) {
        return tests::ask(m_api->port(),
                          HttpClient::request("PATCH", "/v1/config", m_api->token(), body.dump()));
    };
    const engine::EngineConfig before = m_fake->backend->config().requested;
    QCOMPARE(patch({{"batching.max_batch", 8}, {"no.such", 1}}).status, 400);
    QCOMPARE(patch({{"batching.max_batch", 8}, {"batching.window", -1}}).status, 400);
    QCOMPARE(patch({{"batching.max_batch", 8}, {"batching.window", 1.5}}).status, 400);
    QCOMPARE(patch({{"batching.max_batch", 600}, {"batching.token_budget", 100}}).status, 400);
    QVERIFY(m_fake->backend->config().requested == before);
    m_fake->backend->refuseEdits("Not now.");
    const HttpAnswer refused = patch({{"batching.max_batch", 8}});
    QCOMPARE(refused.status, 400);
    QCOMPARE(json::parse(refused.body)["error"]["message"], json("Not now."));
}

void TstLocalApi::eventsAreTold() {
    HttpClient client(m_api->port());
    QVERIFY(client.send(HttpClient::request("GET", "/v1/events", m_api->token())));
    client.readUntil(": events");
    m_fake->backend->post(engine::EventSource::Operator,
                          {.kind = "marker", .values = {{"text", "look here"}}});
    std::string text;
    QTRY_VERIFY((text = client.readUntil("look here", 10ms)).find("look here") !=
                std::string::npos);
    const std::size_t at = text.find("data: {");
    const json event = json::parse(text.substr(at + 6, text.find('\n', at) - at - 6));
    QVERIFY(event["source"] == "operator" || event["source"] == "app");
    // Who comes back is told what was missed.
    HttpClient again(m_api->port());
    QVERIFY(again.send(
        HttpClient::request("GET", "/v1/events", m_api->token(), {}, {"Last-Event-ID: 0"})));
    QVERIFY(again.readUntil("look here").find("look here") != std::string::npos);
}

void TstLocalApi::figuresAreForPrometheus() {
    m_fake->backend->setSnapshot([](engine::Snapshot& figures) {
        figures.running = 3;
        figures.waiting = 5;
        figures.kvBlocksUsed = 1;
        figures.kvBlocksTotal = 4;
        figures.stepsByTokens[0] = 2;
        figures.stepsByTokens[2] = 7;
    });
    for (int i = 0; i < 4; ++i) {
        post("/v1/chat/completions", kHello);
    }
    tests::PrometheusText parsed;
    QTRY_VERIFY((parsed = tests::parsePrometheus(get("/metrics").body))
                    .value("vllm:request_success_total", {{"finished_reason", "length"}}) == 4.0);
    QVERIFY2(parsed.problem.empty(), parsed.problem.c_str());
    QCOMPARE(parsed.value("vllm:num_requests_running"), 3.0);
    QCOMPARE(parsed.value("vllm:num_requests_waiting"), 5.0);
    QCOMPARE(parsed.value("vllm:kv_cache_usage_perc"), 0.25);
    QCOMPARE(parsed.value("vllm:generation_tokens_total"), 12.0);
    QCOMPARE(parsed.value("vllm:time_to_first_token_seconds_count"), 4.0);
    QCOMPARE(parsed.value("vllm:request_generation_tokens_sum"), 12.0);
    QCOMPARE(parsed.value("vllm:iteration_tokens_total_count"), 9.0);
    QCOMPARE(parsed.value("headway:lag_seconds_count"), 0.0); // nobody had a schedule
    engine::RequestRecord late;
    late.reason = engine::FinishReason::Cancelled;
    late.stamps.scheduled = engine::Clock::now();
    late.stamps.received = *late.stamps.scheduled + 250ms;
    m_fake->backend->push(late);
    QTRY_COMPARE(
        (parsed = tests::parsePrometheus(get("/metrics").body)).value("headway:lag_seconds_count"),
        1.0);
    QCOMPARE(parsed.value("headway:lag_seconds_sum"), 0.25);
    QCOMPARE(parsed.value("headway:lag_seconds_bucket", {{"le", "0.2"}}), 0.0);
    QCOMPARE(parsed.value("headway:lag_seconds_bucket", {{"le", "0.5"}}), 1.0);
    for (const char* edge : {"0.3", "0.8", "1.5", "2560", "+Inf"}) {
        QCOMPARE(parsed.value("vllm:time_to_first_token_seconds_bucket", {{"le", edge}}), 4.0);
    }
    for (const char* name : {"inter_token_latency_seconds", "request_time_per_output_token_seconds",
                             "e2e_request_latency_seconds", "request_queue_time_seconds",
                             "request_prefill_time_seconds", "request_decode_time_seconds",
                             "request_inference_time_seconds", "request_prompt_tokens"}) {
        QVERIFY2(parsed.types.at(std::string("vllm:") + name) == "histogram", name);
    }
    for (const char* name : {"prompt_tokens_total", "num_preemptions_total",
                             "prefix_cache_queries_total", "prefix_cache_hits_total"}) {
        QVERIFY2(parsed.types.at(std::string("vllm:") + name) == "counter", name);
    }
}

void TstLocalApi::textsAndTokens() {
    const json ids = json::parse(post("/tokenize", {{"prompt", "ab"}}).body);
    QCOMPARE(ids["tokens"], json({97, 98}));
    QCOMPARE(ids["count"], json(2));
    QCOMPARE(json::parse(post("/detokenize", {{"tokens", {97, 98}}}).body)["prompt"], json("ab"));
    QCOMPARE(post("/tokenize", json::object()).status, 400);
    QCOMPARE(post("/tokenize", {{"prompt", std::string(1'100'000, 'x')}}).status, 400);
    QCOMPARE(post("/detokenize", {{"tokens", {-1}}}).status, 400);
    QCOMPARE(post("/detokenize", {{"tokens", "x"}}).status, 400);
}

void TstLocalApi::withoutAModelItSaysSo() {
    tests::FakeSession empty;
    app::ApiServer api(empty.session);
    QVERIFY(api.start({.port = 0}).has_value());
    QCOMPARE(tests::ask(api.port(), HttpClient::request("GET", "/health")).status, 503);
    const HttpAnswer answer =
        tests::ask(api.port(),
                   HttpClient::request("POST", "/v1/chat/completions", api.token(), kHello.dump()));
    QCOMPARE(answer.status, 503);
    empty.load();
    QTRY_COMPARE(tests::ask(api.port(), HttpClient::request("GET", "/health")).status, 200);
}

void TstLocalApi::theTokenFileIsItsOwners() {
    const std::string path = m_fake->folder.path().toStdString() + "/token";
    std::string token;
    {
        app::ApiServer api(m_fake->session);
        QVERIFY(api.start({.port = 0, .tokenFile = path}).has_value());
        token = api.token();
    }
    QFile file(QString::fromStdString(path));
    QCOMPARE(file.permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
    app::ApiServer second(m_fake->session);
    QVERIFY(second.start({.port = 0, .tokenFile = path}).has_value());
    QCOMPARE(second.token(), token); // so that several processes can share one
    second.stop();
    QVERIFY(file.setPermissions(QFile::ReadOwner | QFile::ReadOther));
    QVERIFY(!second.start({.port = 0, .tokenFile = path}).has_value());
    QVERIFY(!second.start({.port = 0, .tokenFile = "/nowhere/token"}).has_value());
    QVERIFY(!second.isRunning());
}

void TstLocalApi::itStopsAndStarts() {
    const auto port = m_api->port();
    QVERIFY(!m_api->start({.port = 0}).has_value());
    m_api->stop();
    QVERIFY(!HttpClient(port).isConnected());
    QVERIFY(m_api->start({.port = port}).has_value());
    QCOMPARE(get("/v1/models").status, 200);
}

QTEST_GUILESS_MAIN(TstLocalApi)
#include "tst_local_api.moc"
