// The light model: loaded on a thread of its own while it is wanted, given up when it no longer is,
// after its last answer. Any thread.
#pragma once

#include "engine/serving.h"

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace engine {

// Ids of requests, apart from those of the main engine: a range each of the first light model, of
// stored answers, and of every later light model, so that no two requests are called the same.
inline constexpr std::uint64_t kIdRange = 1'000'000'000;
inline constexpr std::uint64_t kFirstStoredId = 2 * kIdRange;
constexpr std::uint64_t firstLightId(std::uint64_t modelsBefore) {
    return (modelsBefore == 0 ? 1 : modelsBefore + 2) * kIdRange;
}
constexpr bool isStoredId(RequestId id) {
    return static_cast<std::uint64_t>(id) / kIdRange == kFirstStoredId / kIdRange;
}
constexpr bool isLightId(RequestId id) {
    return static_cast<std::uint64_t>(id) >= firstLightId(0) && !isStoredId(id);
}

class LightModel {
public:
    explicit LightModel(LightModelMaker maker) : m_maker(std::move(maker)) {}
    ~LightModel();

    // What is wanted from now on: an empty path is none. The same path again changes nothing.
    void want(const std::filesystem::path& file, const EngineConfig& config);
    // The model for one request, which it outlives: it goes when nobody has a hold on it any more.
    // Let go once the answer has ended; the backend's own thread may do that.
    struct Hold {
        Backend* backend = nullptr; // null unless it is ready
        std::shared_ptr<const void> hold;
    };
    Hold ready() const;
    LightModelStatus status() const;
    // Finished requests and faults of the light model; one consumer.
    std::vector<Event> takeEvents();
    void cancel(RequestId id);
    // Levels of the present one, counters of all there have been. One reader.
    Snapshot snapshot();

private:
    void load(const std::filesystem::path& file, const EngineConfig& config,
              const std::stop_token& stop);

    struct Held {
        std::shared_ptr<Backend> backend;
        std::shared_ptr<const void> holds; // one reference is our own; others are made in ready()
        bool wasIdle = false;              // when events were last taken
    };
    std::vector<Held> takeIdle();
    std::vector<std::shared_ptr<Backend>> all() const; // leaving ones first

    const LightModelMaker m_maker;
    mutable std::mutex m_mutex;
    std::filesystem::path m_wanted;
    LightModelStatus m_status;
    Held m_present;
    std::vector<Held> m_leaving; // until their last answers have ended
    Snapshot m_past;             // counters of those that have gone
    std::jthread m_thread;       // last: joined before what it sets
};

// A tenth of the main engine's places for keys and values, and no more of anything than it has.
EngineConfig lightConfig(const EngineConfig& main, std::int64_t mainBlocks);

} // namespace engine
