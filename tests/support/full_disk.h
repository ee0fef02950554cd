// A disk that is full when a test says so: everything SQLite opens from then on writes through it.
#pragma once

namespace tests {

// Installs itself as SQLite's default file layer for as long as it lives; one at a time.
class FullDisk {
public:
    FullDisk();
    ~FullDisk();
    FullDisk(const FullDisk&) = delete;
    FullDisk& operator=(const FullDisk&) = delete;

    void fill();
    void free();
};

} // namespace tests
