// The default model against implementations written by others: logits against a float64 truth,
// greedy answers against llama.cpp's, ids against the Hugging Face tokenizer. Golden data:
// tests/golden.
#include "engine/checkpoint/checkpoint.h"
#include "engine/evaluate.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/support/default_model.h"

#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>

namespace {

using engine::TokenId;

constexpr std::int64_t kChunk = 128;

struct Position { // of the truth: the likeliest tokens, largest first, and everything else
    std::vector<TokenId> ids;
    std::vector<double> logProbabilities;
    double logRest = 0.0;
};

template <class T>
T take(std::ifstream& stream) {
    T value{};
    stream.read(reinterpret_cast<char*>(&value), sizeof value);
    return value;
}

Position takePosition(std::ifstream& stream, int top) {
    Position position;
    for (int i = 0; i < top; ++i) {
        position.ids.push_back(take<std::uint16_t>(stream));
        position.logProbabilities.push_back(static_cast<double>(take<float>(stream)));
    }
    position.logRest = static_cast<double>(take<float>(stream));
    return position;
}

std::vector<double> logSoftmax(std::span<const float> logits) {
    const double peak = static_cast<double>(*std::ranges::max_element(logits));
    double sum = 0.0;
    for (const float logit : logits) {
        sum += std::exp(static_cast<double>(logit) - peak);
    }
    std::vector<double> result;
    result.reserve(logits.size());
    for (const float logit : logits) {
        result.push_back(static_cast<double>(logit) - peak - std::log(sum));
    }
    return result;
}

// Divergence of the listed tokens and one bucket for the rest.
double divergence(const Position& truth, std::span<const double> got) {
    double sum = 0.0, listed = 0.0;
    for (std::size_t i = 0; i < truth.ids.size(); ++i) {
        const double ours = got[static_cast<std::size_t>(truth.ids[i])];
        sum += std::exp(truth.logProbabilities[i]) * (truth.logProbabilities[i] - ours);
        listed += std::exp(ours);
    }
    const double rest = std::log(std::max(1.0 - listed, 1e-300));
    return sum + std::exp(truth.logRest) * (truth.logRest - rest);
}

} // namespace

class TstDefaultModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void idsEqualTheReferenceTokenizers();
    void logitsStayCloseToTheTruth();
    void greedyAnswersFollowLlamaCppUntilATie();

private:
    std::filesystem::path m_model;
    nlohmann::json m_golden;
    std::unique_ptr<engine::Evaluator> m_evaluator;
};

void TstDefaultModel::initTestCase() {
    m_model = tests::defaultModel();
    if (m_model.empty()) {
        QSKIP("the default model is not here: packaging/model fetches it");
    }
    std::ifstream(std::filesystem::path(HEADWAY_SOURCE_DIR) / "tests/golden/smollm2_texts.json") >>
        m_golden;
    auto evaluator = engine::openEvaluator(m_model, {});
    QVERIFY2(evaluator.has_value(), evaluator ? "" : evaluator.error().message.c_str());
    m_evaluator = std::move(*evaluator);
}

void TstDefaultModel::idsEqualTheReferenceTokenizers() {
    const auto checkpoint = engine::openCheckpoint(m_model);
    QVERIFY(checkpoint.has_value());
    const auto tokenizer = engine::makeTokenizer(**checkpoint);
    QVERIFY(tokenizer.has_value());
    for (const auto& text : m_golden["texts"]) {
        const auto ids =
            (*tokenizer)->encode(text["text"].get<std::string>(), engine::SpecialTokens::Parse);
        QVERIFY2(ids == text["ids"].get<std::vector<TokenId>>(), text["text"].dump().c_str());
    }
}

void TstDefaultModel::logitsStayCloseToTheTruth() {
    std::ifstream truth(std::filesystem::path(HEADWAY_SOURCE_DIR) /
                            "tests/golden/smollm2_truth.bin",
                        std::ios::binary);
    const int top = m_golden["top"];
    double sum = 0.0;
    std::int64_t positions = 0, agreeing = 0;
    for (const auto& text : m_golden["texts"]) {
        const auto ids = text["ids"].get<std::vector<TokenId>>();
        const auto done = m_evaluator->logits(
            ids, kChunk, engine::LogitRows::All, [&](std::int64_t, std::span<const float> row) {
                const Position position = takePosition(truth, top);
                sum += divergence(position, logSoftmax(row));
                ++positions;
                const auto best = static_cast<TokenId>(std::ranges::max_element(row) - row.begin());
                agreeing += best == position.ids[0] ? 1 : 0;
                if (best != position.ids[0]) {
                    QVERIFY2(position.logProbabilities[0] - position.logProbabilities[1] <= 0.5,
                             text["kind"].get<std::string>().c_str());
                }
            });
        QVERIFY2(done.has_value(), done ? "" : done.error().message.c_str());
    }
    QVERIFY(truth && truth.peek() == std::ifstream::traits_type::eof());
    const double mean = sum / static_cast<double>(positions);
    const double agreement = static_cast<double>(agreeing) / static_cast<double>(positions);
    qInfo("%s", fmt::format("mean KL {:.5f}, argmax agrees {:.2f} % over {} positions", mean,
                            100.0 * agreement, positions)
                    .c_str());
    // Full divergence 0.003 is the bound (listed is about 12 % less); this is half as much
    // again as was measured, so that a coarser product shows. (tests/golden/README.md).
    QVERIFY(mean <= 0.0016);
    QVERIFY(agreement >= 0.965);
}

void TstDefaultModel::greedyAnswersFollowLlamaCppUntilATie() {
    for (const auto& answer : m_golden["greedy"]) {
        auto ids = answer["prompt_ids"].get<std::vector<TokenId>>();
        const std::size_t promptTokens = ids.size();
        const auto expected = answer["ids"].get<std::vector<TokenId>>();
        ids.insert(ids.end(), expected.begin(), expected.end());
        std::vector<TokenId> best;
        const auto done = m_evaluator->logits(
            ids, kChunk, engine::LogitRows::All, [&](std::int64_t, std::span<const float> row) {
                best.push_back(static_cast<TokenId>(std::ranges::max_element(row) - row.begin()));
            });
        QVERIFY(done.has_value());
        for (std::size_t i = 0; i < expected.size() && answer["gaps"][i].get<double>() >= 0.5;
             ++i) {
            QVERIFY2(best[promptTokens - 1 + i] == expected[i],
                     fmt::format("{}: token {}", answer["prompt"].get<std::string>(), i).c_str());
        }
    }
}

QTEST_APPLESS_MAIN(TstDefaultModel)
#include "tst_default_model.moc"
