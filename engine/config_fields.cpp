// The field table: one row a setting. A new setting is a member of EngineConfig and a row here.
#include "engine/base/field_access.h"
#include "engine/base/field_parts.h"
#include "engine/config.h"
#include "engine/serving/serving_fields.h"

#include <algorithm>
#include <array>

namespace engine {

namespace {

using namespace field_access;

constexpr std::int64_t kNoLimit = std::int64_t{1} << 24;

constexpr std::array<std::string_view, 4> kBatchingNames = {"single", "dynamic", "continuous",
                                                            "selective"};
constexpr std::array<std::string_view, 2> kLoadModeNames = {"mmap", "read"};
constexpr std::array<std::string_view, 2> kLayoutNames = {"packed", "file"};
std::string_view idleUnderSingle(const Config& config) {
    return config.batching == Batching::Single ? "The single policy runs one request at a time"
                                               : "";
}

std::string_view idleUnlessDynamic(const Config& config) {
    return config.batching == Batching::Dynamic ? "" : "Used by the dynamic policy only";
}

std::string_view idleUnlessSelective(const Config& config) {
    return config.batching == Batching::Selective ? "" : "Used by the selective policy only";
}

std::string_view idleWithoutPriority(const Config& config) {
    return config.usesPriority ? "" : "Used with lane priority only";
}

constexpr std::array kTraffic = {
    Field{.key = "batching.policy",
          .flag = "--batching",
          .group = "batching",
          .label = "Batching",
          .help = "How requests share steps: one at a time; in closed batches; joining and leaving "
                  "at every step; or that with prompts of similar length together.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kBatchingNames) - 1,
          .defaultValue = static_cast<std::int64_t>(Batching::Continuous),
          .choices = kBatchingNames,
          .get = getChoice<&Config::batching>,
          .set = setChoice<Batching, &Config::batching>},
    Field{.key = "batching.max_batch",
          .flag = "--max-batch",
          .group = "batching",
          .label = "Max batch",
          .help = "Requests that may run at once; more wait in the queue.",
          .unit = "req",
          .minimum = 1,
          .maximum = 1024,
          .defaultValue = 16,
          .get = getInteger<&Config::maxBatch>,
          .set = setInteger<&Config::maxBatch>,
          .idleReason = idleUnderSingle},
    Field{.key = "batching.token_budget",
          .flag = "--token-budget",
          .group = "batching",
          .label = "Token budget",
          .help = "Most tokens one step computes; a lower budget keeps steps, and so the gaps "
                  "between tokens, short.",
          .unit = "tok",
          .minimum = 1,
          .maximum = 65536,
          .defaultValue = 512,
          .get = getInteger<&Config::tokenBudget>,
          .set = setInteger<&Config::tokenBudget>},
    Field{.key = "batching.prefill_chunk",
          .flag = "--prefill-chunk",
          .group = "batching",
          .label = "Prefill chunk",
          .help = "Most tokens of one prompt in one step, so that a long prompt does not hold up "
                  "the others.",
          .unit = "tok",
          .minimum = 1,
          .maximum = 65536,
          .defaultValue = 256,
          .get = getInteger<&Config::prefillChunk>,
          .set = setInteger<&Config::prefillChunk>},
    Field{.key = "batching.token_gap",
          .flag = "--token-gap",
          .group = "batching",
          .label = "Token gap target",
          .help = "Longest gap between two tokens of an answer that prompts in the same step may "
                  "cause; their chunks are cut to fit it.",
          .unit = "ms",
          .maximum = 60000,
          .defaultValue = 0,
          .zeroMeans = "no target",
          .get = getInteger<&Config::tokenGapMs>,
          .set = setInteger<&Config::tokenGapMs>},
    Field{.key = "batching.window",
          .flag = "--batch-window",
          .group = "batching",
          .label = "Batch window",
          .help = "Longest time that a batch collects requests before it runs to its end.",
          .unit = "ms",
          .minimum = 1,
          .maximum = 60000,
          .defaultValue = 80,
          .get = getInteger<&Config::batchWindowMs>,
          .set = setInteger<&Config::batchWindowMs>,
          .idleReason = idleUnlessDynamic},
    Field{.key = "batching.class_tokens",
          .flag = "--class-tokens",
          .group = "batching",
          .label = "Class width",
          .help = "Prompts whose lengths fall into the same step of so many tokens share a step.",
          .unit = "tok",
          .minimum = 16,
          .maximum = 1048576,
          .defaultValue = 1024,
          .get = getInteger<&Config::classTokens>,
          .set = setInteger<&Config::classTokens>,
          .idleReason = idleUnlessSelective},
    Field{.key = "batching.class_patience",
          .flag = "--class-patience",
          .group = "batching",
          .label = "Class lead",
          .help = "How much longer than a class of shorter prompts the next longer one may wait "
                  "for its turn.",
          .unit = "ms",
          .maximum = 600000,
          .defaultValue = 500,
          .zeroMeans = "no lead",
          .get = getInteger<&Config::classPatienceMs>,
          .set = setInteger<&Config::classPatienceMs>,
          .idleReason = idleUnlessSelective},
    Field{.key = "batching.max_waiting",
          .flag = "--max-waiting",
          .group = "batching",
          .label = "Max waiting",
          .help = "Requests that may wait in the queue; further ones are rejected at once.",
          .unit = "req",
          .minimum = 1,
          .maximum = 1000000,
          .defaultValue = 4096,
          .get = getInteger<&Config::maxWaiting>,
          .set = setInteger<&Config::maxWaiting>},
    Field{.key = "lanes.priority",
          .flag = "--priority",
          .group = "lanes",
          .label = "Lane priority",
          .help = "Requests of the realtime lane go before those of the batch lane.",
          .type = FieldType::Switch,
          .maximum = 1,
          .defaultValue = 1,
          .get = getSwitch<&Config::usesPriority>,
          .set = setSwitch<&Config::usesPriority>},
    Field{.key = "lanes.ageing",
          .flag = "--ageing",
          .group = "lanes",
          .label = "Ageing",
          .help = "After waiting this long a request of the batch lane counts as one of the "
                  "realtime lane.",
          .unit = "ms",
          .maximum = 86400000,
          .defaultValue = 30000,
          .zeroMeans = "never",
          .get = getInteger<&Config::ageingMs>,
          .set = setInteger<&Config::ageingMs>,
          .idleReason = idleWithoutPriority},
    Field{.key = "lanes.batch_share",
          .flag = "--batch-share",
          .group = "lanes",
          .label = "Batch lane share",
          .help = "Most of a step's token budget that the batch lane has beside realtime work.",
          .unit = "%",
          .minimum = 1,
          .maximum = 100,
          .defaultValue = 50,
          .get = getInteger<&Config::batchSharePercent>,
          .set = setInteger<&Config::batchSharePercent>,
          .idleReason = idleWithoutPriority},
    Field{.key = "lanes.realtime_deadline",
          .flag = "--realtime-deadline",
          .group = "lanes",
          .label = "Realtime deadline",
          .help = "Realtime requests that bring no deadline of their own end unfinished after "
                  "this time.",
          .unit = "ms",
          .maximum = 86400000,
          .defaultValue = 0,
          .zeroMeans = "none",
          .get = getInteger<&Config::realtimeDeadlineMs>,
          .set = setInteger<&Config::realtimeDeadlineMs>},
    Field{.key = "lanes.batch_deadline",
          .flag = "--batch-deadline",
          .group = "lanes",
          .label = "Batch deadline",
          .help = "Batch requests that bring no deadline of their own end unfinished after this "
                  "time.",
          .unit = "ms",
          .maximum = 86400000,
          .defaultValue = 0,
          .zeroMeans = "none",
          .get = getInteger<&Config::batchDeadlineMs>,
          .set = setInteger<&Config::batchDeadlineMs>},
};

constexpr std::array kProcess = {
    Field{.key = "streams.ttl",
          .flag = "--stream-ttl",
          .group = "streams",
          .label = "Stream lifetime",
          .help = "How long a prompt that is still being written is kept without a new piece.",
          .unit = "ms",
          .minimum = 1000,
          .maximum = 600000,
          .defaultValue = 20000,
          .get = getInteger<&Config::streamTtlMs>,
          .set = setInteger<&Config::streamTtlMs>},
    Field{.key = "streams.cores",
          .flag = "--stream-cores",
          .group = "streams",
          .label = "Stream cores",
          .help = "Share of the threads that computes prompts which are still being written, "
                  "while nothing else runs; of few threads as a share of their time.",
          .unit = "%",
          .minimum = 1,
          .maximum = 100,
          .defaultValue = 80,
          .get = getInteger<&Config::streamCoresPercent>,
          .set = setInteger<&Config::streamCoresPercent>},
    Field{.key = "threads",
          .flag = "--threads",
          .group = "threads",
          .label = "Threads",
          .help = "Processor threads that compute.",
          .maximum = 1024,
          .defaultValue = 0,
          .zeroMeans = "every core",
          .get = getInteger<&Config::threads>,
          .set = setInteger<&Config::threads>},
    Field{.key = "load.mode",
          .flag = "--load-mode",
          .group = "load",
          .label = "Load mode",
          .help = "Map the model file into memory, or read it whole first.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kLoadModeNames) - 1,
          .defaultValue = static_cast<std::int64_t>(LoadMode::Mmap),
          .choices = kLoadModeNames,
          .takesEffect = TakesEffect::Reload,
          .get = getChoice<&Config::loadMode>,
          .set = setChoice<LoadMode, &Config::loadMode>},
    Field{.key = "weights.layout",
          .flag = "--weights-layout",
          .group = "load",
          .label = "Weights layout",
          .help = "Repack weights for this processor at load, or compute on them as the file has "
                  "them.",
          .type = FieldType::Choice,
          .maximum = std::ssize(kLayoutNames) - 1,
          .defaultValue = static_cast<std::int64_t>(WeightsLayout::Packed),
          .choices = kLayoutNames,
          .takesEffect = TakesEffect::Reload,
          .get = getChoice<&Config::weightsLayout>,
          .set = setChoice<WeightsLayout, &Config::weightsLayout>},
    Field{.key = "load.warmup_requests",
          .flag = "--warmup-requests",
          .group = "load",
          .label = "Warm-up requests",
          .help = "Short requests run after loading, so that the first real one is not a cold one.",
          .unit = "req",
          .maximum = 100,
          .defaultValue = 3,
          .zeroMeans = "none",
          .takesEffect = TakesEffect::Reload,
          .get = getInteger<&Config::warmupRequests>,
          .set = setInteger<&Config::warmupRequests>},
};

std::vector<Field> allFields() {
    std::vector<Field> fields(kTraffic.begin(), kTraffic.end());
    const auto numbers = numberFields();
    fields.insert(fields.end(), numbers.begin(), numbers.end());
    fields.insert(fields.end(), kProcess.begin(), kProcess.end());
    fields.insert(fields.end(), serving_fields::kRows.begin(), serving_fields::kRows.end());
    return fields;
}

} // namespace

std::span<const Field> fieldTable() {
    static const std::vector<Field> fields = allFields();
    return fields;
}

} // namespace engine
