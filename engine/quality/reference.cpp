#include "engine/quality/reference.h"

#include "engine/base/failure.h"
#include "engine/quality/sample.h"

#include <algorithm>
#include <cmath>

namespace engine {

namespace {

constexpr std::int64_t kChunk = 128;
constexpr std::int64_t kCanaryTokens = 32;
constexpr std::int64_t kLeastPassage = 16;

template <class T>
T orThrow(Result<T> result) {
    if (!result) {
        throw Failure(result.error().code, result.error().message);
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

// Those that are not there yet, as far as the time goes.
void addCanaries(QualityReference& reference, Evaluator& evaluator, const Encode& encode,
                 TimePoint until) {
    for (const SampleText& prompt : canaryPrompts()) {
        const auto known = std::ranges::find(reference.canaries, prompt.name, &QualityCanary::name);
        if (known != reference.canaries.end()) {
            continue;
        }
        QualityCanary canary{.name = std::string(prompt.name),
                             .prompt = encode(prompt.text),
                             .answer = {},
                             .loss = 0.0};
        const std::int64_t room =
            evaluator.contextTokens() - static_cast<std::int64_t>(canary.prompt.size());
        if (canary.prompt.empty() || room < 1) {
            continue;
        }
        if (Clock::now() >= until) {
            return;
        }
        canary.answer = orThrow(evaluator.generate(canary.prompt, std::min(room, kCanaryTokens)));
        canary.loss = answerLoss(evaluator, canary.prompt, canary.answer);
        reference.canaries.push_back(std::move(canary));
    }
}

} // namespace

std::int64_t QualityReference::tokens() const {
    std::int64_t sum = 0;
    for (const QualityPassage& passage : passages) {
        sum += static_cast<std::int64_t>(passage.expected.size());
    }
    return sum;
}

std::vector<QualityPassage> cutSample(const Encode& encode, const SampleCut& cut) {
    std::vector<std::vector<TokenId>> texts;
    for (const SampleText& sample : qualityTexts()) {
        texts.push_back(encode(sample.text));
    }
    std::vector<QualityPassage> passages;
    std::int64_t left = cut.tokens;
    for (std::int64_t at = 0; left > 0; at += cut.passage) {
        bool isAny = false;
        for (const auto& ids : texts) {
            const std::int64_t rest = static_cast<std::int64_t>(ids.size()) - at;
            const std::int64_t length = std::min({cut.passage, rest, left});
            if (length < kLeastPassage) {
                continue;
            }
            isAny = true;
            left -= length;
            const auto begin = ids.begin() + at;
            passages.push_back({.ids = {begin, begin + length}, .expected = {}});
        }
        if (!isAny) {
            break;
        }
    }
    return passages;
}

double answerLoss(Evaluator& evaluator, const std::vector<TokenId>& prompt,
                  const std::vector<TokenId>& answer) {
    std::vector<TokenId> ids = prompt;
    ids.insert(ids.end(), answer.begin(), answer.end());
    double loss = 0.0;
    orThrow(evaluator.logits(
        ids, kChunk, LogitRows::All, [&](std::int64_t position, std::span<const float> logits) {
            const auto next = static_cast<std::size_t>(position) + 1;
            if (next >= prompt.size() && next < ids.size()) {
                loss -= static_cast<double>(topTokens(logits, ids[next], 1).target);
            }
        }));
    return loss / static_cast<double>(answer.size());
}

bool readPassage(Evaluator& evaluator, const std::vector<TokenId>& ids, TimePoint until,
                 const Evaluator::Row& row) {
    struct TimeIsUp : std::exception {};
    bool isUp = false;
    const auto done = evaluator.logits(
        ids, kChunk, LogitRows::All, [&](std::int64_t position, std::span<const float> logits) {
            row(position, logits);
            const bool isLastOfStep = (position + 1) % kChunk == 0;
            if (isLastOfStep && position + 1 < static_cast<std::int64_t>(ids.size()) &&
                Clock::now() >= until) {
                isUp = true;
                throw TimeIsUp(); // ends the call, which tells of an error
            }
        });
    if (!done && !isUp) {
        throw Failure(done.error().code, done.error().message);
    }
    return !isUp;
}

void extendReference(QualityReference& reference, Evaluator& evaluator,
                     const std::vector<QualityPassage>& passages, const Encode& encode,
                     TimePoint until) {
    addCanaries(reference, evaluator, encode, until);
    const std::size_t had = reference.passages.size();
    if (had > 0 && reference.passages.back().ids != passages.at(had - 1).ids) {
        reference.passages.pop_back(); // a part of one
    }
    bool hasTime = true;
    while (hasTime && reference.passages.size() < passages.size() && Clock::now() < until) {
        QualityPassage passage = passages[reference.passages.size()];
        hasTime =
            readPassage(evaluator, passage.ids, until,
                        [&](std::int64_t position, std::span<const float> logits) {
                            const auto next = static_cast<std::size_t>(position) + 1;
                            if (next < passage.ids.size()) {
                                passage.expected.push_back(topTokens(logits, passage.ids[next]));
                            }
                        });
        passage.ids.resize(passage.expected.size() + 1);
        reference.passages.push_back(std::move(passage));
    }
}

bool isWhole(const QualityReference& reference, const std::vector<QualityPassage>& passages) {
    return std::ranges::equal(reference.passages, passages, {}, &QualityPassage::ids,
                              &QualityPassage::ids);
}

} // namespace engine
