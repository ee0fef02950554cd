// Every operator choice as one value, and the table that describes its fields: forms, flags, run
// log, diffs and help are visitors over that table. ConfigBox is the only way to change a running
// engine's configuration.
#pragma once

#include "engine/error.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace engine {

enum class Batching : std::uint8_t { Single, Dynamic, Continuous, Selective };
enum class LoadMode : std::uint8_t { Mmap, Read };
enum class WeightsLayout : std::uint8_t { Packed, File };
enum class Attention : std::uint8_t { Full, Sparse };
// What weights are converted to; of single tensors the engine may choose a better one and says so.
enum class WeightPrecision : std::uint8_t { File, FP16, BF16, INT8, FP8, INT4 };
// Auto: of kvPrecision by the file's weights; of keys and values apart, as kvPrecision.
enum class KvPrecision : std::uint8_t { Auto, FP32, FP16, INT8, INT4 };

enum class DegradationMode : std::uint8_t { Off, Auto, Level0, Level1, Level2 };
enum class LevelBatching : std::uint8_t { Keep, Continuous };
enum class LevelWeights : std::uint8_t { Keep, Int8, Int4 };
enum class LightModelChoice : std::uint8_t { None, Same, Chosen };

// What stands around the engine (engine/serving.h): one a process, edited and recorded with the
// engine's own values.
struct ServingConfig {
    DegradationMode degradation = DegradationMode::Off;
    std::int64_t level1Ms = 800; // p90 of the time to first token, from received
    std::int64_t level2Ms = 1500;
    std::int64_t healthyMs = 600;
    std::int64_t windowMs = 30'000;
    std::int64_t leastRequests = 30;
    std::int64_t holdMs = 5'000; // simulated: tests/engine/tst_breaker.cpp
    std::int64_t dwellMs = 30'000;
    std::int64_t recoveryMs = 300'000;
    std::int64_t trialRequests = 10;
    std::int64_t trialMs = 30'000;
    std::int64_t recoveryCapMs = 2'400'000;
    LevelBatching level1Batching = LevelBatching::Continuous;
    LevelWeights level1Weights = LevelWeights::Int8;
    bool usesAnswersAtLevel2 = true;
    bool usesLightModelAtLevel2 = true;
    LightModelChoice lightModel = LightModelChoice::None;
    bool usesAnswersAlways = false;
    bool keepsSampledAnswers = false;
    bool keepsAnswersOnDisk = false;
    std::int64_t answersMib = 64;
    std::int64_t answersTtlMs = 3'600'000;

    bool operator==(const ServingConfig&) const = default;
};

struct EngineConfig {
    Batching batching = Batching::Continuous;
    std::int64_t maxBatch = 16;      // sequences running at once
    std::int64_t tokenBudget = 512;  // tokens a step
    std::int64_t prefillChunk = 256; // tokens of one sequence's prompt a step
    std::int64_t kvBlocks = 0;       // 0: chosen from memory at load
    std::int64_t blockTokens = 64;
    std::int64_t maxContext = 0; // 0: the model's own
    KvPrecision kvPrecision = KvPrecision::Auto;
    KvPrecision keyPrecision = KvPrecision::Auto;
    KvPrecision valuePrecision = KvPrecision::Auto;
    Attention attention = Attention::Full;
    std::int64_t attentionFirst = 1024; // tokens, of sparse attention
    std::int64_t attentionWindow = 512;
    std::int64_t attentionShare = 30; // percent of the blocks in between
    std::int64_t maxWaiting = 4096;   // requests queued before new ones are rejected
    std::int64_t tokenGapMs = 0; // prompts beside decoding are cut for it; 0: prefillChunk alone
    std::int64_t batchWindowMs = 80;    // dynamic
    std::int64_t classTokens = 1024;    // selective
    std::int64_t classPatienceMs = 500; // selective
    bool usesPriority = true;           // lanes
    std::int64_t ageingMs = 30'000;     // batch lane joins the realtime one; 0: never
    std::int64_t batchSharePercent = 50;
    std::int64_t realtimeDeadlineMs = 0; // for requests that bring none; 0: none
    std::int64_t batchDeadlineMs = 0;
    bool keepsPrefixes = true;
    bool packsColdBlocks = false; // of kept prefixes and idle streams
    std::int64_t prefixTtlMs = 300'000;
    std::int64_t coldAfterMs = 5'000;
    std::int64_t coldLimitMib = 0;     // of packed blocks; 0: as much as the pool
    std::int64_t streamTtlMs = 20'000; // prompts that are still open
    std::int64_t streamCoresPercent = 80;
    std::int64_t threads = 0; // 0: every core
    std::int64_t warmupRequests = 3;
    bool checksQuality = true;
    std::int64_t qualityTokens = 16'384;
    WeightPrecision precision = WeightPrecision::File;
    LoadMode loadMode = LoadMode::Mmap;
    WeightsLayout weightsLayout = WeightsLayout::Packed;
    ServingConfig serving = {};

