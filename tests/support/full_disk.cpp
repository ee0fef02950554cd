#include "tests/support/full_disk.h"

#include <sqlite3.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace tests {

namespace {

// The methods of a kind of file with xWrite exchanged; what they were is kept behind them, so that
// the file itself stays the one of the real layer.
struct Methods {
    sqlite3_io_methods exchanged;
    const sqlite3_io_methods* original;
};

std::atomic<bool> isFull = false; // relaxed: a test waits for its effect, not for its order
sqlite3_vfs* real = nullptr;
sqlite3_vfs wrapper;
std::mutex mutex;
std::vector<std::unique_ptr<Methods>> known;

int write(sqlite3_file* file, const void* data, int bytes, sqlite3_int64 offset) {
    if (isFull.load(std::memory_order_relaxed)) {
        return SQLITE_FULL;
    }
    const auto* methods = reinterpret_cast<const Methods*>(file->pMethods);
    return methods->original->xWrite(file, data, bytes, offset);
}

const sqlite3_io_methods* exchangedFor(const sqlite3_io_methods* original) {
    const std::lock_guard lock(mutex);
    for (const auto& methods : known) {
        if (methods->original == original) {
            return &methods->exchanged;
        }
    }
    auto methods = std::make_unique<Methods>(Methods{.exchanged = *original, .original = original});
    methods->exchanged.xWrite = write;
    known.push_back(std::move(methods));
    return &known.back()->exchanged;
}

int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* outFlags) {
    const int code = real->xOpen(real, name, file, flags, outFlags);
    if (file->pMethods != nullptr) {
        file->pMethods = exchangedFor(file->pMethods);
    }
    return code;
}

} // namespace

FullDisk::FullDisk() {
    isFull = false;
    real = sqlite3_vfs_find(nullptr);
    wrapper = *real;
    wrapper.zName = "headway-full-disk";
    wrapper.xOpen = open;
    sqlite3_vfs_register(&wrapper, 1);
}

FullDisk::~FullDisk() {
    sqlite3_vfs_unregister(&wrapper);
    sqlite3_vfs_register(real, 1);
}

void FullDisk::fill() {
    isFull.store(true, std::memory_order_relaxed);
}

void FullDisk::free() {
    isFull.store(false, std::memory_order_relaxed);
}

} // namespace tests
