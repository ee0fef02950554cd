// What stands around the engine, over a scripted one: the overlay, held fields, events, tags.
#include "engine/serving.h"
#include "engine/serving/overlay.h"
#include "tests/support/fake_backend.h"

#include <QTest>

#include <algorithm>

using namespace engine;
using namespace std::chrono_literals;
using tests::FakeBackend;

class TstServing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void whatItDoesNotTouchGoesThrough();
    void aForcedLevelHoldsItsFields();
    void editsUnderALevelChangeTheRequestOnly();
    void leavingTheLevelGivesBackWhatWasAsked();
    void otherPoliciesStay();
    void theListSaysWhatEachLineDoes();
    void slowFirstTokensBeginALevel();
    void longAnswersAreWatchedFromTheirFirstText();
    void whoGivesUpIsCounted();
    void batchLaneAndComputedElsewhereDoNotCount();
    void requestsUnderALevelAreTagged();
    void aRefusedEditChangesNothing();
    void weightBitsComeFromValueOrFile();

private:
    // Takes events, as the recorder does, while the clock goes on.
    std::vector<Event> run(std::chrono::seconds time);
    const Notice* notice(const std::vector<Event>& events, std::string_view kind) const;
    FieldStatus field(std::string_view key) const;
    void leftWithoutText(Nanoseconds waited);
    void finished(Nanoseconds ttft, std::uint32_t tags = 0, Lane lane = Lane::Realtime);

    TimePoint m_now;
    FakeBackend* m_main = nullptr;
    std::unique_ptr<Backend> m_backend;
};

namespace {

std::string valueOf(const Notice& notice, std::string_view key) {
    const auto found =
        std::ranges::find(notice.values, key, &std::pair<std::string, std::string>::first);
    return found == notice.values.end() ? std::string() : found->second;
}

void force(Backend& backend, DegradationMode mode) {
    QVERIFY(backend.edit([mode](EngineConfig& config) { config.serving.degradation = mode; })
                .has_value());
}

} // namespace

void TstServing::init() {
    m_now = TimePoint(std::chrono::hours(1));
    EngineConfig config;
    config.batching = Batching::Dynamic;
    auto main = std::make_unique<FakeBackend>(config);
    m_main = main.get();
    m_backend = withServing({.main = std::move(main), .now = [this] { return m_now; }});
}

std::vector<Event> TstServing::run(std::chrono::seconds time) {
    std::vector<Event> events;
    for (auto second = 0s; second < time; ++second) {
        m_now += 1s;
        std::ranges::move(m_backend->takeEvents(), std::back_inserter(events));
    }
    std::ranges::move(m_main->takeEvents(), std::back_inserter(events)); // those it posted last
    return events;
}

const Notice* TstServing::notice(const std::vector<Event>& events, std::string_view kind) const {
    for (const Event& event : events) {
        const auto* found = std::get_if<Notice>(&event.body);
        if (found != nullptr && found->kind == kind) {
            return found;
        }
    }
    return nullptr;
}

FieldStatus TstServing::field(std::string_view key) const {
    const ConfigStatus status = m_backend->config();
    return *std::ranges::find(status.fields, key, &FieldStatus::key);
}

void TstServing::finished(Nanoseconds ttft, std::uint32_t tags, Lane lane) {
    RequestRecord record;
    record.reason = FinishReason::Stop;
    record.lane = lane;
    record.tags = tags;
    record.outputTokens = 1;
    record.stamps.received = m_now - ttft;
    record.stamps.firstVisible = record.stamps.lastToken = record.stamps.finished = m_now;
    m_main->push(std::move(record));
}

void TstServing::leftWithoutText(Nanoseconds waited) {
    RequestRecord record;
    record.reason = FinishReason::Cancelled;
    record.stamps.received = m_now - waited;
    record.stamps.finished = m_now;
    m_main->push(std::move(record));
}

void TstServing::whatItDoesNotTouchGoesThrough() {
    Request request;
    request.prompt = std::string("hello");
    request.maxTokens = 2;
    const auto stream = m_backend->submit(request);
    QVERIFY(stream->isFinished());
    QCOMPARE(m_main->submitted().size(), std::size_t{1});
    QCOMPARE(m_main->submitted()[0].tags, 0U);
    m_backend->post(EventSource::Operator, {.kind = "marker", .values = {}});
    const auto events = run(1s);
    QVERIFY(notice(events, "marker") != nullptr);
    QCOMPARE(m_backend->snapshot().completed, std::uint64_t{1});
    QCOMPARE(m_backend->capabilities().modelName, std::string("Fake-1M"));
    QCOMPARE(m_backend->tokenize("ab")->size(), std::size_t{2});
    QVERIFY(m_backend->serving() != nullptr);
}

