#include "tests/support/simt/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <linux/falloc.h>
#include <new>

namespace simt {

Arena::Arena() {
    m_open.reserve(4096);
    m_file = ::memfd_create("device memory", MFD_CLOEXEC);
    if (m_file < 0 || ::ftruncate(m_file, static_cast<off_t>(kReserved)) != 0) {
        throw std::bad_alloc();
    }
    const auto map = [this](int protection) {
        void* memory =
            ::mmap(nullptr, kReserved, protection, MAP_SHARED | MAP_NORESERVE, m_file, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        ::madvise(memory, kReserved, MADV_DONTDUMP);
        return static_cast<std::byte*>(memory);
    };
    m_base = map(PROT_NONE);
    m_view = map(PROT_READ | PROT_WRITE);
}

Arena::~Arena() {
    ::munmap(m_base, kReserved);
    ::munmap(m_view, kReserved);
    ::close(m_file);
}

void* Arena::allocate(std::size_t bytes, Kind kind) {
    const std::size_t length = (std::max<std::size_t>(bytes, 1) + 15) / 16 * 16;
    const std::size_t pages = (length + kPage - 1) / kPage * kPage;
    if (bytes > kReserved / 2 || m_next + pages + kPage > kReserved) {
        throw std::bad_alloc();
    }
    const std::size_t endPage = m_next + pages;
    const Allocation allocation{.firstByte = endPage - length,
                                .bytes = bytes,
                                .firstPage = m_next,
                                .endPage = endPage,
                                .isOpen = false,
                                .isManaged = kind == Kind::Managed};
    std::memset(m_view + allocation.firstPage, kPoison, pages);
    if (allocation.isManaged) {
        protect(allocation, PROT_READ | PROT_WRITE);
    }
    m_allocations.emplace(allocation.firstPage, allocation);
    m_liveBytes += bytes;
    m_next = endPage + kPage;
    return m_base + allocation.firstByte;
}

Arena::Allocation* Arena::find(std::size_t offset) {
    auto after = m_allocations.upper_bound(offset);
    if (after == m_allocations.begin()) {
        return nullptr;
    }
    Allocation& allocation = std::prev(after)->second;
    return offset < allocation.endPage ? &allocation : nullptr;
}

void Arena::protect(const Allocation& allocation, int protection) {
    ::mprotect(m_base + allocation.firstPage, allocation.endPage - allocation.firstPage,
               protection);
}

bool Arena::isManaged(const void* address) const {
    return owns(address, 1) &&
           const_cast<Arena*>(this)
               ->find(static_cast<std::size_t>(static_cast<const std::byte*>(address) - m_base))
               ->isManaged;
}

bool Arena::release(void* pointer) {
    if (!contains(pointer)) {
        return false;
    }
    const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(pointer) - m_base);
    Allocation* allocation = find(offset);
    if (allocation == nullptr || allocation->firstByte != offset) {
        return false;
    }
    protect(*allocation, PROT_NONE);
    ::fallocate(m_file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(allocation->firstPage),
                static_cast<off_t>(allocation->endPage - allocation->firstPage));
    m_liveBytes -= allocation->bytes;
    m_allocations.erase(allocation->firstPage);
    return true;
}

bool Arena::owns(const void* address, std::size_t bytes) const {
    if (!contains(address)) {
        return false;
    }
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - m_base);
    const Allocation* allocation = const_cast<Arena*>(this)->find(offset);
    return allocation != nullptr && offset >= allocation->firstByte &&
           offset + bytes <= allocation->firstByte + allocation->bytes;
}

bool Arena::open(const void* address) {
    if (!contains(address)) {
        return false;
    }
    Allocation* allocation =
        find(static_cast<std::size_t>(static_cast<const std::byte*>(address) - m_base));
    if (allocation == nullptr || allocation->isOpen || m_open.size() == m_open.capacity()) {
        return false;
    }
    protect(*allocation, PROT_READ | PROT_WRITE);
    allocation->isOpen = true;
    m_open.push_back(allocation);
    return true;
}

std::string Arena::damageOf(const Allocation& allocation) const {
    static const std::vector<unsigned char> kUntouched(kPage, kPoison);
    const auto isDamaged = [this](std::size_t from, std::size_t to) { // less than a page
        return std::memcmp(m_view + from, kUntouched.data(), to - from) != 0;
    };
    const std::size_t end = allocation.firstByte + allocation.bytes;
    if (isDamaged(end, allocation.endPage)) {
        return fmt::format("bytes behind an allocation of {} bytes were written", allocation.bytes);
    }
    if (isDamaged(allocation.firstPage, allocation.firstByte)) {
        return fmt::format("bytes before an allocation of {} bytes were written", allocation.bytes);
    }
    return {};
}

std::string Arena::damage() {
    for (const Allocation* allocation : m_open) {
        if (std::string text = damageOf(*allocation); !text.empty()) {
            return text;
        }
    }
    return {};
}

std::string Arena::closeAll() {
    std::string text = damage();
    for (Allocation* allocation : m_open) {
        protect(*allocation, allocation->isManaged ? PROT_READ | PROT_WRITE : PROT_NONE);
        allocation->isOpen = false;
    }
    m_open.clear();
    return text;
}

std::string Arena::describe(const void* address) const {
    const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - m_base);
    auto after = m_allocations.upper_bound(offset);
    if (after == m_allocations.begin()) {
        return "where nothing was ever allocated";
    }
    const Allocation& nearest = std::prev(after)->second;
    const std::size_t end = nearest.firstByte + nearest.bytes;
    return offset >= end ? fmt::format("{} bytes behind the end of an allocation of {} bytes",
                                       offset - end, nearest.bytes)
                         : fmt::format("{} bytes before an allocation of {} bytes",
                                       nearest.firstByte - offset, nearest.bytes);
}

} // namespace simt
