// Logits and timed passes without a scheduler.
#include "engine/evaluate.h"
#include "tests/support/tiny_model.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstring>

using namespace engine;

namespace {

class Opened {
public:
    explicit Opened(kernels::Format format = kernels::Format::F32,
                    const EvaluatorOptions& options = {}) {
        const std::filesystem::path file = m_folder.path().toStdString() + "/tiny.gguf";
        tests::writeTinyModel(file, {.format = format});
        auto opened = openEvaluator(file, options, {}, stop.get_token());
        if (opened) {
            evaluator = std::move(*opened);
        }
    }

    std::vector<float> logits(std::span<const TokenId> ids, std::int64_t chunk, LogitRows rows) {
        std::vector<float> all;
        std::int64_t next = rows == LogitRows::All ? 0 : static_cast<std::int64_t>(ids.size()) - 1;
        const auto done = evaluator->logits(ids, chunk, rows,
                                            [&](std::int64_t position, std::span<const float> row) {
                                                QCOMPARE(position, next++);
                                                all.insert(all.end(), row.begin(), row.end());
                                            });
        return done ? all : std::vector<float>{};
    }

    std::stop_source stop;
    std::unique_ptr<Evaluator> evaluator;

private:
    QTemporaryDir m_folder;
};

std::vector<TokenId> someIds(int count) {
    std::vector<TokenId> ids;
    for (int i = 0; i < count; ++i) {
        ids.push_back((i * i * 5 + i + 7) % 320);
    }
    return ids;
}

bool sameBits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace

class TstEvaluate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void logitsDoNotDependOnChunksThreadsOrLayout_data();
    void logitsDoNotDependOnChunksThreadsOrLayout();
    void lastRowIsTheLastOfAll();
    void impossibleIdsAndSizesAreErrors();
    void timesAreOneARepetition();
    void stopEndsWhatComes();
};

void TstEvaluate::logitsDoNotDependOnChunksThreadsOrLayout_data() {
    QTest::addColumn<int>("format");
    for (const auto format : {kernels::Format::F32, kernels::Format::F16, kernels::Format::Q8_0,
                              kernels::Format::Q4_0, kernels::Format::Q4_1}) {
        QTest::newRow(kernels::traits(format).name.data()) << static_cast<int>(format);
    }
}

void TstEvaluate::logitsDoNotDependOnChunksThreadsOrLayout() {
    QFETCH(const int, format);
    const auto ids = someIds(150);
    Opened usual(static_cast<kernels::Format>(format), {.threads = 1});
    QVERIFY(usual.evaluator);
    const auto whole = usual.logits(ids, 1000, LogitRows::All);
    QCOMPARE(whole.size(), ids.size() * 320);
    for (const std::int64_t chunk : {1, 7, 64}) {
        QVERIFY(sameBits(usual.logits(ids, chunk, LogitRows::All), whole));
    }
    Opened other(static_cast<kernels::Format>(format),
                 {.threads = 2, .weightsLayout = WeightsLayout::File});
    QVERIFY(other.evaluator);
    QVERIFY(sameBits(other.logits(ids, 64, LogitRows::All), whole));
}

void TstEvaluate::lastRowIsTheLastOfAll() {
    Opened opened;
    const auto ids = someIds(40);
    const auto all = opened.logits(ids, 16, LogitRows::All);
    const auto last = opened.logits(ids, 16, LogitRows::Last);
    QVERIFY(sameBits(last, std::vector<float>(all.end() - 320, all.end())));
    const auto one = someIds(1);
    QVERIFY(
        sameBits(opened.logits(one, 1, LogitRows::Last), opened.logits(one, 500, LogitRows::All)));
}

void TstEvaluate::impossibleIdsAndSizesAreErrors() {
    Opened opened;
    const auto ignore = [](std::int64_t, std::span<const float>) {};
    const auto errorOf = [&](const std::vector<TokenId>& ids) {
        const auto done = opened.evaluator->logits(ids, 8, LogitRows::All, ignore);
        return done ? std::string() : done.error().message;
    };
    QVERIFY(errorOf({1, 320}).find("320") != std::string::npos);
    QVERIFY(errorOf({-1}).find("-1") != std::string::npos);
    QVERIFY(!errorOf({}).empty());
    QVERIFY(errorOf(someIds(513)).find("512") != std::string::npos);
    QVERIFY(errorOf(someIds(512)).empty());
    QVERIFY(!opened.evaluator->timePrefill(0, 0, 8, 1));
    QVERIFY(!opened.evaluator->timePrefill(512, 1, 8, 1));
    QVERIFY(!opened.evaluator->timeDecode(1, 0, 0, 1));
    QVERIFY(!opened.evaluator->timeDecode(10, 2, 510, 1));
    QVERIFY(!openEvaluator("/nowhere.gguf", {}));
}

void TstEvaluate::timesAreOneARepetition() {
    Opened opened;
    const auto prefill = opened.evaluator->timePrefill(100, 30, 32, 3);
    QVERIFY(prefill && prefill->size() == 3);
    const auto decode = opened.evaluator->timeDecode(5, 4, 100, 2);
    QVERIFY(decode && decode->size() == 2);
    for (const double seconds : {prefill->front(), decode->back()}) {
        QVERIFY(seconds > 0.0 && seconds < 60.0);
    }
}

void TstEvaluate::stopEndsWhatComes() {
    Opened opened;
    opened.stop.request_stop();
    const auto stopped = opened.evaluator->timeDecode(400, 1, 0, 1000);
    QVERIFY(!stopped);
    QCOMPARE(stopped.error().code, ErrorCode::Cancelled);
}

QTEST_APPLESS_MAIN(TstEvaluate)
#include "tst_evaluate.moc"
