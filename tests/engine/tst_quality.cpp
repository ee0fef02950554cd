// Quality of predictions: the figures against sums by hand, the stored reference, and the check
// that follows a change.
#include "engine/base/deadline.h"
#include "engine/loop/quality_checker.h"
#include "engine/quality.h"
#include "engine/quality/reference.h"
#include "engine/quality/sample.h"
#include "tests/support/tiny_engine.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

using namespace engine;
using tests::TinyEngine;
using namespace std::chrono_literals;

namespace {

std::vector<float> randomLogits(std::mt19937& random, int count, float deviation) {
    std::normal_distribution<float> normal(0.0F, deviation);
    std::vector<float> logits;
    for (int i = 0; i < count; ++i) {
        logits.push_back(normal(random));
    }
    return logits;
}

std::vector<double> logSoftmax(const std::vector<float>& logits) {
    double sum = 0.0;
    for (const float x : logits) {
        sum += std::exp(static_cast<double>(x));
    }
    std::vector<double> result;
    for (const float x : logits) {
        result.push_back(static_cast<double>(x) - std::log(sum));
    }
    return result;
}

std::string valueOf(const Notice& notice, std::string_view key) {
    for (const auto& [name, value] : notice.values) {
        if (name == key) {
            return value;
        }
    }
    return {};
}

std::vector<TokenId> bytewise(std::string_view text) {
    std::vector<TokenId> ids;
    for (const char c : text) {
        ids.push_back(static_cast<unsigned char>(c));
    }
    return ids;
}

std::vector<TokenId> letters(int count) {
    std::vector<TokenId> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back((i * i + 3 * i) % 200);
    }
    return ids;
}

struct TinyFile {
    TinyFile() : file(folder.path().toStdString() + "/tiny.gguf") {
        tests::writeTinyModel(file);
        evaluator = std::move(*openEvaluator(file, {.threads = 1}));
    }
    QTemporaryDir folder;
    std::filesystem::path file;
    std::unique_ptr<Evaluator> evaluator;
};

QualityReference smallReference() {
    QualityReference reference{.digest = "xxh3:abc", .passages = {}, .canaries = {}};
    QualityPassage passage{.ids = {1, 2, 3}, .expected = {}};
    for (int i = 0; i < 2; ++i) {
        passage.expected.push_back(
            {.ids = {2, 3}, .logProbabilities = {-0.5F, -1.0F}, .target = -0.5F});
    }
    reference.passages.push_back(passage);
    reference.canaries.push_back(
        {.name = "counting", .prompt = {1, 2}, .answer = {3}, .loss = 0.25});
    return reference;
}

} // namespace

class TstQuality : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresAreThoseOfTheirDefinitions();
    void sameLogitsChangeNothing();
    void intervalsNeedTwoPassages();
    void noNumbersHaveNoFigures();
    void sampleIsLongEnough();
    void referenceComesBackFromItsFile();
    void damagedFilesAreNotThere();
    void passagesEndInTime();
    void referencesGoOnWhereTimeRanOut();
    void checksEndInTime();
    void garbledIsTold();
    void figuresOfSparseAttentionCountWhereItIsUsed();
    void deadlinesStopWhatRuns();
    void everyChangeSinceGoodAnswersIsTold();
    void switchingChecksOffEndsOne();
    void aChangeIsFollowedByACheck();

private:
    std::uint32_t m_seed = std::random_device()();
};

