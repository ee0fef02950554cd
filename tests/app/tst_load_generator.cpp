// The load generator against a scripted backend: schedule, lag, closed loops, stopping.
#include "app/load/load_counters.h"
#include "app/load/load_generator.h"
#include "tests/support/fake_backend.h"

#include <QTest>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <set>
#include <thread>

using namespace app;
using namespace std::chrono_literals;

class TstLoadGenerator : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void requestsCarryTheirDueTimeAndAreNeverEarly();
    void aSlowBackendMakesNoArrivalLater();
    void aBlockedThreadIsToldAsLag();
    void sameSeedSendsTheSame();
    void closedLoopNeverExceedsItsUsers();
    void fewerUsersInTheNextStageLetTheSurplusGo();
    void refusedUsersDoNotFlood();
    void stopCancelsWithin200Milliseconds();
    void stopEndsThoughTheBackendNeverAnswers();
    void stagesAndTheEndAreEvents();
    void countersAddUp();
    void achievedRateIsOverTenSeconds();
};

namespace {

PromptLibrary library() {
    auto prompts = PromptLibrary::fromResources();
    if (!prompts) {
        qFatal("%s", prompts.error().message.c_str());
    }
    return *prompts;
}

Workload poisson(double rate, double seconds) {
    Workload workload;
    workload.promptSets = {"english", "chinese", "code"};
    workload.promptTokens = {5, 50};
    workload.outputTokens = {1, 4};
    workload.stages = {{.ratePerSecond = rate, .endRatePerSecond = rate, .seconds = seconds}};
    return workload;
}

Workload closed(std::vector<std::pair<int, double>> stages) {
    Workload workload = poisson(1.0, 1.0);
    workload.stages.clear();
    for (const auto& [users, seconds] : stages) {
        workload.stages.push_back(
            {.kind = ArrivalKind::Closed, .users = users, .seconds = seconds});
    }
    return workload;
}

std::string userText(const engine::Request& request) {
    return std::get<std::vector<engine::ChatMessage>>(request.prompt).back().content;
}

// Runs a workload to its end and returns the last progress.
LoadProgress runToEnd(tests::FakeBackend& backend, const Workload& workload) {
    std::mutex mutex;
    std::condition_variable changed;
    bool isFinished = false;
    LoadGenerator generator(backend, workload, planRequests(workload), library(), [&] {
        const std::lock_guard lock(mutex);
        isFinished = true;
        changed.notify_one();
    });
    generator.start();
    std::unique_lock lock(mutex);
    changed.wait_for(lock, 20s, [&] { return isFinished; });
    if (!isFinished) {
        qFatal("the workload did not end");
    }
    lock.unlock();
    return generator.progress();
}

// Answers each request after `delay` on a thread of its own and watches how many are open.
class SlowAnswers {
public:
    SlowAnswers(tests::FakeBackend& backend, std::chrono::milliseconds delay)
        : m_thread([this, &backend, delay](const std::stop_token& stop) {
              std::unique_lock lock(m_mutex);
              while (!stop.stop_requested()) {
                  m_changed.wait(lock, stop, [this] { return !m_open.empty(); });
                  if (m_open.empty()) {
                      return;
                  }
                  const auto [id, received] = m_open.front();
                  m_changed.wait_until(lock, stop, received + delay, [] { return false; });
                  m_open.pop_front();
                  lock.unlock();
                  backend.finish(id, engine::FinishReason::Length, 2);
                  lock.lock();
              }
          }) {
        backend.setAnswer([this](const engine::Request&, auto stream) {
            const std::lock_guard lock(m_mutex);
            m_open.emplace_back(stream->id(), engine::Clock::now());
            m_most = std::max(m_most, m_open.size());
            m_counts.emplace_back(engine::Clock::now(), m_open.size());
            m_changed.notify_one();
        });
    }
    std::size_t most() const {
        const std::lock_guard lock(m_mutex);
        return m_most;
    }
    std::size_t mostAfter(engine::TimePoint time) const {
        const std::lock_guard lock(m_mutex);
        std::size_t most = 0;
        for (const auto& [at, count] : m_counts) {
            most = at >= time ? std::max(most, count) : most;
        }
        return most;
    }

private:
    mutable std::mutex m_mutex;
    std::condition_variable_any m_changed;
    std::deque<std::pair<engine::RequestId, engine::TimePoint>> m_open;
    std::vector<std::pair<engine::TimePoint, std::size_t>> m_counts;
    std::size_t m_most = 0;
    std::jthread m_thread;
};

} // namespace

