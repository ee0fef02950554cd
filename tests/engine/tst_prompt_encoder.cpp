// Short prompts don't wait for long ones; refusals travel; nothing is lost at the end.
#include "engine/loop/prompt_encoder.h"

#include <QScopeGuard>
#include <QTest>

#include <chrono>
#include <semaphore>

using engine::Request;
using engine::TokenId;

class TstPromptEncoder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void shortPromptsPassALongOne();
    void shortPromptsPassOpenOnes();
    void openPromptsThatCannotFitAreRefusedBeforeTheyAreEncoded();
    void cancelledOnesWaitForNobody();
    void changesAreKnownUntilTheyAreHandedOn();
    void whatStillWaitsIsCancelledAtTheEnd();
};

namespace {

// One id a text. A long text takes until it is let go.
class SlowTokenizer final : public engine::Tokenizer {
public:
    mutable std::counting_semaphore<> begun{0}, release{0};

    std::vector<TokenId> encode(std::string_view text, engine::SpecialTokens) const override {
        if (text.size() > 100'000) {
            begun.release();
            release.acquire();
        }
        return {static_cast<TokenId>(text.size())};
    }
    std::vector<TokenId> encode(std::span<const engine::PromptPiece>) const override { return {}; }
    void appendBytes(TokenId, std::string&, bool) const override {}
    std::string_view pieceText(TokenId) const override { return {}; }
    bool isEndOfGeneration(TokenId) const override { return false; }
    bool isControl(TokenId) const override { return false; }
    std::optional<TokenId> find(std::string_view) const override { return std::nullopt; }
    std::optional<TokenId> bos() const override { return std::nullopt; }
    bool addsBos() const override { return false; }
    bool addsSpacePrefix() const override { return false; }
    std::int64_t size() const override { return 1; }
    std::string description() const override { return "slow"; }
};

std::unique_ptr<engine::Answer> answerTo(std::uint64_t id, std::size_t bytes) {
    Request request;
    request.prompt = std::string(bytes, 'x');
    return std::make_unique<engine::Answer>(engine::RequestId{id}, std::move(request),
                                            engine::Origin::Served);
}

std::uint64_t idOf(const engine::Answer& answer) {
    return static_cast<std::uint64_t>(answer.id);
}

} // namespace

void TstPromptEncoder::shortPromptsPassALongOne() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    engine::PromptEncoder::Updates updates;
    engine::PromptEncoder encoder(tokenizer, nullptr, 10'000'000, out, updates);
    encoder.start();
    encoder.submit(answerTo(1, 1'000'000));
    tokenizer.begun.acquire(); // it is being encoded, and goes on until it is let go
    const std::stop_source never;
    for (std::uint64_t id = 2; id < 12; ++id) {
        encoder.submit(answerTo(id, 10));
    }
    std::vector<std::uint64_t> arrived;
    while (arrived.size() < 10) {
        QVERIFY(out.wait(never.get_token()));
        for (const auto& answer : out.take()) {
            arrived.push_back(idOf(*answer));
            QVERIFY(!answer->refusal && answer->prompt == std::vector<TokenId>{10});
        }
    }
    QCOMPARE(arrived, (std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7, 8, 9, 10, 11})); // in order
    tokenizer.release.release();
    QVERIFY(out.wait(never.get_token()));
    const auto last = out.take();
    QCOMPARE(last.size(), std::size_t{1});
    QCOMPARE(idOf(*last[0]), std::uint64_t{1});
    QCOMPARE(last[0]->prompt, std::vector<TokenId>{1'000'000});
}

// Open prompts are encoded several times at each piece: nobody else waits for that.
void TstPromptEncoder::shortPromptsPassOpenOnes() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    engine::PromptEncoder::Updates updates;
    engine::PromptEncoder encoder(tokenizer, nullptr, 10'000'000, out, updates);
    const auto letGo = qScopeGuard([&] { tokenizer.release.release(1000); });
    encoder.start();
    for (std::uint64_t id = 1; id <= 10; ++id) {
        encoder.open(answerTo(id, 200'000));
    }
    tokenizer.begun.acquire(); // the first is being encoded, and goes on until it is let go
    encoder.submit(answerTo(50, 10));
    const std::stop_source never;
    const auto patience = engine::Clock::now() + std::chrono::seconds(10);
    bool hasArrived = false;
    while (!hasArrived && out.waitUntil(never.get_token(), patience)) {
        for (const auto& answer : out.take()) {
            hasArrived = hasArrived || idOf(*answer) == 50;
        }
    }
    QVERIFY(hasArrived);
    QVERIFY(updates.take().empty());
}

void TstPromptEncoder::openPromptsThatCannotFitAreRefusedBeforeTheyAreEncoded() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    engine::PromptEncoder::Updates updates;
    engine::PromptEncoder encoder(tokenizer, nullptr, 1'000'000, out, updates);
    const auto letGo = qScopeGuard([&] { tokenizer.release.release(1000); });
    encoder.start();
    encoder.open(answerTo(1, std::size_t{4} << 20));
    encoder.open(answerTo(2, 10)); // behind it
    // Of a conversation all messages count, not the open one alone.
    engine::Request tooLong;
    tooLong.prompt = std::vector<engine::ChatMessage>{
        {.role = "user", .content = std::string(std::size_t{4} << 20, 'x')},
        {.role = "user", .content = "x"}};
    encoder.open(std::make_unique<engine::Answer>(engine::RequestId{3}, std::move(tooLong),
                                                  engine::Origin::Served));
    const std::stop_source never;
    std::vector<std::unique_ptr<engine::Answer>> arrived;
    while (arrived.size() < 3) {
        QVERIFY(out.wait(never.get_token()));
        std::ranges::move(out.take(), std::back_inserter(arrived));
    }
    for (const auto& answer : arrived) {
        const bool isLong = idOf(*answer) != 2;
        QCOMPARE(answer->refusal.has_value(), isLong);
        QVERIFY(!isLong || answer->refusal->reason == engine::FinishReason::TooLong);
    }
    QVERIFY(updates.waitUntil(never.get_token(), engine::Clock::now() + std::chrono::seconds(10)));
    const auto sent = updates.take();
    QCOMPARE(sent.size(), std::size_t{1});
    QCOMPARE(static_cast<std::uint64_t>(sent[0].id), std::uint64_t{2});
    QVERIFY(!tokenizer.begun.try_acquire());
}

