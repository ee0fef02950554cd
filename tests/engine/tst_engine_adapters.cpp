// Adapters over one engine while it serves: mixed batches are requests alone, what is unloaded
// finishes, kept beginnings belong to an adapter's numbers, and nothing is left behind.
#include "engine/adapters.h"
#include "engine/serving.h"
#include "tests/support/adapter_files.h"
#include "tests/support/tiny_engine.h"

#include <QTest>

#include <deque>
#include <future>

using namespace engine;
using tests::Ended;
using tests::TinyEngine;

namespace {

Result<AdapterInfo> load(Backend& backend, const std::string& name,
                         const std::filesystem::path& file) {
    std::promise<Result<AdapterInfo>> promise;
    backend.adapters()->loadAdapter(
        name, file, [&](Result<AdapterInfo> result) { promise.set_value(std::move(result)); });
    return promise.get_future().get();
}

Request ask(const std::string& prompt, const std::string& adapter, int tokens = 12) {
    Request request = TinyEngine::request(prompt, tokens);
    request.adapter = adapter;
    request.logprobs = 3;
    return request;
}

struct Told {
    std::vector<TokenId> ids;
    std::vector<float> logprobs;
    bool operator==(const Told&) const = default;
};

Told read(TokenStream& stream) {
    Told told;
    while (const auto chunk = stream.waitNext(std::chrono::seconds(60))) {
        told.ids.insert(told.ids.end(), chunk->ids.begin(), chunk->ids.end());
        for (const TokenLogprobs& one : chunk->logprobs) {
            told.logprobs.push_back(one.logprob);
        }
    }
    return told;
}

} // namespace

class TstEngineAdapters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void mixedBatchesAreRequestsAlone();
    void whatIsUnloadedFinishes();
    void keptBeginningsBelongToNumbers();
    void namesAndFilesAreRefusedInWords();
    void lighterWeightsKeepAdapters();
    void storedAnswersBelongToAnAdapter();
    void twoHundredTimesUnderLoadLeavesNothing();
    void closingRefusesWhatWaits();

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_one, m_two;
};

void TstEngineAdapters::initTestCase() {
    const std::filesystem::path root = m_folder.path().toStdString();
    m_one = tests::writeAdapter(root / "one", 1);
    m_two = tests::writeAdapter(root / "two", 2);
}

void TstEngineAdapters::mixedBatchesAreRequestsAlone() {
    TinyEngine engine;
    QVERIFY(load(*engine, "one", m_one));
    QVERIFY(load(*engine, "two", m_two));
    const std::vector<std::string> adapters = {"", "one", "two"};
    std::vector<Request> requests;
    for (int i = 0; i < 9; ++i) {
        requests.push_back(ask(std::string(static_cast<std::size_t>(5 + 7 * i), 'a') + "b",
                               adapters[static_cast<std::size_t>(i) % 3], 8 + i));
    }
    requests.push_back(ask(std::string(40, 'a'), "one"));
    requests.push_back(ask(std::string(40, 'a'), "two"));
    requests.push_back(ask(std::string(40, 'a'), ""));
    std::vector<Told> alone;
    for (const Request& request : requests) {
        engine->resetPrefixCache();
        alone.push_back(read(*engine->submit(request)));
        QVERIFY(!alone.back().ids.empty());
    }
    const std::size_t last = requests.size() - 1;
    QVERIFY(alone[last] != alone[last - 1]);
    QVERIFY(alone[last] != alone[last - 2]);
    QVERIFY(alone[last - 1] != alone[last - 2]);
    engine->resetPrefixCache();
    engine.ops().hold(); // so that they meet in one batch
    std::vector<std::shared_ptr<TokenStream>> streams;
    for (const Request& request : requests) {
        streams.push_back(engine->submit(request));
    }
    engine.ops().release();
    for (std::size_t i = 0; i < streams.size(); ++i) {
        QVERIFY2(read(*streams[i]) == alone[i], qPrintable(QString::number(i)));
    }
}

