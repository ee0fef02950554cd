// Shared memory of the block that runs: arrays with redzones, poisoned, and a shadow that knows of
// every element who wrote and who read it last, and when. Time within a block is the number of
// barriers passed; within a warp, besides, which lanes met in a __syncwarp since.
// One thread; owned by the executor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace simt {

enum class Access : std::uint8_t { Read, Write, Atomic };

struct SharedArray {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    std::size_t elementBytes = 0;
    std::size_t granule = 0;     // bytes a shadow entry stands for: 1, 2 or 4
    std::size_t firstShadow = 0; // index of its first entry
    bool isTracked = true;       // false once somebody took a plain pointer
};

// Which accesses of other lanes of its warp come before what a lane does now.
class WarpOrder {
public:
    void reset();
    std::uint32_t now() const { return m_now; }
    void meet(std::uint32_t mask); // __syncwarp
    bool isBefore(unsigned lane, unsigned other, std::uint32_t when) const {
        return m_known[lane][other] >= when;
    }

private:
    std::uint32_t m_now = 1;
    std::uint32_t m_known[32][32] =
        {}; // [lane][other]: the last common meeting, also through others
};

struct Accessor {
    unsigned thread = 0;
    std::uint32_t epoch = 0; // barriers passed
    const WarpOrder* warp = nullptr;
    const void* site = nullptr;
};

// A conflict; the executor adds who and where.
struct SharedProblem {
    enum class Kind : std::uint8_t { Bounds, Misaligned, Uninitialised, Pending, Race } kind;
    std::string text;
};

class SharedMemory {
public:
    static constexpr std::size_t kRedzoneBytes = 64;
    static constexpr std::size_t kCapacity = 512 * 1024;
    static constexpr unsigned char kPoison = 0xFF; // a NaN in every float format

    SharedMemory();

    void beginBlock();
    // The array number `index` of the block, made by the first thread that asks; null where this
    // thread asks for another than the first did.
    SharedArray* carve(std::size_t index, std::size_t elementBytes, std::size_t count);

    std::optional<SharedProblem> access(const SharedArray& array, std::int64_t offset,
                                        std::size_t bytes, Access kind, const Accessor& who);
    // An asynchronous copy was begun: nothing there may be read until it has landed.
    void markPending(const SharedArray& array, std::size_t offset, std::size_t bytes);
    void markUntracked(SharedArray& array) { array.isTracked = false; }
    // The first array whose redzone was written to.
    const SharedArray* brokenRedzone() const;
    std::size_t arrays() const { return m_count; }

private:
    struct Shadow {
        const void* writeSite = nullptr;
        const void* readSite = nullptr;
        std::uint32_t writeEpoch = 0, writeTime = 0;
        std::uint32_t readEpoch = 0, readTime = 0, readers = 0; // readers: lanes of readWarp
        std::uint16_t writer = 0, readWarp = 0;
        bool isWritten = false, isPending = false;
        bool hasAtomics = false;     // the last write was atomic ...
        bool hasManyAtomics = false; // ... and others' before it, in the same epoch
        bool hasManyWarps = false;   // of readers
    };

    std::optional<SharedProblem> checkRead(const Shadow& shadow, const Accessor& who) const;
    std::optional<SharedProblem> checkWrite(const Shadow& shadow, Access kind,
                                            const Accessor& who) const;
    static bool isOrdered(const Accessor& who, unsigned other, std::uint32_t when);
    static void noteRead(Shadow& shadow, const Accessor& who);
    static void noteWrite(Shadow& shadow, Access kind, const Accessor& who);

    std::unique_ptr<std::byte[]> m_memory;
    std::size_t m_used = 0;
    std::vector<std::unique_ptr<SharedArray>> m_arrays; // addresses stay
    std::size_t m_count = 0;
    std::vector<Shadow> m_shadow;
};

} // namespace simt
