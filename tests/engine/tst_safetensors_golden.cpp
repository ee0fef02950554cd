// Models as transformers saves them, against the logits that transformers computes: every family,
// both dialects of config.json, shards, FP8. See tests/golden/make_safetensors.py.
#include "engine/evaluate.h"
#include "engine/model_file.h"

#include <QFile>
#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>

namespace fs = std::filesystem;

class TstSafetensorsGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void logitsAreThoseOfTransformers_data();
    void logitsAreThoseOfTransformers();
    void dialectsOfOneConfigAreOneModel();
};

namespace {

fs::path folderOf(const std::string& name) {
    return fs::path(HEADWAY_SOURCE_DIR) / "tests/golden/safetensors" / name;
}

std::vector<float> readFloats(const fs::path& path) {
    QFile file(QString::fromStdString(path.string()));
    const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    std::vector<float> values(static_cast<std::size_t>(bytes.size()) / sizeof(float));
    std::memcpy(values.data(), bytes.constData(), values.size() * sizeof(float));
    return values;
}

std::vector<engine::TokenId> idsOf(const fs::path& folder) {
    std::ifstream stream(folder / "ids.json");
    return nlohmann::json::parse(stream).get<std::vector<engine::TokenId>>();
}

std::vector<float> computed(const fs::path& folder, std::int64_t chunk, std::string& problem) {
    auto evaluator = engine::openEvaluator(folder, {});
    if (!evaluator) {
        problem = evaluator.error().message;
        return {};
    }
    std::vector<float> logits;
    const auto done = (*evaluator)
                          ->logits(idsOf(folder), chunk, engine::LogitRows::All,
                                   [&](std::int64_t, std::span<const float> row) {
                                       logits.insert(logits.end(), row.begin(), row.end());
                                   });
    problem = done ? std::string() : done.error().message;
    return logits;
}

} // namespace

void TstSafetensorsGolden::logitsAreThoseOfTransformers_data() {
    QTest::addColumn<QString>("name");
    for (const auto& entry : fs::directory_iterator(folderOf(""))) {
        const QString name = QString::fromStdString(entry.path().filename().string());
        QTest::newRow(qPrintable(name)) << name;
    }
}

void TstSafetensorsGolden::logitsAreThoseOfTransformers() {
    QFETCH(QString, name);
    const fs::path folder = folderOf(name.toStdString());
    const auto inspected = engine::inspectModel(folder);
    QVERIFY2(inspected.has_value(), inspected ? "" : inspected.error().message.c_str());
    QCOMPARE(inspected->container, std::string("safetensors"));
    const auto& problems = inspected->problems;
    if (std::ranges::any_of(problems, [](const std::string& problem) {
            return problem.find("is not supported yet") != std::string::npos;
        })) {
        QSKIP(problems.front().c_str());
    }
    const std::vector<float> wanted = readFloats(folder / "logits.f32");
    const std::size_t positions = idsOf(folder).size();
    const std::size_t vocabulary = wanted.size() / positions;
    const auto [least, most] = std::ranges::minmax(wanted);
    const float bound = 2e-3F * (most - least);
    for (const std::int64_t chunk : {1, 7, 64}) {
        std::string problem;
        const std::vector<float> logits = computed(folder, chunk, problem);
        QVERIFY2(problem.empty(), problem.c_str());
        QCOMPARE(logits.size(), wanted.size());
        for (std::size_t i = 0; i < positions; ++i) {
            const auto row = std::span(logits).subspan(i * vocabulary, vocabulary);
            const auto truth = std::span(wanted).subspan(i * vocabulary, vocabulary);
            for (std::size_t id = 0; id < vocabulary; ++id) {
                QVERIFY2(std::abs(row[id] - truth[id]) <= bound,
                         fmt::format("position {} token {}: {}, transformers {}, bound {}", i, id,
                                     row[id], truth[id], bound)
                             .c_str());
            }
            const auto best = std::ranges::max_element(row) - row.begin();
            QVERIFY2(truth[static_cast<std::size_t>(best)] >= std::ranges::max(truth) - bound,
                     fmt::format("position {}: token {} is not the likeliest", i, best).c_str());
        }
    }
}

void TstSafetensorsGolden::dialectsOfOneConfigAreOneModel() {
    std::string problem;
    const auto now = computed(folderOf("llama"), 64, problem);
    const auto before = computed(folderOf("llama_old"), 64, problem);
    QVERIFY2(problem.empty(), problem.c_str());
    QCOMPARE(now, before);
    QVERIFY(!now.empty());
}

QTEST_APPLESS_MAIN(TstSafetensorsGolden)
#include "tst_safetensors_golden.moc"
