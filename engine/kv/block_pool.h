// Which KV blocks are free and which are taken: ids only, no memory. Taking and giving back cost
// O(1) a block. Engine thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace engine {

enum class BlockId : std::int32_t {};

class BlockPool {
public:
    explicit BlockPool(std::int64_t blocks);

    std::int64_t total() const { return static_cast<std::int64_t>(m_isTaken.size()); }
    std::int64_t free() const { return static_cast<std::int64_t>(m_free.size()); }
    std::int64_t used() const { return total() - free(); }
    bool isTaken(BlockId block) const { return m_isTaken[static_cast<std::size_t>(block)]; }

    // Precondition: free() > 0. The block given back last comes first: its memory is warm.
    BlockId acquire();
    // Precondition: the block is taken.
    void release(BlockId block);

    // Compares the pool with the block tables of all sequences: every taken block is in exactly one
    // of them, every free block in none. Empty where all is well, else what is wrong.
    std::optional<std::string> findProblem(std::span<const std::span<const BlockId>> tables) const;

private:
    std::vector<BlockId> m_free; // a stack
    std::vector<bool> m_isTaken;
};

} // namespace engine
