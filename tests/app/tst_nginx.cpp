// The configuration that `headway nginx-config` writes, in a real nginx before three processes, and
// real clients through it: sockets, curl, and the official client of the OpenAI API.
#include "tests/support/prometheus_text.h"
#include "tests/support/served.h"
#include "tests/support/tiny_model.h"

#include <QDateTime>
#include <QFile>
#include <QFloat16> // comparing JSON looks at it
#include <QTest>

#include <fmt/format.h>

#include <set>

using nlohmann::json;
using tests::HttpAnswer;
using tests::HttpClient;
using tests::ProgramRunner;
using tests::Served;

class TstNginx : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void lanesAndSessionsAreRouted();
    void otherNamesAreSentAway();
    void curlGoesThroughIt();
    void whoLeavesCurlFreesTheEngine();
    void theOfficialClientGoesThroughIt();
    void anotherStandsInForAnEngineThatIsGone();
    void configurationsAreChecked_data();
    void configurationsAreChecked();

private:
    // Two engines of the realtime lane, one of the batch lane, nginx before them.
    void start(const QString& nginx);
    HttpAnswer ask(const std::vector<std::string>& headers, bool isStreamed = false) const;
    // What curl says; `more` are its arguments.
    tests::ProgramEnd curl(const QStringList& more, const json& body) const;
    std::unique_ptr<QProcess> startCurl(const QStringList& more, const json& body) const;
    QString url(const char* path) const;
    std::set<std::string> realtimeEngines() const;
    std::string batchEngine() const;

    std::unique_ptr<ProgramRunner> m_headway;
    std::vector<Served> m_servers; // the last one is of the batch lane
    std::unique_ptr<QProcess> m_nginx;
    std::string m_token;
    std::uint16_t m_port = 0;
};

namespace {

constexpr const char* kChat = "/v1/chat/completions";

const json kHello = {{"messages", {{{"role", "user"}, {"content", "Say hello."}}}},
                     {"max_tokens", 5},
                     {"temperature", 0},
                     {"ignore_eos", true}};

json with(json body, const char* name, json value) {
    body[name] = std::move(value);
    return body;
}

std::string named(std::uint16_t port) {
    return fmt::format("headway_engine={}", port);
}

std::string engineOf(const HttpAnswer& answer) {
    const auto cookie = answer.headers.find("set-cookie");
    return cookie == answer.headers.end() ? std::string()
                                          : cookie->second.substr(0, cookie->second.find(';'));
}

// In the head that curl writes before the answer.
std::string engineOf(const QByteArray& out) {
    const auto from = out.indexOf("headway_engine=");
    return from < 0 ? std::string() : out.mid(from, out.indexOf(';', from) - from).toStdString();
}

} // namespace

void TstNginx::initTestCase() {
    m_headway = std::make_unique<ProgramRunner>(QStringLiteral("headway"));
    tests::writeTinyModel(m_headway->path(QStringLiteral("tiny.gguf")).toStdString());
    if (const QString nginx = tests::findProgram(QStringLiteral("nginx")); !nginx.isEmpty()) {
        start(nginx);
    }
}

void TstNginx::cleanupTestCase() {
    if (m_nginx) {
        m_nginx->terminate();
        ProgramRunner::wait(*m_nginx);
        m_nginx.reset();
    }
    for (Served& server : m_servers) {
        tests::stop(server);
    }
    m_servers.clear();
}

