// Which KV blocks are free and how many tables hold each of the others: ids only, no memory.
// Taking, sharing and giving back cost O(1) a block. Engine thread.
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

    std::int64_t total() const { return static_cast<std::int64_t>(m_references.size()); }
    std::int64_t free() const { return static_cast<std::int64_t>(m_free.size()); }
    std::int64_t used() const { return total() - free(); }
    // Further blocks, all free, behind those there are.
    void grow(std::int64_t blocks);
    bool isTaken(BlockId block) const { return references(block) > 0; }

    // With one reference. Precondition: free() > 0. The block given back last comes first: its
    // memory is warm.
    BlockId acquire();
    // One reference more. Precondition: the block is taken.
    void retain(BlockId block);
    // One reference less; free with the last. Precondition: the block is taken.
    void release(BlockId block);
    // 0 for a free block.
    std::int32_t references(BlockId block) const;

    // Compares the pool with the tables that hold its blocks (the prefix cache counts as one): as
    // many entries as references, free blocks in none. Empty where all is well, else what is
    // wrong.
    std::optional<std::string> findProblem(std::span<const std::span<const BlockId>> tables) const;

private:
    std::int32_t& at(BlockId block);

    std::vector<BlockId> m_free; // a stack
    std::vector<std::int32_t> m_references;
};

} // namespace engine
