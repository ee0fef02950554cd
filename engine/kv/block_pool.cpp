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
    m_references.assign(static_cast<std::size_t>(blocks), 0);
    m_free.reserve(m_references.size());
    for (std::int64_t block = blocks - 1; block >= 0; --block) {
        m_free.push_back(static_cast<BlockId>(block));
    }
}

void BlockPool::grow(std::int64_t blocks) {
    ensure(blocks >= total() && blocks <= INT32_MAX, "a pool grows to at most 2^31 - 1 blocks");
    std::vector<BlockId> added; // below those that are warm
    for (std::int64_t block = blocks - 1; block >= total(); --block) {
        added.push_back(static_cast<BlockId>(block));
    }
    m_references.resize(static_cast<std::size_t>(blocks), 0);
    m_free.insert(m_free.begin(), added.begin(), added.end());
}

std::int32_t& BlockPool::at(BlockId block) {
    ensure(index(block) < m_references.size(), "a block that is not of this pool is named");
    return m_references[index(block)];
}

BlockId BlockPool::acquire() {
    ensure(!m_free.empty(), "a block is taken from an empty pool");
    const BlockId block = m_free.back();
    m_free.pop_back();
    at(block) = 1;
    return block;
}

void BlockPool::retain(BlockId block) {
    ensure(at(block) > 0, "a free block is shared");
    ++at(block);
}

void BlockPool::release(BlockId block) {
    ensure(at(block) > 0, "a free block is given back");
    if (--at(block) == 0) {
        m_free.push_back(block);
    }
}

std::int32_t BlockPool::references(BlockId block) const {
    ensure(index(block) < m_references.size(), "a block that is not of this pool is named");
    return m_references[index(block)];
}

std::optional<std::string>
BlockPool::findProblem(std::span<const std::span<const BlockId>> tables) const {
    std::vector<std::int32_t> owners(m_references.size(), 0);
    for (const auto& table : tables) {
        for (const BlockId block : table) {
            if (index(block) >= owners.size()) {
                return fmt::format("block {} is not of this pool", index(block));
            }
            ++owners[index(block)];
        }
    }
    std::vector<int> freeEntries(m_references.size(), 0);
    for (const BlockId block : m_free) {
        ++freeEntries[index(block)];
    }
    for (std::size_t block = 0; block < owners.size(); ++block) {
        const int expectedEntries = m_references[block] == 0 ? 1 : 0;
        if (owners[block] != m_references[block] || freeEntries[block] != expectedEntries) {
            return fmt::format("block {} has {} references, {} owners and {} entries in the free "
                               "list",
                               block, m_references[block], owners[block], freeEntries[block]);
        }
    }
    return std::nullopt;
}

} // namespace engine
