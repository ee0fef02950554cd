// The server under clients that mean no good: it answers, closes or refuses, and goes on serving.
#include "app/api/http_server.h"
#include "tests/support/http_client.h"

#include <QTest>

#include <fmt/format.h>

#include <atomic>
#include <random>
#include <thread>

using namespace std::chrono_literals;
using app::HttpExchange;
using app::HttpLimits;
using app::HttpRequest;
using app::HttpServer;
using tests::ask;
using tests::HttpAnswer;
using tests::HttpClient;

class TstHttpServer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { tests::allowManyFiles(); }
    void answersAndKeepsTheConnection();
    void aBodyArrivesWhole();
    void pipelinedRequestsAreAnsweredInOrder();
    void pipelinedBehindAStreamTheyWait();
    void malformedBytesAreRefused_data();
    void malformedBytesAreRefused();
    void randomBytesNeverHurt();
    void aHeaderTooLargeIs431();
    void aBodyTooLargeIs413();
    void aSlowHeaderIs408();
    void aSlowBodyIs408();
    void idleConnectionsMakeRoom();
    void halfHeadersMakeRoom();
    void otherCodingsAreRefused();
    void busyConnectionsAreCounted();
    void oldClientsGetAnUnframedStream();
    void theReaderThatLeavesIsNoticed();
    void leavingBehindManyRequestsIsNoticed();
    void theReaderThatDoesNotReadIsLetGo();
    void stoppingTellsWhoIsAnswered();
    void aTakenPortIsAMessage();

private:
    void start(const HttpLimits& limits = {});
    void handle(const std::shared_ptr<HttpExchange>& exchange);

    std::unique_ptr<HttpServer> m_server;
    std::uint16_t m_port = 0;
    std::atomic<int> m_gone{0};
    std::atomic<std::int64_t> m_streamed{0};
};

namespace {

HttpLimits shortLimits() {
    HttpLimits limits;
    limits.headerBytes = 4096;
    limits.bodyBytes = 65536;
    limits.headerTime = 150ms;
    limits.bodyTime = 150ms;
    limits.stallTime = 300ms;
    return limits;
}

std::string get(std::string_view path) {
    return HttpClient::request("GET", path);
}

// Without an end: whoever reads slowly gets more only when that is gone.
struct Endless : std::enable_shared_from_this<Endless> {
    std::shared_ptr<HttpExchange> exchange;
    std::atomic<std::int64_t>* streamed = nullptr;
    void more() {
        while (!exchange->isGone() && !exchange->isWriting()) {
            exchange->write(std::string(65536, 'x'));
            *streamed += 65536;
        }
    }
};

} // namespace

void TstHttpServer::start(const HttpLimits& limits) {
    m_server.reset();
    m_gone = 0;
    m_streamed = 0;
    m_server = std::make_unique<HttpServer>(
        [this](const std::shared_ptr<HttpExchange>& exchange) { handle(exchange); }, limits);
    const auto port = m_server->start(0);
    QVERIFY2(port.has_value(), port ? "" : port.error().message.c_str());
    m_port = *port;
}

void TstHttpServer::handle(const std::shared_ptr<HttpExchange>& exchange) {
    const HttpRequest& request = exchange->request();
    exchange->onGone([this] { ++m_gone; });
    if (request.path == "/later") {
        exchange->after(200ms, [exchange] { exchange->respond({.body = "later"}); });
    } else if (request.path == "/never") {
        return;
    } else if (request.path == "/stream") {
        exchange->beginStream({.contentType = "text/plain"});
        exchange->write("one ");
        exchange->after(50ms, [exchange] {
            exchange->write("two");
            exchange->end();
        });
    } else if (request.path == "/endless") {
        exchange->beginStream({.contentType = "text/plain"});
        auto endless = std::make_shared<Endless>();
        endless->exchange = exchange;
        endless->streamed = &m_streamed;
        exchange->onDrained([endless] { endless->more(); });
        endless->more();
    } else if (request.path == "/throw") {
        throw std::runtime_error("a fault in a handler");
    } else {
        exchange->respond({.contentType = "text/plain",
                           .body = fmt::format("{} {} {} {}", request.method, request.path,
                                               request.query, request.body.size())});
    }
}

