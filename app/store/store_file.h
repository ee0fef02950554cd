// An opened run log: the file's checks, its lock, its form and its state of being closed in order.
// Belongs to one thread.
#pragma once

#include "app/store/run_store.h"
#include "app/store/sqlite.h"
#include "app/store/store_lock.h"

namespace app {

// A connection that only reads, also in a folder that can't be written. Throws DatabaseFailure.
engine::Result<std::unique_ptr<Database>> openToRead(const std::filesystem::path& file,
                                                     int busyMilliseconds);

class StoreFile {
public:
    static engine::Result<StoreFile> open(const std::filesystem::path& file, StoreMode mode);
    StoreFile(StoreFile&&) = default;
    StoreFile& operator=(StoreFile&&) = delete;
    ~StoreFile(); // a writer notes that it closed in order

    Database& database() const { return *m_database; }
    const std::filesystem::path& file() const { return m_file; }
    const std::vector<std::int64_t>& interrupted() const { return m_interrupted; }
    // By this connection, or by whoever holds the lock now.
    bool isWritten() const { return m_mode == StoreMode::Write || StoreLock::isHeld(m_file); }

    // Before each write. Fails on a connection for reading. Where the file was moved or deleted
    // SQLite would go on writing into a file that nobody finds: everything this connection holds
    // is written to the old path, unless something else stands there.
    engine::Result<void> prepareWrite();

private:
    StoreFile(std::filesystem::path file, StoreMode mode) : m_file(std::move(file)), m_mode(mode) {}
    engine::Result<void> openForWriting();
    engine::Result<void> openForReading();
    engine::Result<void> recover();
    engine::Result<void> checkForm() const;
    void checkPages() const;
    void markInterrupted();

    std::filesystem::path m_file;
    StoreMode m_mode;
    std::unique_ptr<StoreLock> m_lock; // released after the connection is closed
    std::unique_ptr<Database> m_database;
    std::vector<std::int64_t> m_interrupted;
};

} // namespace app
