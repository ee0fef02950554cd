// Keeps a mapped file that becomes shorter, or whose disk fails, from ending the process: touching
// such a page raises SIGBUS. While a FaultGuard lives, a fault inside its range is answered with
// zero pages and remembered. Any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace engine {

class FaultGuard {
public:
    // Protects [begin, begin + bytes), a mapping of whole pages that outlives the guard. Throws
    // Failure when more files are mapped than the handler's table holds.
    FaultGuard(void* begin, std::size_t bytes);
    ~FaultGuard();
    FaultGuard(const FaultGuard&) = delete;
    FaultGuard& operator=(const FaultGuard&) = delete;

    // True once a page of the range could not be read; from there on it reads as zeros.
    bool hasFaulted() const;

private:
    std::size_t m_slot;
};

} // namespace engine