void TstNginx::start(const QString& nginx) {
    for (int i = 0; i < 3; ++i) {
        m_servers.push_back(
            tests::serve(*m_headway, {QStringLiteral("--token-file"), QStringLiteral("token"),
                                      QStringLiteral("--no-record")}));
    }
    QFile tokenFile(m_headway->path(QStringLiteral("token")));
    if (tokenFile.open(QIODevice::ReadOnly)) {
        m_token = tokenFile.readAll().trimmed().toStdString();
    }
    m_port = tests::freePort();
    const auto config =
        m_headway->run({QStringLiteral("nginx-config"), QStringLiteral("--realtime"),
                        QStringLiteral("%1,%2").arg(m_servers[0].port).arg(m_servers[1].port),
                        QStringLiteral("--batch"), QString::number(m_servers[2].port),
                        QStringLiteral("--listen"), QString::number(m_port)});
    QFile file(m_headway->path(QStringLiteral("nginx.conf")));
    if (!file.open(QIODevice::WriteOnly) || file.write(config.out) <= 0) {
        qWarning() << config.err;
    }
    file.close();
    m_nginx = std::make_unique<QProcess>();
    m_nginx->start(nginx, {QStringLiteral("-p"), m_headway->path(QString()), QStringLiteral("-c"),
                           file.fileName()});
    for (int i = 0; i < 200 && !HttpClient(m_port).isConnected(); ++i) {
        QTest::qWait(50);
    }
}

HttpAnswer TstNginx::ask(const std::vector<std::string>& headers, bool isStreamed) const {
    return tests::ask(m_port,
                      HttpClient::request("POST", kChat, m_token,
                                          with(kHello, "stream", isStreamed).dump(), headers));
}

QString TstNginx::url(const char* path) const {
    return QStringLiteral("http://127.0.0.1:%1%2").arg(m_port).arg(QLatin1String(path));
}

std::set<std::string> TstNginx::realtimeEngines() const {
    return {named(m_servers[0].port), named(m_servers[1].port)};
}

std::string TstNginx::batchEngine() const {
    return named(m_servers[2].port);
}

std::unique_ptr<QProcess> TstNginx::startCurl(const QStringList& more, const json& body) const {
    auto process = std::make_unique<QProcess>();
    process->start(
        tests::findProgram(QStringLiteral("curl")),
        QStringList{QStringLiteral("-sS"), QStringLiteral("--max-time"), QStringLiteral("60"),
                    QStringLiteral("-H"),
                    QStringLiteral("Authorization: Bearer ") + QString::fromStdString(m_token),
                    QStringLiteral("-H"), QStringLiteral("Content-Type: application/json"),
                    QStringLiteral("-d"), QString::fromStdString(body.dump())} +
            more + QStringList{url(kChat)});
    return process;
}

tests::ProgramEnd TstNginx::curl(const QStringList& more, const json& body) const {
    return ProgramRunner::wait(*startCurl(more, body));
}

void TstNginx::lanesAndSessionsAreRouted() {
    if (!m_nginx) {
        QSKIP("nginx is not installed: packaging/deps test");
    }
    for (const char* header : {"X-Batch: true", "X-Mode: batch"}) {
        const HttpAnswer answer = ask({header});
        QVERIFY2(answer.status == 200, m_nginx->readAllStandardError().constData());
        QCOMPARE(engineOf(answer), batchEngine());
    }
    std::set<std::string> seen;
    for (int i = 0; i < 8; ++i) {
        const HttpAnswer answer = ask({i % 2 == 0 ? "X-Mode: realtime" : "X-Other: 1"});
        QCOMPARE(answer.status, 200);
        seen.insert(engineOf(answer));
    }
    QCOMPARE(seen, realtimeEngines());
    // A session stays, and is not confused by a cookie of the other lane.
    for (const std::string& cookie : seen) {
        for (int i = 0; i < 6; ++i) {
            QCOMPARE(engineOf(ask({"Cookie: " + cookie}, i % 2 == 0)), cookie);
        }
        QCOMPARE(engineOf(ask({"Cookie: " + cookie, "X-Batch: true"})), batchEngine());
    }
    QVERIFY(ask({}).headers.at("set-cookie").find("Max-Age=3600") != std::string::npos);
}