void TstHttpServer::answersAndKeepsTheConnection() {
    start();
    HttpClient client(m_port);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(client.send(get(fmt::format("/a{}?b=c", i))));
        const HttpAnswer answer = client.answer();
        QCOMPARE(answer.status, 200);
        QCOMPARE(answer.body, fmt::format("GET /a{} b=c 0", i));
    }
    QVERIFY(client.send(get("/throw")));
    QCOMPARE(client.answer().status, 500);
    QVERIFY(client.send(HttpClient::request("GET", "/", {}, {}, {"Connection: close"})));
    QCOMPARE(client.answer().status, 200);
    QVERIFY(client.isClosedWithin(5s));
    QTRY_COMPARE(m_server->connections(), std::size_t{0});
}

void TstHttpServer::aBodyArrivesWhole() {
    start();
    const std::string body(300'000, 'b');
    HttpClient client(m_port);
    const std::string request = HttpClient::request("POST", "/p", {}, body);
    std::thread writer([&] { client.send(request); });
    const HttpAnswer answer = client.answer();
    writer.join();
    QCOMPARE(answer.body, std::string("POST /p  300000"));
    HttpClient chunked(m_port);
    QVERIFY(chunked.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
                         "Expect: 100-continue\r\n\r\n"));
    QVERIFY(chunked.readUntil("100 Continue\r\n\r\n").ends_with("100 Continue\r\n\r\n"));
    HttpClient whole(m_port);
    QVERIFY(whole.send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                       "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"));
    QCOMPARE(whole.answer().body, std::string("POST /c  5"));
}

void TstHttpServer::pipelinedRequestsAreAnsweredInOrder() {
    start();
    HttpClient client(m_port);
    std::string requests;
    constexpr int kRequests = 40;
    for (int i = 0; i < kRequests; ++i) {
        requests += get(fmt::format("/{}", i));
    }
    QVERIFY(client.send(requests));
    for (int i = 0; i < kRequests; ++i) {
        QCOMPARE(client.answer().body, fmt::format("GET /{}  0", i));
    }
}

void TstHttpServer::pipelinedBehindAStreamTheyWait() {
    start();
    HttpClient client(m_port);
    QVERIFY(client.send(get("/stream") + get("/later") + get("/last")));
    QCOMPARE(client.answer().body, std::string("one two"));
    QCOMPARE(client.answer().body, std::string("later"));
    QCOMPARE(client.answer().body, std::string("GET /last  0"));
    // One more that comes while the answer before it is under way.
    QVERIFY(client.send(get("/later")));
    std::this_thread::sleep_for(50ms);
    QVERIFY(client.send(get("/after")));
    QCOMPARE(client.answer().body, std::string("later"));
    QCOMPARE(client.answer().body, std::string("GET /after  0"));
}

