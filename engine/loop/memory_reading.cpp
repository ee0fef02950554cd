#include "engine/loop/memory_reading.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string>

namespace engine {

namespace {

std::optional<std::uint64_t> numberIn(const char* file) {
    std::ifstream stream(file);
    std::string text;
    std::uint64_t value = 0;
    if (!(stream >> text) ||
        std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
        return std::nullopt; // absent, or "max"
    }
    return value;
}

// "MemAvailable:   12345 kB"
void readMachine(MemoryReading& reading) {
    constexpr std::uint64_t kKibi = 1024;
    std::ifstream stream("/proc/meminfo");
    std::string name;
    std::string unit;
    for (std::uint64_t value = 0; stream >> name >> value; std::getline(stream, unit)) {
        if (name == "MemTotal:") {
            reading.totalBytes = value * kKibi;
        } else if (name == "MemAvailable:") {
            reading.availableBytes = value * kKibi;
            return;
        }
    }
}

// A container sees the machine's memory but may not use it.
void applyControlGroup(MemoryReading& reading) {
    const auto limit = numberIn("/sys/fs/cgroup/memory.max");
    const auto used = numberIn("/sys/fs/cgroup/memory.current");
    if (limit && used && *limit < reading.totalBytes) {
        reading.totalBytes = *limit;
        reading.availableBytes = std::min(reading.availableBytes, *limit - std::min(*limit, *used));
    }
}

} // namespace

MemoryReading readMemory() {
    MemoryReading reading;
    readMachine(reading);
    applyControlGroup(reading);
    std::ifstream stream("/proc/self/statm");
    std::uint64_t pages = 0;
    std::uint64_t residentPages = 0;
    if (stream >> pages >> residentPages) {
        reading.processBytes = residentPages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    }
    return reading;
}

} // namespace engine
