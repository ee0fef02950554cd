// Level 2: stored answers and the light model, over two scripted backends.
#include "engine/serving.h"
#include "engine/serving/light_model.h"
#include "engine/serving/serving_backend.h"
#include "tests/support/fake_backend.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <condition_variable>
#include <set>

using namespace engine;
using namespace std::chrono_literals;
using tests::FakeBackend;

class TstServingLevel2 : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void knownQuestionsAreAnsweredFromTheStore();
    void storedAnswersAreMarkedAndCounted();
    void theStoreIsUsedOnlyWhereItMayBe();
    void answersUnderALevelAreNotKept();
    void answersOfOtherNumbersAreOthers();
    void newRequestsGoToTheLightModel();
    void itsAnswersAreWhatLevelTwoDid();
    void whatTheLightModelRefusesIsAskedOfTheMainOne();
    void tokensWithoutTextAreShownToNobody();
    void itsFailuresAreCounted();
    void cancellingFindsTheRequest();
    void cancellingFindsARequestOnItsWay();
    void idsAreOfOneRequestEach();
    void runningRequestsEndWhereTheyAre();
    void aLightModelGoesWithItsLastAnswer();
    void lightModelsLeaveSideBySide();
    void aFewRequestsTryTheMainModel();
    void theLightModelIsLoadedWhenArmedAndGoesWhenNot();
    void aLightModelThatWillNotLoadIsSaid();
    void anotherFileReplacesTheLightModel();
    void theWholeGoesDownInOrder();
    void twoRealEnginesTakeTurns();

private:
    void force(DegradationMode mode);
    std::vector<Event> run(int seconds);
    std::shared_ptr<TokenStream> ask(std::string text);
    static std::string textOf(TokenStream& stream);
    void waitForLight();

    TimePoint m_now;
    FakeBackend* m_main = nullptr;
    FakeBackend* m_light = nullptr;
    std::uint64_t m_lights = 0; // made
    std::string m_lightProblem;
    std::unique_ptr<Backend> m_backend;
};

namespace {

Request question(std::string text, int tokens = 3) {
    Request request;
    request.prompt = std::move(text);
    request.maxTokens = tokens;
    return request;
}

bool has(const RequestRecord& record, SampleTag tag) {
    return (record.tags & static_cast<std::uint32_t>(tag)) != 0;
}

std::vector<std::shared_ptr<const RequestRecord>> finished(const std::vector<Event>& events) {
    std::vector<std::shared_ptr<const RequestRecord>> records;
    for (const Event& event : events) {
        if (const auto* ended = std::get_if<RequestFinished>(&event.body)) {
            records.push_back(ended->record);
        }
    }
    return records;
}

} // namespace

void TstServingLevel2::init() {
    m_backend.reset(); // ends what it loads, which reads what follows
    m_now = TimePoint(std::chrono::hours(1));
    m_light = nullptr;
    m_lightProblem.clear();
    EngineConfig config;
    config.serving.lightModel = LightModelChoice::Chosen;
    auto main = std::make_unique<FakeBackend>(config);
    m_main = main.get();
    m_backend =
        withServing({.main = std::move(main),
                     .makeLight = [this](const std::filesystem::path&, const EngineConfig& light,
                                         std::stop_token) -> Result<std::unique_ptr<Backend>> {
                         if (!m_lightProblem.empty()) {
                             return std::unexpected(Error{ErrorCode::OutOfMemory, m_lightProblem});
                         }
                         auto made = std::make_unique<FakeBackend>(light);
                         made->setFirstId(firstLightId(m_lights++));
                         m_light = made.get();
                         return made;
                     },
                     .now = [this] { return m_now; }});
    m_backend->serving()->setLightModel("light.gguf");
}

void TstServingLevel2::force(DegradationMode mode) {
    QVERIFY(m_backend->edit([mode](EngineConfig& c) { c.serving.degradation = mode; }).has_value());
    run(1);
}

std::vector<Event> TstServingLevel2::run(int seconds) {
    std::vector<Event> events;
    for (int second = 0; second < seconds; ++second) {
        m_now += 1s;
        std::ranges::move(m_backend->takeEvents(), std::back_inserter(events));
    }
    return events;
}

