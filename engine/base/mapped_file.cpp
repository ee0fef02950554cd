#include "engine/base/mapped_file.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace engine {

namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
constexpr std::size_t kReadBytes = std::size_t{16} << 20; // a piece: stop is looked at in between

std::string shown(const std::filesystem::path& file) {
    return displayText(file.string(), 400);
}

ErrorCode codeOf(int systemError) {
    return systemError == ENOENT || systemError == ENOTDIR ? ErrorCode::NotFound : ErrorCode::Io;
}

} // namespace

MappedFile::MappedFile(const std::filesystem::path& file, LoadMode mode,
                       const std::stop_token& stop)
    : m_file(file) {
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    m_descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (m_descriptor < 0) {
        failToOpen(errno);
    }
    struct stat status {};
    const bool isKnown = fstat(m_descriptor, &status) == 0;
    const int statError = errno;
    try {
        if (!isKnown) {
            failToOpen(statError);
        }
        if (!S_ISREG(status.st_mode)) {
            throw Failure(ErrorCode::Invalid,
                          fmt::format("{} is not a regular file.", shown(file)));
        }
        if (status.st_size == 0) {
            throw Failure(ErrorCode::Corrupt, fmt::format("{} is empty.", shown(file)));
        }
        const auto size = static_cast<std::uint64_t>(status.st_size);
        if (mode == LoadMode::Mmap) {
            map(size);
        } else {
            read(size, stop);
        }
    } catch (...) {
        std::free(mode == LoadMode::Read ? m_begin : nullptr);
        close(m_descriptor);
        throw;
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_file(std::move(other.m_file)),
      m_descriptor(std::exchange(other.m_descriptor, -1)),
      m_begin(std::exchange(other.m_begin, nullptr)),
      m_size(std::exchange(other.m_size, 0)),
      m_guard(std::move(other.m_guard)) {}

MappedFile::~MappedFile() {
    if (m_guard) {
        m_guard.reset();
        munmap(m_begin, m_size);
    } else {
        std::free(m_begin);
    }
    if (m_descriptor >= 0) {
        close(m_descriptor);
    }
}

void MappedFile::failToOpen(int code) const {
    throw Failure(codeOf(code),
                  fmt::format("{} can't be opened: {}.", shown(m_file), std::strerror(code)));
}

void MappedFile::map(std::uint64_t size) {
    void* const begin = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, m_descriptor, 0);
    if (begin == MAP_FAILED) {
        failToOpen(errno);
    }
    try {
        m_guard = std::make_unique<FaultGuard>(begin, size);
    } catch (...) {
        munmap(begin, size);
        throw;
    }
    m_begin = static_cast<std::byte*>(begin);
    m_size = size;
}

void MappedFile::read(std::uint64_t size, const std::stop_token& stop) {
    const std::size_t rounded = (size + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
    m_begin = static_cast<std::byte*>(std::aligned_alloc(kHugePageBytes, rounded));
    if (m_begin == nullptr) {
        throw Failure(
            ErrorCode::OutOfMemory,
            fmt::format("There is not enough memory to read {} ({} bytes). Map it instead "
                        "(load mode mmap).",
                        shown(m_file), size));
    }
    // Only advice: without huge pages the buffer works as well.
    static_cast<void>(madvise(m_begin, rounded, MADV_HUGEPAGE));
    while (m_size < size) {
        if (stop.stop_requested()) {
            throw Failure(ErrorCode::Cancelled, "Loading was cancelled.");
        }
        const std::size_t wanted = std::min(kReadBytes, static_cast<std::size_t>(size) - m_size);
        const ssize_t got = ::read(m_descriptor, m_begin + m_size, wanted);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            failToOpen(errno);
        }
        if (got == 0) {
            throw Failure(ErrorCode::Corrupt,
                          fmt::format("{} became shorter while it was read.", shown(m_file)));
        }
        m_size += static_cast<std::size_t>(got);
    }
    close(std::exchange(m_descriptor, -1));
}

void MappedFile::release(std::span<const std::byte> part) const {
    if (!m_guard || m_guard->hasFaulted() || part.empty()) {
        return;
    }
    const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto begin = (reinterpret_cast<std::uintptr_t>(part.data()) + page - 1) & ~(page - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(part.data() + part.size()) & ~(page - 1);
    if (begin < end) {
        // Only advice: pages that stay cost memory, nothing else.
        static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED));
    }
}

bool MappedFile::isWhole() const {
    if (!m_guard) {
        return true;
    }
    struct stat status {};
    return !m_guard->hasFaulted() && fstat(m_descriptor, &status) == 0 &&
           static_cast<std::uint64_t>(status.st_size) >= m_size;
}

} // namespace engine
