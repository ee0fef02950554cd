// Watches the closed batches of the dynamic policy: when the first and the last request of a batch
// ended, and so how long whoever waited was held up by the longest answer. Engine thread.
#pragma once

#include "engine/events.h"

#include <cstdint>
#include <optional>
#include <span>

namespace engine {

class BatchWatch {
public:
    void open(std::uint64_t batch, std::int64_t requests, TimePoint now);
    // A member of the batch ended, by any outcome; the event when it was the last.
    std::optional<BatchEnded> end(std::uint64_t batch, RequestId id, std::int64_t waiting,
                                  TimePoint now);

    struct Blocked {
        RequestId by{}; // the last of the batch
        Nanoseconds time{};
    };
    // For how long a request that has come at `arrival` and starts now could have run already: the
    // batch before had a free place, but was not at its end.
    std::optional<Blocked> blocked(TimePoint arrival) const;

private:
    std::uint64_t m_batch = 0;
    std::int64_t m_requests = 0, m_left = 0;
    TimePoint m_opened;
    std::optional<TimePoint> m_firstEnd;
    // Of the batch before.
    std::optional<TimePoint> m_tailBegin, m_tailEnd;
    RequestId m_last{};
};

} // namespace engine