void TstQuality::figuresAreThoseOfTheirDefinitions() {
    std::mt19937 random(m_seed);
    constexpr int kVocabulary = 50;
    QualitySum sum;
    double before = 0.0, after = 0.0, kl = 0.0;
    int agreements = 0, tokens = 0;
    for (int passage = 0; passage < 4; ++passage) {
        for (int i = 0; i < 30; ++i) {
            const auto reference = randomLogits(random, kVocabulary, 2.0F);
            auto candidate = reference;
            for (float& x : candidate) {
                x += std::normal_distribution<float>(0.0F, 0.3F)(random);
            }
            const auto target = static_cast<TokenId>(random() % kVocabulary);
            sum.add(topTokens(reference, target, kVocabulary), candidate, target);
            const auto p = logSoftmax(reference);
            const auto q = logSoftmax(candidate);
            const auto at = static_cast<std::size_t>(target);
            before -= p[at];
            after -= q[at];
            for (std::size_t t = 0; t < p.size(); ++t) {
                kl += std::exp(p[t]) * (p[t] - q[t]);
            }
            agreements +=
                std::ranges::max_element(p) - p.begin() == std::ranges::max_element(q) - q.begin()
                    ? 1
                    : 0;
            ++tokens;
        }
        sum.endPassage();
    }
    const auto figures = sum.figures();
    QVERIFY(figures);
    const auto isClose = [&](double got, double wanted) {
        return std::abs(got - wanted) <= 1e-5 * std::max(1.0, std::abs(wanted));
    };
    QCOMPARE(figures->tokens, std::int64_t{tokens});
    QVERIFY2(isClose(figures->referencePerplexity, std::exp(before / tokens)),
             fmt::format("seed {}", m_seed).c_str());
    QVERIFY(isClose(figures->perplexity, std::exp(after / tokens)));
    QVERIFY(isClose(figures->perplexityChange.value, std::exp((after - before) / tokens) - 1.0));
    QVERIFY(isClose(figures->meanKl.value, kl / tokens));
    QVERIFY(isClose(figures->topAgreement.value, static_cast<double>(agreements) / tokens));
    QVERIFY(figures->meanKl.low < figures->meanKl.value &&
            figures->meanKl.value < figures->meanKl.high);
}

void TstQuality::sameLogitsChangeNothing() {
    std::mt19937 random(m_seed);
    QualitySum sum;
    for (int i = 0; i < 100; ++i) {
        const auto logits = randomLogits(random, 200, 3.0F); // 64 of them and a rest
        sum.add(topTokens(logits, 7), logits, 7);
        if (i % 50 == 49) {
            sum.endPassage();
        }
    }
    const auto figures = sum.figures();
    QVERIFY(figures && std::abs(figures->meanKl.value) < 1e-6);
    QVERIFY(std::abs(figures->perplexityChange.value) < 1e-6);
    QCOMPARE(figures->topAgreement.value, 1.0);
}

void TstQuality::intervalsNeedTwoPassages() {
    std::mt19937 random(m_seed);
    QualitySum sum;
    QVERIFY(!sum.figures());
    const auto logits = randomLogits(random, 20, 1.0F);
    sum.add(topTokens(logits, 3), logits, 3);
    sum.endPassage();
    sum.endPassage(); // an empty one is none
    const auto figures = sum.figures();
    QVERIFY(figures && figures->passages == 1 && !figures->meanKl.low && !figures->meanKl.high);
}

void TstQuality::noNumbersHaveNoFigures() {
    std::mt19937 random(m_seed);
    const auto logits = randomLogits(random, 20, 1.0F);
    auto broken = logits;
    broken[4] = NAN;
    QualitySum sum;
    sum.add(topTokens(logits, 3), broken, 3);
    sum.endPassage();
    QVERIFY(!sum.figures());
}

