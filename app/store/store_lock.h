// The lock that makes one program the writer of a log: flock on a file beside it. The system lets
// go of it however the program ends, also in a container where every process has the same number.
#pragma once

#include "engine/error.h"

#include <filesystem>
#include <memory>

namespace app {

class StoreLock {
public:
    // ErrorCode::Busy names program, process and machine of the holder.
    static engine::Result<std::unique_ptr<StoreLock>> take(const std::filesystem::path& file);
    // Whether a program, this one too, writes the log now.
    static bool isHeld(const std::filesystem::path& file);
    ~StoreLock();
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;

private:
    StoreLock(std::filesystem::path lockFile, int descriptor);
    std::filesystem::path m_lockFile;
    int m_descriptor;
};

} // namespace app
