// Memory of this process and of the machine, as far as it may use it. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace engine {

struct MemoryReading {
    std::uint64_t processBytes = 0; // resident
    std::uint64_t totalBytes = 0;   // of the machine, or of this process's control group
    std::uint64_t availableBytes = 0;
};

MemoryReading readMemory();
// How many bytes can be had where so many can't; empty where they can.
std::optional<std::uint64_t> memoryShort(std::uint64_t needed);
// Why weights of so many bytes can't be had beside those in force; empty where they can.
std::optional<std::string> refuseMemory(std::uint64_t needed);

// Of a control group (version 2) by the files of its folder; empty where it sets no limit.
struct GroupMemory {
    std::uint64_t limitBytes = 0;
    std::uint64_t availableBytes = 0;
};
std::optional<GroupMemory> readGroupMemory(const std::filesystem::path& folder);

} // namespace engine