// The one that is being encoded goes on as well, and what becomes of its text is forgotten.
void TstPromptEncoder::cancelledOnesWaitForNobody() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    engine::PromptEncoder::Updates updates;
    engine::PromptEncoder encoder(tokenizer, nullptr, 10'000'000, out, updates);
    const auto letGo = qScopeGuard([&] { tokenizer.release.release(1000); });
    encoder.start();
    std::vector<std::shared_ptr<std::stop_source>> cancellations;
    for (std::uint64_t id = 0; id < 50; ++id) {
        auto answer = answerTo(id, 300'000);
        cancellations.push_back(answer->cancellation);
        encoder.submit(std::move(answer));
    }
    tokenizer.begun.acquire(); // the first is being encoded, and goes on until it is let go
    const std::stop_source never;
    const auto expectNext = [&](std::uint64_t id) {
        QVERIFY(out.waitUntil(never.get_token(), engine::Clock::now() + std::chrono::seconds(10)));
        const auto arrived = out.take();
        QCOMPARE(arrived.size(), std::size_t{1});
        QCOMPARE(idOf(*arrived[0]), id);
    };
    for (const std::uint64_t id : {49U, 20U, 0U}) {
        cancellations[id]->request_stop();
        encoder.handOnCancelled();
        expectNext(id);
    }
    for (std::uint64_t id = 1; id < 49; ++id) { // the others come in their turn, each once
        tokenizer.release.release();
        if (id != 20) {
            tokenizer.begun.acquire();
        }
    }
    tokenizer.release.release(10);
    std::vector<std::uint64_t> arrived;
    while (arrived.size() < 47 &&
           out.waitUntil(never.get_token(), engine::Clock::now() + std::chrono::seconds(10))) {
        for (const auto& answer : out.take()) {
            arrived.push_back(idOf(*answer));
            QCOMPARE(answer->prompt, std::vector<TokenId>{300'000});
        }
    }
    QCOMPARE(arrived.size(), std::size_t{47});
    QVERIFY(std::ranges::is_sorted(arrived));
    QVERIFY(!std::ranges::binary_search(arrived, 0U) && !std::ranges::binary_search(arrived, 20U));
}

void TstPromptEncoder::changesAreKnownUntilTheyAreHandedOn() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    engine::PromptEncoder::Updates updates;
    engine::PromptEncoder encoder(tokenizer, nullptr, 10'000'000, out, updates);
    const auto letGo = qScopeGuard([&] { tokenizer.release.release(1000); });
    encoder.start();
    const engine::RequestId id{7};
    encoder.open(answerTo(7, 200'000));
    tokenizer.begun.acquire(); // its first tokens
    QVERIFY(!encoder.hasChanges(id));
    encoder.change({.id = id, .what = engine::PromptCompleted{.completion = {}, .received = {}}});
    QVERIFY(encoder.hasChanges(id));
    QVERIFY(!encoder.hasChanges(engine::RequestId{8}));
    tokenizer.release.release(1000);
    const std::stop_source never;
    bool isCompleted = false;
    while (!isCompleted &&
           updates.waitUntil(never.get_token(), engine::Clock::now() + std::chrono::seconds(10))) {
        for (const engine::PromptUpdate& update : updates.take()) {
            isCompleted = isCompleted || update.completed.has_value();
        }
    }
    QVERIFY(isCompleted);
    QTRY_VERIFY(!encoder.hasChanges(id));
    // Of a prompt that is not there any more too.
    encoder.change({.id = id, .what = engine::PromptAppended{"more"}});
    encoder.change(
        {.id = id, .what = engine::PromptClosed{}}); // a round later the first is given up
    QTRY_VERIFY((encoder.handOnCancelled(), !encoder.hasChanges(id)));
}

void TstPromptEncoder::whatStillWaitsIsCancelledAtTheEnd() {
    const SlowTokenizer tokenizer;
    engine::PromptEncoder::Arrivals out;
    {
        engine::PromptEncoder::Updates updates;
        engine::PromptEncoder encoder(tokenizer, nullptr, 10'000'000, out, updates);
        for (std::uint64_t id = 0; id < 4; ++id) {
            encoder.submit(answerTo(id, id % 2 == 0 ? 10 : 1'000'000)); // never started
        }
    }
    const auto answers = out.take();
    QCOMPARE(answers.size(), std::size_t{4});
    for (const auto& answer : answers) {
        QVERIFY(answer->refusal && answer->refusal->reason == engine::FinishReason::Cancelled);
    }
}

QTEST_APPLESS_MAIN(TstPromptEncoder)
#include "tst_prompt_encoder.moc"
