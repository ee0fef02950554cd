#include "engine/loop/weight_preparer.h"

#include "engine/base/failure.h"
#include "engine/loop/memory_reading.h"
#include "engine/model/registry.h"
#include "kernels/thread_pool.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace engine {

namespace {

// Lower than what serves requests; threads that are started from here inherit it.
void stepBack() {
    constexpr int kNice = 10;
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

// Until they are made. Throws Failure where there is no room.
MemoryClaims::Claim claimFor(const Checkpoint& checkpoint, const WeightOrder& order,
                             MemoryClaims& memory) {
    if (order.precision == WeightPrecision::File && order.layout == kernels::WeightLayout::File) {
        return {}; // computed on the mapped file
    }
    return memory.claim(weightBytesNeeded(checkpoint, order.precision));
}

} // namespace

WeightPreparer::WeightPreparer(std::shared_ptr<MemoryClaims> memory, std::function<void()> wake)
    : m_memory(std::move(memory)),
      m_wake(std::move(wake)),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

WeightPreparer::~WeightPreparer() {
    cancel();
    m_thread.request_stop();
    m_changed.notify_all();
}

void WeightPreparer::order(WeightOrder order) {
    const std::lock_guard lock(m_mutex);
    // What was cancelled is not made to its end.
    const bool isMade = m_making == order.precision && !m_order && !m_makingStop.stop_requested();
    const bool isReady = m_result && m_result->precision == order.precision;
    const bool isOrdered = m_order && m_order->precision == order.precision;
    if (isMade || isReady || isOrdered) {
        return;
    }
    if (m_result) {
        m_gone.push_back(
            {.checkpoint = std::move(m_result->checkpoint), .model = std::move(m_result->model)});
        m_result.reset();
        m_hasResult.store(false, std::memory_order_release);
    }
    m_makingStop.request_stop();
    m_doneBytes.store(0, std::memory_order_relaxed);
    m_begun = Clock::now();
    m_order = std::move(order);
    m_changed.notify_all();
}

void WeightPreparer::cancel() {
    const std::lock_guard lock(m_mutex);
    m_order.reset();
    m_makingStop.request_stop();
    if (m_result) {
        m_gone.push_back(
            {.checkpoint = std::move(m_result->checkpoint), .model = std::move(m_result->model)});
        m_result.reset();
        m_hasResult.store(false, std::memory_order_release);
    }
    m_changed.notify_all();
}

std::optional<PreparedWeights> WeightPreparer::take() {
    const std::lock_guard lock(m_mutex);
    m_hasResult.store(false, std::memory_order_release);
    return std::exchange(m_result, std::nullopt);
}

void WeightPreparer::dispose(std::unique_ptr<Model> model, std::unique_ptr<Checkpoint> checkpoint) {
    const std::lock_guard lock(m_mutex);
    m_gone.push_back({.checkpoint = std::move(checkpoint), .model = std::move(model)});
    m_changed.notify_all();
}

std::optional<WeightPreparer::Progress> WeightPreparer::progress() const {
    const std::lock_guard lock(m_mutex);
    if (!m_order && !m_making && !m_result) {
        return std::nullopt;
    }
    Progress progress;
    const auto done = static_cast<double>(m_doneBytes.load(std::memory_order_relaxed));
    const auto total = static_cast<double>(m_totalBytes.load(std::memory_order_relaxed));
    if (m_result) {
        progress.part = 1.0;
    } else if (m_making && total > 0.0) {
        progress.part = std::min(1.0, done / total);
        const std::chrono::duration<double> passed = Clock::now() - m_begun;
        constexpr double kTooEarly = 0.05; // to tell how long the rest takes
        if (progress.part > kTooEarly) {
            progress.secondsLeft = passed.count() * (1.0 - progress.part) / progress.part;
        }
    }
    return progress;
}

void WeightPreparer::run(const std::stop_token& stop) {
    stepBack();
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        m_changed.wait(lock, stop, [this] { return m_order || !m_gone.empty(); });
        if (!m_gone.empty()) {
            std::vector<Gone> gone = std::exchange(m_gone, {});
            lock.unlock();
            gone.clear(); // unmapping takes a while
            lock.lock();
            continue;
        }
        if (!m_order) {
            continue;
        }
        const WeightOrder order = std::move(*m_order);
        m_order.reset();
        m_making = order.precision;
        m_makingStop = std::stop_source();
        const std::stop_token making = m_makingStop.get_token();
        m_begun = Clock::now();
        lock.unlock();
        PreparedWeights result = make(order, making);
        lock.lock();
        m_making.reset();
        if (making.stop_requested()) {
            m_gone.push_back(
                {.checkpoint = std::move(result.checkpoint), .model = std::move(result.model)});
            continue;
        }
        m_result = std::move(result);
        m_hasResult.store(true, std::memory_order_release);
        lock.unlock();
        m_wake();
        lock.lock();
    }
}

PreparedWeights WeightPreparer::make(const WeightOrder& order, const std::stop_token& stop) {
    const TimePoint begun = Clock::now();
    PreparedWeights result;
    result.precision = order.precision;
    const auto made = atTheDoor([&] {
        // Opened anew: reading and releasing pages is then nobody else's business.
        auto opened = openCheckpoint(order.path, LoadMode::Mmap, stop);
        if (!opened) {
            throw Failure(opened.error().code, opened.error().message);
        }
        result.checkpoint = std::move(*opened);
        if (result.checkpoint->digest() != order.digest) {
            throw Failure(ErrorCode::Corrupt,
                          "The file is not the one that was loaded: load the model again.");
        }
        const auto claim = claimFor(*result.checkpoint, order, *m_memory);
        kernels::ThreadPool pool(order.threads);
        const auto preparing = kernels::makeCpuOps(pool);
        const WeightOptions options{.layout = order.layout,
                                    .precision = order.precision,
                                    .pool = &pool,
                                    .preparing = preparing.get(),
                                    .progress =
                                        [this](std::uint64_t done, std::uint64_t total) {
                                            m_totalBytes.store(total, std::memory_order_relaxed);
                                            m_doneBytes.store(done, std::memory_order_relaxed);
                                        },
                                    .stop = stop};
        result.model = makeModel(*result.checkpoint, *order.ops, options);
        result.model->reserve(order.stepTokens, order.logitRows);
        // A file that was cut short meanwhile reads as zeros.
        if (const auto whole = result.checkpoint->stillWhole(); !whole) {
            throw Failure(whole.error().code, whole.error().message);
        }
        if (order.layout == kernels::WeightLayout::Packed) {
            result.checkpoint.reset();
        }
    });
    if (!made) {
        result.model.reset();
        result.checkpoint.reset();
        result.error = made.error().message;
    }
    result.duration = Clock::now() - begun;
    return result;
}

} // namespace engine
