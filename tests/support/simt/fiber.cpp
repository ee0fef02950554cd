#include "tests/support/simt/fiber.h"

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

namespace simt {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t kGuardBytes = 4096;
// Where within a page the stacks of neighbours begin: at one place, they'd share a few cache lines.
constexpr std::size_t kColours = 64, kColourBytes = 64;

// What the address sanitizer wants to know of a switch; nothing in other builds.
void beforeSwitch([[maybe_unused]] void** saved, [[maybe_unused]] const void* stack,
                  [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(saved, stack, bytes);
#endif
}

void afterSwitch([[maybe_unused]] void* saved, [[maybe_unused]] const void** stack,
                 [[maybe_unused]] std::size_t* bytes) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(saved, stack, bytes);
#endif
}

// The address sanitizer remembers frames of a stack that is left, even after it was unmapped.
void forgetFrames([[maybe_unused]] const std::byte* stack) {
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(stack, FiberPool::kStackBytes);
#endif
}

} // namespace

struct FiberPool::Fiber {
    Fiber() {
        void* memory = ::mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        ::mprotect(memory, kGuardBytes, PROT_NONE);
        guard = static_cast<std::byte*>(memory);
        stack = guard + kGuardBytes;
        forgetFrames(stack);
    }
    ~Fiber() {
        forgetFrames(stack);
        ::munmap(guard, kGuardBytes + kStackBytes);
#ifdef __SANITIZE_THREAD__
        __tsan_destroy_fiber(thread);
#endif
    }
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    std::byte* guard = nullptr;
    std::byte* stack = nullptr;
    std::size_t unused = 0; // at its top
    context::fcontext_t state = nullptr;
    void* sanitizer = nullptr;
#ifdef __SANITIZE_THREAD__
    void* thread = __tsan_create_fiber(0);
    void* caller = nullptr;
#endif
};

struct FiberEntry {
    static void run(context::transfer_t transfer) {
        auto* pool = static_cast<FiberPool*>(transfer.data);
        pool->m_caller = transfer.fctx;
        afterSwitch(nullptr, &pool->m_callerStack, &pool->m_callerStackBytes);
        for (;;) {
            pool->m_body(pool->m_owner, pool->m_index);
            pool->yield();
        }
    }
};

FiberPool::FiberPool(Body body, void* owner) : m_body(body), m_owner(owner) {}
FiberPool::~FiberPool() = default;

void FiberPool::begin(Fiber& fiber) const {
    fiber.state = context::make_fcontext(fiber.stack + kStackBytes - fiber.unused,
                                         kStackBytes - fiber.unused, &FiberEntry::run);
    fiber.sanitizer = nullptr;
}

void FiberPool::prepare(std::size_t count) {
    while (m_fibers.size() < count) {
        m_fibers.push_back(std::make_unique<Fiber>());
        m_fibers.back()->unused = m_fibers.size() % kColours * kColourBytes;
        begin(*m_fibers.back());
    }
}

void FiberPool::resume(std::size_t index) {
    Fiber& fiber = *m_fibers[index];
    m_index = index;
    m_current = &fiber;
    ++m_switches;
#ifdef __SANITIZE_THREAD__
    fiber.caller = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber.thread, 0);
#endif
    beforeSwitch(&m_callerSanitizer, fiber.stack, kStackBytes);
    fiber.state = context::jump_fcontext(fiber.state, this).fctx;
    afterSwitch(m_callerSanitizer, nullptr, nullptr);
    m_current = nullptr;
}

void FiberPool::yield() {
    Fiber& fiber = *m_current;
    beforeSwitch(&fiber.sanitizer, m_callerStack, m_callerStackBytes);
#ifdef __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber.caller, 0);
#endif
    m_caller = context::jump_fcontext(m_caller, nullptr).fctx;
    afterSwitch(fiber.sanitizer, &m_callerStack, &m_callerStackBytes);
}

void FiberPool::abandon() {
    for (const auto& fiber : m_fibers) {
        forgetFrames(fiber->stack);
        begin(*fiber);
    }
}

bool FiberPool::isGuard(const void* address) const {
    const auto* byte = static_cast<const std::byte*>(address);
    for (const auto& fiber : m_fibers) {
        if (byte >= fiber->guard && byte < fiber->stack) {
            return true;
        }
    }
    return false;
}

void* FiberPool::top(std::size_t index) const {
    forgetFrames(m_fibers[index]->stack);
    return m_fibers[index]->stack + kStackBytes - 256;
}

} // namespace simt
