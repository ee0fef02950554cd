// Sequences that wait for a place, a queue a lane, first come first served; preempted ones stand
// in front. Borrows the sequences. Engine thread.
#pragma once

#include "engine/schedule/sequence.h"

#include <algorithm>
#include <array>
#include <deque>
#include <vector>

namespace engine {

class Queue {
public:
    using Line = std::deque<Sequence*>;
    static constexpr std::size_t kLanes = 2;

    void push(Sequence& sequence) { at(sequence.lane).push_back(&sequence); }
    void pushFront(Sequence& sequence) { at(sequence.lane).push_front(&sequence); }
    void remove(const Sequence& sequence) { std::erase(at(sequence.lane), &sequence); }

    bool isEmpty() const { return size() == 0; }
    std::int64_t size() const {
        return static_cast<std::int64_t>(m_lines[0].size() + m_lines[1].size());
    }
    const Line& line(Lane lane) const { return m_lines[static_cast<std::size_t>(lane)]; }
    const std::array<Line, kLanes>& lines() const { return m_lines; }
    // Both lines, one behind the other.
    std::vector<Sequence*> all() const {
        std::vector<Sequence*> sequences(m_lines[0].begin(), m_lines[0].end());
        sequences.insert(sequences.end(), m_lines[1].begin(), m_lines[1].end());
        return sequences;
    }

private:
    Line& at(Lane lane) { return m_lines[static_cast<std::size_t>(lane)]; }

    std::array<Line, kLanes> m_lines;
};

} // namespace engine
