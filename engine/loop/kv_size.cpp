#include "engine/loop/kv_size.h"

#include "engine/base/failure.h"
#include "engine/schedule/window_places.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr std::int64_t kMaxBlocks = std::int64_t{1} << 24;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

double gibi(std::uint64_t bytes) {
    return static_cast<double>(bytes) / kGibi;
}

} // namespace

std::int64_t contextLimit(const EngineConfig& config, const ModelSpec& spec) {
    return config.maxContext == 0 ? spec.contextTokens
                                  : std::min(config.maxContext, spec.contextTokens);
}

// Beside those that have a slice as many of the batch lane may be paused for the realtime lane.
std::int64_t windowPlaces(const EngineConfig& config, const ModelSpec& spec) {
    const std::int32_t window = widestWindow(spec.kv, kvFormat(config, spec.weightFormat));
    return window == 0 ? 0
                       : windowPlacesNeeded({.window = window, .blockTokens = config.blockTokens},
                                            2 * config.maxBatch, config.tokenBudget);
}

std::uint64_t kvMemory(const EngineConfig& config, const ModelSpec& spec, std::int64_t blocks) {
    const KvBytes bytes = kvBytesPerToken(spec.kv, kvFormat(config, spec.weightFormat));
    const std::int64_t windowed = std::min(blocks, windowPlaces(config, spec));
    return static_cast<std::uint64_t>(config.blockTokens) *
           (static_cast<std::uint64_t>(blocks) * bytes.lasting +
            static_cast<std::uint64_t>(windowed) * bytes.windowed);
}

namespace {

// The most blocks whose memory fits.
std::int64_t blocksWithin(const EngineConfig& config, const ModelSpec& spec,
                          std::uint64_t availableBytes) {
    std::int64_t fit = 0;
    for (std::int64_t step = kMaxBlocks; step > 0; step /= 2) {
        if (fit + step <= kMaxBlocks && kvMemory(config, spec, fit + step) <= availableBytes) {
            fit += step;
        }
    }
    return fit;
}

} // namespace

std::int64_t kvBlocksWithin(const EngineConfig& config, const ModelSpec& spec,
                            std::uint64_t budgetBytes) {
    const std::int64_t blocksOfContext =
        (contextLimit(config, spec) + config.blockTokens - 1) / config.blockTokens;
    const std::int64_t wanted = std::min(kMaxBlocks, blocksOfContext * config.maxBatch);
    return std::min(wanted, blocksWithin(config, spec, budgetBytes));
}

std::int64_t chooseKvBlocks(const EngineConfig& config, const ModelSpec& spec,
                            std::uint64_t availableBytes) {
    // What is left over for everything else on the machine.
    const std::uint64_t usableBytes = availableBytes / 10 * 9;
    const std::int64_t most = blocksWithin(config, spec, usableBytes);
    if (config.kvBlocks != 0) {
        if (config.kvBlocks > most) {
            throw Failure(
                ErrorCode::OutOfMemory,
                fmt::format("{} KV blocks of {} tokens need {:.1f} GiB; {:.1f} GiB can be had. "
                            "Set KV blocks to {} or less.",
                            config.kvBlocks, config.blockTokens,
                            gibi(kvMemory(config, spec, config.kvBlocks)), gibi(usableBytes),
                            most));
        }
        return config.kvBlocks;
    }
    const std::int64_t chosen = kvBlocksWithin(config, spec, availableBytes / 4);
    if (chosen < 1) {
        throw Failure(ErrorCode::OutOfMemory,
                      fmt::format("There is no memory for keys and values: a block of {} tokens "
                                  "needs {:.3f} GiB, and {:.3f} GiB are available.",
                                  config.blockTokens, gibi(kvMemory(config, spec, 1)),
                                  gibi(availableBytes)));
    }
    return chosen;
}

std::int64_t kvAllowance(std::int64_t wanted, std::span<const EarlierSequence> earlier) {
    double credit = 0.0;
    std::int64_t most = 0;
    for (const EarlierSequence& sequence : earlier) {
        // Larger ones take what they had: the pool grows to the new number behind them.
        credit += static_cast<double>(sequence.held) * std::max(0.0, 1.0 - sequence.size);
        most = std::max(most, sequence.needed);
    }
    return std::max(wanted + static_cast<std::int64_t>(credit), most);
}

} // namespace engine
