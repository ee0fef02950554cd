// Memory of the emulated device. Addresses are never used twice; a guard page follows each
// allocation, whose end touches it; the rest of its first page is filled and checked. Pages can
// only be reached inside kernels: host code that touches them faults. Used under the device's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace simt {

class Arena {
public:
    static constexpr unsigned char kPoison = 0xFF; // a NaN in every float format

    Arena();
    ~Arena();
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // 16-byte aligned, poisoned. Throws std::bad_alloc where the machine has no more.
    // Managed memory stays within reach of the host.
    enum class Kind { Device, Managed };
    void* allocate(std::size_t bytes, Kind kind = Kind::Device);
    bool release(void* pointer); // false: no allocation begins there

    bool contains(const void* address) const {
        const auto* byte = static_cast<const std::byte*>(address);
        return byte >= m_base && byte < m_base + kReserved;
    }
    // The allocation of an address, if all of the bytes from there are in it.
    bool owns(const void* address, std::size_t bytes) const;
    bool isManaged(const void* address) const;
    // The same bytes, for the runtime's own copies.
    std::byte* hostView(const void* address) const {
        return m_view + (static_cast<const std::byte*>(address) - m_base);
    }

    // Within kernels: makes the pages of the allocation at an address usable; false: there is none.
    // Called from the signal handler, so it takes no memory.
    bool open(const void* address);
    // After a kernel: takes them away again. Tells what was written outside allocations, in words.
    std::string closeAll();
    std::string damage(); // the same check, nothing closed

    std::size_t liveBytes() const { return m_liveBytes; }
    std::size_t liveAllocations() const { return m_allocations.size(); }
    std::string describe(const void* address) const; // relative to the nearest allocation

private:
    static constexpr std::size_t kReserved = std::size_t{1} << 38;
    static constexpr std::size_t kPage = 4096;

    struct Allocation {
        std::size_t firstByte = 0, bytes = 0, firstPage = 0, endPage = 0; // offsets from m_base
        bool isOpen = false, isManaged = false;
    };
    Allocation* find(std::size_t offset); // by page
    void protect(const Allocation& allocation, int protection);
    std::string damageOf(const Allocation& allocation) const;

    int m_file = -1;
    std::byte* m_base = nullptr; // what device pointers point into
    std::byte* m_view = nullptr;
    std::size_t m_next = kPage;
    std::size_t m_liveBytes = 0;
    std::map<std::size_t, Allocation> m_allocations; // by firstPage
    std::vector<Allocation*> m_open;
};

} // namespace simt
