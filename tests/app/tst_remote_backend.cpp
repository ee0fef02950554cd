// Attached servers: our own API, scripted ones that behave as others do or worse, and
// llama-cpp-python's where HEADWAY_LLAMA_PYTHON names a Python that has it.
#include "app/api/api_server.h"
#include "app/api/http_server.h"
#include "app/remote/remote_backend.h"
#include "tests/support/default_model.h"
#include "tests/support/fake_session.h"

#include <QProcess>

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <thread>

using namespace std::chrono_literals;
using app::HttpExchange;
using app::HttpServer;
using engine::FinishReason;

class TstRemoteBackend : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void ourOwnApiIsDriven();
    void aWrongTokenIsAMessage();
    void whatIsNoServerIsAMessage();
    void attachingCanBeCancelled();
    void streamsOfOthersAreRead_data();
    void streamsOfOthersAreRead();
    void refusalsAreReasons_data();
    void refusalsAreReasons();
    void cancellingClosesTheConnection();
    void aDeadlineEndsIt();
    void aServerThatGoesIsNoticedAndFoundAgain();
    void aLostServerIsLookedForLessAndLess();
    void aRunOutlivesAServerThatIsStartedAgain();
    void silenceOfABusyServerIsNoLoss();
    void levelsLeaveItsSettingsAlone();
    void figuresGoWithAServerThatRestarts();
    void leavingWhileItAnswersIsQuiet();
    void itsSettingsStayItsOwn();
    void theSessionRecordsIt();
    void workloadsLeaveItsSettingsAlone();
    void llamaCppPythonIsDriven();

private:
    // A server whose answer to a completion is `bytes` of events; a status other than 200 is a
    // body. On a free port, or the one that is said.
    void serve(std::string bytes, int status = 200, std::uint16_t at = 0);
    std::unique_ptr<engine::Backend> attach();
    static std::pair<std::string, FinishReason> answer(engine::Backend& backend,
                                                       engine::Request request);

    std::unique_ptr<HttpServer> m_server;
    std::uint16_t m_port = 0;
    std::atomic<int> m_gone{0};
};

