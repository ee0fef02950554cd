// Runs kernels on the CPU: one fiber a CUDA thread, one block after the other, in several orders. A
// fiber runs until it waits for others; whatever a kernel does that a GPU would punish (or worse,
// forgive) is a Finding. One launch at a time; used under the device's lock.
#pragma once

#include "tests/support/simt/arena.h"
#include "tests/support/simt/fiber.h"
#include "tests/support/simt/lane.h"

#include <functional>
#include <memory>
#include <random>

namespace simt {

// In which order threads and blocks run. A correct kernel gives the same result in all of them.
enum class Schedule : std::uint8_t {
    InOrder,
    Reverse,
    Random,
    WarpAhead, // one warp runs as far as it can before any other
};

struct KernelLaunch {
    dim3 grid, block;
    std::size_t sharedBytes = 0;
    const void* kernel = nullptr;
    std::function<void()> body; // the kernel with its arguments, once for each thread
};

class Executor {
public:
    explicit Executor(Arena& arena);
    ~Executor();

    // Throws Finding.
    void run(const KernelLaunch& launch, Schedule schedule, std::uint64_t seed);
    unsigned long switches() const { return m_fibers.switches(); }

    // --- called by the lane that runs ---
    void barrier(Lane& lane, int predicate, const Site& site);
    // Of the last barrier: how many threads gave a predicate that is not zero.
    int predicates() const { return m_predicates; }
    void collective(Lane& lane, const Collective& collective, std::uint32_t mask, void* payload,
                    const Site& site);
    SharedArray* carve(std::size_t index, std::size_t elementBytes, std::size_t count,
                       std::size_t endBytes, const void* site);
    void access(const SharedArray* array, std::int64_t offset, std::size_t bytes, Access kind,
                std::size_t alignment, const void* site);
    SharedMemory& shared() { return m_shared; }
    // Not even temporaries of the calling expression are destroyed: make the text before.
    [[noreturn]] void fail(FindingKind kind, std::string what, const void* instruction);

    // --- called by the signal handler, on the stack of the lane that runs ---
    bool openPage(const void* address) { return m_arena.open(address); }
    // Where the faulting lane goes on: it reports and never comes back.
    void* prepareFault(const void* address, const void* instruction);
    static void reportFault();

private:
    void runBlock(const KernelLaunch& launch, uint3 block);
    void beginBlock(const KernelLaunch& launch, uint3 block);
    void runLane(std::size_t index);
    static void runBody(void* executor, std::size_t index);
    std::optional<std::size_t> chooseNext();
    std::optional<std::size_t> firstReadyFrom(std::size_t index) const;
    std::optional<std::size_t> lastReadyUpTo(std::size_t index) const;
    void setReady(std::size_t index, bool isReady);
    void endLane(Lane& lane);
    void releaseBarrier();
    void tryComplete(unsigned warp, std::uint32_t mask);
    void checkCopies(const Lane& lane);
    void throwDeadlock();
    [[noreturn]] void throwFinding();
    std::string place(const Lane* lane) const;

    Arena& m_arena;
    FiberPool m_fibers;
    SharedMemory m_shared;
    std::vector<std::unique_ptr<Lane>> m_lanes;
    struct Warp {
        WarpOrder order;
        std::uint32_t inCollective = 0, done = 0; // lanes
    };
    std::vector<Warp> m_warps;
    std::vector<std::uint64_t> m_ready; // a bit a lane
    const KernelLaunch* m_launch = nullptr;
    Schedule m_schedule = Schedule::InOrder;
    std::mt19937_64 m_random;
    std::size_t m_count = 0; // lanes of the block
    std::size_t m_done = 0, m_waiting = 0;
    std::size_t m_cursor = 0, m_favoured = 0;
    std::uint32_t m_epoch = 1;
    int m_arriving = 0, m_predicates = 0;

    struct Pending {
        FindingKind kind;
        std::string what;
        const Lane* lane = nullptr;
        const void* instruction = nullptr;
    };
    std::optional<Pending> m_pending;
    const void* m_faultAddress = nullptr;
    const void* m_faultInstruction = nullptr;
};

} // namespace simt
