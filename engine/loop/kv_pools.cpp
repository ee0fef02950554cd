#include "engine/loop/kv_pools.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace engine {

void KvPools::replace(KvCache cache) {
    m_pools.clear();
    open(std::move(cache));
}

void KvPools::open(KvCache cache) {
    m_pools.push_back({.id = m_nextId++, .cache = std::make_unique<KvCache>(std::move(cache))});
}

bool KvPools::reopen(const KvFormat& format, std::int64_t blocks) {
    const auto known = std::ranges::find_if(m_pools, [&](const Pool& pool) {
        return pool.cache->format() == format && pool.cache->blocks() >= blocks;
    });
    if (known == m_pools.end()) {
        return false;
    }
    std::rotate(known, known + 1, m_pools.end());
    return true;
}

bool KvPools::dropUnused(const std::set<std::uint32_t>& used) {
    const std::uint32_t current = currentId();
    return std::erase_if(m_pools, [&](const Pool& pool) {
               return pool.id != current && !used.contains(pool.id);
           }) > 0;
}

void KvPools::claim(std::uint32_t id, std::span<const BlockId> blocks) {
    for (Pool& pool : m_pools) {
        WindowMap* windows = pool.id == id ? nullptr : pool.cache->windows();
        for (const BlockId block : blocks) {
            if (windows != nullptr) {
                windows->drop(block);
            }
        }
    }
}

KvCache& KvPools::of(std::uint32_t id) {
    const auto pool = std::ranges::find(m_pools, id, &Pool::id);
    ensure(pool != m_pools.end(), "a sequence's keys and values have their cache");
    return *pool->cache;
}

std::uint64_t KvPools::bytes() const {
    std::uint64_t sum = 0;
    for (const Pool& pool : m_pools) {
        sum += pool.cache->bytes();
    }
    return sum;
}

} // namespace engine
