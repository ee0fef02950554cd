#include "engine/loop/batch_watch.h"

#include <algorithm>

namespace engine {

void BatchWatch::open(std::uint64_t batch, std::int64_t requests, TimePoint now) {
    m_batch = batch;
    m_requests = m_left = requests;
    m_opened = now;
    m_firstEnd.reset();
}

std::optional<BatchEnded> BatchWatch::end(std::uint64_t batch, RequestId id, std::int64_t waiting,
                                          TimePoint now) {
    if (batch == 0 || batch != m_batch || m_left == 0) {
        return std::nullopt;
    }
    m_firstEnd = m_firstEnd.value_or(now);
    if (--m_left > 0) {
        return std::nullopt;
    }
    m_tailBegin = m_firstEnd;
    m_tailEnd = now;
    m_last = id;
    return BatchEnded{.batch = m_batch,
                      .requests = m_requests,
                      .duration = now - m_opened,
                      .tail = now - *m_firstEnd,
                      .last = id,
                      .waiting = waiting};
}

std::optional<BatchWatch::Blocked> BatchWatch::blocked(TimePoint arrival) const {
    if (!m_tailEnd || arrival >= *m_tailEnd) {
        return std::nullopt;
    }
    return Blocked{.by = m_last, .time = *m_tailEnd - std::max(arrival, *m_tailBegin)};
}

} // namespace engine