std::string TstServingLevel2::textOf(TokenStream& stream) {
    std::string text;
    while (const auto chunk = stream.waitNext(2s)) {
        text += chunk->text;
    }
    return text;
}

std::shared_ptr<TokenStream> TstServingLevel2::ask(std::string text) {
    return m_backend->submit(question(std::move(text)));
}

void TstServingLevel2::waitForLight() {
    QTRY_COMPARE(m_backend->serving()->servingStatus().light.state, LightModelStatus::State::Ready);
}

void TstServingLevel2::knownQuestionsAreAnsweredFromTheStore() {
    m_lightProblem = "none here"; // before anything looks for it
    force(DegradationMode::Auto); // armed: answers are kept
    const std::string first = textOf(*ask("what is it?"));
    QCOMPARE(m_main->submitted().size(), std::size_t{1});
    textOf(*ask("what is it?"));
    QCOMPARE(m_main->submitted().size(), std::size_t{2}); // not at level 0
    force(DegradationMode::Level2);
    const auto stream = ask("what is it?");
    QVERIFY(stream->isFinished());
    QCOMPARE(textOf(*stream), first);
    QVERIFY(stream->finishReason() == FinishReason::Length);
    QCOMPARE(m_main->submitted().size(), std::size_t{2});
    m_now += std::chrono::hours(2);
    ask("what is it?");
    QVERIFY(m_main->submitted().size() == 3 || m_light != nullptr); // too old
    m_backend->serving()->forgetAnswers();
    QCOMPARE(m_backend->serving()->servingStatus().answers.entries, std::int64_t{0});
}

void TstServingLevel2::storedAnswersAreMarkedAndCounted() {
    QVERIFY(
        m_backend->edit([](EngineConfig& c) { c.serving.usesAnswersAlways = true; }).has_value());
    textOf(*ask("q"));
    run(1);
    const auto stream = ask("q");
    textOf(*stream);
    QVERIFY(stream->record() && has(*stream->record(), SampleTag::Cached));
    QVERIFY(isStoredId(stream->id()) && !isLightId(stream->id()));
    const auto records = finished(run(1));
    QCOMPARE(records.size(), std::size_t{1});
    QVERIFY(has(*records[0], SampleTag::Cached));
    QCOMPARE(records[0]->outputTokens, std::int64_t{3});
    QCOMPARE(records[0]->promptTokens, std::int64_t{8});
    const Snapshot figures = m_backend->snapshot();
    QCOMPARE(figures.completed, std::uint64_t{2});
    QCOMPARE(figures.received, std::uint64_t{2});
    QCOMPARE(figures.cachedAnswers, std::uint64_t{1});
    QCOMPARE(figures.outputTokens, std::uint64_t{3}); // computed once
    m_backend->cancel(stream->id());
    QCOMPARE(m_main->cancelled().size(), std::size_t{0});
}

void TstServingLevel2::theStoreIsUsedOnlyWhereItMayBe() {
    QVERIFY(
        m_backend->edit([](EngineConfig& c) { c.serving.usesAnswersAlways = true; }).has_value());
    Request sampled = question("q");
    sampled.sampling.temperature = 1.0F;
    textOf(*m_backend->submit(sampled));
    textOf(*m_backend->submit(sampled));
    QCOMPARE(m_main->submitted().size(), std::size_t{2});
    QVERIFY(
        m_backend->edit([](EngineConfig& c) { c.serving.keepsSampledAnswers = true; }).has_value());
    textOf(*m_backend->submit(sampled));
    textOf(*m_backend->submit(sampled));
    QCOMPARE(m_main->submitted().size(), std::size_t{3});
    // A failed answer is none.
    m_main->setAnswer([](const Request&, auto stream) {
        stream->push("half", 1);
        stream->finish(FinishReason::Failed, "broken", nullptr);
    });
    textOf(*ask("fails"));
    textOf(*ask("fails"));
    QCOMPARE(m_main->submitted().size(), std::size_t{5});
}

