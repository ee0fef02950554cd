// The field table: one row a setting. A new setting is a member of EngineConfig and a row here.
#include "engine/config.h"

#include <array>
#include <bit>

namespace engine {

namespace {

using Config = EngineConfig;

constexpr std::int64_t kNoLimit = std::int64_t{1} << 24;

constexpr std::array<std::string_view, 2> kBatchingNames = {"single", "continuous"};
constexpr std::array<std::string_view, 2> kLoadModeNames = {"mmap", "read"};
constexpr std::array<std::string_view, 2> kLayoutNames = {"packed", "file"};
constexpr std::array<std::string_view, 4> kBlockTokensNames = {"16", "32", "64", "128"};
constexpr int kSmallestBlockBits = 4;

template <std::int64_t Config::*kMember>
std::int64_t getInteger(const Config& config) {
    return config.*kMember;
}

template <std::int64_t Config::*kMember>
void setInteger(Config& config, std::int64_t value) {
    config.*kMember = value;
}

template <auto kMember>
std::int64_t getChoice(const Config& config) {
    return static_cast<std::int64_t>(config.*kMember);
}

template <class Choice, Choice Config::*kMember>
void setChoice(Config& config, std::int64_t value) {
    config.*kMember = static_cast<Choice>(value);
}

// Index into kBlockTokensNames; -1 for a size that is none of them.
std::int64_t getBlockTokens(const Config& config) {
    const auto tokens = static_cast<std::uint64_t>(config.blockTokens);
    if (config.blockTokens <= 0 || !std::has_single_bit(tokens)) {
        return -1;
    }
    const int index = std::countr_zero(tokens) - kSmallestBlockBits;
    return index < static_cast<int>(kBlockTokensNames.size()) ? index : -1;
}

void setBlockTokens(Config& config, std::int64_t index) {
    config.blockTokens = std::int64_t{1} << (kSmallestBlockBits + index);
}

std::string_view idleUnlessContinuous(const Config& config) {
    return config.batching == Batching::Continuous ? "" : "Used by the continuous policy only";
}

std::string_view neverIdle(const Config&) {
    return "";
}

constexpr std::array kFields = {
    Field{.key = "batching.policy",
          .flag = "--batching",
          .group = "batching",
          .label = "Batching",
          .help = "How requests share a step: one at a time, or all that fit, joining and leaving "
                  "at every step.",
          .unit = "",
          .type = FieldType::Choice,
          .minimum = 0,
          .maximum = std::ssize(kBatchingNames) - 1,
          .defaultValue = static_cast<std::int64_t>(Batching::Continuous),
          .zeroMeans = "",
          .choices = kBatchingNames,
          .takesEffect = TakesEffect::NextStep,
          .get = getChoice<&Config::batching>,
          .set = setChoice<Batching, &Config::batching>,
          .idleReason = neverIdle},
    Field{.key = "batching.max_batch",
          .flag = "--max-batch",
          .group = "batching",
          .label = "Max batch",
          .help = "Requests that may run at once; more wait in the queue.",
          .unit = "req",
          .type = FieldType::Integer,
          .minimum = 1,
          .maximum = 1024,
          .defaultValue = 16,
          .zeroMeans = "",
          .choices = {},
          .takesEffect = TakesEffect::NextStep,
          .get = getInteger<&Config::maxBatch>,
          .set = setInteger<&Config::maxBatch>,
          .idleReason = idleUnlessContinuous},
    Field{.key = "batching.token_budget",
          .flag = "--token-budget",
          .group = "batching",
          .label = "Token budget",
          .help = "Most tokens one step computes; a lower budget keeps steps, and so the gaps "
                  "between tokens, short.",
          .unit = "tok",
          .type = FieldType::Integer,
          .minimum = 1,
          .maximum = 65536,
          .defaultValue = 512,
          .zeroMeans = "",
          .choices = {},
          .takesEffect = TakesEffect::NextStep,
          .get = getInteger<&Config::tokenBudget>,
          .set = setInteger<&Config::tokenBudget>,
          .idleReason = neverIdle},
    Field{.key = "batching.prefill_chunk",
          .flag = "--prefill-chunk",
          .group = "batching",
          .label = "Prefill chunk",
          .help = "Most tokens of one prompt in one step, so that a long prompt does not hold up "
                  "the others.",
          .unit = "tok",
          .type = FieldType::Integer,
          .minimum = 1,
          .maximum = 65536,
          .defaultValue = 256,
          .zeroMeans = "",
          .choices = {},
          .takesEffect = TakesEffect::NextStep,
          .get = getInteger<&Config::prefillChunk>,
          .set = setInteger<&Config::prefillChunk>,
          .idleReason = neverIdle},
    Field{.key = "batching.max_waiting",
          .flag = "--max-waiting",
          .group = "batching",
          .label = "Max waiting",
          .help = "Requests that may wait in the queue; further ones are rejected at once.",
          .unit = "req",
          .type = FieldType::Integer,
          .minimum = 1,
          .maximum = 1000000,
          .defaultValue = 4096,
          .zeroMeans = "",
          .choices = {},
          .takesEffect = TakesEffect::NextStep,
          .get = getInteger<&Config::maxWaiting>,
          .set = setInteger<&Config::maxWaiting>,
          .idleReason = neverIdle},
    Field{.key = "kv.blocks",
          .flag = "--kv-blocks",
          .group = "kv",
          .label = "KV blocks",
          .help = "Blocks of the key-value cache, shared by all requests.",
          .unit = "blocks",
          .type = FieldType::Integer,
          .minimum = 0,
          .maximum = kNoLimit,
          .defaultValue = 0,
          .zeroMeans = "from memory",
          .choices = {},
          .takesEffect = TakesEffect::Drained,
          .get = getInteger<&Config::kvBlocks>,
          .set = setInteger<&Config::kvBlocks>,
          .idleReason = neverIdle},
    Field{.key = "kv.block_tokens",
          .flag = "--block-tokens",
          .group = "kv",
          .label = "Block size",
          .help = "Tokens in one block of the key-value cache: small blocks waste less, large ones "
                  "cost less to manage.",
          .unit = "tok",
          .type = FieldType::Choice,
          .minimum = 0,
          .maximum = std::ssize(kBlockTokensNames) - 1,
          .defaultValue = 2,
          .zeroMeans = "",
          .choices = kBlockTokensNames,
          .takesEffect = TakesEffect::Reload,
          .get = getBlockTokens,
          .set = setBlockTokens,
          .idleReason = neverIdle},
    Field{.key = "kv.max_context",
          .flag = "--max-context",
          .group = "kv",
          .label = "Max context",
          .help = "Longest prompt and answer together; longer requests are refused.",
          .unit = "tok",
          .type = FieldType::Integer,
          .minimum = 0,
          .maximum = kNoLimit,
          .defaultValue = 0,
          .zeroMeans = "the model's own",
          .choices = {},
          .takesEffect = TakesEffect::Reload,
          .get = getInteger<&Config::maxContext>,
          .set = setInteger<&Config::maxContext>,
          .idleReason = neverIdle},
    Field{.key = "threads",
          .flag = "--threads",
          .group = "threads",
          .label = "Threads",
          .help = "Processor threads that compute.",
          .unit = "",
          .type = FieldType::Integer,
          .minimum = 0,
          .maximum = 1024,
          .defaultValue = 0,
          .zeroMeans = "every core",
          .choices = {},
          .takesEffect = TakesEffect::NextStep,
          .get = getInteger<&Config::threads>,
          .set = setInteger<&Config::threads>,
          .idleReason = neverIdle},
    Field{.key = "load.mode",
          .flag = "--load-mode",
          .group = "load",
          .label = "Load mode",
          .help = "Map the model file into memory, or read it whole first.",
          .unit = "",
          .type = FieldType::Choice,
          .minimum = 0,
          .maximum = std::ssize(kLoadModeNames) - 1,
          .defaultValue = static_cast<std::int64_t>(LoadMode::Mmap),
          .zeroMeans = "",
          .choices = kLoadModeNames,
          .takesEffect = TakesEffect::Reload,
          .get = getChoice<&Config::loadMode>,
          .set = setChoice<LoadMode, &Config::loadMode>,
          .idleReason = neverIdle},
    Field{.key = "weights.layout",
          .flag = "--weights-layout",
          .group = "load",
          .label = "Weights layout",
          .help = "Repack weights for this processor at load, or compute on them as the file has "
                  "them.",
          .unit = "",
          .type = FieldType::Choice,
          .minimum = 0,
          .maximum = std::ssize(kLayoutNames) - 1,
          .defaultValue = static_cast<std::int64_t>(WeightsLayout::Packed),
          .zeroMeans = "",
          .choices = kLayoutNames,
          .takesEffect = TakesEffect::Reload,
          .get = getChoice<&Config::weightsLayout>,
          .set = setChoice<WeightsLayout, &Config::weightsLayout>,
          .idleReason = neverIdle},
    Field{.key = "load.warmup_requests",
          .flag = "--warmup-requests",
          .group = "load",
          .label = "Warm-up requests",
          .help = "Short requests run after loading, so that the first real one is not a cold one.",
          .unit = "req",
          .type = FieldType::Integer,
          .minimum = 0,
          .maximum = 100,
          .defaultValue = 3,
          .zeroMeans = "none",
          .choices = {},
          .takesEffect = TakesEffect::Reload,
          .get = getInteger<&Config::warmupRequests>,
          .set = setInteger<&Config::warmupRequests>,
          .idleReason = neverIdle},
};

} // namespace

std::span<const Field> fieldTable() {
    return kFields;
}

} // namespace engine
