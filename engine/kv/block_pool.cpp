#include "engine/kv/block_pool.h"

#include "engine/base/ensure.h"

#include <fmt/format.h>

namespace engine {

namespace {

std::size_t index(BlockId block) {
    return static_cast<std::size_t>(block);
}

} // namespace

BlockPool::BlockPool(std::int64_t blocks) {
    ensure(blocks >= 0 && blocks <= INT32_MAX, "a pool has 0 to 2^31 - 1 blocks");
    m_isTaken.assign(static_cast<std::size_t>(blocks), false);
    m_free.reserve(m_isTaken.size());
    for (std::int64_t block = blocks - 1; block >= 0; --block) {
        m_free.push_back(static_cast<BlockId>(block));
    }
}

BlockId BlockPool::acquire() {
    ensure(!m_free.empty(), "a block is taken from an empty pool");
    const BlockId block = m_free.back();
    m_free.pop_back();
    m_isTaken[index(block)] = true;
    return block;
}

void BlockPool::release(BlockId block) {
    ensure(index(block) < m_isTaken.size(), "a block that is not of this pool is given back");
    ensure(m_isTaken[index(block)], "a free block is given back");
    m_isTaken[index(block)] = false;
    m_free.push_back(block);
}

std::optional<std::string>
BlockPool::findProblem(std::span<const std::span<const BlockId>> tables) const {
    std::vector<int> owners(m_isTaken.size(), 0);
    for (const auto& table : tables) {
        for (const BlockId block : table) {
            if (index(block) >= owners.size()) {
                return fmt::format("block {} is not of this pool", index(block));
            }
            ++owners[index(block)];
        }
    }
    std::vector<int> freeEntries(m_isTaken.size(), 0);
    for (const BlockId block : m_free) {
        ++freeEntries[index(block)];
    }
    for (std::size_t block = 0; block < owners.size(); ++block) {
        const int expectedOwners = m_isTaken[block] ? 1 : 0;
        if (owners[block] != expectedOwners || freeEntries[block] != 1 - expectedOwners) {
            return fmt::format("block {} is {}, has {} owners and {} entries in the free list",
                               block, m_isTaken[block] ? "taken" : "free", owners[block],
                               freeEntries[block]);
        }
    }
    return std::nullopt;
}

} // namespace engine
