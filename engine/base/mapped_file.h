// A file's bytes, mapped or read whole. Read-only; the bytes stay in place for the object's life.
// Any thread.
#pragma once

#include "engine/base/fault_guard.h"
#include "engine/config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <stop_token>

namespace engine {

class MappedFile {
public:
    // Throws Failure for what is no readable regular file, and Cancelled on stop (reading only).
    MappedFile(const std::filesystem::path& file, LoadMode mode, const std::stop_token& stop = {});
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;

    const std::filesystem::path& path() const { return m_file; }
    std::span<const std::byte> bytes() const { return {m_begin, m_size}; }
    // Gives pages that lie wholly in `part` back to the system; they are read again when touched.
    // Nothing for a file that was read.
    void release(std::span<const std::byte> part) const;
    // False once a mapped file is shorter than it was, or a page of it could not be read.
    bool isWhole() const;

private:
    void map(std::uint64_t size);
    void read(std::uint64_t size, const std::stop_token& stop);
    [[noreturn]] void failToOpen(int code) const;

    std::filesystem::path m_file;
    int m_descriptor = -1; // kept open for a mapped file only
    std::byte* m_begin = nullptr;
    std::size_t m_size = 0;
    std::unique_ptr<FaultGuard> m_guard; // of a mapped file
};

} // namespace engine