void TstLoadGenerator::requestsCarryTheirDueTimeAndAreNeverEarly() {
    tests::FakeBackend backend;
    std::vector<engine::Nanoseconds> lags;
    backend.setAnswer([&](const engine::Request& request, auto stream) {
        lags.push_back(engine::Clock::now() - *request.scheduled);
        backend.finish(stream->id(), engine::FinishReason::Length, 1);
    });
    const Workload workload = poisson(200.0, 1.0);
    const auto planned = planRequests(workload);
    const LoadProgress progress = runToEnd(backend, workload);
    QCOMPARE(progress.planned, std::int64_t(planned.size()));
    QCOMPARE(progress.sent, progress.planned);
    QCOMPARE(progress.completed, progress.planned);
    QVERIFY(*std::min_element(lags.begin(), lags.end()) >= 0ns);
    std::nth_element(lags.begin(), lags.begin() + std::ptrdiff_t(lags.size() / 2), lags.end());
    QVERIFY2(lags[lags.size() / 2] < 10ms, std::to_string(lags[lags.size() / 2].count()).c_str());
    QVERIFY(progress.seconds >= 1.0);
    // The schedule is the plan's, whatever the thread did: distances are exact.
    const auto submitted = backend.submitted();
    const auto first = *submitted.front().scheduled;
    for (std::size_t at = 0; at < planned.size(); ++at) {
        const double due = std::chrono::duration<double>(*submitted[at].scheduled - first).count();
        QVERIFY(std::abs(due - (planned[at].atSeconds - planned[0].atSeconds)) < 1e-6);
    }
}

void TstLoadGenerator::aSlowBackendMakesNoArrivalLater() {
    tests::FakeBackend backend;
    SlowAnswers answers(backend, 2000ms); // none is answered while requests arrive
    Workload workload = poisson(100.0, 0.5);
    LoadGenerator generator(backend, workload, planRequests(workload), library());
    generator.start();
    QTRY_COMPARE_WITH_TIMEOUT(generator.progress().sent, generator.progress().planned, 1500);
    const LoadProgress progress = generator.progress();
    QCOMPARE(progress.finished, std::int64_t(0));
    QVERIFY(!progress.isBehind);
}

void TstLoadGenerator::aBlockedThreadIsToldAsLag() {
    tests::FakeBackend backend;
    std::atomic<int> calls = 0; // relaxed enough: one thread counts
    backend.setAnswer([&](const engine::Request&, auto stream) {
        if (++calls <= 20) {
            std::this_thread::sleep_for(30ms); // a door that blocks its caller
        }
        backend.finish(stream->id(), engine::FinishReason::Length, 1);
    });
    const LoadProgress progress = runToEnd(backend, poisson(100.0, 0.5));
    QCOMPARE(progress.sent, progress.planned);
    QVERIFY(progress.lagP50Ms > kLagLimitMs);
    QVERIFY(progress.lagP99Ms >= progress.lagP50Ms);
    QVERIFY(progress.isBehind);
}