void TstServingLevel2::answersOfOtherNumbersAreOthers() {
    const auto edit = [this](const std::function<void(EngineConfig&)>& change) {
        QVERIFY(m_backend->edit(change).has_value());
    };
    edit([](EngineConfig& c) { c.serving.usesAnswersAlways = true; });
    std::size_t computed = 0;
    const auto isComputed = [&](const Request& request) {
        textOf(*m_backend->submit(request));
        const bool isMore = m_main->submitted().size() > computed;
        computed = m_main->submitted().size();
        return isMore;
    };
    QVERIFY(isComputed(question("q")) && !isComputed(question("q")));
    edit([](EngineConfig& c) { c.attentionShare = 40; }); // no bearing
    QVERIFY(!isComputed(question("q")));
    Request sparse = question("q");
    sparse.attention = Attention::Sparse;
    QVERIFY(isComputed(sparse) && !isComputed(sparse));
    edit([](EngineConfig& c) { c.kvPrecision = KvPrecision::INT8; });
    QVERIFY(isComputed(question("q")) && !isComputed(question("q")));
    m_main->holdEdits(); // on their way: the old ones answer, and nobody's name is right
    edit([](EngineConfig& c) { c.precision = WeightPrecision::INT8; });
    QVERIFY(isComputed(question("q")) && isComputed(question("q")));
    m_main->releaseEdits();
    QVERIFY(isComputed(question("q")) && !isComputed(question("q")));
    // Of two: begun under one, ended under the other.
    m_main->setAnswer([](const Request&, const auto&) {});
    const auto open = m_backend->submit(question("long"));
    edit([](EngineConfig& c) { c.precision = WeightPrecision::File; });
    m_main->finish(open->id(), FinishReason::Length, 2);
    edit([](EngineConfig& c) { c.precision = WeightPrecision::INT8; });
    computed = m_main->submitted().size();
    const auto again = m_backend->submit(question("long"));
    QCOMPARE(m_main->submitted().size(), ++computed);
    m_main->finish(again->id(), FinishReason::Length, 2);
    QVERIFY(!isComputed(question("long")));
}

void TstServingLevel2::answersUnderALevelAreNotKept() {
    m_lightProblem = "none here";
    force(DegradationMode::Level1);
    textOf(*ask("q"));
    force(DegradationMode::Level2);
    textOf(*ask("q"));
    QCOMPARE(m_main->submitted().size(), std::size_t{2});
    QCOMPARE(m_backend->serving()->servingStatus().answers.entries, std::int64_t{0});
}

void TstServingLevel2::newRequestsGoToTheLightModel() {
    force(DegradationMode::Level2);
    waitForLight();
    const auto stream = ask("new");
    textOf(*stream);
    QCOMPARE(m_main->submitted().size(), std::size_t{0});
    QCOMPARE(m_light->submitted().size(), std::size_t{1});
    const std::uint32_t tags = m_light->submitted()[0].tags;
    QCOMPARE(tags, static_cast<std::uint32_t>(SampleTag::LightModel) |
                       static_cast<std::uint32_t>(SampleTag::Degraded));
    QCOMPARE(finished(run(1)).size(), std::size_t{1});
    QCOMPARE(m_backend->snapshot().lightAnswers, std::uint64_t{1});
    QCOMPARE(m_backend->snapshot().completed, std::uint64_t{1});
    // Left again: new ones go to the main model.
    force(DegradationMode::Auto);
    force(DegradationMode::Level1);
    textOf(*ask("again"));
    QCOMPARE(m_main->submitted().size(), std::size_t{1});
}

void TstServingLevel2::itsAnswersAreWhatLevelTwoDid() {
    const auto answered = [this](FakeBackend& by, Nanoseconds ttft, std::uint32_t tags) {
        RequestRecord record;
        record.reason = FinishReason::Stop;
        record.tags = tags;
        record.outputTokens = 1;
        record.stamps.received = m_now - ttft;
        record.stamps.firstVisible = record.stamps.lastToken = record.stamps.finished = m_now;
        by.push(std::move(record));
    };
    force(DegradationMode::Level1);
    run(40); // what was measured of that change is over
    for (int second = 0; second < 20; ++second) {
        answered(*m_main, 2s, 0);
        run(1);
    }
    force(DegradationMode::Level2);
    waitForLight();
    std::vector<Event> events;
    for (int second = 0; second < 40; ++second) {
        answered(*m_light, 100ms, static_cast<std::uint32_t>(SampleTag::LightModel));
        std::ranges::move(run(1), std::back_inserter(events));
    }
    const auto effect = m_backend->serving()->servingStatus().effect;
    QVERIFY(effect && effect->before == 1 && effect->after == 2);
    QVERIFY(effect->verdict == EffectVerdict::Better);
    QCOMPARE(m_backend->serving()->servingStatus().n, std::int64_t{0}); // no sample of the breaker
}

