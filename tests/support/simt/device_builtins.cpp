#include "tests/support/simt/device_builtins.h"

#include <fmt/format.h>

namespace simt {

namespace {

struct VotePayload {
    Vote kind = Vote::Ballot;
    std::uint32_t value = 0, result = 0;
    bool isSigned = false;
};

std::uint32_t combine(const VotePayload& payload, std::uint32_t sum, std::uint32_t value) {
    const auto signedSum = static_cast<std::int32_t>(sum);
    const auto signedValue = static_cast<std::int32_t>(value);
    switch (payload.kind) {
    case Vote::Add:
        return sum + value;
    case Vote::Min:
        return payload.isSigned ? static_cast<std::uint32_t>(std::min(signedSum, signedValue))
                                : std::min(sum, value);
    case Vote::Max:
        return payload.isSigned ? static_cast<std::uint32_t>(std::max(signedSum, signedValue))
                                : std::max(sum, value);
    case Vote::All:
    case Vote::And:
        return sum & value;
    case Vote::Xor:
        return sum ^ value;
    case Vote::Ballot:
    case Vote::Any:
    case Vote::Or:
        break;
    }
    return sum | value;
}

void completeVote(void* const (&payloads)[32], std::uint32_t present) {
    std::optional<std::uint32_t> sum;
    for (unsigned i = 0; i < 32; ++i) {
        if ((present >> i & 1U) != 0) {
            const auto& payload = *static_cast<VotePayload*>(payloads[i]);
            const std::uint32_t value =
                payload.kind == Vote::Ballot ? payload.value << i : payload.value;
            sum = sum ? combine(payload, *sum, value) : value;
        }
    }
    for (unsigned i = 0; i < 32; ++i) {
        if ((present >> i & 1U) != 0) {
            static_cast<VotePayload*>(payloads[i])->result = *sum;
        }
    }
}

constexpr Collective kVotes[] = {
    {"ballot", &completeVote, false},     {"any", &completeVote, false},
    {"all", &completeVote, false},        {"reduce add", &completeVote, false},
    {"reduce min", &completeVote, false}, {"reduce max", &completeVote, false},
    {"reduce and", &completeVote, false}, {"reduce or", &completeVote, false},
    {"reduce xor", &completeVote, false},
};
constexpr Collective kWarpBarrier{"__syncwarp", nullptr, true};

} // namespace

int shuffleSource(ShuffleKind kind, int lane, int argument, int width, const Site& site) {
    if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
        fail(FindingKind::WarpMask, fmt::format("a shuffle of width {}", width), site);
    }
    const int first = lane & ~(width - 1);
    const int last = first + width - 1;
    switch (kind) {
    case ShuffleKind::Index:
        return first | (argument & (width - 1));
    case ShuffleKind::Up:
        return lane - argument >= first ? lane - argument : lane;
    case ShuffleKind::Down:
        return lane + argument <= last ? lane + argument : lane;
    case ShuffleKind::Xor:
        break;
    }
    const int source = (lane ^ argument) & 31;
    return source <= last ? source : lane;
}

std::uint32_t vote(Vote kind, std::uint32_t mask, std::uint32_t value, bool isSigned,
                   const Site& site) {
    Lane& self = lane();
    VotePayload payload{kind, value, 0, isSigned};
    self.executor->collective(self, kVotes[static_cast<std::size_t>(kind)], mask, &payload, site);
    return payload.result;
}

int blockBarrier(int predicate, const Site& site) {
    Lane& self = lane();
    self.executor->barrier(self, predicate, site);
    return self.executor->predicates();
}

void warpBarrier(std::uint32_t mask, const Site& site) {
    Lane& self = lane();
    self.executor->collective(self, kWarpBarrier, mask, nullptr, site);
}

} // namespace simt
