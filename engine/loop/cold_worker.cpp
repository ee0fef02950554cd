#include "engine/loop/cold_worker.h"

#include <sys/resource.h>
#include <unistd.h>

#include <exception>

namespace engine {

namespace {

void packOne(ColdJob& job) {
    auto packed = std::make_shared<PackedBlock>();
    packed->bytes = packBlock(job.parts);
    packed->plainBytes = plainBytes(job.parts);
    packed->hasBounds = job.hasBounds;
    job.packed = std::move(packed);
    job.isDone = true;
}

void unpackOne(ColdJob& job) {
    job.isDone = unpackBlock(job.packed->bytes, job.parts);
}

} // namespace

ColdWorker::Line::Line(Work work, bool isLow, const std::function<void()>& wake)
    : m_work(work),
      m_isLow(isLow),
      m_wake(wake),
      m_thread([this](const std::stop_token& stop) { run(stop); }) {}

ColdWorker::Line::~Line() {
    m_thread.request_stop();
    m_changed.notify_all();
}

void ColdWorker::Line::order(ColdJob job) {
    const std::lock_guard lock(m_mutex);
    m_waiting.push_back(std::move(job));
    m_changed.notify_all();
}

std::vector<ColdJob> ColdWorker::Line::take() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_ended, {});
}

std::int64_t ColdWorker::Line::open() const {
    const std::lock_guard lock(m_mutex);
    return static_cast<std::int64_t>(m_waiting.size() + m_ended.size()) + (m_isAtWork ? 1 : 0);
}

void ColdWorker::Line::drain() {
    std::unique_lock lock(m_mutex);
    for (ColdJob& job : m_waiting) {
        m_ended.push_back(std::move(job));
    }
    m_waiting.clear();
    m_changed.wait(lock, [this] { return !m_isAtWork; });
}

void ColdWorker::Line::run(const std::stop_token& stop) {
    if (m_isLow) {
        constexpr int kNice = 10;
        setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    }
    std::unique_lock lock(m_mutex);
    while (m_changed.wait(lock, stop, [this] { return !m_waiting.empty(); })) {
        ColdJob job = std::move(m_waiting.front());
        m_waiting.erase(m_waiting.begin());
        m_isAtWork = true;
        lock.unlock();
        try {
            m_work(job);
        } catch (const std::exception&) {
            job.isDone = false; // no memory: the block stays as it is, or is computed again
        }
        lock.lock();
        m_isAtWork = false;
        m_ended.push_back(std::move(job));
        m_changed.notify_all();
        lock.unlock();
        m_wake();
        lock.lock();
        if (stop.stop_requested()) {
            return;
        }
    }
}

ColdWorker::ColdWorker(std::function<void()> wake)
    : m_wake(std::move(wake)),
      m_packing(packOne, true, m_wake),
      m_unpacking(unpackOne, false, m_wake) {}

ColdWorker::~ColdWorker() = default;

void ColdWorker::drain() {
    m_packing.drain();
    m_unpacking.drain();
}

} // namespace engine
