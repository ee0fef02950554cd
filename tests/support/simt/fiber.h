// A pool of fibers on one thread: small stacks with a guard page, switched by Boost.Context without
// a system call. A fiber runs the body again and again; whoever owns the pool says when.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace simt {

class FiberPool {
public:
    static constexpr std::size_t kStackBytes = 128 * 1024; // sanitizers make frames large

    // body(owner, index) is one run of a fiber; it may not throw.
    using Body = void (*)(void* owner, std::size_t index);
    FiberPool(Body body, void* owner);
    ~FiberPool();
    FiberPool(const FiberPool&) = delete;
    FiberPool& operator=(const FiberPool&) = delete;

    void prepare(std::size_t count); // makes fibers 0 .. count - 1 exist
    void resume(std::size_t index);  // until it yields or its body ends
    void yield();                    // in a fiber: back to who resumed it
    // Drops what the fibers still had to do, without destructors: their next run begins afresh.
    void abandon();

    bool isGuard(const void* address) const; // below a stack: it overflowed
    void* top(std::size_t index) const;      // a clean place on a dead fiber's stack
    unsigned long switches() const { return m_switches; }

private:
    struct Fiber;

    void begin(Fiber& fiber) const;

    Body m_body;
    void* m_owner;
    std::vector<std::unique_ptr<Fiber>> m_fibers;
    Fiber* m_current = nullptr;
    std::size_t m_index = 0;
    void* m_caller = nullptr; // context of who resumed
    const void* m_callerStack = nullptr;
    std::size_t m_callerStackBytes = 0;
    void* m_callerSanitizer = nullptr;
    unsigned long m_switches = 0;
    friend struct FiberEntry;
};

} // namespace simt
