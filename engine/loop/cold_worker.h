// Packs and unpacks KV blocks beside the engine: one thread of low priority packs, one of normal
// priority unpacks, as a request waits for it. The engine thread orders, takes and drains; whoever
// orders keeps the blocks as they are until the job was taken.
#pragma once

#include "engine/kv/prefix_cache.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace engine {

struct ColdJob {
    BlockId block{};
    std::vector<BlockPart> parts; // of the block
    bool hasBounds = false;       // among them
    std::uint64_t key = 0;        // of the entry that is restored
    PackedPtr packed;             // to be unpacked; or what was packed, null where it could not be
    bool isDone = false;          // else it was drained before its turn, or failed
};

class ColdWorker {
public:
    // `wake` is called from either thread when there is something to take.
    explicit ColdWorker(std::function<void()> wake);
    ~ColdWorker(); // what waits is dropped

    void pack(ColdJob job) { m_packing.order(std::move(job)); }
    void unpack(ColdJob job) { m_unpacking.order(std::move(job)); }
    // What has ended since the last call.
    std::vector<ColdJob> takePacked() { return m_packing.take(); }
    std::vector<ColdJob> takeUnpacked() { return m_unpacking.take(); }
    // Jobs that were ordered and not taken.
    std::int64_t packing() const { return m_packing.open(); }
    std::int64_t unpacking() const { return m_unpacking.open(); }
    // Returns once neither thread touches a block; what had no turn is taken as not done.
    void drain();

private:
    class Line {
    public:
        using Work = void (*)(ColdJob& job);
        Line(Work work, bool isLow, const std::function<void()>& wake);
        ~Line();
        void order(ColdJob job);
        std::vector<ColdJob> take();
        std::int64_t open() const;
        void drain();

    private:
        void run(const std::stop_token& stop);

        Work m_work;
        bool m_isLow;
        const std::function<void()>& m_wake;
        mutable std::mutex m_mutex;
        std::condition_variable_any m_changed;
        std::vector<ColdJob> m_waiting;
        std::vector<ColdJob> m_ended;
        bool m_isAtWork = false;
        std::jthread m_thread; // last
    };

    std::function<void()> m_wake;
    Line m_packing;
    Line m_unpacking;
};

} // namespace engine