namespace {

engine::Request hello(int tokens = 3) {
    engine::Request request;
    request.prompt = std::vector<engine::ChatMessage>{{.role = "user", .content = "hello"}};
    request.maxTokens = tokens;
    return request;
}

// Listens, and closes every connection at once.
class ClosingDoor {
public:
    explicit ClosingDoor(std::uint16_t port) : m_listener(::socket(AF_INET, SOCK_STREAM, 0)) {
        const int on = 1;
        ::setsockopt(m_listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (::bind(m_listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
            ::listen(m_listener, 8) != 0) {
            qWarning("the port can't be used");
        }
        m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }
    ~ClosingDoor() {
        m_thread = {};
        ::close(m_listener);
    }
    ClosingDoor(const ClosingDoor&) = delete;
    ClosingDoor& operator=(const ClosingDoor&) = delete;

    std::vector<engine::TimePoint> calls() const {
        const std::lock_guard lock(m_mutex);
        return m_calls;
    }

private:
    void run(const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            pollfd state{.fd = m_listener, .events = POLLIN, .revents = 0};
            if (::poll(&state, 1, 50) > 0) {
                ::close(::accept(m_listener, nullptr, nullptr));
                const std::lock_guard lock(m_mutex);
                m_calls.push_back(engine::Clock::now());
            }
        }
    }

    const int m_listener;
    mutable std::mutex m_mutex;
    std::vector<engine::TimePoint> m_calls;
    std::jthread m_thread;
};

std::shared_ptr<const engine::RequestRecord> recordOf(engine::Backend& backend) {
    for (const engine::Event& event : backend.takeEvents()) {
        if (const auto* finished = std::get_if<engine::RequestFinished>(&event.body)) {
            return finished->record;
        }
    }
    return nullptr;
}

} // namespace

void TstRemoteBackend::init() {
    m_server.reset();
    m_gone = 0;
}

void TstRemoteBackend::serve(std::string bytes, int status, std::uint16_t at) {
    m_server = std::make_unique<HttpServer>(
        [this, bytes = std::move(bytes), status](const std::shared_ptr<HttpExchange>& exchange) {
            const std::string& path = exchange->request().path;
            if (path == "/v1/models") {
                exchange->respond({.body = R"({"data":[{"id":"scripted","max_model_len":512}]})"});
            } else if (path == "/metrics") {
                exchange->respond({.contentType = "text/plain",
                                   .body = "vllm:num_requests_running 7\n"
                                           "vllm:kv_cache_usage_perc 0.5\n"});
            } else if (status != 200) {
                exchange->respond({.status = status, .body = bytes});
            } else if (bytes == "hang") {
                exchange->onGone([this] { ++m_gone; });
                exchange->beginStream({.contentType = "text/event-stream"});
                exchange->write("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n");
            } else {
                exchange->beginStream({.contentType = "text/event-stream"});
                exchange->write(bytes);
                exchange->end();
            }
        });
    const auto port = m_server->start(at);
    QVERIFY(port.has_value());
    m_port = *port;
}

std::unique_ptr<engine::Backend> TstRemoteBackend::attach() {
    auto backend = app::attachRemote(fmt::format("http://127.0.0.1:{}/v1", m_port), {}, {});
    if (!backend) {
        qWarning() << backend.error().message.c_str();
        return nullptr;
    }
    return std::move(*backend);
}

std::pair<std::string, FinishReason> TstRemoteBackend::answer(engine::Backend& backend,
                                                              engine::Request request) {
    const auto stream = backend.submit(std::move(request));
    std::string text;
    const auto until = std::chrono::steady_clock::now() + 30s;
    while (const auto chunk = stream->waitNext(100ms)) {
        text += chunk->text;
        if (std::chrono::steady_clock::now() > until) {
            return {"no end", FinishReason::Failed};
        }
    }
    return {text, *stream->finishReason()};
}

void TstRemoteBackend::ourOwnApiIsDriven() {
    tests::FakeSession served;
    served.load();
    app::ApiServer api(served.session);
    const std::string file = served.folder.path().toStdString() + "/token";
    QVERIFY(api.start({.port = 0, .tokenFile = file}).has_value());
    auto backend = app::attachRemote(
        fmt::format("http://127.0.0.1:{}?token-file={}", api.port(), file), {}, {});
    QVERIFY2(backend.has_value(), backend ? "" : backend.error().message.c_str());
    QCOMPARE((*backend)->capabilities().modelName, std::string("Fake-1M"));
    QCOMPARE((*backend)->capabilities().contextTokens, std::int64_t{2048});
    engine::Request request = hello(4);
    request.lane = engine::Lane::Batch;
    request.scheduled = engine::Clock::now();
    const auto [text, reason] = answer(**backend, std::move(request));
    QCOMPARE(text, std::string("word word word word "));
    QCOMPARE(reason, FinishReason::Length);
    QCOMPARE(served.backend->submitted().back().lane, engine::Lane::Batch);
    const auto record = recordOf(**backend);
    QVERIFY(record != nullptr);
    QCOMPARE(record->outputTokens, std::int64_t{4});
    QCOMPARE(record->promptTokens, std::int64_t{8});
    QVERIFY(record->ttft() && record->stamps.scheduled && !record->stamps.admitted);
    QVERIFY(!record->ledgerNs);
    QCOMPARE((*backend)->snapshot().outputTokens, std::uint64_t{4});
    QCOMPARE((*backend)->snapshot().completed, std::uint64_t{1});
}

void TstRemoteBackend::aWrongTokenIsAMessage() {
    tests::FakeSession served;
    served.load();
    app::ApiServer api(served.session);
    QVERIFY(api.start({.port = 0}).has_value());
    const auto backend = app::attachRemote(fmt::format("http://127.0.0.1:{}", api.port()), {}, {});
    QVERIFY(!backend);
    QVERIFY(backend.error().message.find("token") != std::string::npos);
}

void TstRemoteBackend::whatIsNoServerIsAMessage() {
    QVERIFY(!app::attachRemote("http://127.0.0.1:1", {}, {}));
    HttpServer other([](const std::shared_ptr<HttpExchange>& exchange) {
        exchange->respond({.contentType = "text/html", .body = "<html>"});
    });
    const auto port = other.start(0);
    const auto backend = app::attachRemote(fmt::format("http://127.0.0.1:{}", *port), {}, {});
    QVERIFY(!backend && backend.error().code == engine::ErrorCode::Unsupported);
}

void TstRemoteBackend::attachingCanBeCancelled() {
    HttpServer silent([](const std::shared_ptr<HttpExchange>&) {});
    const auto port = silent.start(0);
    std::stop_source stop;
    const std::jthread later([&stop] {
        std::this_thread::sleep_for(100ms);
        stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto backend =
        app::attachRemote(fmt::format("http://127.0.0.1:{}", *port), {}, stop.get_token());
    QVERIFY(!backend && backend.error().code == engine::ErrorCode::Cancelled);
    QVERIFY(std::chrono::steady_clock::now() - begin < 400ms);
}

void TstRemoteBackend::streamsOfOthersAreRead_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("reason");
    QTest::addColumn<int>("tokens");
    const auto stop = static_cast<int>(FinishReason::Stop);
    const auto failed = static_cast<int>(FinishReason::Failed);
    QTest::newRow("role first, several tokens a piece, usage behind")
        << QByteArray("data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}"
                      "\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a b c\"}}]}\n\n"
                      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                      "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":2,"
                      "\"completion_tokens\":3}}\n\ndata: [DONE]\n\n")
        << "a b c" << stop << 3;
    QTest::newRow("no usage") << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
                                            "data: {\"choices\":[{\"text\":\"b\"}]}\n\n"
                                            "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":"
                                            "\"stop\"}]}\n\ndata: [DONE]\n\n")
                              << "ab" << stop << 2;
    QTest::newRow("an end without a reason")
        << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\ndata: [DONE]\n\n") << "a" << stop
        << 1;
    QTest::newRow("no end") << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\n") << "a"
                            << stop << 1;
    QTest::newRow("error in the middle")
        << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
                      "data: {\"error\":{\"message\":\"out of memory\"}}\n\ndata: [DONE]\n\n")
        << "a" << failed << 1;
    QTest::newRow("error of its own field")
        << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\n"
                      "error: {\"message\":\"out of memory\"}\n\n")
        << "a" << failed << 1;
    QTest::newRow("no end of a line")
        << QByteArray("data: {\"choices\":[{\"text\":\"a\"}]}\n\n") + QByteArray(5 << 20, 'x')
        << "a" << failed << 1;
    QTest::newRow("nothing") << QByteArray("data: [DONE]\n\n") << "" << failed << 0;
    QTest::newRow("nonsense") << QByteArray("data: nonsense\n\n") << "" << failed << 0;
}