void TstServing::aForcedLevelHoldsItsFields() {
    force(*m_backend, DegradationMode::Level1);
    const auto events = run(2s);
    const Notice* changed = notice(events, "degradation_changed");
    QVERIFY(changed != nullptr);
    QCOMPARE(valueOf(*changed, "before"), std::string("0"));
    QCOMPARE(valueOf(*changed, "after"), std::string("1"));
    QCOMPARE(valueOf(*changed, "cause"), std::string("forced"));
    QCOMPARE(m_main->config().requested.batching, Batching::Continuous);
    const FieldStatus held = field("batching.policy");
    QCOMPARE(held.state, FieldState::Held);
    QCOMPARE(held.requested, std::string("dynamic"));
    QCOMPARE(held.effective, std::string("continuous"));
    QVERIFY(held.reason.find("level 1") != std::string::npos);
    QCOMPARE(field("batching.max_batch").state, FieldState::InForce);
    QCOMPARE(m_backend->config().requested.batching, Batching::Dynamic);
    QCOMPARE(m_backend->snapshot().level, std::int64_t{1});
}

void TstServing::editsUnderALevelChangeTheRequestOnly() {
    force(*m_backend, DegradationMode::Level1);
    run(2s);
    QVERIFY(m_backend->edit([](EngineConfig& c) { c.batching = Batching::Single; }).has_value());
    QCOMPARE(m_main->config().requested.batching, Batching::Single); // not a policy it holds
    QVERIFY(m_backend
                ->edit([](EngineConfig& c) {
                    c.batching = Batching::Dynamic;
                    c.maxBatch = 9;
                })
                .has_value());
    QCOMPARE(m_main->config().requested.batching, Batching::Continuous);
    QCOMPARE(m_main->config().requested.maxBatch, std::int64_t{9});
    QCOMPARE(field("batching.policy").requested, std::string("dynamic"));
    QVERIFY(!m_main->config().effective.checksQuality); // not in an overload
    QCOMPARE(field("quality.check").state, FieldState::Held);
}

void TstServing::leavingTheLevelGivesBackWhatWasAsked() {
    const std::uint64_t version = m_backend->config().version;
    force(*m_backend, DegradationMode::Level1);
    run(2s);
    force(*m_backend, DegradationMode::Off);
    const auto events = run(2s);
    QVERIFY(notice(events, "degradation_changed") != nullptr);
    QCOMPARE(m_main->config().requested.batching, Batching::Dynamic);
    QCOMPARE(field("batching.policy").state, FieldState::InForce);
    QVERIFY(m_main->config().effective.checksQuality);
    QVERIFY(m_backend->config().version > version);
}

void TstServing::otherPoliciesStay() {
    for (const Batching batching : {Batching::Single, Batching::Continuous, Batching::Selective}) {
        EngineConfig config;
        config.batching = batching;
        QCOMPARE(underLevel(1, config, 16).batching, batching);
        QCOMPARE(underLevel(2, config, 4).batching, batching);
    }
    EngineConfig dynamic;
    dynamic.batching = Batching::Dynamic;
    QVERIFY(underLevel(0, dynamic, 16) == dynamic);
    QCOMPARE(underLevel(2, dynamic, 4).batching, Batching::Continuous);
    dynamic.serving.level1Batching = LevelBatching::Keep;
    QCOMPARE(underLevel(1, dynamic, 4).batching, Batching::Dynamic);
}

void TstServing::theListSaysWhatEachLineDoes() {
    const auto line = [this](std::string_view key) {
        const auto actions = m_backend->serving()->servingStatus().actions;
        return *std::ranges::find(actions, key, &LevelAction::field);
    };
    QCOMPARE(line("degradation.batching").state, ActionState::Ready);
    QCOMPARE(line("degradation.batching").before, std::string("dynamic"));
    QCOMPARE(line("degradation.batching").after, std::string("continuous"));
    force(*m_backend, DegradationMode::Level1);
    m_main->holdEdits();
    run(2s);
    QCOMPARE(line("degradation.batching").state, ActionState::Preparing);
    m_main->releaseEdits();
    QCOMPARE(line("degradation.batching").state, ActionState::InForce);
    QVERIFY(m_backend->edit([](EngineConfig& c) { c.serving.level1Batching = LevelBatching::Keep; })
                .has_value());
    QCOMPARE(line("degradation.batching").state, ActionState::Skipped);
    QVERIFY(!line("degradation.batching").reason.empty());
    QCOMPARE(m_main->config().requested.batching, Batching::Dynamic);
    for (const LevelAction& action : m_backend->serving()->servingStatus().actions) {
        QVERIFY(findField(action.field) != nullptr);
        QVERIFY(action.state == ActionState::Ready || action.state == ActionState::InForce ||
                !action.reason.empty());
    }
}

void TstServing::whoGivesUpIsCounted() {
    force(*m_backend, DegradationMode::Auto);
    const auto overload = [this](Nanoseconds patience) {
        for (int second = 0; second < 20; ++second) {
            for (int i = 0; i < 6; ++i) {
                leftWithoutText(patience);
            }
            run(1s);
        }
        return m_backend->serving()->servingStatus();
    };
    // Who leaves before the limit says nothing of whether it would have been kept.
    const ServingStatus impatient = overload(700ms);
    QCOMPARE(impatient.level, 0);
    QCOMPARE(impatient.n, std::int64_t{0});
    const ServingStatus status = overload(1200ms);
    QCOMPARE(status.level, 1);
    QCOMPARE(status.p90Ms, 1200.0);
}

