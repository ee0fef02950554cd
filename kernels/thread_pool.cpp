#include "kernels/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace kernels {

namespace {

using Clock = std::chrono::steady_clock;

// Longer than the gaps between the operators of a step, shorter than anything a person pays for.
constexpr auto kSpinTime = std::chrono::microseconds(60);
// More pieces than workers even out a worker that the system took away or that got harder rows.
constexpr std::int64_t kPiecesPerWorker = 4;
constexpr std::uint64_t kPiecesLeft = 0xFFFFFFFFU; // the low half of a ticket

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#else
    std::this_thread::yield();
#endif
}

// True when isReady() came true while spinning.
template <class IsReady>
bool spinUntil(IsReady isReady) {
    const auto end = Clock::now() + kSpinTime;
    do {
        for (int i = 0; i < 32; ++i) {
            if (isReady()) {
                return true;
            }
            relax();
        }
    } while (Clock::now() < end);
    return isReady();
}

// One cache line each; relaxed, a statistic. More workers than slots share them.
struct alignas(64) BusyTime {
    std::atomic<std::int64_t> nanoseconds{0};
};
constexpr std::size_t kBusySlots = 64;

struct Job {
    const RangeBody* body = nullptr;
    std::int64_t count = 0;
    std::int64_t pieces = 0;
};

} // namespace

struct ThreadPool::State {
    // Number of the job << 32 | pieces nobody has claimed. A piece is claimed by decrementing, so a
    // worker that wakes late finds either nothing or a piece of a job that can't end without it.
    alignas(64) std::atomic<std::uint64_t> ticket{0};
    // Pieces not finished. The caller waits for zero; counting one down publishes its results.
    alignas(64) std::atomic<std::uint32_t> unfinished{0};
    // Changes with every job and on stop; workers park on it.
    alignas(64) std::atomic<std::uint32_t> signal{0};
    std::atomic<bool> isStopping{false};
    // Workers from this number on take nothing. Written before the ticket, read after it.
    std::atomic<int> limit{1};
    // Relaxed: it only saves work, the exception itself travels under the mutex.
    std::atomic<bool> hasFailed{false};

    Job job; // written before the ticket's release, read after acquiring a piece
    std::mutex failureMutex;
    std::exception_ptr failure;
    std::array<BusyTime, kBusySlots> busy;
    std::vector<std::jthread> workers;

    ~State() { stop(); }

    void start(int threads);
    void stop();
    void runWorker(int worker);
    void run(const Job& next);
    void work(int worker);
    void runPiece(std::int64_t piece, int worker);
    // Returns the end of the time that began at `begin`.
    Clock::time_point addBusy(int worker, Clock::time_point begin);
};

void ThreadPool::State::start(int threads) {
    isStopping.store(false);
    limit.store(threads, std::memory_order_relaxed);
    for (int worker = 1; worker < threads; ++worker) {
        workers.emplace_back([this, worker] { runWorker(worker); });
    }
}

void ThreadPool::State::stop() {
    isStopping.store(true);
    signal.fetch_add(1);
    signal.notify_all();
    workers.clear(); // joins
}

void ThreadPool::State::runWorker(int worker) {
    while (true) {
        const std::uint32_t seen = signal.load();
        if (isStopping.load()) {
            return;
        }
        work(worker);
        if (!spinUntil([&] { return signal.load(std::memory_order_relaxed) != seen; })) {
            signal.wait(seen);
        }
    }
}

// Runs a job on all workers, the caller as number 0, and returns when every piece is done.
void ThreadPool::State::run(const Job& next) {
    job = next;
    hasFailed.store(false, std::memory_order_relaxed);
    unfinished.store(static_cast<std::uint32_t>(next.pieces), std::memory_order_relaxed);
    const std::uint64_t number = (ticket.load(std::memory_order_relaxed) >> 32) + 1;
    ticket.store(number << 32 | static_cast<std::uint64_t>(next.pieces));
    signal.fetch_add(1);
    signal.notify_all(); // a system call only where a worker is parked
    work(0);
    if (!spinUntil([&] { return unfinished.load() == 0; })) {
        for (std::uint32_t left = unfinished.load(); left != 0; left = unfinished.load()) {
            unfinished.wait(left);
        }
    }
    if (hasFailed.load(std::memory_order_relaxed)) {
        std::rethrow_exception(std::exchange(failure, nullptr));
    }
}

void ThreadPool::State::work(int worker) {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    auto begin = Clock::now();
    while ((seen & kPiecesLeft) != 0 && worker < limit.load(std::memory_order_relaxed)) {
        if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire)) {
            continue;
        }
        runPiece(job.pieces - static_cast<std::int64_t>(seen & kPiecesLeft), worker);
        begin = addBusy(worker, begin);
        if (unfinished.fetch_sub(1) == 1) {
            unfinished.notify_one();
        }
        seen = ticket.load(std::memory_order_acquire);
    }
}

void ThreadPool::State::runPiece(std::int64_t piece, int worker) {
    if (hasFailed.load(std::memory_order_relaxed)) {
        return;
    }
    try {
        (*job.body)(job.count * piece / job.pieces, job.count * (piece + 1) / job.pieces, worker);
    } catch (...) {
        const std::lock_guard lock(failureMutex);
        if (failure == nullptr) {
            failure = std::current_exception();
        }
        hasFailed.store(true, std::memory_order_relaxed);
    }
}

Clock::time_point ThreadPool::State::addBusy(int worker, Clock::time_point begin) {
    const auto end = Clock::now();
    busy[static_cast<std::size_t>(worker) % kBusySlots].nanoseconds.fetch_add(
        std::chrono::nanoseconds(end - begin).count(), std::memory_order_relaxed);
    return end;
}

ThreadPool::ThreadPool(int threads) : m_state(std::make_unique<State>()) {
    if (threads < 1) {
        throw std::invalid_argument("a thread pool has at least one thread");
    }
    m_state->start(threads);
}

ThreadPool::~ThreadPool() = default;

int ThreadPool::threads() const {
    return static_cast<int>(m_state->workers.size()) + 1;
}

void ThreadPool::resize(int threads) {
    if (threads < 1) {
        throw std::invalid_argument("a thread pool has at least one thread");
    }
    const int before = this->threads();
    if (threads == before) {
        return;
    }
    m_state->stop();
    try {
        m_state->start(threads);
    } catch (...) { // of many threads the system may give some and refuse the next
        m_state->stop();
        m_state->start(before);
        throw;
    }
}

void ThreadPool::limit(int threads) {
    m_state->limit.store(std::clamp(threads, 1, this->threads()), std::memory_order_relaxed);
}

void ThreadPool::parallelFor(std::int64_t count, std::int64_t grain, RangeBody body) {
    if (count <= 0) {
        return;
    }
    const int taking = m_state->limit.load(std::memory_order_relaxed);
    const std::int64_t most = taking == 1 ? 1 : taking * kPiecesPerWorker;
    const std::int64_t pieces =
        std::clamp(count / std::max<std::int64_t>(grain, 1), std::int64_t{1}, most);
    if (pieces == 1) { // work this small wakes no other thread
        const auto begin = Clock::now();
        body(0, count, 0);
        m_state->addBusy(0, begin);
        return;
    }
    m_state->run(Job{.body = &body, .count = count, .pieces = pieces});
}

std::int64_t ThreadPool::busyNanoseconds() const {
    std::int64_t sum = 0;
    for (const BusyTime& slot : m_state->busy) {
        sum += slot.nanoseconds.load(std::memory_order_relaxed);
    }
    return sum;
}

} // namespace kernels
