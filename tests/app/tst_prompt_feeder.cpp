// What a prompt that is typed sends to the engine.
#include "app/prompt_feeder.h"

#include <QTest>

#include <random>

using namespace app;

namespace {

// Keeps the text that the engine would have.
class Typist final : public engine::Backend {
public:
    std::shared_ptr<engine::TokenStream> open(engine::Request) override {
        text.clear();
        ++opened;
        stream = std::make_shared<engine::TokenStream>(
            engine::RequestId{static_cast<std::uint64_t>(opened)});
        return stream;
    }
    void append(engine::RequestId, std::string piece) override {
        text += piece;
        sent += piece.size();
    }
    void truncate(engine::RequestId, std::size_t bytes) override { text.resize(bytes); }
    void complete(engine::RequestId id, engine::Completion) override { completed = id; }
    void cancel(engine::RequestId id) override { cancelled = id; }

    std::shared_ptr<engine::TokenStream> submit(engine::Request) override { return nullptr; }
    engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>&) override {
        return {};
    }
    engine::ConfigStatus config() const override { return {}; }
    engine::Capabilities capabilities() const override { return {}; }
    engine::Snapshot snapshot() override { return {}; }
    std::vector<engine::Event> takeEvents() override { return {}; }
    void post(engine::EventSource, engine::Notice) override {}
    engine::Result<std::vector<engine::TokenId>> tokenize(std::string_view) const override {
        return std::vector<engine::TokenId>{};
    }

    std::string text;
    std::size_t sent = 0;
    int opened = 0;
    std::shared_ptr<engine::TokenStream> stream;
    engine::RequestId completed{}, cancelled{};
};

} // namespace

class TstPromptFeeder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theEngineHasTheTypedText();
    void onlyDifferencesAreSent();
    void charactersAreNotCut();
    void abandonedPromptsAreOpenedAgain();
    void completionHandsTheAnswerOver();
    void otherMessagesOpenAnew();
};

void TstPromptFeeder::theEngineHasTheTypedText() {
    Typist engine;
    PromptFeeder feeder;
    std::mt19937 random(4);
    std::string text = "x";
    for (int i = 0; i < 500; ++i) {
        const std::size_t place = random() % (text.size() + 1);
        if (random() % 3 == 0 && text.size() > 1) {
            text.erase(place == text.size() ? place - 1 : place, 1);
        } else {
            text.insert(place, 1, static_cast<char>('a' + random() % 3));
        }
        feeder.follow(engine, {}, text);
        QCOMPARE(engine.text, text);
    }
    QCOMPARE(engine.opened, 1);
}

void TstPromptFeeder::onlyDifferencesAreSent() {
    Typist engine;
    PromptFeeder feeder;
    feeder.follow(engine, {}, std::string(1000, 'a'));
    feeder.follow(engine, {}, std::string(1000, 'a') + "b");
    QCOMPARE(engine.sent, std::size_t(1001));
    feeder.follow(engine, {}, std::string(1000, 'a'));
    QCOMPARE(engine.sent, std::size_t(1001));
}

void TstPromptFeeder::charactersAreNotCut() {
    Typist engine;
    PromptFeeder feeder;
    feeder.follow(engine, {}, "\xe4\xbd\xa0");
    feeder.follow(engine, {}, "\xe4\xbd\xa1"); // differs in its last byte only
    QCOMPARE(engine.text, std::string("\xe4\xbd\xa1"));
    QCOMPARE(engine.sent, std::size_t(6));
}

void TstPromptFeeder::abandonedPromptsAreOpenedAgain() {
    Typist engine;
    PromptFeeder feeder;
    feeder.follow(engine, {}, "first");
    engine.stream->finish(engine::FinishReason::Cancelled, "too long", nullptr);
    QVERIFY(!feeder.isOpen());
    feeder.follow(engine, {}, "first and more");
    QCOMPARE(engine.opened, 2);
    QCOMPARE(engine.text, std::string("first and more"));
    feeder.follow(engine, {}, ""); // emptied: nothing to compute
    QCOMPARE(engine.cancelled, engine::RequestId{2});
    QVERIFY(!feeder.isOpen());
}

void TstPromptFeeder::completionHandsTheAnswerOver() {
    Typist engine;
    PromptFeeder feeder;
    QVERIFY(feeder.complete(engine, {}, "nothing is open", {}) == nullptr);
    feeder.follow(engine, {}, "a question ");
    const auto answer = feeder.complete(engine, {}, "a question", {});
    QVERIFY(answer == engine.stream);
    QCOMPARE(engine.text, std::string("a question"));
    QCOMPARE(engine.completed, engine::RequestId{1});
    QVERIFY(!feeder.isOpen());
}

// The answer is to what is shown: not to a system prompt that was edited since.
void TstPromptFeeder::otherMessagesOpenAnew() {
    const auto around = [](const char* system) {
        engine::Request request;
        std::vector<engine::ChatMessage> messages;
        if (*system != 0) {
            messages.push_back({.role = "system", .content = system});
        }
        messages.push_back({.role = "user", .content = {}});
        request.prompt = std::move(messages);
        return request;
    };
    Typist engine;
    PromptFeeder feeder;
    feeder.follow(engine, around("Be brief."), "a question");
    feeder.follow(engine, around("Be brief."), "a question?");
    QCOMPARE(engine.opened, 1);
    feeder.follow(engine, around("Be verbose."), "a question?");
    QCOMPARE(engine.opened, 2);
    QCOMPARE(engine.cancelled, engine::RequestId{1});
    QCOMPARE(engine.text, std::string("a question?"));
    feeder.follow(engine, around(""), "a question?");
    QCOMPARE(engine.opened, 3);
    QVERIFY(feeder.complete(engine, around("Be brief."), "a question?", {}) == nullptr);
    QCOMPARE(engine.cancelled, engine::RequestId{3});
    QVERIFY(!feeder.isOpen());
    QCOMPARE(engine.completed, engine::RequestId{});
    engine::Request plain;
    feeder.follow(engine, plain, "on and on");
    QVERIFY(feeder.complete(engine, around(""), "on and on", {}) == nullptr);
    feeder.follow(engine, plain, "on and on");
    QVERIFY(feeder.complete(engine, plain, "on and on", {}) == engine.stream);
}

QTEST_APPLESS_MAIN(TstPromptFeeder)
#include "tst_prompt_feeder.moc"