void TstServing::slowFirstTokensBeginALevel() {
    force(*m_backend, DegradationMode::Auto);
    std::vector<Event> events;
    for (int second = 0; second < 20; ++second) {
        for (int i = 0; i < 6; ++i) {
            finished(1200ms);
        }
        std::ranges::move(run(1s), std::back_inserter(events));
    }
    const Notice* changed = notice(events, "degradation_changed");
    QVERIFY(changed != nullptr);
    QCOMPARE(valueOf(*changed, "cause"), std::string("limit"));
    QCOMPARE(valueOf(*changed, "p90_ms"), std::string("1200"));
    QCOMPARE(valueOf(*changed, "limit_ms"), std::string("800"));
    QVERIFY(std::stoi(valueOf(*changed, "n")) >= 30);
    const ServingStatus status = m_backend->serving()->servingStatus();
    QCOMPARE(status.level, 1);
    QVERIFY(status.p90Ms && status.lowMs && status.n >= 30);
    // What it did is told once the window after it is over.
    for (int second = 0; second < 35; ++second) {
        for (int i = 0; i < 6; ++i) {
            finished(50ms);
        }
        std::ranges::move(run(1s), std::back_inserter(events));
    }
    const Notice* effect = notice(events, "degradation_effect");
    QVERIFY(effect != nullptr);
    QCOMPARE(valueOf(*effect, "verdict"), std::string("better"));
    QVERIFY(m_backend->serving()->servingStatus().effect.has_value());
}

void TstServing::longAnswersAreWatchedFromTheirFirstText() {
    force(*m_backend, DegradationMode::Auto);
    std::vector<Event> events;
    std::vector<std::shared_ptr<RequestRecord>> answering;
    for (int second = 0; second < 20; ++second) {
        for (int i = 0; i < 6; ++i) {
            auto record = std::make_shared<RequestRecord>();
            record->stamps.received = m_now - 1200ms;
            record->stamps.firstVisible = m_now;
            answering.push_back(record);
            m_main->push({.time = m_now, .body = FirstToken{record}});
        }
        std::ranges::move(run(1s), std::back_inserter(events));
    }
    QVERIFY(notice(events, "degradation_changed") != nullptr); // none of them has ended
    QCOMPARE(m_backend->serving()->servingStatus().level, 1);
    const std::int64_t n = m_backend->serving()->servingStatus().n;
    for (const auto& record : answering) { // nor do they count twice
        record->reason = FinishReason::Stop;
        record->stamps.lastToken = record->stamps.finished = m_now;
        m_main->push({.time = m_now, .body = RequestFinished{record}});
    }
    run(1s);
    QVERIFY(m_backend->serving()->servingStatus().n <= n);
}

void TstServing::batchLaneAndComputedElsewhereDoNotCount() {
    force(*m_backend, DegradationMode::Auto);
    for (int second = 0; second < 40; ++second) {
        for (int i = 0; i < 6; ++i) {
            finished(5s, 0, Lane::Batch);
            finished(5s, static_cast<std::uint32_t>(SampleTag::Cached));
            finished(5s, static_cast<std::uint32_t>(SampleTag::LightModel));
            finished(5s, static_cast<std::uint32_t>(SampleTag::WarmUp));
        }
        QVERIFY(notice(run(1s), "degradation_changed") == nullptr);
    }
    QCOMPARE(m_backend->serving()->servingStatus().n, std::int64_t{0});
}

void TstServing::requestsUnderALevelAreTagged() {
    force(*m_backend, DegradationMode::Level1);
    run(2s);
    Request request;
    request.prompt = std::string("hello");
    m_backend->submit(request);
    QCOMPARE(m_main->submitted().back().tags, static_cast<std::uint32_t>(SampleTag::Degraded));
}

void TstServing::aRefusedEditChangesNothing() {
    const EngineConfig before = m_backend->config().requested;
    QVERIFY(!m_backend->edit([](EngineConfig& c) { c.maxBatch = -1; }).has_value());
    m_main->refuseEdits("Not now.");
    const auto refused = m_backend->edit([](EngineConfig& c) { c.maxBatch = 3; });
    QVERIFY(!refused && refused.error().message == "Not now.");
    QVERIFY(m_backend->config().requested == before);
}

void TstServing::weightBitsComeFromValueOrFile() {
    const EngineConfig config;
    for (const auto& [format, bits] : std::initializer_list<std::pair<const char*, int>>{
             {"F32", 16}, {"F16", 16}, {"BF16", 16}, {"Q8_0", 8}, {"Q4_1", 4}, {"IQ2_XS", 2}}) {
        QCOMPARE(weightBitsOf(config, format), bits);
    }
}

QTEST_APPLESS_MAIN(TstServing)
#include "tst_serving.moc"
