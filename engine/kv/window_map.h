// Which memory holds the tokens that layers with a window can still see: a block of the pool has a
// place only while one of its tokens is inside the window of what comes next. Ids only, no memory.
// Engine thread.
#pragma once

#include "engine/kv/block_pool.h"

#include <cstdint>
#include <vector>

namespace engine {

class WindowMap {
public:
    WindowMap() = default;
    WindowMap(std::int64_t blocks, std::int64_t places);

    std::int64_t places() const { return m_places; }
    std::int64_t free() const { return static_cast<std::int64_t>(m_free.size()); }
    // Adds places behind those there are.
    void grow(std::int64_t places);

    // The block's place, which it gets where it has none. Precondition: free() > 0 then.
    std::int32_t take(BlockId block);
    // -1: none.
    std::int32_t find(BlockId block) const { return m_placeOf[static_cast<std::size_t>(block)]; }
    void drop(BlockId block);
    // Of blocks that nobody owns any more.
    void dropFree(const BlockPool& pool);

private:
    std::vector<std::int32_t> m_placeOf; // of every block; -1: none
    std::vector<std::int32_t> m_free;    // a stack
    std::int64_t m_places = 0;
};

} // namespace engine