void TstEngineAdapters::whatIsUnloadedFinishes() {
    TinyEngine engine;
    QVERIFY(load(*engine, "one", m_one));
    const Told before = read(*engine->submit(ask("a question", "one")));
    engine->resetPrefixCache();
    const auto stream = engine.submitHeld(ask("a question", "one"));
    QVERIFY(engine->adapters()->unloadAdapter("one"));
    const AdapterStatus status = engine->adapters()->adapterStatus();
    QVERIFY(status.loaded.empty());
    QCOMPARE(status.leaving, std::int64_t(1));
    QVERIFY(status.bytes > 0);
    QVERIFY(!status.separateBytes());
    const auto refused = engine->submit(ask("a question", "one"));
    engine.ops().release();
    QVERIFY(read(*stream) == before);
    const Ended ended = tests::readToEnd(*refused);
    QCOMPARE(ended.reason, FinishReason::Rejected);
    QCOMPARE(ended.message, std::string("The adapter \"one\" is not loaded; none is."));
    const Snapshot now =
        engine.waitForFigures([](const Snapshot& s) { return s.adapterBytes == 0; });
    QCOMPARE(now.adapterBytes, std::uint64_t(0));
    QCOMPARE(engine->adapters()->adapterStatus().leaving, std::int64_t(0));
}

void TstEngineAdapters::keptBeginningsBelongToNumbers() {
    TinyEngine engine;
    QVERIFY(load(*engine, "one", m_one));
    QVERIFY(load(*engine, "two", m_two));
    const std::string prompt(80, 'a');
    const auto hits = [&](const std::string& adapter) {
        return engine.run(ask(prompt, adapter)).record->hitTokens;
    };
    QCOMPARE(hits("one"), std::int64_t(0));
    QCOMPARE(hits("two"), std::int64_t(0));
    QCOMPARE(hits(""), std::int64_t(0));
    QVERIFY(hits("one") > 0);
    QVERIFY(hits("two") > 0);
    QVERIFY(hits("") > 0);
    // The same numbers under another name, and others under the same name.
    QVERIFY(engine->adapters()->unloadAdapter("one"));
    QVERIFY(engine->adapters()->unloadAdapter("two"));
    QVERIFY(load(*engine, "again", m_one));
    QVERIFY(hits("again") > 0);
    const auto third = tests::writeAdapter(m_folder.path().toStdString() + "/three", 3);
    QVERIFY(load(*engine, "one", third));
    QCOMPARE(hits("one"), std::int64_t(0));
}

void TstEngineAdapters::namesAndFilesAreRefusedInWords() {
    TinyEngine engine;
    QVERIFY(!load(*engine, "", m_one));
    QVERIFY(!load(*engine, std::string(500, 'x'), m_one));
    QVERIFY(!load(*engine, "a\nb", m_one));
    QVERIFY(!load(*engine, "gone", m_folder.path().toStdString() + "/gone"));
    QVERIFY(load(*engine, "one", m_one));
    const auto twice = load(*engine, "one", m_two);
    QVERIFY(!twice);
    QVERIFY(twice.error().message.find("loaded already") != std::string::npos);
    QVERIFY(!engine->adapters()->unloadAdapter("two"));
    const Ended ended = engine.run(ask("x", "two"));
    QCOMPARE(ended.message, std::string("The adapter \"two\" is not loaded; loaded: \"one\"."));
    const AdapterStatus status = engine->adapters()->adapterStatus();
    QCOMPARE(status.loaded.size(), std::size_t(1));
    QCOMPARE(status.loaded.front().rank, std::int64_t(4));
    QCOMPARE(status.loaded.front().weights, std::int64_t(14));
    QVERIFY(status.baseBytes > 0);
    QCOMPARE(status.separateBytes(), std::optional(status.sharedBytes()));
}