void TstQuality::sampleIsLongEnough() {
    std::size_t bytes = 0;
    for (const SampleText& text : qualityTexts()) {
        bytes += text.text.size();
        QVERIFY(text.text.size() > 15'000);
    }
    QVERIFY(bytes > 5 * 16'384); // five bytes a token is much
    const auto passages = cutSample(bytewise, {.tokens = 5000, .passage = 1000});
    std::int64_t tokens = 0;
    for (const QualityPassage& passage : passages) {
        tokens += static_cast<std::int64_t>(passage.ids.size());
        QVERIFY(passage.ids.size() <= 1000);
    }
    QCOMPARE(tokens, std::int64_t{5000});
    QCOMPARE(passages.size(), std::size_t{5});
    QVERIFY(passages[0].ids != passages[1].ids);
}

void TstQuality::referenceComesBackFromItsFile() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/a/b/reference";
    const QualityReference reference = smallReference();
    QVERIFY(writeReference(file, reference));
    std::vector<QualityPassage> wanted{{.ids = {1, 2, 3}, .expected = {}}};
    const auto back = readReference(file, "xxh3:abc", wanted, 10);
    QVERIFY(back && back->passages.size() == 1 && back->passages[0].expected.size() == 2);
    QCOMPARE(back->passages[0].expected[1].ids, reference.passages[0].expected[1].ids);
    QCOMPARE(back->canaries[0].answer, reference.canaries[0].answer);
    QCOMPARE(back->canaries[0].loss, 0.25);
    QVERIFY(!readReference(file, "xxh3:other", wanted, 10));
    QVERIFY(!readReference(file, "xxh3:abc", wanted, 3)); // a token beyond the vocabulary
    wanted[0].ids[2] = 4;
    QVERIFY(!readReference(file, "xxh3:abc", wanted, 10));
}

void TstQuality::damagedFilesAreNotThere() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/reference";
    QVERIFY(writeReference(file, smallReference()));
    const std::vector<QualityPassage> wanted{{.ids = {1, 2, 3}, .expected = {}}};
    std::ifstream stream(file, std::ios::binary);
    const std::string whole((std::istreambuf_iterator<char>(stream)),
                            std::istreambuf_iterator<char>());
    std::mt19937 random(m_seed);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
        QVERIFY(!readReference(file, "xxh3:abc", wanted, 10));
    }
    for (int i = 0; i < 500; ++i) {
        std::string damaged = whole;
        char& byte = damaged[random() % damaged.size()];
        byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 255));
        std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
        QVERIFY(!readReference(file, "xxh3:abc", wanted, 10));
    }
    QualityReference endless = smallReference(); // whole, and of no use
    endless.passages[0].expected[0].logProbabilities[1] = -INFINITY;
    QVERIFY(writeReference(file, endless));
    QVERIFY(!readReference(file, "xxh3:abc", wanted, 10));
}

void TstQuality::passagesEndInTime() {
    const TinyFile tiny;
    std::int64_t rows = 0;
    const auto count = [&](std::int64_t, std::span<const float>) { ++rows; };
    QVERIFY(!readPassage(*tiny.evaluator, letters(300), TimePoint{}, count));
    QVERIFY(rows > 0 && rows < 300); // one step
    rows = 0;
    QVERIFY(readPassage(*tiny.evaluator, letters(300), Clock::now() + 1h, count));
    QCOMPARE(rows, std::int64_t{300});
    rows = 0;
    QVERIFY(readPassage(*tiny.evaluator, letters(40), TimePoint{}, count)); // nothing was left
    QCOMPARE(rows, std::int64_t{40});
}

void TstQuality::referencesGoOnWhereTimeRanOut() {
    const TinyFile tiny;
    const auto passages = cutSample(bytewise, {.tokens = 600, .passage = 200});
    const TimePoint late = Clock::now() + 1h;
    QualityReference once;
    extendReference(once, *tiny.evaluator, passages, bytewise, late);
    QVERIFY(isWhole(once, passages));
    QualityReference twice;
    extendReference(twice, *tiny.evaluator, passages, bytewise, TimePoint{});
    QVERIFY(twice.passages.empty() && !isWhole(twice, passages));
    QVERIFY(twice.canaries.empty() && !once.canaries.empty());
    twice.canaries.assign(once.canaries.begin(), once.canaries.begin() + 1); // and of one they are
    // As it is left when the time ends within a passage.
    twice.passages.assign(once.passages.begin(), once.passages.begin() + 2);
    twice.passages.back().ids.resize(100);
    twice.passages.back().expected.resize(99);
    QVERIFY(!isWhole(twice, passages));
    extendReference(twice, *tiny.evaluator, passages, bytewise, late);
    QVERIFY(isWhole(twice, passages));
    QCOMPARE(twice.canaries.size(), once.canaries.size());
    for (std::size_t i = 0; i < passages.size(); ++i) {
        QCOMPARE(twice.passages[i].expected.size(), passages[i].ids.size() - 1);
        QCOMPARE(twice.passages[i].expected.back().logProbabilities,
                 once.passages[i].expected.back().logProbabilities);
    }
}

