#include "engine/loop/kv_size.h"

#include "engine/base/failure.h"

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

std::int64_t chooseKvBlocks(const EngineConfig& config, const ModelSpec& spec,
                            std::uint64_t availableBytes) {
    const std::uint64_t blockBytes =
        spec.kvBytesPerToken() * static_cast<std::uint64_t>(config.blockTokens);
    // What is left over for everything else on the machine.
    const std::uint64_t usableBytes = availableBytes / 10 * 9;
    const auto most = static_cast<std::int64_t>(usableBytes / blockBytes);
    if (config.kvBlocks != 0) {
        if (config.kvBlocks > most) {
            throw Failure(
                ErrorCode::OutOfMemory,
                fmt::format("{} KV blocks of {} tokens need {:.1f} GiB; {:.1f} GiB can be had. "
                            "Set KV blocks to {} or less.",
                            config.kvBlocks, config.blockTokens,
                            gibi(blockBytes * static_cast<std::uint64_t>(config.kvBlocks)),
                            gibi(usableBytes), most));
        }
        return config.kvBlocks;
    }
    const std::int64_t blocksOfContext =
        (contextLimit(config, spec) + config.blockTokens - 1) / config.blockTokens;
    const std::int64_t wanted = std::min(kMaxBlocks, blocksOfContext * config.maxBatch);
    const auto quarter = static_cast<std::int64_t>(availableBytes / 4 / blockBytes);
    const std::int64_t chosen = std::min(wanted, quarter);
    if (chosen < 1) {
        throw Failure(ErrorCode::OutOfMemory,
                      fmt::format("There is no memory for keys and values: a block of {} tokens "
                                  "needs {:.3f} GiB, and {:.3f} GiB are available.",
                                  config.blockTokens, gibi(blockBytes), gibi(availableBytes)));
    }
    return chosen;
}

} // namespace engine