void TstEngineAdapters::lighterWeightsKeepAdapters() {
    TinyEngine engine;
    QVERIFY(load(*engine, "one", m_one));
    const Field& field = *findField("weights.precision");
    QVERIFY(engine->edit([&](EngineConfig& c) { QVERIFY(setFromText(field, c, "int8")); }));
    QVERIFY(engine.waitForEvent([](const Event& event) {
        const auto* notice = std::get_if<Notice>(&event.body);
        return notice != nullptr && notice->kind == "weights_changed";
    }));
    const Told adapted = read(*engine->submit(ask("some words", "one")));
    const Told plain = read(*engine->submit(ask("some words", "")));
    QVERIFY(!adapted.ids.empty());
    QVERIFY(adapted != plain);
}

void TstEngineAdapters::storedAnswersBelongToAnAdapter() {
    EngineConfig config = TinyEngine::smallConfig();
    config.serving.usesAnswersAlways = true;
    const std::filesystem::path file = m_folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    auto backend = makeServingEngine(file, config);
    QVERIFY(backend);
    QVERIFY((*backend)->adapters() != nullptr);
    QVERIFY(load(**backend, "name", m_one));
    const auto answer = [&](const std::string& adapter) {
        Request request = TinyEngine::request("say it", 12);
        request.adapter = adapter;
        return tests::readToEnd(*(*backend)->submit(std::move(request)));
    };
    const auto isStored = [](const Ended& ended) {
        return (ended.record->tags & static_cast<std::uint32_t>(SampleTag::Cached)) != 0;
    };
    const Ended first = answer("name");
    QVERIFY(!isStored(first));
    QVERIFY(!isStored(answer("")));
    QVERIFY(isStored(answer("name")));
    QVERIFY((*backend)->adapters()->unloadAdapter("name"));
    QCOMPARE(answer("name").reason, FinishReason::Rejected);
    QVERIFY(load(**backend, "name", m_two));
    const Ended other = answer("name");
    QVERIFY(!isStored(other));
    QVERIFY(other.ids != first.ids);
}

void TstEngineAdapters::twoHundredTimesUnderLoadLeavesNothing() {
    TinyEngine engine;
    QVERIFY(load(*engine, "stays", m_two));
    const std::uint64_t bytes = engine->adapters()->adapterStatus().bytes;
    const Told wanted = read(*engine->submit(ask("a text of some length", "stays", 20)));
    std::deque<std::shared_ptr<TokenStream>> streams;
    for (int i = 0; i < 200; ++i) {
        QVERIFY(load(*engine, "comes", m_one));
        streams.push_back(engine->submit(ask("a text of some length", "stays", 20)));
        streams.push_back(engine->submit(ask("a text of some length", "comes", 20)));
        QVERIFY(engine->adapters()->unloadAdapter("comes"));
        while (streams.size() > 6) {
            const Ended ended = tests::readToEnd(*streams.front());
            QVERIFY2(ended.reason == FinishReason::Length, ended.message.c_str());
            streams.pop_front();
        }
    }
    for (const auto& stream : streams) {
        QCOMPARE(tests::readToEnd(*stream).reason, FinishReason::Length);
    }
    QVERIFY(read(*engine->submit(ask("a text of some length", "stays", 20))) == wanted);
    const Snapshot now =
        engine.waitForFigures([&](const Snapshot& s) { return s.adapterBytes == bytes; });
    QCOMPARE(now.adapterBytes, bytes);
    QCOMPARE(now.adapters, std::int64_t(1));
    QCOMPARE(now.failed + now.rejected + now.cancelled, std::uint64_t(0));
}

void TstEngineAdapters::closingRefusesWhatWaits() {
    std::atomic<int> told{0};
    {
        TinyEngine engine;
        for (int i = 0; i < 20; ++i) {
            engine->adapters()->loadAdapter(fmt::format("{}", i), m_one,
                                            [&](const Result<AdapterInfo>&) { ++told; });
        }
    }
    QCOMPARE(told.load(), 20);
}

QTEST_GUILESS_MAIN(TstEngineAdapters)
#include "tst_engine_adapters.moc"
