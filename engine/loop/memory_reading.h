// Memory of this process and of the machine, as far as it may use it. Any thread.
#pragma once

#include <cstdint>

namespace engine {

struct MemoryReading {
    std::uint64_t processBytes = 0; // resident
    std::uint64_t totalBytes = 0;   // of the machine, or of this process's control group
    std::uint64_t availableBytes = 0;
};

MemoryReading readMemory();

} // namespace engine
