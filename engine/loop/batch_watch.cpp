#include "engine/loop/batch_watch.h"

#include <algorithm>

namespace engine {

void BatchWatch::open(std::uint64_t batch, std::span<const RequestId> members, TimePoint now) {
    release(now);
    m_batch = batch;
    m_requests = std::ssize(members);
    m_left.assign(members.begin(), members.end());
    m_opened = now;
    m_firstEnd.reset();
    m_holds = true;
}

std::optional<BatchEnded> BatchWatch::end(std::uint64_t batch, RequestId id, std::int64_t waiting,
                                          TimePoint now) {
    if (batch == 0 || batch != m_batch || std::erase(m_left, id) == 0) {
        return std::nullopt;
    }
    m_firstEnd = m_firstEnd.value_or(now);
    if (!m_left.empty()) {
        return std::nullopt;
    }
    m_last = m_holds ? id : m_last;
    release(now);
    return BatchEnded{.batch = m_batch,
                      .requests = m_requests,
                      .duration = now - m_opened,
                      .tail = now - *m_firstEnd,
                      .last = id,
                      .waiting = waiting};
}

void BatchWatch::release(TimePoint now) {
    m_held = held(now);
    if (m_holds && !m_left.empty()) {
        m_last = m_left.back();
    }
    m_holds = false;
}

Nanoseconds BatchWatch::held(TimePoint now) const {
    return m_holds && m_firstEnd ? m_held + (now - *m_firstEnd) : m_held;
}

std::optional<BatchWatch::Blocked> BatchWatch::blocked(Nanoseconds noted, TimePoint now) const {
    const Nanoseconds time = held(now) - noted;
    return time.count() > 0 ? std::optional(Blocked{.by = m_last, .time = time}) : std::nullopt;
}

} // namespace engine