void TstServingLevel2::whatTheLightModelRefusesIsAskedOfTheMainOne() {
    force(DegradationMode::Level2);
    waitForLight();
    for (const FinishReason reason :
         {FinishReason::TooLong, FinishReason::Overloaded, FinishReason::Rejected}) {
        m_light->setAnswer([this, reason](const Request&, auto stream) {
            m_light->finish(stream->id(), reason, 0);
        });
        const auto before = m_main->submitted().size();
        const auto stream = ask("refused " + std::string(name(reason)));
        QCOMPARE(textOf(*stream), std::string("word word word "));
        QVERIFY(stream->finishReason() == FinishReason::Length);
        QCOMPARE(m_main->submitted().size(), before + 1);
        QVERIFY(!has(*stream->record(), SampleTag::LightModel));
        const auto records = finished(run(1));
        QCOMPARE(records.size(), std::size_t{1}); // told once
        QVERIFY(outcome(records[0]->reason) == Outcome::Completed);
    }
    QCOMPARE(m_backend->snapshot().lightAnswers, std::uint64_t{0});
    // One that had begun is not begun again elsewhere.
    m_light->setAnswer([](const Request&, auto stream) {
        stream->push("half", 1);
        stream->finish(FinishReason::Failed, "broken", nullptr);
    });
    const auto before = m_main->submitted().size();
    const auto broken = ask("broken");
    QCOMPARE(textOf(*broken), std::string("half"));
    QVERIFY(broken->finishReason() == FinishReason::Failed);
    QCOMPARE(m_main->submitted().size(), before);
}

void TstServingLevel2::cancellingFindsTheRequest() {
    force(DegradationMode::Level2);
    waitForLight();
    m_light->setAnswer([](const Request&, auto) {});
    const auto open = ask("open");
    m_backend->cancel(open->id());
    QCOMPARE(m_light->cancelled().size(), std::size_t{1});
    textOf(*open);
    QVERIFY(open->finishReason() == FinishReason::Cancelled);
    // One that was handed on is cancelled where it is now.
    m_light->setAnswer([this](const Request&, auto stream) {
        m_light->finish(stream->id(), FinishReason::Overloaded, 0);
    });
    m_main->setAnswer([](const Request&, auto) {});
    const auto handed = ask("handed on");
    m_backend->cancel(handed->id());
    QCOMPARE(m_main->cancelled().size(), std::size_t{1});
    textOf(*handed);
    QVERIFY(handed->finishReason() == FinishReason::Cancelled);
}

void TstServingLevel2::cancellingFindsARequestOnItsWay() {
    force(DegradationMode::Level2);
    waitForLight();
    RequestId asked{};
    m_light->setAnswer([this, &asked](const Request&, auto stream) {
        asked = stream->id();
        m_light->finish(asked, FinishReason::Overloaded, 0);
    });
    // Between the light model's refusal and the main model's answer.
    m_main->setAnswer([this, &asked](const Request&, auto) { m_backend->cancel(asked); });
    const auto stream = ask("on its way");
    QCOMPARE(m_main->cancelled().size(), std::size_t{1});
    textOf(*stream);
    QVERIFY(stream->finishReason() == FinishReason::Cancelled);
    const auto records = finished(run(1));
    QCOMPARE(records.size(), std::size_t{1});
    QVERIFY(records[0]->reason == FinishReason::Cancelled);
    m_backend->cancel(stream->id()); // it has ended
    QCOMPARE(m_main->cancelled().size(), std::size_t{1});
}

