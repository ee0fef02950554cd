#include "engine/loop/memory_reading.h"

#include "engine/base/failure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace engine {

namespace {

std::optional<std::uint64_t> numberIn(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string text;
    std::uint64_t value = 0;
    if (!(stream >> text) ||
        std::from_chars(text.data(), text.data() + text.size(), value).ec != std::errc{}) {
        return std::nullopt; // absent, or "max"
    }
    return value;
}

// "inactive_file 12345"
std::uint64_t valueIn(const std::filesystem::path& file, std::string_view wanted) {
    std::ifstream stream(file);
    std::string name;
    for (std::uint64_t value = 0; stream >> name >> value;) {
        if (name == wanted) {
            return value;
        }
    }
    return 0;
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
    const auto group = readGroupMemory("/sys/fs/cgroup");
    if (group && group->limitBytes < reading.totalBytes) {
        reading.totalBytes = group->limitBytes;
        reading.availableBytes = std::min(reading.availableBytes, group->availableBytes);
    }
}

} // namespace

// Pages of files that nobody has used lately are counted as used, and are given back before
// anything is refused: a model that was read once would else leave no room for itself.
std::optional<GroupMemory> readGroupMemory(const std::filesystem::path& folder) {
    const auto limit = numberIn(folder / "memory.max");
    const auto charged = numberIn(folder / "memory.current");
    if (!limit || !charged) {
        return std::nullopt;
    }
    const std::uint64_t files = valueIn(folder / "memory.stat", "inactive_file");
    const std::uint64_t used = *charged - std::min(*charged, files);
    return GroupMemory{.limitBytes = *limit, .availableBytes = *limit - std::min(*limit, used)};
}

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

std::optional<std::uint64_t> memoryShort(std::uint64_t needed) {
    const std::uint64_t usable = readMemory().availableBytes / 10 * 9;
    return needed > usable ? std::optional(usable) : std::nullopt;
}

MemoryClaims::Claim MemoryClaims::claim(std::uint64_t bytes) {
    return claimOf(bytes, readMemory().availableBytes);
}

MemoryClaims::Claim MemoryClaims::claimOf(std::uint64_t bytes, std::uint64_t availableBytes) {
    const std::uint64_t usable = availableBytes / 10 * 9;
    std::uint64_t claimed = m_claimed.load(std::memory_order_relaxed);
    do {
        const std::uint64_t left = usable - std::min(usable, claimed);
        if (bytes > left) {
            throw Failure(ErrorCode::OutOfMemory,
                          fmt::format("It needs {:.1f} GiB beside the weights in force, and {:.1f} "
                                      "GiB can be had.",
                                      static_cast<double>(bytes) / 0x1p30,
                                      static_cast<double>(left) / 0x1p30));
        }
    } while (!m_claimed.compare_exchange_weak(claimed, claimed + bytes, std::memory_order_relaxed));
    return {*this, bytes};
}

} // namespace engine
