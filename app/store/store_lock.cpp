#include "app/store/store_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

namespace app {

namespace {

using engine::Error;
using engine::ErrorCode;

// Who asks whether a log is written holds its lock for a moment.
constexpr int kTries = 10;
constexpr std::chrono::milliseconds kPause{10};

std::filesystem::path lockFileOf(const std::filesystem::path& file) {
    return file.string() + ".lock";
}

// An open file that is closed at the end, unless it is released.
class Descriptor {
public:
    explicit Descriptor(int number) : m_number(number) {}
    ~Descriptor() {
        if (m_number >= 0) {
            ::close(m_number);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int number() const { return m_number; }
    int release() { return std::exchange(m_number, -1); }

private:
    int m_number;
};

// A link in its place would have us write somewhere else. Of another user's file the lock can be
// had all the same, without a name in it.
int openLockFile(const std::filesystem::path& lockFile) {
    const int common = O_CLOEXEC | O_NOFOLLOW;
    const int made = ::open(lockFile.c_str(), common | O_RDWR | O_CREAT, 0644);
    return made < 0 && errno == EACCES ? ::open(lockFile.c_str(), common | O_RDONLY) : made;
}

// The holder before removes its file: what was locked may have no name any more.
bool isStillThere(int descriptor, const std::filesystem::path& lockFile) {
    struct stat opened {};
    struct stat named {};
    return ::fstat(descriptor, &opened) == 0 && ::stat(lockFile.c_str(), &named) == 0 &&
           opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// Process, program, machine: a line each. For messages only, so a failure is none.
void writeHolder(int descriptor) {
    std::array<char, 256> machine{};
    ::gethostname(machine.data(), machine.size() - 1);
    const std::string text =
        fmt::format("{}\n{}\n{}\n", ::getpid(), program_invocation_short_name, machine.data());
    [[maybe_unused]] const int cut = ::ftruncate(descriptor, 0);
    [[maybe_unused]] const auto written = ::pwrite(descriptor, text.data(), text.size(), 0);
}

std::string holderText(const std::filesystem::path& lockFile) {
    std::ifstream stream(lockFile);
    std::string process, program, machine;
    std::getline(stream, process);
    std::getline(stream, program);
    std::getline(stream, machine);
    return process.empty() || program.empty()
               ? "another program"
               : fmt::format("{} (process {} on {})", program, process, machine);
}

Error cannotBeMade(const std::filesystem::path& file, int problem) {
    const std::string remedy = problem == ENOSPC || problem == EDQUOT ? "Free space on that disk"
                                                                      : "Change the permissions";
    return {ErrorCode::Io,
            fmt::format("{} can't be written: no lock file can be made in its folder ({}). {}, or "
                        "choose another file.",
                        file.string(), std::strerror(problem), remedy)};
}

} // namespace

StoreLock::StoreLock(std::filesystem::path lockFile, int descriptor)
    : m_lockFile(std::move(lockFile)),
      m_descriptor(descriptor) {}

StoreLock::~StoreLock() {
    ::unlink(m_lockFile.c_str()); // before the lock goes: afterwards it may be another's
    ::close(m_descriptor);
}

engine::Result<std::unique_ptr<StoreLock>> StoreLock::take(const std::filesystem::path& file) {
    const std::filesystem::path lockFile = lockFileOf(file);
    for (int attempt = 0; attempt < kTries; ++attempt) {
        Descriptor opened(openLockFile(lockFile));
        if (opened.number() < 0) {
            return std::unexpected(cannotBeMade(file, errno));
        }
        if (::flock(opened.number(), LOCK_EX | LOCK_NB) != 0) {
            if (errno != EWOULDBLOCK && errno != EINTR) {
                return std::unexpected(cannotBeMade(file, errno));
            }
            std::this_thread::sleep_for(kPause);
        } else if (isStillThere(opened.number(), lockFile)) {
            writeHolder(opened.number());
            return std::unique_ptr<StoreLock>(new StoreLock(lockFile, opened.release()));
        }
    }
    return std::unexpected(Error{
        ErrorCode::Busy, fmt::format("{} is written by {}. Close it, or record to another file.",
                                     file.string(), holderText(lockFile))});
}

bool StoreLock::isHeld(const std::filesystem::path& file) {
    const Descriptor opened(::open(lockFileOf(file).c_str(), O_RDONLY | O_CLOEXEC));
    if (opened.number() < 0) {
        return errno != ENOENT; // whoever may not look can't know that nobody writes
    }
    return ::flock(opened.number(), LOCK_SH | LOCK_NB) != 0;
}

} // namespace app
