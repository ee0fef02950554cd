// Watches the closed batches of the dynamic policy: when the first and the last request of a batch
// ended, and so how long whoever waited was held up by the longest answers. Engine thread.
#pragma once

#include "engine/events.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

class BatchWatch {
public:
    void open(std::uint64_t batch, std::span<const RequestId> members, TimePoint now);
    // A member of the batch ended, by any outcome; the event when it was the last.
    std::optional<BatchEnded> end(std::uint64_t batch, RequestId id, std::int64_t waiting,
                                  TimePoint now);
    // From now on others may join: nobody is held up by the batch any more.
    void release(TimePoint now);

    // Time so far in which a batch had a free place, but was not at its end. Who arrives takes note
    // of it.
    Nanoseconds held(TimePoint now) const;

    struct Blocked {
        RequestId by{}; // the last of the latest batch
        Nanoseconds time{};
    };
    // For how long a request that starts now could have run already, by what it noted when it came:
    // of however many batches.
    std::optional<Blocked> blocked(Nanoseconds noted, TimePoint now) const;

private:
    std::uint64_t m_batch = 0;
    std::int64_t m_requests = 0;
    std::vector<RequestId> m_left; // members that have not ended
    TimePoint m_opened;
    std::optional<TimePoint> m_firstEnd;
    bool m_holds = false; // nobody joins it
    Nanoseconds m_held{}; // by the batches before
    RequestId m_last{};   // of the batch before
};

} // namespace engine
