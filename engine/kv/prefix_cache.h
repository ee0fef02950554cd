// Full KV blocks kept for prompts that begin alike. A block's key is a hash over its parent's entry
// and its tokens; a hit compares both, so nothing but the same text of the same tenant matches. The
// cache holds one reference to each of its blocks; those that nobody else holds are idle: they go
// when blocks are needed, the least recently used first, or when their time is over. Engine thread.
#pragma once

#include "engine/kv/block_pool.h"
#include "engine/request.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

// The chain of entries behind a text's full blocks: its root is the tenant's salt, each further
// link the entry that holds the next block.
using PrefixLink = std::uint64_t;

class PrefixCache {
public:
    PrefixCache() = default;
    PrefixCache(std::int64_t blocks, std::int64_t blockTokens);

    // The pool has grown to so many blocks.
    void grow(std::int64_t blocks) { m_nodes.resize(static_cast<std::size_t>(blocks)); }

    // Blocks of the longest known beginning of `tokens`, always leaving one token to compute: the
    // next one is sampled from its logits.
    std::vector<BlockId> find(std::uint64_t salt, std::span<const TokenId> tokens) const;
    // Of a chain's blocks, those that are idle: taking them leaves fewer blocks for others.
    std::int64_t idleAmong(std::span<const BlockId> blocks) const;

    // Takes a full block in, with a reference of its own, where its text is not known yet. Returns
    // the link for the next block of that text.
    PrefixLink insert(PrefixLink parent, std::span<const TokenId> tokens, BlockId block,
                      BlockPool& pool);
    static PrefixLink root(std::uint64_t salt) { return salt; }
    // The links of blocks that find() returned.
    PrefixLink linkOf(BlockId block) const;

    // Somebody holds the block again; or nobody but the cache does.
    void noteHeld(BlockId block);
    void noteIdle(BlockId block, TimePoint now);

    // Gives the longest idle block back to the pool. Precondition: idle() > 0.
    void evictOne(BlockPool& pool);
    // Gives back what has been idle since before `limit`; how many blocks.
    std::int64_t expire(TimePoint limit, BlockPool& pool);
    // Forgets everything, blocks in use as well; how many blocks.
    std::int64_t reset(BlockPool& pool);

    bool holds(BlockId block) const { return !m_entries.empty() && node(block).isCached; }
    std::int64_t idle() const { return m_idle; }
    std::int64_t blocks() const { return static_cast<std::int64_t>(m_entries.size()); }
    std::optional<TimePoint> oldestIdle() const;
    // For comparing the books with the pool.
    std::vector<BlockId> table() const;

private:
    static constexpr std::int32_t kNone = -1;
    struct Entry {
        PrefixLink parent = 0;
        PrefixLink link = 0; // of this entry, never used twice
        BlockId block{};
        std::vector<TokenId> tokens;
    };
    struct Node { // of a block, in the list of idle ones
        std::uint64_t key = 0;
        std::int32_t before = kNone, after = kNone;
        bool isCached = false, isIdle = false;
        TimePoint since;
    };

    static std::uint64_t keyOf(PrefixLink parent, std::span<const TokenId> tokens);
    const Entry* match(PrefixLink parent, std::span<const TokenId> tokens) const;
    Node& node(BlockId block) { return m_nodes[static_cast<std::size_t>(block)]; }
    const Node& node(BlockId block) const { return m_nodes[static_cast<std::size_t>(block)]; }
    void unlink(BlockId block);
    void drop(BlockId block, BlockPool& pool);

    std::int64_t m_blockTokens = 64;
    std::unordered_map<std::uint64_t, Entry> m_entries; // by key
    std::vector<Node> m_nodes;                          // by block
    std::int32_t m_oldest = kNone, m_newest = kNone;
    std::int64_t m_idle = 0;
    PrefixLink m_nextLink = 0;
};

} // namespace engine