void TstQuality::checksEndInTime() {
    QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    const TinyFile tiny;
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<Notice> told;
    QualityChecker checker(std::make_shared<MemoryClaims>(), [&](Notice notice) {
        const std::lock_guard lock(mutex);
        told.push_back(std::move(notice));
        changed.notify_all();
    });
    const auto ask = [&](Nanoseconds limit, std::uint64_t bytes) {
        {
            const std::lock_guard lock(mutex);
            told.clear();
        }
        checker.order({.path = tiny.file,
                       .digest = "xxh3:tiny",
                       .options = {.threads = 1, .precision = WeightPrecision::INT8},
                       .cut = {.tokens = 600, .passage = 200},
                       .contextTokens = tiny.evaluator->contextTokens(),
                       .vocabulary = tiny.evaluator->vocabulary(),
                       .weightsBytes = bytes,
                       .limit = limit,
                       .encode = bytewise,
                       .config = {}});
        std::unique_lock lock(mutex);
        return changed.wait_for(lock, 10s, [&] { return !told.empty(); }) ? told.front() : Notice{};
    };
    const Notice busy = ask(Nanoseconds{}, 0);
    QCOMPARE(busy.kind, std::string("quality_unchecked"));
    QVERIFY2(valueOf(busy, "reason").find("of 600") != std::string::npos,
             valueOf(busy, "reason").c_str());
    const Notice large = ask(1h, std::uint64_t{1} << 60U);
    QCOMPARE(large.kind, std::string("quality_unchecked"));
    QVERIFY(valueOf(large, "reason").find("GiB") != std::string::npos);
    const Notice checked = ask(1h, 0);
    QCOMPARE(checked.kind, std::string("quality_checked"));
    QCOMPARE(valueOf(checked, "tokens"), std::string("597")); // three passages, each but its first
    QVERIFY(std::stod(valueOf(checked, "seconds")) < 60.0);
}

void TstQuality::garbledIsTold() {
    QualityFigures figures;
    figures.perplexityChange.value = 0.02;
    QVERIFY(!isGarbled(figures, {{"counting", 1.0, 0.5}}));
    QVERIFY(isGarbled(figures, {{"counting", 1.0, 0.5}, {"code", 9.0, 0.5}}));
    QVERIFY(isGarbled(figures, {{"code", NAN, 0.5}}));
    figures.perplexityChange.value = 3.0;
    const Notice notice = qualityNotice(figures, {});
    QCOMPARE(valueOf(notice, "garbled"), std::string("yes"));
    QCOMPARE(valueOf(notice, "mean_kl_low"), std::string()); // absent, not zero
    figures.perplexityChange.low = 1.0;
    figures.perplexityChange.high = INFINITY;
    for (const auto& [key, value] : qualityNotice(figures, {{"code", NAN, 0.5}}).values) {
        QVERIFY2(value.find("nan") == std::string::npos && value.find("inf") == std::string::npos,
                 key.c_str());
    }
}

void TstQuality::figuresOfSparseAttentionCountWhereItIsUsed() {
    const std::vector<FieldChange> changes = {{"attention.share", "30", "40"},
                                              {"batching.max_batch", "8", "16"},
                                              {"kv.value_precision", "fp16", "int8"}};
    QCOMPARE(changesOfNumbers(changes, Attention::Full).size(), std::size_t{1});
    QCOMPARE(changesOfNumbers(changes, Attention::Sparse).size(), std::size_t{2});
    QCOMPARE(changesOfNumbers({{"attention.mode", "sparse", "full"}}, Attention::Full).size(),
             std::size_t{1});
}

void TstQuality::deadlinesStopWhatRuns() {
    std::stop_source outer;
    {
        const Deadline soon(outer.get_token(), Clock::now() + 5ms);
        const auto patience = Clock::now() + 10s;
        while (!soon.token().stop_requested() && Clock::now() < patience) {
            std::this_thread::sleep_for(1ms);
        }
        QVERIFY(soon.token().stop_requested() && soon.hasPassed());
    }
    const Deadline late(outer.get_token(), Clock::now() + 1h);
    QVERIFY(!late.token().stop_requested());
    outer.request_stop();
    QVERIFY(late.token().stop_requested() && !late.hasPassed());
}

