#include "app/store/token_steps.h"

#include <limits>
#include <optional>

namespace app {

namespace {

void appendNumber(std::vector<std::byte>& out, std::uint64_t value) {
    while (value >= 0x80) {
        out.push_back(static_cast<std::byte>((value & 0x7f) | 0x80));
        value >>= 7;
    }
    out.push_back(static_cast<std::byte>(value));
}

std::optional<std::uint64_t> takeNumber(std::span<const std::byte>& rest) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
        const auto byte = static_cast<std::uint64_t>(rest.front());
        rest = rest.subspan(1);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    return std::nullopt;
}

std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

} // namespace

std::vector<std::byte> packTokenSteps(const std::vector<engine::TokenStep>& steps,
                                      engine::TimePoint start) {
    std::vector<std::byte> blob;
    blob.reserve(steps.size() * 5);
    engine::TimePoint previous = start;
    for (const engine::TokenStep& step : steps) {
        appendNumber(blob, zigzag((step.time - previous).count()));
        appendNumber(blob, static_cast<std::uint64_t>(step.tokens < 0 ? 0 : step.tokens));
        previous = step.time;
    }
    return blob;
}

std::vector<engine::TokenStep> unpackTokenSteps(std::span<const std::byte> blob) {
    std::vector<engine::TokenStep> steps;
    std::int64_t time = 0;
    while (!blob.empty()) {
        const auto delta = takeNumber(blob);
        const auto tokens = takeNumber(blob);
        if (!delta || !tokens || *tokens > std::numeric_limits<std::int32_t>::max() ||
            __builtin_add_overflow(time, unzigzag(*delta), &time)) {
            break;
        }
        steps.push_back({.time = engine::TimePoint(engine::Nanoseconds(time)),
                         .tokens = static_cast<std::int32_t>(*tokens)});
    }
    return steps;
}

} // namespace app