void TstServingLevel2::tokensWithoutTextAreShownToNobody() {
    force(DegradationMode::Level2);
    waitForLight();
    m_light->setAnswer([this](const Request&, auto stream) {
        stream->push("", 7);
        RequestRecord record;
        record.id = stream->id();
        record.reason = FinishReason::Failed;
        record.outputTokens = 1;
        const auto told = std::make_shared<const RequestRecord>(record);
        m_light->push(record);
        stream->finish(FinishReason::Failed, "The answer has no text.", told);
    });
    const auto stream = ask("half a character");
    std::vector<TokenId> ids;
    while (const auto chunk = stream->waitNext(2s)) {
        ids.insert(ids.end(), chunk->ids.begin(), chunk->ids.end());
    }
    QCOMPARE(ids, (std::vector<TokenId>{0, 1, 2})); // the main model's
    QVERIFY(stream->finishReason() == FinishReason::Length);
    QCOMPARE(finished(run(1)).size(), std::size_t{1});
    // Where a text follows they come with it; at the end of the main model's they come alone.
    m_light->setAnswer([this](const Request&, auto open) {
        open->push("", 7);
        open->push("text", 8);
        m_light->finish(open->id(), FinishReason::Length, 1);
    });
    const auto whole = ask("a character");
    QCOMPARE(textOf(*whole), std::string("textword "));
}

void TstServingLevel2::itsFailuresAreCounted() {
    force(DegradationMode::Level2);
    waitForLight();
    m_light->setAnswer([this](const Request&, auto stream) {
        m_light->finish(stream->id(), FinishReason::Failed, 1);
    });
    const auto broken = ask("broken");
    QCOMPARE(textOf(*broken), std::string("word "));
    m_light->setAnswer([this](const Request&, auto stream) {
        m_light->finish(stream->id(), FinishReason::Deadline, 0);
    });
    textOf(*ask("late"));
    m_light->setAnswer([this](const Request&, auto stream) {
        m_light->finish(stream->id(), FinishReason::Failed, 0);
    });
    QCOMPARE(textOf(*ask("handed on")), std::string("word word word "));
    const auto records = finished(run(1));
    QCOMPARE(records.size(), std::size_t{3});
    const Snapshot figures = m_backend->snapshot();
    QCOMPARE(figures.failed, std::uint64_t{2});
    QCOMPARE(figures.completed, std::uint64_t{1});
    QCOMPARE(figures.received, std::uint64_t{3});
    QCOMPARE(figures.lightAnswers, std::uint64_t{2});
}

