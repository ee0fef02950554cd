// Rows of the field table: what weights, keys and values are kept in, and how much attention sees.
#include "engine/base/field_access.h"
#include "engine/base/field_parts.h"

#include <array>
#include <bit>

namespace engine {

namespace {

using namespace field_access;

constexpr std::int64_t kNoLimit = std::int64_t{1} << 24;

constexpr std::array<std::string_view, 4> kBlockTokensNames = {"16", "32", "64", "128"};
constexpr int kSmallestBlockBits = 4;
constexpr std::array<std::string_view, 6> kPrecisionNames = {"file", "fp16", "bf16",
                                                             "int8", "fp8",  "int4"};
constexpr std::array<std::string_view, 5> kKvPrecisionNames = {"auto", "fp32", "fp16", "int8",
                                                               "int4"};
constexpr std::array<std::string_view, 5> kOwnPrecisionNames = {"same", "fp32", "fp16", "int8",
                                                                "int4"};
constexpr std::array<std::string_view, 2> kAttentionNames = {"full", "sparse"};

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

std::string_view idleWithoutPrefixes(const Config& config) {
    return config.keepsPrefixes ? "" : "The prefix cache is off";
}

std::string_view idleWithoutPacking(const Config& config) {
    return !config.keepsPrefixes     ? "The prefix cache is off"
           : !config.packsColdBlocks ? "Cold blocks are not packed"
                                     : "";
}

std::string_view idleWithoutChecks(const Config& config) {
    return config.checksQuality ? "" : "Quality checks are off";
}

std::string_view idleUnlessSparse(const Config& config) {
    return config.attention == Attention::Sparse ? "" : "Used by sparse attention only";
}

constexpr std::array kFields = {
    Field{.key = "weights.precision",
          .flag = "--precision",
          .group = "weights",
          .label = "Precision",
          .help = "Numbers that weights are kept in. They are converted while requests go on, and "
                  "changed for all between two steps.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kPrecisionNames) - 1,
          .defaultValue = static_cast<std::int64_t>(WeightPrecision::File),
          .choices = kPrecisionNames,
          .get = getChoice<&Config::precision>,
          .set = setChoice<WeightPrecision, &Config::precision>},
    Field{.key = "quality.check",
          .flag = "--quality-check",
          .group = "weights",
          .label = "Quality check",
          .help = "After a change of precision, compare what the model predicts over a sample text "
                  "with the file's own precision, at low priority and within five minutes.",
          .type = FieldType::Switch,
          .maximum = 1,
          .defaultValue = 1,
          .get = getSwitch<&Config::checksQuality>,
          .set = setSwitch<&Config::checksQuality>},
    Field{.key = "quality.tokens",
          .flag = "--quality-tokens",
          .group = "weights",
          .label = "Sample length",
          .help = "Tokens of the sample that a quality check computes: more of them narrow its "
                  "intervals.",
          .unit = "tok",
          .minimum = 64,
          .maximum = 1048576,
          .defaultValue = 16384,
          .get = getInteger<&Config::qualityTokens>,
          .set = setInteger<&Config::qualityTokens>,
          .idleReason = idleWithoutChecks},
    Field{.key = "kv.blocks",
          .flag = "--kv-blocks",
          .group = "kv",
          .label = "KV blocks",
          .help = "Blocks of the key-value cache, shared by all requests.",
          .unit = "blocks",
          .maximum = kNoLimit,
          .defaultValue = 0,
          .zeroMeans = "from memory",
          .takesEffect = TakesEffect::Drained,
          .get = getInteger<&Config::kvBlocks>,
          .set = setInteger<&Config::kvBlocks>},
    Field{.key = "kv.block_tokens",
          .flag = "--block-tokens",
          .group = "kv",
          .label = "Block size",
          .help = "Tokens in one block of the key-value cache: small blocks waste less, large ones "
                  "cost less to manage.",
          .unit = "tok",
          .type = FieldType::Choice,
          .maximum = std::ssize(kBlockTokensNames) - 1,
          .defaultValue = 2,
          .choices = kBlockTokensNames,
          .takesEffect = TakesEffect::Reload,
          .get = getBlockTokens,
          .set = setBlockTokens},
    Field{.key = "kv.max_context",
          .flag = "--max-context",
          .group = "kv",
          .label = "Max context",
          .help = "Longest prompt and answer together; longer requests are refused.",
          .unit = "tok",
          .maximum = kNoLimit,
          .defaultValue = 0,
          .zeroMeans = "the model's own",
          .takesEffect = TakesEffect::Reload,
          .get = getInteger<&Config::maxContext>,
          .set = setInteger<&Config::maxContext>},
    Field{.key = "kv.precision",
          .flag = "--kv-precision",
          .group = "kv",
          .label = "KV precision",
          .help = "Numbers that keys and values are kept in: fewer bits hold more tokens and are "
                  "read faster. Running requests keep what they began with.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kKvPrecisionNames) - 1,
          .defaultValue = static_cast<std::int64_t>(KvPrecision::Auto),
          .zeroMeans = "FP32 for a file of F32 weights, else FP16",
          .choices = kKvPrecisionNames,
          .get = getChoice<&Config::kvPrecision>,
          .set = setChoice<KvPrecision, &Config::kvPrecision>},
    Field{.key = "kv.key_precision",
          .flag = "--k-precision",
          .group = "kv",
          .label = "Key precision",
          .help = "Keys apart: INT4 codes them by channel in groups of 32 tokens and keeps the "
                  "last 128 in full.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kOwnPrecisionNames) - 1,
          .defaultValue = static_cast<std::int64_t>(KvPrecision::Auto),
          .zeroMeans = "as KV precision",
          .choices = kOwnPrecisionNames,
          .get = getChoice<&Config::keyPrecision>,
          .set = setChoice<KvPrecision, &Config::keyPrecision>},
    Field{.key = "kv.value_precision",
          .flag = "--v-precision",
          .group = "kv",
          .label = "Value precision",
          .help = "Values apart: INT4 codes them a token at a time in groups of 16.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kOwnPrecisionNames) - 1,
          .defaultValue = static_cast<std::int64_t>(KvPrecision::Auto),
          .zeroMeans = "as KV precision",
          .choices = kOwnPrecisionNames,
          .get = getChoice<&Config::valuePrecision>,
          .set = setChoice<KvPrecision, &Config::valuePrecision>},
    Field{.key = "kv.prefix_cache",
          .flag = "--prefix-cache",
          .group = "kv",
          .label = "Prefix cache",
          .help = "Keep the keys and values of prompts that ended, so that a prompt that begins "
                  "alike starts behind them.",
          .type = FieldType::Switch,
          .maximum = 1,
          .defaultValue = 1,
          .get = getSwitch<&Config::keepsPrefixes>,
          .set = setSwitch<&Config::keepsPrefixes>},
    Field{.key = "kv.prefix_ttl",
          .flag = "--prefix-ttl",
          .group = "kv",
          .label = "Prefix lifetime",
          .help = "How long a kept block may lie unused before it is given back.",
          .unit = "ms",
          .maximum = 86400000,
          .defaultValue = 300000,
          .zeroMeans = "until the place is needed",
          .get = getInteger<&Config::prefixTtlMs>,
          .set = setInteger<&Config::prefixTtlMs>,
          .idleReason = idleWithoutPrefixes},
    Field{.key = "kv.cold_blocks",
          .flag = "--cold-blocks",
          .group = "kv",
          .label = "Pack cold blocks",
          .help = "Pack kept blocks that nobody has used for a while, without loss and in the "
                  "background; they leave the pool and are unpacked when a prompt begins alike.",
          .type = FieldType::Switch,
          .maximum = 1,
          .defaultValue = 0,
          .get = getSwitch<&Config::packsColdBlocks>,
          .set = setSwitch<&Config::packsColdBlocks>,
          .idleReason = idleWithoutPrefixes},
    Field{.key = "kv.cold_after",
          .flag = "--cold-after",
          .group = "kv",
          .label = "Cold after",
          .help = "How long a block lies unused, or an open prompt gets no new piece, before it "
                  "is packed.",
          .unit = "ms",
          .maximum = 86400000,
          .defaultValue = 5000,
          .zeroMeans = "at once",
          .get = getInteger<&Config::coldAfterMs>,
          .set = setInteger<&Config::coldAfterMs>,
          .idleReason = idleWithoutPacking},
    Field{.key = "kv.cold_limit",
          .flag = "--cold-limit",
          .group = "kv",
          .label = "Packed limit",
          .help = "Most memory that packed blocks take beside the pool; the oldest go first.",
          .unit = "MiB",
          .maximum = kNoLimit,
          .defaultValue = 0,
          .zeroMeans = "as much as the pool",
          .get = getInteger<&Config::coldLimitMib>,
          .set = setInteger<&Config::coldLimitMib>,
          .idleReason = idleWithoutPacking},
    Field{
        .key = "attention.mode",
        .flag = "--attention",
        .group = "attention",
        .label = "Attention",
        .help =
            "Full: a token sees all before it. Sparse: the first ones, a window before it, and of "
            "what lies between the blocks whose keys may matter most to it. Running requests keep "
            "theirs.",
        .type = FieldType::Choice,
        .maximum = std::ssize(kAttentionNames) - 1,
        .defaultValue = static_cast<std::int64_t>(Attention::Full),
        .choices = kAttentionNames,
        .get = getChoice<&Config::attention>,
        .set = setChoice<Attention, &Config::attention>},
    Field{.key = "attention.first",
          .flag = "--attention-first",
          .group = "attention",
          .label = "First tokens",
          .help = "Tokens from the beginning that sparse attention sees in full.",
          .unit = "tok",
          .maximum = kNoLimit,
          .defaultValue = 1024,
          .get = getInteger<&Config::attentionFirst>,
          .set = setInteger<&Config::attentionFirst>,
          .idleReason = idleUnlessSparse},
    Field{.key = "attention.window",
          .flag = "--attention-window",
          .group = "attention",
          .label = "Window",
          .help = "Tokens before its own block that a token sees in full under sparse attention.",
          .unit = "tok",
          .minimum = 192,
          .maximum = kNoLimit,
          .defaultValue = 512,
          .get = getInteger<&Config::attentionWindow>,
          .set = setInteger<&Config::attentionWindow>,
          .idleReason = idleUnlessSparse},
    Field{.key = "attention.share",
          .flag = "--attention-share",
          .group = "attention",
          .label = "Sampled share",
          .help = "Share of the blocks between first tokens and window that sparse attention sees.",
          .unit = "%",
          .maximum = 100,
          .defaultValue = 30,
          .get = getInteger<&Config::attentionShare>,
          .set = setInteger<&Config::attentionShare>,
          .idleReason = idleUnlessSparse},
};

} // namespace

std::span<const Field> numberFields() {
    return kFields;
}

} // namespace engine
