// The caches behind the one block pool: the current one, and those of earlier formats that
// sequences still live in. A block id is a place in each of them; only the cache of the sequence
// that holds the block has something there. Engine thread.
#pragma once

#include "engine/kv/kv_cache.h"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <vector>

namespace engine {

class KvPools {
public:
    // The only cache from now on; nothing may hold a block. Returns its id.
    void replace(KvCache cache);
    void clear() { m_pools.clear(); }
    // New sequences begin in this one; the others stay until dropUnused().
    void open(KvCache cache);
    // The same with an earlier one of that format that covers `blocks`; false where there is none.
    bool reopen(const KvFormat& format, std::int64_t blocks);
    // Keeps the current one and those that are named; true where some went.
    bool dropUnused(const std::set<std::uint32_t>& used);

    bool isEmpty() const { return m_pools.empty(); }
    bool isOne() const { return m_pools.size() == 1; }
    KvCache& current() { return *m_pools.back().cache; }
    const KvCache& current() const { return *m_pools.back().cache; }
    std::uint32_t currentId() const { return m_pools.back().id; }
    KvCache& of(std::uint32_t id);
    std::uint64_t bytes() const; // of all
    template <class Use>         // void(std::uint32_t id, KvCache&)
    void each(Use use) {
        for (Pool& pool : m_pools) {
            use(pool.id, *pool.cache);
        }
    }
    // A sequence of that cache has taken them: what windows of another one held there is gone.
    void claim(std::uint32_t id, std::span<const BlockId> blocks);

private:
    struct Pool {
        std::uint32_t id = 0;
        std::unique_ptr<KvCache> cache;
    };
    std::vector<Pool> m_pools; // the last is the current one
    std::uint32_t m_nextId = 1;
};

} // namespace engine
