#include "app/store/request_points.h"

#include <bit>
#include <cstring>

namespace app {

namespace {

static_assert(std::endian::native == std::endian::little,
              "pages are written as they lie in memory");

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kHead = 3 * sizeof(std::uint32_t);
constexpr std::uint8_t kNoOutcome = 0xff;
constexpr std::uint8_t kHasLedger = 1, kHasDeadline = 2, kMetDeadline = 4;

// id, four doubles, two floats, tags, outcome, flags, three counts, then the stages.
constexpr std::size_t kFixed = 8 + 4 * 8 + 2 * 4 + 4 + 1 + 1 + 3 * 8;

std::size_t recordSize(std::size_t stages) {
    return kFixed + stages * sizeof(float);
}

template <class T>
void put(std::byte*& place, const T& value) {
    std::memcpy(place, &value, sizeof value);
    place += sizeof value;
}

template <class T>
void take(const std::byte*& place, T& value) {
    std::memcpy(&value, place, sizeof value);
    place += sizeof value;
}

void putPoint(std::byte*& place, const RequestPoint& point) {
    put(place, static_cast<std::uint64_t>(point.id));
    put(place, point.seconds);
    put(place, point.ttftMs);
    put(place, point.tpotMs);
    put(place, point.e2eMs);
    put(place, point.ttftFromReceivedMs);
    put(place, point.ttftFromAdmittedMs);
    put(place, point.tags);
    put(place, point.outcome ? static_cast<std::uint8_t>(*point.outcome) : kNoOutcome);
    std::uint8_t flags = point.hasLedger ? kHasLedger : 0;
    if (point.metDeadline) {
        flags = static_cast<std::uint8_t>(flags | kHasDeadline |
                                          (*point.metDeadline ? kMetDeadline : 0));
    }
    put(place, flags);
    put(place, point.outputTokens);
    put(place, point.promptTokens);
    put(place, point.hitTokens);
    put(place, point.ledgerMs);
}

RequestPoint takePoint(const std::byte* place, std::size_t stages) {
    RequestPoint point;
    std::uint64_t id = 0;
    std::uint8_t outcome = 0, flags = 0;
    take(place, id);
    take(place, point.seconds);
    take(place, point.ttftMs);
    take(place, point.tpotMs);
    take(place, point.e2eMs);
    take(place, point.ttftFromReceivedMs);
    take(place, point.ttftFromAdmittedMs);
    take(place, point.tags);
    take(place, outcome);
    take(place, flags);
    take(place, point.outputTokens);
    take(place, point.promptTokens);
    take(place, point.hitTokens);
    // A stage that came later is at the end of the table and was not measured here.
    std::memcpy(point.ledgerMs.data(), place,
                std::min<std::size_t>(stages, engine::kStages) * sizeof(float));
    point.id = engine::RequestId{id};
    point.hasLedger = (flags & kHasLedger) != 0;
    if ((flags & kHasDeadline) != 0) {
        point.metDeadline = (flags & kMetDeadline) != 0;
    }
    constexpr auto kLast = static_cast<std::uint8_t>(engine::Outcome::Rejected);
    point.outcome =
        outcome <= kLast ? std::optional(static_cast<engine::Outcome>(outcome)) : std::nullopt;
    return point;
}

} // namespace

std::vector<std::byte> packPoints(std::span<const RequestPoint> points) {
    std::vector<std::byte> page(kHead + points.size() * recordSize(engine::kStages));
    std::byte* place = page.data();
    put(place, kVersion);
    put(place, static_cast<std::uint32_t>(engine::kStages));
    put(place, static_cast<std::uint32_t>(points.size()));
    for (const RequestPoint& point : points) {
        putPoint(place, point);
    }
    return page;
}

std::optional<std::vector<RequestPoint>> unpackPoints(std::span<const std::byte> page) {
    if (page.size() < kHead) {
        return std::nullopt;
    }
    const std::byte* place = page.data();
    std::uint32_t version = 0, stages = 0, count = 0;
    take(place, version);
    take(place, stages);
    take(place, count);
    constexpr std::uint32_t kMostStages = 1'000;
    if (version != kVersion || stages > kMostStages ||
        (page.size() - kHead) != count * recordSize(stages)) {
        return std::nullopt;
    }
    std::vector<RequestPoint> points;
    points.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) {
        points.push_back(takePoint(place, stages));
        place += recordSize(stages);
    }
    return points;
}

} // namespace app
