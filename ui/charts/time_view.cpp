#include "ui/charts/time_view.h"

#include <algorithm>

namespace ui {

namespace {

double lengthOf(SpanChoice span) {
    switch (span) {
    case SpanChoice::OneMinute:
        return 60.0;
    case SpanChoice::FiveMinutes:
        return 300.0;
    case SpanChoice::FifteenMinutes:
        return 900.0;
    case SpanChoice::Hour:
        return 3600.0;
    case SpanChoice::Day:
        return 86'400.0;
    case SpanChoice::Run:
    case SpanChoice::Own:
        break;
    }
    return 0.0;
}

} // namespace

void TimeView::setEnd(double seconds) {
    if (seconds < m_end) {
        m_span = SpanChoice::Run;
        m_isFollowing = true;
    }
    m_end = seconds;
    if (m_isFollowing) {
        place();
    }
}

void TimeView::follow() {
    m_isFollowing = true;
    if (m_span == SpanChoice::Own) {
        m_length = m_to - m_from;
    }
    place();
}

void TimeView::release() {
    m_isFollowing = false;
}

void TimeView::choose(SpanChoice span) {
    m_span = span;
    m_isFollowing = true;
    m_length = m_to - m_from;
    place();
}

void TimeView::zoom(double factor, double at) {
    const double longest = std::max(m_firstSpan, m_end);
    const double length = std::clamp((m_to - m_from) * factor, kLeastSpan, longest);
    m_span = SpanChoice::Own;
    m_length = length;
    if (m_isFollowing) {
        place();
        return;
    }
    const double share = (at - m_from) / (m_to - m_from);
    m_from = std::clamp(at - share * length, 0.0, std::max(0.0, longest - length));
    m_to = m_from + length;
}

void TimeView::pan(double share) {
    const double length = m_to - m_from;
    const double longest = std::max(m_firstSpan, m_end);
    m_isFollowing = false;
    m_span = SpanChoice::Own;
    m_from = std::clamp(m_from + share * length, 0.0, std::max(0.0, longest - length));
    m_to = m_from + length;
}

void TimeView::center(double seconds) {
    const double length = m_to - m_from;
    if (seconds >= m_from + 0.1 * length && seconds <= m_to - 0.1 * length) {
        return;
    }
    m_isFollowing = false;
    m_span = SpanChoice::Own;
    m_from = std::max(0.0, seconds - length / 2.0);
    m_to = m_from + length;
}

void TimeView::show(double from, double to) {
    const double middle = (from + to) / 2.0;
    const double length = std::max(to - from, kLeastSpan);
    m_isFollowing = false;
    m_span = SpanChoice::Own;
    m_from = std::max(0.0, middle - length / 2.0);
    m_to = m_from + length;
}

void TimeView::place() {
    if (m_span == SpanChoice::Run) {
        m_from = 0.0;
        m_to = std::max(m_firstSpan, m_end);
        return;
    }
    const double length = m_span == SpanChoice::Own ? m_length : lengthOf(m_span);
    m_to = std::max(length, m_end);
    m_from = m_to - length;
}

} // namespace ui
