// Fork-join pool. The calling thread works too; workers spin briefly, then park. One caller at a
// time (the engine thread); resize() and limit() only between two parallelFor calls.
#pragma once

#include <cstdint>
#include <memory>

namespace kernels {

// A borrowed callable: no allocation, valid for the duration of the call it is passed to.
class RangeBody {
public:
    template <class F>
    RangeBody(const F& f) // NOLINT: implicit by design, call sites pass lambdas
        : m_object(&f),
          m_call([](const void* o, std::int64_t b, std::int64_t e, int worker) {
              (*static_cast<const F*>(o))(b, e, worker);
          }) {}
    void operator()(std::int64_t begin, std::int64_t end, int worker) const {
        m_call(m_object, begin, end, worker);
    }

private:
    const void* m_object;
    void (*m_call)(const void*, std::int64_t, std::int64_t, int);
};

class ThreadPool {
public:
    explicit ThreadPool(int threads); // >= 1, caller included
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    int threads() const;
    // Starts and joins threads; all take part then. Throws std::system_error where the system
    // refuses one: there are as many as before then.
    void resize(int threads);
    // How many take part from the next parallelFor on, 1..threads(): the others stay parked.
    void limit(int threads);

    // Calls body(begin, end, worker) over [0, count) in pieces of at least `grain`; returns when
    // all are done. An exception of a body is rethrown here. worker is in [0, threads()).
    void parallelFor(std::int64_t count, std::int64_t grain, RangeBody body);

    // Sum over all workers of the time spent inside bodies, for the busy share. Any thread.
    std::int64_t busyNanoseconds() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace kernels
