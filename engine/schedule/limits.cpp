#include "engine/schedule/limits.h"

#include <algorithm>

namespace engine {

namespace {

constexpr std::int64_t kWatermarkShare = 100; // one block in so many, and at least one
constexpr auto kPassing = std::chrono::seconds(10);

std::int64_t watermark(std::int64_t blocks) {
    return blocks > 1 ? std::max<std::int64_t>(1, blocks / kWatermarkShare) : 0;
}

Nanoseconds milliseconds(std::int64_t count) {
    return std::chrono::milliseconds(count);
}

} // namespace

StepCost promptCost(const CostModel& model, const Schedule& schedule) {
    if (!model.isKnown()) {
        return {};
    }
    StepShape decodes;
    for (const Sequence* sequence : schedule.running) {
        if (sequence->isDecoding()) {
            ++decodes.tokens;
            ++decodes.logitRows;
            decodes.attended += static_cast<double>(sequence->known());
        }
    }
    constexpr std::int64_t kMore = 64;
    StepShape longer = decodes;
    longer.tokens += kMore;
    const double alone = model.stepNs(decodes);
    return {.fixedNs = alone,
            .perTokenNs = (model.stepNs(longer) - alone) / static_cast<double>(kMore)};
}

Limits limitsOf(const EngineConfig& config, const Schedule& schedule) {
    return {.tokenBudget = config.tokenBudget,
            .prefillChunk = config.prefillChunk,
            .maxBatch = config.maxBatch,
            .blockTokens = schedule.blockTokens,
            .freeBlocks = schedule.availableBlocks(),
            .watermarkBlocks = watermark(schedule.totalBlocks()),
            .admitsNew = true,
            .prefix = schedule.keepsPrefixes ? &schedule.prefix : nullptr,
            .pool = &schedule.pool,
            .usesPriority = config.usesPriority,
            .ageing = milliseconds(config.ageingMs),
            .batchShare = config.batchSharePercent,
            .passing = kPassing,
            .tokenGap = milliseconds(config.tokenGapMs),
            .cost = {},
            .batchWindow = milliseconds(config.batchWindowMs),
            .classTokens = config.classTokens,
            .classPatience = milliseconds(config.classPatienceMs)};
}

std::optional<TimePoint> deadlineOf(const std::optional<TimePoint>& own, Lane lane,
                                    const EngineConfig& config, TimePoint received) {
    if (own) {
        return own;
    }
    const std::int64_t ofLane =
        lane == Lane::Batch ? config.batchDeadlineMs : config.realtimeDeadlineMs;
    return ofLane > 0 ? std::optional(received + milliseconds(ofLane)) : std::nullopt;
}

StepShape shapeOf(const StepPlan& plan) {
    StepShape shape;
    for (const Slice& slice : plan.slices) {
        shape.tokens += slice.tokens;
        shape.logitRows += slice.wantsLogits ? 1 : 0;
        const auto tokens = static_cast<double>(slice.tokens);
        const auto before = static_cast<double>(slice.sequence->cached());
        shape.attended += tokens * (before + (tokens + 1.0) / 2.0);
    }
    return shape;
}

} // namespace engine
