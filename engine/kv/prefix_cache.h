// Full KV blocks kept for prompts that begin alike. A block's key is a hash over its parent's entry
// and its tokens; a hit compares both, so nothing but the same text of the same tenant matches. The
// cache holds one reference to each of its blocks; those that nobody else holds are idle: they go
// when blocks are needed, the least recently used first, or when their time is over. Entries whose
// blocks were packed have no block until they are restored: found texts end before them. Engine
// thread.
#pragma once

#include "engine/kv/block_packing.h"
#include "engine/kv/block_pool.h"
#include "engine/request.h"

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace engine {

// The chain of entries behind a text's full blocks: its root is the tenant's salt, each further
// link the entry that holds the next block.
using PrefixLink = std::uint64_t;

struct PackedBlock {
    PackedBytes bytes;
    std::size_t plainBytes = 0;
    bool hasBounds = false; // of its keys
};
using PackedPtr = std::shared_ptr<const PackedBlock>;

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
    // An idle block is the last to go now.
    void touch(BlockId block, TimePoint now);

    // Gives the longest idle block back to the pool. Precondition: idle() > 0.
    void evictOne(BlockPool& pool);
    // Gives back what has been idle since before `limit`; how many blocks.
    std::int64_t expire(TimePoint limit, BlockPool& pool);
    // Cold blocks: idle since before `limit`, the oldest first, at most `most`. Whoever packs them
    // holds a reference of each until keepPacked(); they are not idle meanwhile.
    std::vector<BlockId> takeCold(TimePoint limit, std::int64_t most, BlockPool& pool);
    // The packed bytes take the block's place, which is free then; where somebody holds the block
    // again, or `packed` is null, it stays. True where it was packed.
    bool keepPacked(BlockId block, PackedPtr packed, BlockPool& pool, TimePoint now);

    // Of the longest known beginning, what find() does not reach.
    struct Cold {
        std::vector<std::uint64_t> packed; // keys, in order
        std::int64_t restoring = 0;
    };
    Cold findCold(std::uint64_t salt, std::span<const TokenId> tokens) const;
    // The entry gets a free block, which whoever unpacks it holds a reference of until
    // keepRestored(). Precondition: it is packed, pool.free() > 0.
    struct Restore {
        BlockId block{};
        PackedPtr packed;
    };
    Restore beginRestore(std::uint64_t key, BlockPool& pool);
    // Its bytes are there, or not: then the entry goes.
    void keepRestored(std::uint64_t key, BlockId block, bool isThere, BlockPool& pool,
                      TimePoint now);
    // Drops the oldest packed entries until the rest take no more; how many.
    std::int64_t trimPacked(std::uint64_t bytes);

    std::int64_t packed() const { return static_cast<std::int64_t>(m_packed.size()); }
    std::uint64_t packedBytes() const { return m_packedBytes; }     // they take
    std::uint64_t unpackedBytes() const { return m_unpackedBytes; } // they took

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
    enum class Place : std::uint8_t { Block, Packed, Restoring };
    struct Entry {
        PrefixLink parent = 0;
        PrefixLink link = 0; // of this entry, never used twice
        Place place = Place::Block;
        BlockId block{}; // unless packed
        std::vector<TokenId> tokens;
        PackedPtr packed{};
        std::list<std::uint64_t>::iterator inPacked{}; // where it is packed
        TimePoint since{};                             // it is packed
    };
    struct Node { // of a block, in the list of idle ones
        std::uint64_t key = 0;
        std::int32_t before = kNone, after = kNone;
        bool isCached = false, isIdle = false;
        TimePoint since;
    };

    static std::uint64_t keyOf(PrefixLink parent, std::span<const TokenId> tokens);
    const Entry* match(PrefixLink parent, std::span<const TokenId> tokens) const;
    bool isOurs(BlockId block, const BlockPool& pool) const;
    void forgetPacked(Entry& entry);
    void forgetOldestPacked();
    void place(Entry& entry, std::uint64_t key, BlockId block);
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
    std::list<std::uint64_t> m_packed; // keys, the oldest first
    std::uint64_t m_packedBytes = 0;
    std::uint64_t m_unpackedBytes = 0;
};

} // namespace engine
