// A model without a scheduler: logits of given token ids and timed passes, for headway-probe and
// quality checks. One thread at a time.
#pragma once

#include "engine/backend.h"
#include "engine/config.h"
#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace engine {

// What shares one scale in products of INT8: 32 columns of weights and activations, as the CPU
// computes them; a row of weights and a token, as a matrix unit needs it; that, with what the
// calibration beside the model found evened out between both (SmoothQuant, Xiao et al. 2023).
enum class Int8Scales : std::uint8_t { Group, Row, Smooth };

struct EvaluatorOptions {
    std::int64_t threads = 0; // 0: every core
    std::int64_t blockTokens = 64;
    LoadMode loadMode = LoadMode::Mmap;
    WeightsLayout weightsLayout = WeightsLayout::Packed;
    WeightPrecision precision = WeightPrecision::File;
    Int8Scales int8Scales = Int8Scales::Group; // of feed-forward matrices; others have groups
    KvPrecision kvPrecision = KvPrecision::Auto;
    KvPrecision keyPrecision = KvPrecision::Auto;
    KvPrecision valuePrecision = KvPrecision::Auto;
    Attention attention = Attention::Full;
    std::int64_t attentionFirst = 1024;
    std::int64_t attentionWindow = 512;
    std::int64_t attentionShare = 30;
    std::string isa{}; // empty: the best of this machine
};

// Positions whose logits are wanted.
enum class LogitRows : std::uint8_t { All, Last };

class Evaluator {
public:
    virtual ~Evaluator() = default;

    // Measures the memory's speed each time.
    virtual Capabilities capabilities() const = 0;

    virtual std::int64_t contextTokens() const = 0; // of prompt and answer together
    virtual std::int64_t vocabulary() const = 0;

    // Teacher-forced: row(p, logits) for positions in order, logits [vocabulary] of the token after
    // ids[0..p], valid during the call. `chunk` tokens are computed at a time; results do not
    // depend on it. Errors: ids out of the vocabulary, too many of them, no memory.
    using Row = std::function<void(std::int64_t position, std::span<const float> logits)>;
    virtual Result<void> logits(std::span<const TokenId> ids, std::int64_t chunk, LogitRows rows,
                                const Row& row) = 0;

    // The likeliest continuation, token by token.
    virtual Result<std::vector<TokenId>> generate(std::span<const TokenId> ids,
                                                  std::int64_t tokens) = 0;

    // Seconds of each repetition: a prompt of `tokens` behind `depth` cached ones, the last logits
    // included, in steps of at most `chunk` tokens. One pass before goes unmeasured.
    virtual Result<std::vector<double>> timePrefill(std::int64_t tokens, std::int64_t depth,
                                                    std::int64_t chunk, int repetitions) = 0;
    // Seconds of each repetition: `tokens` greedy steps of `batch` sequences that have `depth`
    // cached tokens each.
    virtual Result<std::vector<double>> timeDecode(std::int64_t tokens, std::int64_t batch,
                                                   std::int64_t depth, int repetitions) = 0;
};

// A stop ends loading, and any later call within a layer, with ErrorCode::Cancelled.
Result<std::unique_ptr<Evaluator>>
openEvaluator(const std::filesystem::path& model, const EvaluatorOptions& options,
              const std::function<void(const LoadProgress&)>& progress = {},
              std::stop_token stop = {});

} // namespace engine
