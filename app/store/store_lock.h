// The lock that makes one program the writer of a log. Released when the program ends, however it
// ends.
#pragma once

#include "engine/error.h"

#include <filesystem>
#include <memory>

class QLockFile;

namespace app {

class StoreLock {
public:
    // ErrorCode::Busy names program, process and machine of the holder.
    static engine::Result<std::unique_ptr<StoreLock>> take(const std::filesystem::path& file);
    ~StoreLock();

private:
    explicit StoreLock(std::unique_ptr<QLockFile> lock);
    std::unique_ptr<QLockFile> m_lock;
};

} // namespace app