void TstServingLevel2::idsAreOfOneRequestEach() {
    QCOMPARE(firstLightId(0), std::uint64_t{1'000'000'000});
    std::set<std::uint64_t> firsts = {0, kFirstStoredId};
    for (std::uint64_t model = 0; model < 100; ++model) {
        const std::uint64_t first = firstLightId(model);
        QVERIFY(firsts.insert(first).second && first % kIdRange == 0);
        QVERIFY(isLightId(RequestId{first}) && isLightId(RequestId{first + kIdRange - 1}));
        QVERIFY(!isStoredId(RequestId{first}) && !isStoredId(RequestId{first + kIdRange - 1}));
    }
    QVERIFY(!isLightId(RequestId{kIdRange - 1}) && !isStoredId(RequestId{kIdRange - 1}));
}

void TstServingLevel2::runningRequestsEndWhereTheyAre() {
    force(DegradationMode::Level2);
    waitForLight();
    m_light->setAnswer([](const Request&, auto) {});
    const auto open = ask("open");
    FakeBackend* light = m_light;
    light->setSnapshot([](Snapshot& figures) { figures.running = 1; });
    QVERIFY(m_backend->snapshot().state == EngineState::Running); // though the main model rests
    // The level is left, then degradation is off: the light model goes when its answer is whole.
    force(DegradationMode::Off);
    run(3);
    QVERIFY(!open->isFinished());
    light->finish(open->id(), FinishReason::Length, 2);
    light->setSnapshot([](Snapshot& figures) { figures.running = 0; });
    QCOMPARE(textOf(*open), std::string("word word "));
    QCOMPARE(finished(run(2)).size(), std::size_t{1});
    QCOMPARE(m_backend->snapshot().completed, std::uint64_t{1});
    textOf(*ask("next"));
    QCOMPARE(m_main->submitted().size(), std::size_t{1});
}

// Its figures may be older than a request: they don't tell that nobody waits.
void TstServingLevel2::aLightModelGoesWithItsLastAnswer() {
    force(DegradationMode::Level2);
    waitForLight();
    auto part = std::make_shared<int>(0);
    const std::weak_ptr<int> life = part; // as long as the backend's
    m_light->setAnswer([part = std::move(part)](const Request&, const auto&) {});
    const auto open = ask("open");
    FakeBackend* light = m_light;
    QCOMPARE(light->snapshot().running + light->snapshot().waiting, std::int64_t{0});
    force(DegradationMode::Off);
    run(3);
    QVERIFY(!open->isFinished());
    QVERIFY(!life.expired());
    light->finish(open->id(), FinishReason::Length, 2);
    QCOMPARE(textOf(*open), std::string("word word "));
    QCOMPARE(finished(run(3)).size(), std::size_t{1});
    QVERIFY(life.expired());
    QCOMPARE(m_backend->snapshot().completed, std::uint64_t{1});
}

void TstServingLevel2::lightModelsLeaveSideBySide() {
    std::vector<std::shared_ptr<TokenStream>> open;
    std::vector<FakeBackend*> lights;
    for (int i = 0; i < 3; ++i) {
        force(DegradationMode::Level2);
        waitForLight();
        m_light->setAnswer([](const Request&, const auto&) {});
        lights.push_back(m_light);
        open.push_back(ask("open " + std::to_string(i)));
        force(DegradationMode::Off);
    }
    run(3);
    for (std::size_t i = 0; i < open.size(); ++i) {
        QVERIFY(!open[i]->isFinished());
        lights[i]->finish(open[i]->id(), FinishReason::Length, 2);
        QCOMPARE(textOf(*open[i]), std::string("word word "));
        run(3);
    }
    QCOMPARE(m_backend->snapshot().completed, std::uint64_t{3});
    QCOMPARE(m_main->submitted().size(), std::size_t{0});
}

void TstServingLevel2::aFewRequestsTryTheMainModel() {
    QVERIFY(m_backend
                ->edit([](EngineConfig& c) {
                    c.serving.recoveryMs = 2000;
                    c.serving.dwellMs = 0;
                    c.serving.trialRequests = 4;
                })
                .has_value());
    force(DegradationMode::Level2);
    waitForLight();
    force(DegradationMode::Auto);
    run(3); // nobody asks: healthy
    QCOMPARE(m_backend->serving()->servingStatus().isTrying, true);
    for (int i = 0; i < 10; ++i) {
        textOf(*ask("try " + std::to_string(i)));
    }
    QCOMPARE(m_main->submitted().size(), std::size_t{4});
    QCOMPARE(m_light->submitted().size(), std::size_t{6});
}

void TstServingLevel2::theLightModelIsLoadedWhenArmedAndGoesWhenNot() {
    const auto state = [this] { return m_backend->serving()->servingStatus().light.state; };
    run(1);
    QCOMPARE(state(), LightModelStatus::State::None);
    force(DegradationMode::Auto);
    waitForLight(); // before it is needed
    force(DegradationMode::Off);
    QCOMPARE(state(), LightModelStatus::State::None);
    EngineConfig main;
    main.maxBatch = 4;
    QCOMPARE(lightConfig(main, 1000).kvBlocks, std::int64_t{100});
    QCOMPARE(lightConfig(main, 20).kvBlocks, std::int64_t{4});
    QVERIFY(validate(lightConfig(main, 20)).has_value());
}

void TstServingLevel2::aLightModelThatWillNotLoadIsSaid() {
    m_lightProblem = "There is not enough memory.";
    force(DegradationMode::Level2);
    QTRY_COMPARE(m_backend->serving()->servingStatus().light.state,
                 LightModelStatus::State::Failed);
    const auto actions = m_backend->serving()->servingStatus().actions;
    const auto line = std::ranges::find(actions, "degradation.light", &LevelAction::field);
    QCOMPARE(line->state, ActionState::Unavailable);
    QCOMPARE(line->reason, m_lightProblem);
    const std::vector<Event> events = run(5);
    QCOMPARE(std::ranges::count_if(events,
                                   [](const Event& event) {
                                       const auto* notice = std::get_if<Notice>(&event.body);
                                       return notice != nullptr &&
                                              notice->kind == "light_model_failed";
                                   }),
             1);
    textOf(*ask("q"));
    QCOMPARE(m_main->submitted().size(), std::size_t{1});
}

void TstServingLevel2::anotherFileReplacesTheLightModel() {
    force(DegradationMode::Level2);
    waitForLight();
    FakeBackend* first = m_light;
    m_backend->serving()->setLightModel("other.gguf");
    run(1);
    waitForLight();
    QVERIFY(m_light != first);
    m_backend->serving()->setLightModel({});
    run(1);
    QCOMPARE(m_backend->serving()->servingStatus().light.state, LightModelStatus::State::None);
}

void TstServingLevel2::theWholeGoesDownInOrder() {
    force(DegradationMode::Level2);
    waitForLight();
    m_light->setAnswer([](const Request&, auto) {});
    const auto open = ask("open");
    m_backend.reset();
    QVERIFY(open->isFinished());
}

void TstServingLevel2::twoRealEnginesTakeTurns() {
    QTemporaryDir folder;
    const std::filesystem::path model = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(model);
    EngineConfig config;
    config.threads = 1;
    config.kvBlocks = 200;
    config.serving.lightModel = LightModelChoice::Same;
    config.serving.degradation = DegradationMode::Level2;
    config.serving.usesAnswersAtLevel2 = false;
    auto made = makeServingEngine(model, config);
    QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
    Backend& backend = **made;
    std::vector<std::shared_ptr<TokenStream>> streams;
    const auto request = [](int i) {
        Request asked = question("prompt " + std::to_string(i), 20);
        asked.ignoreEnd = true;
        return asked;
    };
    // Before the first events are taken nothing is under a level yet.
    for (int i = 0; i < 8; ++i) {
        streams.push_back(backend.submit(request(i)));
    }
    QTRY_COMPARE((backend.takeEvents(), backend.serving()->servingStatus().light.state),
                 LightModelStatus::State::Ready);
    for (int i = 0; i < 8; ++i) {
        streams.push_back(backend.submit(request(i)));
    }
    std::set<std::uint64_t> ids;
    std::vector<std::string> texts;
    for (const auto& stream : streams) {
        texts.push_back(textOf(*stream));
        QVERIFY(stream->finishReason() == FinishReason::Length);
        ids.insert(static_cast<std::uint64_t>(stream->id()));
    }
    QCOMPARE(ids.size(), streams.size());
    for (std::size_t i = 0; i < 8; ++i) {
        QCOMPARE(texts[i], texts[i + 8]); // the same file gives the same words
        QVERIFY(has(*streams[i + 8]->record(), SampleTag::LightModel));
        QVERIFY(!has(*streams[i]->record(), SampleTag::LightModel));
    }
    // An answer ends before the engine's next figures.
    QTRY_COMPARE((backend.takeEvents(), backend.snapshot().completed), std::uint64_t{16});
    QCOMPARE(backend.snapshot().lightAnswers, std::uint64_t{8});
    // A light model that is loaded again gives its requests other numbers.
    const auto set = [&backend](DegradationMode mode) {
        QVERIFY(backend.edit([mode](EngineConfig& c) { c.serving.degradation = mode; }));
        backend.takeEvents();
    };
    set(DegradationMode::Off);
    set(DegradationMode::Level2);
    QTRY_COMPARE((backend.takeEvents(), backend.serving()->servingStatus().light.state),
                 LightModelStatus::State::Ready);
    const auto again = backend.submit(request(0));
    QCOMPARE(textOf(*again), texts[0]);
    QVERIFY(isLightId(again->id()));
    QVERIFY(ids.insert(static_cast<std::uint64_t>(again->id())).second);
}

QTEST_GUILESS_MAIN(TstServingLevel2)
#include "tst_serving_level2.moc"