void TstLoadGenerator::sameSeedSendsTheSame() {
    tests::FakeBackend first, second;
    const Workload workload = poisson(200.0, 0.3);
    runToEnd(first, workload);
    runToEnd(second, workload);
    const auto a = first.submitted(), b = second.submitted();
    QCOMPARE(a.size(), b.size());
    QVERIFY(a.size() > 20);
    std::set<std::string> labels;
    for (std::size_t at = 0; at < a.size(); ++at) {
        QVERIFY(userText(a[at]) == userText(b[at]));
        QVERIFY(!userText(a[at]).empty());
        QCOMPARE(a[at].maxTokens, b[at].maxTokens);
        QCOMPARE(a[at].sampling.seed, b[at].sampling.seed);
        QVERIFY(a[at].ignoreEnd);
        labels.insert(a[at].label);
    }
    QCOMPARE(labels.size(), std::size_t(3));
}

void TstLoadGenerator::closedLoopNeverExceedsItsUsers() {
    tests::FakeBackend backend;
    SlowAnswers answers(backend, 20ms);
    const LoadProgress progress = runToEnd(backend, closed({{5, 1.0}}));
    QCOMPARE(answers.most(), std::size_t(5));
    // Five users, an answer each 20 ms: at most 250, and far more than one round.
    QVERIFY2(progress.sent > 60 && progress.sent <= 255, std::to_string(progress.sent).c_str());
    QCOMPARE(progress.finished, progress.sent);
    QCOMPARE(progress.wantedRate, 0.0);
    QCOMPARE(progress.planned, std::int64_t(0));
    QVERIFY(!progress.isBehind);
}

void TstLoadGenerator::fewerUsersInTheNextStageLetTheSurplusGo() {
    tests::FakeBackend backend;
    SlowAnswers answers(backend, 10ms);
    const auto start = engine::Clock::now();
    const LoadProgress progress = runToEnd(backend, closed({{8, 0.4}, {2, 0.4}}));
    QCOMPARE(answers.most(), std::size_t(8));
    QVERIFY(answers.mostAfter(start + 600ms) <= 2);
    QVERIFY(!progress.isBehind);
}

void TstLoadGenerator::refusedUsersDoNotFlood() {
    tests::FakeBackend backend;
    backend.setAnswer([&](const engine::Request&, auto stream) {
        backend.finish(stream->id(), engine::FinishReason::TooLong, 0);
    });
    const LoadProgress progress = runToEnd(backend, closed({{3, 0.5}}));
    QVERIFY2(progress.sent >= 9 && progress.sent <= 18, std::to_string(progress.sent).c_str());
    QCOMPARE(progress.rejected, progress.sent);
    QVERIFY(!progress.isBehind); // waiting after a refusal is no lag
}

void TstLoadGenerator::stopCancelsWithin200Milliseconds() {
    tests::FakeBackend backend;
    backend.setAnswer([](const engine::Request&, auto) {}); // never answers by itself
    std::atomic<bool> isFinished = false;
    const Workload workload = poisson(200.0, 60.0);
    LoadGenerator generator(backend, workload, planRequests(workload), library(),
                            [&] { isFinished = true; });
    generator.start();
    QTRY_VERIFY_WITH_TIMEOUT(generator.progress().sent >= 20, 2000);
    const auto asked = engine::Clock::now();
    generator.stop();
    QVERIFY(engine::Clock::now() - asked < 20ms);
    while (!isFinished && engine::Clock::now() - asked < 2s) {
        std::this_thread::yield();
    }
    QVERIFY(engine::Clock::now() - asked < 200ms);
    const LoadProgress progress = generator.progress();
    QVERIFY(!progress.isRunning);
    QCOMPARE(progress.cancelled, progress.sent);
    QCOMPARE(std::int64_t(backend.cancelled().size()), progress.sent);
}

