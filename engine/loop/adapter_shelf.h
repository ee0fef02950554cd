// The adapters over one loaded model: read and prepared by a thread of low priority, found by name
// by whoever submits, counted for whoever watches. Any thread; the operators outlive it.
#pragma once

#include "engine/adapters.h"
#include "engine/events.h"
#include "engine/loop/memory_reading.h"
#include "engine/model/adapter.h"
#include "engine/model/adapter_file.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace engine {

class AdapterShelf final : public Adapters {
public:
    // Prepares a matrix for the device that the model runs on; called on the shelf's thread.
    using Prepare = std::function<std::unique_ptr<kernels::Weight>(const kernels::View& matrix)>;
    // Makes the one above, and what it needs, for one file.
    using PrepareMaker = std::function<Prepare()>;

    AdapterShelf(AdapterBase base, PrepareMaker makePrepare, std::shared_ptr<MemoryClaims> memory,
                 std::function<void(Notice)> tell);
    ~AdapterShelf() override; // what waits is refused

    void loadAdapter(std::string name, std::filesystem::path file,
                     std::function<void(Result<AdapterInfo>)> done) override;
    Result<void> unloadAdapter(const std::string& name) override;
    AdapterStatus adapterStatus() const override;
    Result<void> writeSampleAdapter(const std::filesystem::path& file, std::int64_t rank,
                                    std::uint64_t seed) const override;

    struct Figures {
        std::int64_t loaded = 0;
        std::uint64_t bytes = 0; // with the leaving
    };
    Figures figures() const;
    // Null where it is not loaded.
    std::shared_ptr<const Adapter> find(const std::string& name) const;
    // Why a request for it is refused.
    std::string missing(const std::string& name) const;
    // Of the model's weights, for the status.
    void setBaseBytes(std::uint64_t bytes) { m_baseBytes.store(bytes, std::memory_order_relaxed); }

private:
    struct Order {
        std::string name;
        std::filesystem::path file;
        std::function<void(Result<AdapterInfo>)> done;
    };

    void run(const std::stop_token& stop);
    Result<AdapterInfo> take(const Order& order);
    std::shared_ptr<const Adapter> read(const Order& order) const;
    Figures countLocked() const;

    const AdapterBase m_base;
    const PrepareMaker m_makePrepare;
    const std::shared_ptr<MemoryClaims> m_memory;
    const std::function<void(Notice)> m_tell;
    std::atomic<std::uint64_t> m_baseBytes{0}; // relaxed: a figure

    mutable std::mutex m_mutex; // held for look-ups and changes only, never while a file is read
    std::condition_variable_any m_changed;
    std::deque<Order> m_orders;
    std::map<std::string, std::shared_ptr<const Adapter>, std::less<>> m_loaded;
    mutable std::vector<std::weak_ptr<const Adapter>> m_leaving; // some have gone
    std::jthread m_thread;                                       // last
};

} // namespace engine
