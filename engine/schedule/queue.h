// Sequences that wait for a place, first come first served; preempted ones stand in front. Borrows
// the sequences. Engine thread.
#pragma once

#include "engine/schedule/sequence.h"

#include <algorithm>
#include <span>
#include <vector>

namespace engine {

class Queue {
public:
    void push(Sequence& sequence) { m_sequences.push_back(&sequence); }
    void pushFront(Sequence& sequence) { m_sequences.insert(m_sequences.begin(), &sequence); }
    void remove(const Sequence& sequence) { std::erase(m_sequences, &sequence); }

    bool isEmpty() const { return m_sequences.empty(); }
    std::int64_t size() const { return static_cast<std::int64_t>(m_sequences.size()); }
    std::span<Sequence* const> sequences() const { return m_sequences; }

private:
    std::vector<Sequence*> m_sequences;
};

} // namespace engine
