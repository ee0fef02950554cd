// What the reference precision predicts over the sample texts: made once a model, kept in the cache
// folder under the model's digest. Values; one thread at a time.
#pragma once

#include "engine/evaluate.h"
#include "engine/quality.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct QualityPassage {
    std::vector<TokenId> ids;
    std::vector<TopTokens> expected; // of every token but the last
};

struct QualityCanary {
    std::string name;
    std::vector<TokenId> prompt;
    std::vector<TokenId> answer; // the reference's own
    double loss = 0.0;           // of that answer, in nats a token
};

struct QualityReference {
    std::string digest; // of the model
    std::vector<QualityPassage> passages;
    std::vector<QualityCanary> canaries;

    std::int64_t tokens() const;
};

// How the sample is cut: passages of at most so many tokens, whole texts where they fit.
struct SampleCut {
    std::int64_t tokens = 16'384;
    std::int64_t passage = 1024;
    bool operator==(const SampleCut&) const = default;
};

using Encode = std::function<std::vector<TokenId>(std::string_view text)>;

// The texts in turn, so that a short sample has all of them.
std::vector<QualityPassage> cutSample(const Encode& encode, const SampleCut& cut);
// Mean loss in nats of `answer` behind `prompt`. Throws Failure.
double answerLoss(Evaluator& evaluator, const std::vector<TokenId>& prompt,
                  const std::vector<TokenId>& answer);
// A passage's logits, position by position, up to `until` and a step of tokens beyond; false where
// that came before the end. Throws Failure.
bool readPassage(Evaluator& evaluator, const std::vector<TokenId>& ids, TimePoint until,
                 const Evaluator::Row& row);
// Fills in what the evaluator predicts of `passages`, canaries first, going on where an earlier
// call ran out of time. What is there at `until` is whole in itself. Throws Failure.
void extendReference(QualityReference& reference, Evaluator& evaluator,
                     const std::vector<QualityPassage>& passages, const Encode& encode,
                     TimePoint until);
// Whether nothing is left for extendReference().
bool isWhole(const QualityReference& reference, const std::vector<QualityPassage>& passages);

// Empty where there is none, or it is of other texts, another cut, or damaged.
std::optional<QualityReference> readReference(const std::filesystem::path& file,
                                              const std::string& digest,
                                              const std::vector<QualityPassage>& passages,
                                              std::int64_t vocabulary);
// False where it could not be written; the check goes on without.
bool writeReference(const std::filesystem::path& file, const QualityReference& reference);
// $XDG_CACHE_HOME/headway/quality/<digest>; empty where there is no such place.
std::filesystem::path referenceFile(const std::string& digest);

} // namespace engine