void TstRemoteBackend::streamsOfOthersAreRead() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    QFETCH(int, reason);
    QFETCH(int, tokens);
    serve(bytes.toStdString());
    const auto backend = attach();
    QVERIFY(backend);
    const auto [got, ended] = answer(*backend, hello());
    QCOMPARE(QString::fromStdString(got), text);
    QCOMPARE(static_cast<int>(ended), reason);
    const auto record = recordOf(*backend);
    QCOMPARE(record->outputTokens, std::int64_t{tokens});
    std::int64_t inSteps = 0;
    for (const engine::TokenStep& step : record->steps) {
        inSteps += step.tokens;
    }
    QCOMPARE(inSteps, record->outputTokens); // rates and counts are the same tokens
    QVERIFY(ended != FinishReason::Failed || !record->message.empty());
    // Figures of the server's own are in the same series.
    QTRY_COMPARE(backend->snapshot().running, std::int64_t{7});
    QCOMPARE(backend->snapshot().kvBlocksUsed * 2, backend->snapshot().kvBlocksTotal);
}

void TstRemoteBackend::refusalsAreReasons_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<int>("reason");
    QTest::newRow("overload") << 429 << static_cast<int>(FinishReason::Overloaded);
    QTest::newRow("busy") << 503 << static_cast<int>(FinishReason::Overloaded);
    QTest::newRow("broken") << 500 << static_cast<int>(FinishReason::Failed);
    QTest::newRow("wrong") << 400 << static_cast<int>(FinishReason::Rejected);
}

void TstRemoteBackend::refusalsAreReasons() {
    QFETCH(int, status);
    QFETCH(int, reason);
    serve(R"({"error":{"message":"so it is"}})", status);
    const auto backend = attach();
    const auto stream = backend->submit(hello());
    while (stream->waitNext(100ms)) {
    }
    QCOMPARE(static_cast<int>(*stream->finishReason()), reason);
    QVERIFY(stream->message().find("so it is") != std::string::npos);
}