void TstHttpServer::malformedBytesAreRefused_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("words") << QByteArray("hello there\r\n\r\n");
    QTest::newRow("zeros") << QByteArray(64, '\0') + "\r\n\r\n";
    QTest::newRow("tls") << QByteArray("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15);
    QTest::newRow("version") << QByteArray("GET / HTTP/9.9\r\n\r\n");
    QTest::newRow("negative length")
        << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n");
    QTest::newRow("two lengths") << QByteArray(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab");
    QTest::newRow("bad chunk") << QByteArray(
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
    QTest::newRow("control in a header") << QByteArray("GET / HTTP/1.1\r\nA: \x01\x02\r\n\r\n");
    QTest::newRow("space before the colon") << QByteArray("GET / HTTP/1.1\r\nHost : x\r\n\r\n");
}

void TstHttpServer::malformedBytesAreRefused() {
    QFETCH(QByteArray, bytes);
    start();
    HttpClient client(m_port);
    QVERIFY(client.send({bytes.data(), static_cast<std::size_t>(bytes.size())}));
    QCOMPARE(client.answer().status, 400);
    QVERIFY(client.isClosedWithin(5s));
    QCOMPARE(ask(m_port, get("/well")).status, 200);
}

void TstHttpServer::randomBytesNeverHurt() {
    start(shortLimits());
    const auto seed = std::random_device{}();
    std::mt19937 random(seed);
    const std::string valid = HttpClient::request("POST", "/x", "token", "{\"a\":1}");
    for (int round = 0; round < 150; ++round) {
        std::string bytes = valid;
        for (int change = 0; change < 1 + round % 8; ++change) {
            const std::size_t at = random() % bytes.size();
            if (random() % 3 == 0) {
                bytes.erase(at, 1 + random() % 4);
            } else {
                bytes[at] = static_cast<char>(random());
            }
        }
        HttpClient client(m_port);
        client.send(bytes);
        client.close();
    }
    QVERIFY2(ask(m_port, get("/well")).status == 200, qPrintable(QString::number(seed)));
    QTRY_COMPARE(m_server->connections(), std::size_t{0});
}

void TstHttpServer::aHeaderTooLargeIs431() {
    start(shortLimits());
    HttpClient client(m_port);
    client.send("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(8000, 'a') + "\r\n\r\n");
    QCOMPARE(client.answer().status, 431);
    QVERIFY(client.isClosedWithin(5s));
    HttpClient many(m_port);
    std::string headers = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 1000; ++i) {
        headers += fmt::format("A{}: b\r\n", i);
    }
    many.send(headers);
    QCOMPARE(many.answer().status, 431);
}

void TstHttpServer::aBodyTooLargeIs413() {
    start(shortLimits());
    HttpClient told(m_port);
    told.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n");
    QCOMPARE(told.answer().status, 413);
    HttpClient untold(m_port);
    untold.send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "4000\r\n" + std::string(0x4000, 'c') + "\r\n";
    for (int i = 0; i < 8; ++i) {
        untold.send(chunk);
    }
    QCOMPARE(untold.answer().status, 413);
    QCOMPARE(ask(m_port, get("/well")).status, 200);
}

void TstHttpServer::aSlowHeaderIs408() {
    start(shortLimits());
    HttpClient client(m_port);
    QVERIFY(client.send("GET / HT"));
    std::this_thread::sleep_for(60ms);
    client.send("TP/1.1\r\n"); // a byte now and then buys no time
    QCOMPARE(client.answer(5s).status, 408);
    QVERIFY(client.isClosedWithin(5s));
}

void TstHttpServer::aSlowBodyIs408() {
    start(shortLimits());
    HttpClient client(m_port);
    QVERIFY(client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc"));
    QCOMPARE(client.answer(5s).status, 408);
}

void TstHttpServer::idleConnectionsMakeRoom() {
    HttpLimits limits;
    limits.connections = 64;
    start(limits);
    std::vector<std::unique_ptr<HttpClient>> idle;
    for (int i = 0; i < 1000; ++i) {
        idle.push_back(std::make_unique<HttpClient>(m_port));
        QVERIFY(idle.back()->isConnected());
    }
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(ask(m_port, get("/well")).status, 200);
    }
    QVERIFY(m_server->connections() <= 64);
}

void TstHttpServer::halfHeadersMakeRoom() {
    HttpLimits limits;
    limits.connections = 64;
    start(limits);
    std::vector<std::unique_ptr<HttpClient>> half;
    for (int i = 0; i < 200; ++i) {
        half.push_back(std::make_unique<HttpClient>(m_port));
        half.back()->send("G");
    }
    for (int i = 0; i < 5; ++i) {
        QCOMPARE(ask(m_port, get("/well")).status, 200);
    }
}

void TstHttpServer::otherCodingsAreRefused() {
    start();
    for (const char* coding : {"gzip", "chunked, x", "identity"}) {
        HttpClient client(m_port);
        QVERIFY(client.send(
            fmt::format("POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: {}\r\n\r\n{}",
                        coding, get("/smuggled"))));
        QCOMPARE(client.answer().status, 501);
        QVERIFY(client.isClosedWithin(5s));
    }
}

void TstHttpServer::busyConnectionsAreCounted() {
    HttpLimits limits;
    limits.connections = 8;
    start(limits);
    std::vector<std::unique_ptr<HttpClient>> busy;
    for (int i = 0; i < 8; ++i) {
        busy.push_back(std::make_unique<HttpClient>(m_port));
        QVERIFY(busy.back()->send(get("/never")));
    }
    QTRY_COMPARE(m_server->connections(), std::size_t{8});
    std::this_thread::sleep_for(100ms); // until the last one is being answered
    const HttpAnswer refused = HttpClient(m_port).answer();
    QCOMPARE(refused.status, 503);
    QVERIFY(refused.headers.contains("retry-after"));
    busy.clear();
    QTRY_COMPARE(m_gone.load(), 8);
    QCOMPARE(ask(m_port, get("/well")).status, 200);
}

void TstHttpServer::oldClientsGetAnUnframedStream() {
    start();
    HttpClient client(m_port);
    QVERIFY(client.send("GET /stream HTTP/1.0\r\nHost: x\r\n\r\n"));
    const std::string text = client.readUntil("one two");
    QVERIFY(text.find("chunked") == std::string::npos);
    QVERIFY(text.ends_with("\r\n\r\none two"));
    QVERIFY(client.isClosedWithin(5s));
}

void TstHttpServer::theReaderThatLeavesIsNoticed() {
    start();
    HttpClient client(m_port);
    QVERIFY(client.send(get("/never")));
    std::this_thread::sleep_for(50ms);
    QCOMPARE(m_gone.load(), 0);
    const auto begin = std::chrono::steady_clock::now();
    client.close();
    while (m_gone.load() == 0 && std::chrono::steady_clock::now() - begin < 5s) {
        std::this_thread::sleep_for(1ms);
    }
    QVERIFY(std::chrono::steady_clock::now() - begin < 200ms);
}

// More than the server reads beside an answer: the end of it is behind bytes that wait.
void TstHttpServer::leavingBehindManyRequestsIsNoticed() {
    start();
    for (const char* answer : {"/never", "/stream"}) {
        HttpClient client(m_port);
        std::string requests = get(answer) + get("/never");
        while (requests.size() < 48 * 1024) {
            requests += get("/echo");
        }
        QVERIFY(client.send(requests));
        QTRY_COMPARE(m_server->connections(), std::size_t{1});
        QTest::qWait(300); // it stays while the client does
        QCOMPARE(m_server->connections(), std::size_t{1});
        client.close();
        QTRY_COMPARE(m_server->connections(), std::size_t{0});
    }
    QCOMPARE(ask(m_port, get("/echo")).status, 200);
}

void TstHttpServer::theReaderThatDoesNotReadIsLetGo() {
    start(shortLimits());
    HttpClient client(m_port);
    QVERIFY(client.send(get("/endless")));
    QTRY_COMPARE(m_gone.load(), 1); // after the stall time
    // No more than what the system and one write hold.
    QVERIFY(m_streamed.load() < 32 * 1024 * 1024);
    QCOMPARE(ask(m_port, get("/well")).status, 200);
}

void TstHttpServer::stoppingTellsWhoIsAnswered() {
    start();
    HttpClient client(m_port);
    QVERIFY(client.send(get("/never")));
    std::this_thread::sleep_for(50ms);
    m_server->stop();
    QCOMPARE(m_gone.load(), 1);
    QVERIFY(client.isClosedWithin(5s));
    QVERIFY(!HttpClient(m_port).isConnected());
}

void TstHttpServer::aTakenPortIsAMessage() {
    start();
    HttpServer second([](const std::shared_ptr<HttpExchange>&) {});
    const auto port = second.start(m_port);
    QVERIFY(!port && port.error().code == engine::ErrorCode::Busy);
    QVERIFY(port.error().message.find(std::to_string(m_port)) != std::string::npos);
}

QTEST_GUILESS_MAIN(TstHttpServer)
#include "tst_http_server.moc"