    bool operator==(const EngineConfig&) const = default;
};

enum class TakesEffect : std::uint8_t { NextStep, Drained, Reload };

// A field's value as text, and how it is typed. Enumerations are stored by index into `choices`.
enum class FieldType : std::uint8_t { Integer, Choice, Switch };

struct Field {
    std::string_view key = {};   // "batching.max_batch": run log, API, JSON
    std::string_view flag = {};  // "--max-batch"
    std::string_view group = {}; // "batching", "kv", "threads", "load"
    std::string_view label = {}; // English, for people; translated by app/labels
    std::string_view help = {};  // one sentence
    std::string_view unit = {};  // "tok", "ms", "" ...
    FieldType type = FieldType::Integer;
    std::int64_t minimum = 0;
    std::int64_t maximum = 0;
    std::int64_t defaultValue = 0;
    std::string_view zeroMeans = {}; // "from memory" where 0 is automatic, else empty
    std::span<const std::string_view> choices = {}; // of a Choice
    TakesEffect takesEffect = TakesEffect::NextStep;
    std::int64_t (*get)(const EngineConfig&) = nullptr;
    void (*set)(EngineConfig&, std::int64_t) = nullptr;
    // Empty, or why the field has no bearing under this configuration ("Used by the dynamic policy
    // only").
    std::string_view (*idleReason)(const EngineConfig&) = [](const EngineConfig&) {
        return std::string_view{};
    };
};

std::span<const Field> fieldTable();
const Field* findField(std::string_view keyOrFlag);

// "continuous", "16", "on": the same text in flags, JSON, run log and report.
std::string valueText(const Field& field, const EngineConfig& config);
// Parses and range-checks one value; the error names field, limits and the nearest allowed value.
Result<void> setFromText(const Field& field, EngineConfig& config, std::string_view text);
// Limits of each field and rules across fields.
Result<void> validate(const EngineConfig& config);

struct FieldChange {
    std::string key;
    std::string before;
    std::string after;
};
std::vector<FieldChange> diff(const EngineConfig& before, const EngineConfig& after);

enum class FieldState : std::uint8_t { InForce, Pending, Preparing, Held, Unavailable };
std::string_view name(FieldState state); // "in force", "pending", ...

struct FieldStatus {
    std::string_view key;
    std::string requested;
    std::string effective;
    FieldState state = FieldState::InForce;
    std::string reason;    // English sentence whenever effective differs from requested
    float progress = 0.0F; // 0..1 while preparing
    std::optional<double> secondsLeft{}; // of it, where that can be told
};

// Tensors of one kind and what they are held in.
struct WeightGroupStatus {
    std::string group; // "attention", "feed-forward", "experts", "router", "embedding", "output"
    std::string requested; // "int8", "file"
    std::string effective; // "Q8_0", "Q8_0, F16"
    std::string reason;    // English sentence where that is not what was asked for
    std::int64_t tensors = 0;
    std::uint64_t bytes = 0; // in this process's memory

    bool operator==(const WeightGroupStatus&) const = default;
};

struct ConfigStatus {
    std::uint64_t version = 0; // grows with every change of either value
    EngineConfig requested;
    EngineConfig effective;
    std::vector<FieldStatus> fields;          // in table order
    std::vector<WeightGroupStatus> weights{}; // empty where nobody knows
};

// The requested value behind a lock, with a version the engine polls. Any thread.
class ConfigBox {
public:
    explicit ConfigBox(EngineConfig initial);
    // Copies, applies `change` (again, if another edit came in between), validates; refused edits
    // change nothing.
    Result<void> edit(const std::function<void(EngineConfig&)>& change);
    EngineConfig value() const;
    std::uint64_t version() const { return m_version.load(std::memory_order_acquire); }

private:
    mutable std::mutex m_mutex;
    EngineConfig m_value;
    std::atomic<std::uint64_t> m_version{1}; // released after the value is written
};

} // namespace engine