// A page in a browser reaches nginx as well.
void TstNginx::otherNamesAreSentAway() {
    if (!m_nginx) {
        QSKIP("nginx is not installed: packaging/deps test");
    }
    const auto statusOf = [this](const char* host) {
        return tests::ask(m_port, fmt::format("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", host))
            .status;
    };
    QCOMPARE(statusOf("rebound.example"), 403);
    QCOMPARE(statusOf("127.0.0.1"), 200);
    QCOMPARE(statusOf("localhost"), 200);
    QCOMPARE(tests::ask(m_port, HttpClient::request("GET", "/v1/models", "wrong")).status, 401);
    QCOMPARE(tests::ask(m_port, HttpClient::request("GET", "/v1/models", m_token, {},
                                                    {"Origin: http://rebound.example"}))
                 .status,
             403);
}

void TstNginx::curlGoesThroughIt() {
    if (tests::findProgram(QStringLiteral("curl")).isEmpty() || !m_nginx) {
        QSKIP("nginx or curl is not installed: packaging/deps test");
    }
    const QString jar = m_headway->path(QStringLiteral("cookies"));
    const QStringList session = {QStringLiteral("-i"), QStringLiteral("-b"), jar,
                                 QStringLiteral("-c"), jar};
    const QStringList batch = {QStringLiteral("-i"), QStringLiteral("-H"),
                               QStringLiteral("X-Batch: true")};
    const auto first = curl(session, kHello);
    QVERIFY2(first.status == 0 && first.out.startsWith("HTTP/1.1 200"), first.err.constData());
    const std::string engine = engineOf(first.out);
    QVERIFY(realtimeEngines().contains(engine));
    // The jar keeps it for a minute at least: its fifth column is when it ends.
    QFile kept(jar);
    QVERIFY(kept.open(QIODevice::ReadOnly));
    qint64 lifetime = 0;
    for (const QByteArray& line : kept.readAll().split('\n')) {
        const QList<QByteArray> columns = line.split('\t');
        if (columns.size() == 7 && columns[5] == "headway_engine") {
            lifetime = columns[4].toLongLong() - QDateTime::currentSecsSinceEpoch();
        }
    }
    QVERIFY2(lifetime >= 60, qPrintable(QString::number(lifetime)));
    for (int i = 0; i < 5; ++i) {
        QVERIFY(!engineOf(curl({QStringLiteral("-i")}, kHello).out).empty()); // somebody else
        QCOMPARE(engineOf(curl(session, kHello).out), engine);
    }
    QCOMPARE(engineOf(curl(batch, kHello).out), batchEngine());
    QCOMPARE(
        engineOf(curl({QStringLiteral("-i"), QStringLiteral("-H"), QStringLiteral("X-Mode: batch")},
                      kHello)
                     .out),
        batchEngine());
    const auto stream = curl({QStringLiteral("-N")}, with(kHello, "stream", true));
    QCOMPARE(stream.status, 0);
    QVERIFY(stream.out.startsWith("data: ") && stream.out.endsWith("data: [DONE]\n\n"));
    QVERIFY(stream.out.contains("\"finish_reason\":\"length\""));
    // As it is made: a buffer would give thousands of bytes at once.
    const json longOne = with(with(kHello, "stream", true), "max_tokens", 400);
    qsizetype least = 1'000'000;
    for (int i = 0; i < 20 && least >= 2000; ++i) {
        const auto process = startCurl({QStringLiteral("-N")}, longOne);
        if (process->waitForReadyRead(60'000)) {
            least = std::min(least, process->readAllStandardOutput().size());
        }
        QCOMPARE(ProgramRunner::wait(*process).status, 0);
    }
    QVERIFY2(least < 2000, qPrintable(QString::number(least)));
}

void TstNginx::whoLeavesCurlFreesTheEngine() {
    if (tests::findProgram(QStringLiteral("curl")).isEmpty() || !m_nginx) {
        QSKIP("nginx or curl is not installed: packaging/deps test");
    }
    const json longOne = with(with(kHello, "stream", true), "max_tokens", 400);
    const QStringList batch = {QStringLiteral("-N"), QStringLiteral("-H"),
                               QStringLiteral("X-Batch: true")};
    const auto ended = [this](const char* reason) {
        return tests::parsePrometheus(
                   tests::ask(m_servers[2].port, HttpClient::request("GET", "/metrics", m_token))
                       .body)
            .value("vllm:request_success_total", {{"finished_reason", reason}})
            .value_or(0.0);
    };
    const double before = ended("abort") + ended("length");
    double asked = 0.0;
    while (asked < 20.0 && ended("abort") < 1.0) { // a fast engine may be done before one leaves
        const auto process = startCurl(batch, longOne);
        QVERIFY(process->waitForReadyRead(60'000));
        process->kill();
        process->waitForFinished();
        ++asked;
        QTRY_VERIFY_WITH_TIMEOUT(ended("abort") + ended("length") >= before + asked, 30'000);
    }
    QVERIFY(ended("abort") >= 1.0);
}

void TstNginx::theOfficialClientGoesThroughIt() {
    const QString python = tests::openaiPython();
    if (python.isEmpty()) {
        QSKIP("There is no Python with the package openai: packaging/clients");
    }
    if (!m_nginx) {
        QSKIP("nginx is not installed: packaging/deps test");
    }
    const QString token = QString::fromStdString(m_token);
    const auto run = [&](const char* script, const QStringList& more) {
        QProcess process;
        process.start(python, QStringList{QStringLiteral(HEADWAY_SOURCE_DIR "/tests/app/") +
                                              QLatin1String(script),
                                          url("/v1"), token} +
                                  more);
        return ProgramRunner::wait(process);
    };
    const auto same = run("openai_client.py", {}); // all that it does without nginx
    QVERIFY2(same.status == 0, same.err.constData());
    const auto end = run("openai_through_nginx.py",
                         {QStringLiteral("%1,%2").arg(m_servers[0].port).arg(m_servers[1].port),
                          QString::number(m_servers[2].port)});
    QVERIFY2(end.status == 0, end.err.constData());
    QCOMPARE(end.out.trimmed(), QByteArray("ok"));
}

void TstNginx::anotherStandsInForAnEngineThatIsGone() {
    if (!m_nginx) {
        QSKIP("nginx is not installed: packaging/deps test");
    }
    const std::string gone = named(m_servers[0].port);
    QCOMPARE(tests::stop(m_servers[0]), 0);
    for (int i = 0; i < 4; ++i) {
        const HttpAnswer answer = ask({"Cookie: " + gone});
        QCOMPARE(answer.status, 200);
        QCOMPARE(engineOf(answer), named(m_servers[1].port));
    }
}

void TstNginx::configurationsAreChecked_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("no lanes") << QStringList{};
    QTest::newRow("no batch") << QStringList{QStringLiteral("--realtime"), QStringLiteral("1")};
    QTest::newRow("twice") << QStringList{QStringLiteral("--realtime"), QStringLiteral("81"),
                                          QStringLiteral("--batch"), QStringLiteral("81")};
    QTest::newRow("own port") << QStringList{QStringLiteral("--realtime"), QStringLiteral("8100"),
                                             QStringLiteral("--batch"), QStringLiteral("81")};
    QTest::newRow("zero") << QStringList{QStringLiteral("--realtime"), QStringLiteral("0"),
                                         QStringLiteral("--batch"), QStringLiteral("81")};
    QTest::newRow("too large") << QStringList{QStringLiteral("--realtime"), QStringLiteral("70000"),
                                              QStringLiteral("--batch"), QStringLiteral("81")};
    QTest::newRow("no number") << QStringList{QStringLiteral("--realtime"), QStringLiteral("a;b"),
                                              QStringLiteral("--batch"), QStringLiteral("81")};
}

void TstNginx::configurationsAreChecked() {
    QFETCH(QStringList, arguments);
    const auto end = m_headway->run(QStringList{QStringLiteral("nginx-config")} + arguments);
    QCOMPARE(end.status, 2);
    QVERIFY(!end.err.isEmpty() && end.out.isEmpty());
}

QTEST_GUILESS_MAIN(TstNginx)
#include "tst_nginx.moc"