void TstLoadGenerator::stopEndsThoughTheBackendNeverAnswers() {
    class Deaf final : public engine::Backend {
    public:
        std::shared_ptr<engine::TokenStream> submit(engine::Request) override {
            return std::make_shared<engine::TokenStream>(engine::RequestId{++m_id});
        }
        void cancel(engine::RequestId) override {}
        engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>&) override {
            return {};
        }
        engine::ConfigStatus config() const override { return {}; }
        engine::Capabilities capabilities() const override { return {}; }
        engine::Snapshot snapshot() override { return {}; }
        std::vector<engine::Event> takeEvents() override { return {}; }
        void post(engine::EventSource, engine::Notice) override {}
        engine::Result<std::vector<engine::TokenId>> tokenize(std::string_view) const override {
            return {};
        }

    private:
        std::uint64_t m_id = 0;
    };
    Deaf backend;
    const auto start = engine::Clock::now();
    {
        const Workload workload = poisson(500.0, 60.0);
        LoadGenerator generator(backend, workload, planRequests(workload), library());
        generator.start();
        QTRY_VERIFY_WITH_TIMEOUT(generator.progress().sent >= 5, 2000);
    }
    QVERIFY(engine::Clock::now() - start < 5s);
}

void TstLoadGenerator::stagesAndTheEndAreEvents() {
    tests::FakeBackend backend;
    Workload workload = poisson(50.0, 0.2);
    workload.name = "two";
    workload.stages.push_back({.kind = ArrivalKind::Closed, .users = 2, .seconds = 0.2});
    SlowAnswers answers(backend, 10ms);
    runToEnd(backend, workload);
    std::vector<std::string> kinds;
    std::vector<engine::TimePoint> times;
    for (const engine::Event& event : backend.takeEvents()) {
        if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
            QCOMPARE(event.source, engine::EventSource::App);
            kinds.push_back(notice->kind);
            times.push_back(event.time);
        }
    }
    QCOMPARE(kinds,
             (std::vector<std::string>{"workload_started", "stage", "stage", "workload_finished"}));
    QVERIFY(times[2] - times[1] >= 195ms && times[2] - times[1] < 400ms);
}

void TstLoadGenerator::countersAddUp() {
    tests::FakeBackend backend;
    int turn = 0;
    backend.setAnswer([&](const engine::Request&, auto stream) {
        constexpr std::array kReasons = {engine::FinishReason::Stop, engine::FinishReason::Rejected,
                                         engine::FinishReason::Failed,
                                         engine::FinishReason::Cancelled};
        backend.finish(stream->id(), kReasons[std::size_t(turn++) % 4], 1);
    });
    const LoadProgress progress = runToEnd(backend, poisson(200.0, 0.4));
    QCOMPARE(progress.completed + progress.cancelled + progress.failed + progress.rejected,
             progress.finished);
    QCOMPARE(progress.finished, progress.sent);
    QVERIFY(progress.completed > 0 && progress.cancelled > 0 && progress.failed > 0 &&
            progress.rejected > 0);
}

void TstLoadGenerator::achievedRateIsOverTenSeconds() {
    LoadCounters counters(30.0, 300);
    const engine::TimePoint start{};
    counters.begin(start);
    counters.beginStage(0, {.ratePerSecond = 0.0, .endRatePerSecond = 30.0, .seconds = 30.0},
                        start);
    for (int second = 0; second < 20; ++second) {
        for (int request = 0; request < second; ++request) {
            const auto at = start + std::chrono::milliseconds(second * 1000 + 500);
            counters.countSent(at - 2ms, at);
        }
    }
    const LoadProgress progress = counters.progress(start + 20s);
    QCOMPARE(progress.achievedRate, 14.5); // (10 + ... + 19) / 10
    QCOMPARE(progress.wantedRate, 20.0);
    QVERIFY(std::abs(progress.lagP50Ms - 2.0) < 0.05);
    counters.end(start + 20s);
    QCOMPARE(counters.progress(start + 60s).achievedRate, 14.5);
    QCOMPARE(counters.progress(start + 60s).seconds, 20.0);
}

QTEST_GUILESS_MAIN(TstLoadGenerator)
#include "tst_load_generator.moc"
