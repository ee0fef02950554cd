// Memory of this process and of the machine, as far as it may use it. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

namespace engine {

struct MemoryReading {
    std::uint64_t processBytes = 0; // resident
    std::uint64_t totalBytes = 0;   // of the machine, or of this process's control group
    std::uint64_t availableBytes = 0;
};

MemoryReading readMemory();
// How many bytes can be had where so many can't; empty where they can.
std::optional<std::uint64_t> memoryShort(std::uint64_t needed);

// Memory that was promised and is not taken yet, so that two who look at the same time are not both
// promised the last of it. Shared by all who make weights beside an engine.
class MemoryClaims {
public:
    // Given back with its end: what was taken by then is seen in the machine's own figures.
    class Claim {
    public:
        Claim() = default;
        Claim(MemoryClaims& claims, std::uint64_t bytes) : m_claims(&claims), m_bytes(bytes) {}
        Claim(Claim&& other) noexcept
            : m_claims(std::exchange(other.m_claims, nullptr)),
              m_bytes(other.m_bytes) {}
        Claim& operator=(Claim&&) = delete;
        ~Claim() {
            if (m_claims != nullptr) {
                m_claims->m_claimed.fetch_sub(m_bytes, std::memory_order_relaxed);
            }
        }

    private:
        MemoryClaims* m_claims = nullptr;
        std::uint64_t m_bytes = 0;
    };
    // Throws Failure with the numbers where weights of so many bytes can't be had beside those in
    // force.
    [[nodiscard]] Claim claim(std::uint64_t bytes);
    // The same of a given reading.
    [[nodiscard]] Claim claimOf(std::uint64_t bytes, std::uint64_t availableBytes);

private:
    std::atomic<std::uint64_t> m_claimed{0}; // relaxed: a figure
};

// Of a control group (version 2) by the files of its folder; empty where it sets no limit.
struct GroupMemory {
    std::uint64_t limitBytes = 0;
    std::uint64_t availableBytes = 0;
};
std::optional<GroupMemory> readGroupMemory(const std::filesystem::path& folder);

} // namespace engine
