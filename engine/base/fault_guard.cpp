// The only global state of the engine: a signal handler gets no argument of ours, so the ranges it
// may answer for stand in a fixed table of atomics. The handler itself uses atomics and mmap only.
#include "engine/base/fault_guard.h"

#include "engine/base/failure.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <mutex>
#include <signal.h>

namespace engine {

namespace {

struct Slot {
    std::atomic<bool> isTaken{false};
    // begin is stored last (release) and cleared first, so that the handler never sees half a
    // range.
    std::atomic<std::uintptr_t> begin{0};
    std::atomic<std::uintptr_t> end{0};
    std::atomic<bool> hasFaulted{false};
};

constexpr std::size_t kSlots = 1024; // files mapped at once; a split checkpoint has up to hundreds
constinit std::array<Slot, kSlots> slots{};
constinit struct sigaction previousAction {};
constinit std::uintptr_t pageBytes = 4096;

// Zero pages from the faulting one to the end of the range: all of them lie behind the file's end.
bool answer(std::uintptr_t address) {
    for (Slot& slot : slots) {
        const std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
        const std::uintptr_t end = slot.end.load(std::memory_order_relaxed);
        if (begin == 0 || address < begin || address >= end) {
            continue;
        }
        const std::uintptr_t page = address & ~(pageBytes - 1);
        void* const where = reinterpret_cast<void*>(page); // NOLINT: an address from the kernel
        if (mmap(where, end - page, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
            MAP_FAILED) {
            return false;
        }
        slot.hasFaulted.store(true, std::memory_order_release);
        return true;
    }
    return false;
}

void handleFault(int signal, siginfo_t* information, void* context) {
    if (information != nullptr && information->si_code > 0 && information->si_addr != nullptr &&
        answer(reinterpret_cast<std::uintptr_t>(information->si_addr))) {
        return;
    }
    // Not ours: as if we had never been there.
    if ((previousAction.sa_flags & SA_SIGINFO) != 0 && previousAction.sa_sigaction != nullptr) {
        previousAction.sa_sigaction(signal, information, context);
        return;
    }
    if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
        previousAction.sa_handler(signal);
        return;
    }
    ::signal(signal, SIG_DFL);
    if (information == nullptr || information->si_code <= 0) {
        raise(signal); // sent by somebody
    }
    // A real fault: the instruction runs again and ends the process as usual.
}

void installHandler() {
    static std::once_flag once;
    std::call_once(once, [] {
        pageBytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        struct sigaction action {};
        action.sa_sigaction = handleFault;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        sigemptyset(&action.sa_mask);
        sigaction(SIGBUS, &action, &previousAction);
    });
}

} // namespace

FaultGuard::FaultGuard(void* begin, std::size_t bytes) : m_slot(0) {
    installHandler();
    while (m_slot < kSlots && slots[m_slot].isTaken.exchange(true, std::memory_order_acq_rel)) {
        ++m_slot;
    }
    if (m_slot == kSlots) {
        throw Failure(ErrorCode::TooLarge,
                      "Too many files are mapped at once. Close other models.");
    }
    Slot& slot = slots[m_slot];
    const std::uintptr_t rounded = (bytes + pageBytes - 1) & ~(pageBytes - 1);
    slot.hasFaulted.store(false, std::memory_order_relaxed);
    slot.end.store(reinterpret_cast<std::uintptr_t>(begin) + rounded, std::memory_order_relaxed);
    slot.begin.store(reinterpret_cast<std::uintptr_t>(begin), std::memory_order_release);
}

FaultGuard::~FaultGuard() {
    slots[m_slot].begin.store(0, std::memory_order_release);
    slots[m_slot].isTaken.store(false, std::memory_order_release);
}

bool FaultGuard::hasFaulted() const {
    return slots[m_slot].hasFaulted.load(std::memory_order_acquire);
}

} // namespace engine