void TstRemoteBackend::cancellingClosesTheConnection() {
    serve("hang");
    const auto backend = attach();
    const auto stream = backend->submit(hello());
    QCOMPARE(stream->waitNext(5s)->text, std::string("a"));
    const auto begin = std::chrono::steady_clock::now();
    backend->cancel(stream->id());
    QVERIFY(stream->finishReason() == FinishReason::Cancelled);
    QTRY_COMPARE(m_gone.load(), 1);
    QVERIFY(std::chrono::steady_clock::now() - begin < 500ms);
    backend->cancel(stream->id());
    backend->cancel(engine::RequestId{999});
}

void TstRemoteBackend::aDeadlineEndsIt() {
    serve("hang");
    const auto backend = attach();
    engine::Request request = hello();
    request.deadline = engine::Clock::now() + 200ms;
    QCOMPARE(answer(*backend, std::move(request)).second, FinishReason::Deadline);
    QTRY_COMPARE(m_gone.load(), 1);
}

void TstRemoteBackend::aServerThatGoesIsNoticedAndFoundAgain() {
    serve("hang");
    const auto backend = attach();
    const auto stream = backend->submit(hello());
    QCOMPARE(stream->waitNext(5s)->text, std::string("a"));
    m_server->stop();
    while (stream->waitNext(100ms)) {
    }
    QVERIFY(stream->finishReason() == FinishReason::Failed);
    QTRY_COMPARE_WITH_TIMEOUT(backend->snapshot().state, engine::EngineState::Failed, 10'000);
    QCOMPARE(answer(*backend, hello()).second, FinishReason::Rejected);
    HttpServer again(
        [](const std::shared_ptr<HttpExchange>& exchange) { exchange->respond({.body = "{}"}); });
    QVERIFY(again.start(m_port).has_value());
    QTRY_COMPARE_WITH_TIMEOUT(backend->snapshot().state, engine::EngineState::Idle, 10'000);
}

void TstRemoteBackend::aLostServerIsLookedForLessAndLess() {
    serve("data: [DONE]\n\n");
    const auto backend = attach();
    m_server->stop();
    QTRY_COMPARE_WITH_TIMEOUT(backend->snapshot().state, engine::EngineState::Failed, 10'000);
    ClosingDoor door(m_port); // takes every call, and says nothing
    QTRY_VERIFY_WITH_TIMEOUT(door.calls().size() >= 3, 60'000);
    const std::vector<engine::TimePoint> calls = door.calls();
    QVERIFY(calls[1] - calls[0] >= 1800ms); // after 1 s or more, twice that, and twice again
    QVERIFY(calls[2] - calls[1] >= 3500ms);
}

void TstRemoteBackend::aRunOutlivesAServerThatIsStartedAgain() {
    const std::string answer = "data: {\"choices\":[{\"text\":\"a b\"}]}\n\ndata: [DONE]\n\n";
    serve(answer);
    const std::uint16_t port = m_port;
    QTemporaryDir folder;
    app::Session session(folder.path().toStdString() + "/runs.db");
    session.openModel(fmt::format("http://127.0.0.1:{}", port), {});
    QTRY_VERIFY(session.hasModel());
    app::Workload workload;
    workload.name = "blip";
    workload.promptSets = {"english"};
    workload.promptTokens = {4, 8};
    workload.outputTokens = {2, 2};
    workload.stages = {{.ratePerSecond = 20.0, .endRatePerSecond = 20.0, .seconds = 120.0}};
    QVERIFY(session.startLoad(workload).has_value());
    QTRY_VERIFY(session.snapshot().completed > 5);
    m_server->stop();
    QTRY_COMPARE_WITH_TIMEOUT(session.snapshot().state, engine::EngineState::Failed, 10'000);
    QTRY_VERIFY(session.snapshot().rejected > 5); // asked, and refused
    QVERIFY(session.isLoadRunning());
    const auto before = session.snapshot().completed;
    serve(answer, 200, port);
    QTRY_VERIFY_WITH_TIMEOUT(session.snapshot().completed > before + 5, 60'000);
    QVERIFY(session.isLoadRunning());
    session.stopLoad();
    QTRY_VERIFY_WITH_TIMEOUT(!session.isLoadRunning(), 30'000);
}

// As a server does that tells its figures between two batches only.
void TstRemoteBackend::silenceOfABusyServerIsNoLoss() {
    std::vector<std::shared_ptr<HttpExchange>> held;
    m_server = std::make_unique<HttpServer>([&held](const std::shared_ptr<HttpExchange>& exchange) {
        if (exchange->request().path == "/v1/models") {
            exchange->respond({.body = R"({"data":[{"id":"scripted","max_model_len":512}]})"});
        } else {
            held.push_back(exchange); // neither figures nor a text
        }
    });
    m_port = m_server->start(0).value();
    const auto backend = attach();
    QVERIFY(backend);
    const auto stream = backend->submit(hello());
    const auto until = std::chrono::steady_clock::now() + 12s; // two silent questions
    while (std::chrono::steady_clock::now() < until) {
        QVERIFY(backend->snapshot().state == engine::EngineState::Running);
        QVERIFY(!stream->isFinished());
        QTest::qWait(200);
    }
    QVERIFY(!backend->submit(hello())->isFinished()); // nor is anybody refused
    m_server->stop();
    held.clear();
}

void TstRemoteBackend::levelsLeaveItsSettingsAlone() {
    serve("data: [DONE]\n\n");
    const auto backend = engine::withServing({.main = attach(), .keepsSettings = true});
    const auto force = [&backend](engine::DegradationMode mode) {
        const auto edited = backend->edit(
            [mode](engine::EngineConfig& config) { config.serving.degradation = mode; });
        backend->takeEvents();
        return edited.has_value();
    };
    QVERIFY(force(engine::DegradationMode::Level1));
    QCOMPARE(backend->serving()->servingStatus().level, 1);
    for (const engine::LevelAction& action : backend->serving()->servingStatus().actions) {
        QVERIFY(action.level == 2 || action.state != engine::ActionState::InForce);
    }
    QVERIFY(force(engine::DegradationMode::Level2));
    QVERIFY(force(engine::DegradationMode::Off));
    QCOMPARE(backend->serving()->servingStatus().level, 0);
}

void TstRemoteBackend::figuresGoWithAServerThatRestarts() {
    std::atomic<int> running{17};
    m_server =
        std::make_unique<HttpServer>([&running](const std::shared_ptr<HttpExchange>& exchange) {
            if (exchange->request().path != "/metrics") {
                exchange->respond({.body = R"({"data":[{"id":"scripted","max_model_len":512}]})"});
            } else if (running < 0) {
                exchange->respond({.status = 503, .body = "starting"});
            } else {
                exchange->respond(
                    {.contentType = "text/plain",
                     .body = fmt::format("vllm:num_requests_running {}\n", running.load())});
            }
        });
    m_port = m_server->start(0).value();
    const auto backend = attach();
    QVERIFY(backend);
    QTRY_COMPARE(backend->snapshot().running, std::int64_t{17});
    running = -1;
    QTRY_COMPARE_WITH_TIMEOUT(backend->snapshot().running, std::int64_t{0}, 10'000);
    running = 2;
    QTRY_COMPARE_WITH_TIMEOUT(backend->snapshot().running, std::int64_t{2}, 10'000);
}

// The first question for figures is under way: what comes back must find its backend or nobody.
void TstRemoteBackend::leavingWhileItAnswersIsQuiet() {
    serve("");
    for (int i = 0; i < 40; ++i) {
        auto backend = attach();
        QVERIFY(backend != nullptr);
        std::this_thread::sleep_for(std::chrono::microseconds(15 * i));
    }
}

void TstRemoteBackend::itsSettingsStayItsOwn() {
    serve("data: [DONE]\n\n");
    const auto backend = attach();
    const auto refused = backend->edit([](engine::EngineConfig& c) { c.maxBatch = 3; });
    QVERIFY(!refused && refused.error().code == engine::ErrorCode::Unsupported);
    QVERIFY(backend
                ->edit([](engine::EngineConfig& c) {
                    c.serving.degradation = engine::DegradationMode::Auto;
                })
                .has_value());
    QCOMPARE(backend->config().requested.serving.degradation, engine::DegradationMode::Auto);
}

void TstRemoteBackend::theSessionRecordsIt() {
    serve("data: {\"choices\":[{\"text\":\"a b\"}]}\n\ndata: {\"choices\":[{\"text\":\"\","
          "\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":2,\"completion_tokens\":2}}"
          "\n\ndata: [DONE]\n\n");
    QTemporaryDir folder;
    app::Session session(folder.path().toStdString() + "/runs.db");
    session.openModel(fmt::format("http://127.0.0.1:{}", m_port), {});
    QTRY_VERIFY(session.hasModel());
    const auto run = session.startRecording(QStringLiteral("attached"));
    QVERIFY(run.has_value());
    for (int i = 0; i < 5; ++i) {
        const auto stream = session.submit(hello());
        while (stream->waitNext(100ms)) {
        }
    }
    QTRY_COMPARE(session.history().requests().size(), std::size_t{5});
    session.stopRecording();
    auto store = app::RunStore::open(session.runLog(), app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto summary = (*store)->summary(*run);
    QCOMPARE(summary->completed, std::int64_t{5});
    QVERIFY(summary->ttftMs.p50.has_value());
}

void TstRemoteBackend::workloadsLeaveItsSettingsAlone() {
    serve("data: {\"choices\":[{\"text\":\"a b\"}]}\n\ndata: [DONE]\n\n");
    QTemporaryDir folder;
    app::Session session(folder.path().toStdString() + "/runs.db");
    session.openModel(fmt::format("http://127.0.0.1:{}", m_port), {});
    QTRY_VERIFY(session.hasModel());
    app::Workload workload = app::withDuration(*app::loadWorkload("demo"), 0.5);
    QVERIFY(std::ranges::find(workload.settings, std::string("weights.precision"),
                              &std::pair<std::string, std::string>::first) !=
            workload.settings.end());
    const auto started = session.startLoad(workload);
    QVERIFY2(started.has_value(), started ? "" : started.error().message.c_str());
    const engine::EngineConfig config = session.config().requested;
    QVERIFY(config.precision == engine::WeightPrecision::File); // that is the server's
    QVERIFY(config.serving.degradation == engine::DegradationMode::Auto);
    QTRY_VERIFY_WITH_TIMEOUT(!session.isLoadRunning(), 30'000);
}

void TstRemoteBackend::llamaCppPythonIsDriven() {
    const QString python = qEnvironmentVariable("HEADWAY_LLAMA_PYTHON");
    const std::filesystem::path model = tests::defaultModel();
    if (python.isEmpty() || model.empty()) {
        QSKIP("HEADWAY_LLAMA_PYTHON names no Python with llama-cpp-python, or there is no model");
    }
    HttpServer finder([](const std::shared_ptr<HttpExchange>&) {});
    m_port = finder.start(0).value_or(0);
    finder.stop();
    QProcess server;
    server.start(python, {QStringLiteral("-m"), QStringLiteral("llama_cpp.server"),
                          QStringLiteral("--model"), QString::fromStdString(model.string()),
                          QStringLiteral("--port"), QString::number(m_port),
                          QStringLiteral("--n_ctx"), QStringLiteral("512")});
    std::unique_ptr<engine::Backend> backend;
    for (int i = 0; i < 300 && !backend; ++i) {
        QTest::qWait(100);
        auto tried = app::attachRemote(fmt::format("http://127.0.0.1:{}/v1", m_port), {}, {});
        backend = tried ? std::move(*tried) : nullptr;
    }
    QVERIFY2(backend, server.readAllStandardError().constData());
    engine::Request request = hello(12);
    const auto [text, reason] = answer(*backend, std::move(request));
    QVERIFY(!text.empty());
    const auto record = recordOf(*backend);
    QVERIFY2(engine::outcome(reason) == engine::Outcome::Completed, record->message.c_str());
    QVERIFY(record->ttft() && record->outputTokens > 0);
    engine::Request plain;
    plain.prompt = std::string("Once upon a time");
    plain.maxTokens = 8;
    QVERIFY(!answer(*backend, std::move(plain)).first.empty());
    server.kill();
    server.waitForFinished();
}

QTEST_GUILESS_MAIN(TstRemoteBackend)
#include "tst_remote_backend.moc"
