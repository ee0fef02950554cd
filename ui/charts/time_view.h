// Which span of a run the charts show: a length that follows the newest data, or a place the
// operator went to. A value; pure.
#pragma once

#include <cstdint>

namespace ui {

enum class SpanChoice : std::uint8_t {
    OneMinute,
    FiveMinutes,
    FifteenMinutes,
    Hour,
    Day,
    Run,
    Own
};

class TimeView {
public:
    static constexpr double kLeastSpan = 2.0;  // seconds
    static constexpr double kFirstSpan = 60.0; // shown while a run is younger

    TimeView() = default;
    // Of a run that is over: all of it, however short.
    explicit TimeView(double firstSpan) : m_firstSpan(firstSpan) { place(); }

    double from() const { return m_from; }
    double to() const { return m_to; }
    double end() const { return m_end; }
    bool isFollowing() const { return m_isFollowing; }
    SpanChoice span() const { return m_span; }

    // The newest time there is data for. An end that fell back is another run: all of it is shown.
    void setEnd(double seconds);
    void follow();
    void release();               // stays where it is
    void choose(SpanChoice span); // follows
    void fit() { choose(SpanChoice::Run); }
    // Lengthens (factor above 1) or shortens around `at`. A following view keeps its right edge.
    void zoom(double factor, double at);
    // By a share of the span; releases.
    void pan(double share);
    void center(double seconds);       // releases unless the place is in view
    void show(double from, double to); // exactly this span; releases

private:
    void place();

    double m_firstSpan = kFirstSpan;
    double m_from = 0.0, m_to = kFirstSpan;
    double m_end = 0.0;
    double m_length = 0.0; // of an own span
    SpanChoice m_span = SpanChoice::Run;
    bool m_isFollowing = true;
};

} // namespace ui