// What was changed while a check ran is told with it; what was found to be good is not told again.
void TstQuality::everyChangeSinceGoodAnswersIsTold() {
    QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    EngineConfig config = TinyEngine::smallConfig();
    config.checksQuality = true;
    config.qualityTokens = 600;
    TinyEngine engine(config);
    const auto next = [&]() -> const Notice& {
        static const Notice kNone;
        const auto isChecked = [](const Event& event) {
            const auto* notice = std::get_if<Notice>(&event.body);
            return notice != nullptr && notice->kind == "quality_checked";
        };
        if (!engine.waitForEvent(isChecked)) {
            return kNone;
        }
        const auto& events = engine.events();
        return std::get<Notice>(std::find_if(events.rbegin(), events.rend(), isChecked)->body);
    };
    QVERIFY(engine->edit([](EngineConfig& c) {
        c.attention = Attention::Sparse;
        c.valuePrecision = KvPrecision::INT8;
    }));
    const Notice both = next();
    QCOMPARE(valueOf(both, "garbled"), std::string("no"));
    QVERIFY(!valueOf(both, "field_2").empty());
    QVERIFY(valueOf(both, "change").find("attention.mode full -> sparse") != std::string::npos);
    QVERIFY(engine->edit([](EngineConfig& c) { c.attentionShare = 50; }));
    const Notice share = next();
    QCOMPARE(valueOf(share, "field"), std::string("attention.share"));
    QCOMPARE(valueOf(share, "before"), std::string("30"));
    QVERIFY(valueOf(share, "field_2").empty());
}

void TstQuality::aChangeIsFollowedByACheck() {
    QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    EngineConfig config = TinyEngine::smallConfig();
    config.checksQuality = true;
    config.qualityTokens = 600;
    TinyEngine engine(config);
    const auto isChecked = [](const Event& event) {
        const auto* notice = std::get_if<Notice>(&event.body);
        return notice != nullptr && notice->kind == "quality_checked";
    };
    QVERIFY(engine->edit([](EngineConfig& c) { c.precision = WeightPrecision::INT8; }));
    QVERIFY(engine.waitForEvent(isChecked));
    QVERIFY(engine->edit([](EngineConfig& c) { c.valuePrecision = KvPrecision::INT8; }));
    QVERIFY(engine.waitForEvent(isChecked));
    const auto& events = engine.events();
    const auto last = std::find_if(events.rbegin(), events.rend(), isChecked);
    const Notice& notice = std::get<Notice>(last->body);
    QCOMPARE(valueOf(notice, "garbled"), std::string("no"));
    QVERIFY(std::stod(valueOf(notice, "mean_kl")) >= 0.0);
    QVERIFY(std::stod(valueOf(notice, "mean_kl")) < 0.05);
    QVERIFY(!valueOf(notice, "field").empty());
    QVERIFY(std::filesystem::exists(referenceFile(engine->capabilities().modelDigest)));
}

void TstQuality::switchingChecksOffEndsOne() {
    QTemporaryDir cache;
    qputenv("XDG_CACHE_HOME", cache.path().toUtf8());
    EngineConfig config = TinyEngine::smallConfig();
    config.checksQuality = true;
    config.qualityTokens = 8192; // far longer than two edits
    TinyEngine engine(config);
    QVERIFY(engine->edit([](EngineConfig& c) { c.valuePrecision = KvPrecision::INT8; }));
    const auto isApplied = [](const Event& event) {
        return std::holds_alternative<ConfigApplied>(event.body);
    };
    QVERIFY(engine.waitForEvent(isApplied));
    QVERIFY(engine->edit([](EngineConfig& c) { c.checksQuality = false; }));
    QVERIFY(engine.waitForEvent(isApplied));
    QVERIFY(engine->edit([](EngineConfig& c) { c.checksQuality = true; }));
    QVERIFY(engine->edit([](EngineConfig& c) { c.valuePrecision = KvPrecision::FP16; }));
    const auto isTold = [](const Event& event) {
        const auto* notice = std::get_if<Notice>(&event.body);
        return notice != nullptr && notice->kind.starts_with("quality_");
    };
    QVERIFY(engine.waitForEvent(isTold));
    const auto& events = engine.events();
    const auto first = std::ranges::find_if(events, isTold);
    QVERIFY(valueOf(std::get<Notice>(first->body), "change").find("fp16") != std::string::npos);
    QCOMPARE(std::ranges::count_if(events, isTold), 1);
}

QTEST_APPLESS_MAIN(TstQuality)
#include "tst_quality.moc"
