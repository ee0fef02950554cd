#include "app/store/store_lock.h"

#include <QLockFile>

#include <fmt/format.h>

namespace app {

namespace {

std::string holderText(const QLockFile& lock) {
    qint64 process = 0;
    QString host, program;
    if (!lock.getLockInfo(&process, &host, &program)) {
        return "another program";
    }
    return fmt::format("{} (process {} on {})", program.toStdString(), process, host.toStdString());
}

} // namespace

StoreLock::StoreLock(std::unique_ptr<QLockFile> lock) : m_lock(std::move(lock)) {}

StoreLock::~StoreLock() = default;

engine::Result<std::unique_ptr<StoreLock>> StoreLock::take(const std::filesystem::path& file) {
    auto lock = std::make_unique<QLockFile>(QString::fromStdString(file.string() + ".lock"));
    // By default a lock of 30 s counts as left behind, and a console runs for days.
    lock->setStaleLockTime(0);
    if (lock->tryLock(0)) {
        return std::unique_ptr<StoreLock>(new StoreLock(std::move(lock)));
    }
    if (lock->error() == QLockFile::LockFailedError) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Busy,
                          fmt::format("{} is written by {}. Close it, or record to another file.",
                                      file.string(), holderText(*lock))});
    }
    return std::unexpected(
        engine::Error{engine::ErrorCode::Io,
                      fmt::format("{} can't be written: no lock file can be made in its folder. "
                                  "Change the permissions, or choose another file.",
                                  file.string())});
}

} // namespace app
