#include "kernels/thread_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
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

// Pieces [begin, end) of a job that nobody has claimed, in one word with the job's number: job <<
// 32 | begin << 16 | end.
struct Ticket {
    std::uint32_t job;
    std::uint16_t begin;
    std::uint16_t end;

    static Ticket of(std::uint64_t word) {
        return {static_cast<std::uint32_t>(word >> 32), static_cast<std::uint16_t>(word >> 16),
                static_cast<std::uint16_t>(word)};
    }
    std::uint64_t word() const {
        return std::uint64_t{job} << 32 | std::uint64_t{begin} << 16 | end;
    }
};
constexpr std::int64_t kMostPieces = 0xFFFF;

// A worker's own pieces: it takes them in ascending order, so that what it reads next lies behind
// what it reads now and what it wrote is in its own cache in the next job; others that have none
// left take the last.
struct alignas(64) Share {
    std::atomic<std::uint64_t> ticket{0};
};

} // namespace

struct ThreadPool::State {
    // One a worker. A piece is claimed by exchanging the ticket, so a worker that wakes late finds
    // either nothing or a piece of a job that can't end without it.
    std::unique_ptr<Share[]> shares;
    int shareCount = 0;
    std::uint32_t jobNumber = 0; // the caller's
    // Pieces not finished. The caller waits for zero; counting one down publishes its results.
    alignas(64) std::atomic<std::uint32_t> unfinished{0};
    // Changes with every job and on stop; workers park on it.
    alignas(64) std::atomic<std::uint32_t> signal{0};
    std::atomic<bool> isStopping{false};
    // Workers from this number on take nothing. Written before the tickets, read after them.
    std::atomic<int> limit{1};
    // Relaxed: it only saves work, the exception itself travels under the mutex.
    std::atomic<bool> hasFailed{false};

    Job job; // written before the tickets' release, read after acquiring a piece
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
    std::optional<std::int64_t> claim(Share& share, int worker, bool isOwn);
    void runPiece(std::int64_t piece, int worker);
    void addBusy(int worker, Clock::time_point begin);
};

void ThreadPool::State::start(int threads) {
    isStopping.store(false);
    limit.store(threads, std::memory_order_relaxed);
    shares = std::make_unique<Share[]>(static_cast<std::size_t>(threads));
    shareCount = threads;
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
    ++jobNumber;
    const std::int64_t taking = limit.load(std::memory_order_relaxed);
    for (std::int64_t i = 0; i < shareCount; ++i) {
        const auto edge = [&](std::int64_t share) {
            return static_cast<std::uint16_t>(next.pieces * std::min(share, taking) / taking);
        };
        const Ticket own{.job = jobNumber, .begin = edge(i), .end = edge(i + 1)};
        shares[static_cast<std::size_t>(i)].ticket.store(own.word());
    }
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

// Own pieces first, then those of the next workers round. They count as finished together: a job
// waits for all of them anyway.
void ThreadPool::State::work(int worker) {
    std::uint32_t finished = 0;
    Clock::time_point begin;
    for (int i = 0; i < shareCount; ++i) {
        Share& share = shares[static_cast<std::size_t>((worker + i) % shareCount)];
        while (const auto piece = claim(share, worker, i == 0)) {
            if (finished++ == 0) {
                begin = Clock::now();
            }
            runPiece(*piece, worker);
        }
    }
    if (finished == 0) {
        return;
    }
    addBusy(worker, begin);
    if (unfinished.fetch_sub(finished) == finished) {
        unfinished.notify_one();
    }
}

std::optional<std::int64_t> ThreadPool::State::claim(Share& share, int worker, bool isOwn) {
    std::uint64_t seen = share.ticket.load(std::memory_order_acquire);
    while (true) {
        Ticket left = Ticket::of(seen);
        if (left.begin >= left.end || worker >= limit.load(std::memory_order_relaxed)) {
            return std::nullopt;
        }
        const std::int64_t piece = isOwn ? left.begin++ : --left.end;
        if (share.ticket.compare_exchange_weak(seen, left.word(), std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
            return piece;
        }
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

void ThreadPool::State::addBusy(int worker, Clock::time_point begin) {
    busy[static_cast<std::size_t>(worker) % kBusySlots].nanoseconds.fetch_add(
        std::chrono::nanoseconds(Clock::now() - begin).count(), std::memory_order_relaxed);
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
    const std::int64_t most = taking == 1 ? 1 : std::min(taking * kPiecesPerWorker, kMostPieces);
    std::int64_t pieces =
        std::clamp(count / std::max<std::int64_t>(grain, 1), std::int64_t{1}, most);
    if (pieces > taking) { // equal shares
        pieces -= pieces % taking;
    }
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
