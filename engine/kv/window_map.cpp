#include "engine/kv/window_map.h"

#include "engine/base/ensure.h"

#include <algorithm>

namespace engine {

WindowMap::WindowMap(std::int64_t blocks, std::int64_t places) {
    m_placeOf.assign(static_cast<std::size_t>(blocks), -1);
    grow(places);
}

void WindowMap::grow(std::int64_t places) {
    for (std::int64_t place = places - 1; place >= m_places; --place) {
        m_free.push_back(static_cast<std::int32_t>(place));
    }
    m_places = std::max(m_places, places);
}

std::int32_t WindowMap::take(BlockId block) {
    std::int32_t& place = m_placeOf[static_cast<std::size_t>(block)];
    if (place < 0) {
        ensure(!m_free.empty(), "windows have a place for every block in sight");
        place = m_free.back();
        m_free.pop_back();
    }
    return place;
}

void WindowMap::drop(BlockId block) {
    std::int32_t& place = m_placeOf[static_cast<std::size_t>(block)];
    if (place >= 0) {
        m_free.push_back(place);
        place = -1;
    }
}

void WindowMap::dropFree(const BlockPool& pool) {
    for (std::size_t block = 0; block < m_placeOf.size(); ++block) {
        if (m_placeOf[block] >= 0 && !pool.isTaken(static_cast<BlockId>(block))) {
            drop(static_cast<BlockId>(block));
        }
    }
}

} // namespace engine
