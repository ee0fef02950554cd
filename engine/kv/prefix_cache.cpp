#include "engine/kv/prefix_cache.h"

#include "engine/base/ensure.h"

#include <xxhash.h>

#include <algorithm>

namespace engine {

namespace {

// Salts are roots, links are counted from here: the two can be told apart.
constexpr PrefixLink kFirstLink = PrefixLink{1} << 63U;

} // namespace

PrefixCache::PrefixCache(std::int64_t blocks, std::int64_t blockTokens)
    : m_blockTokens(blockTokens),
      m_nodes(static_cast<std::size_t>(blocks)),
      m_nextLink(kFirstLink) {}

std::uint64_t PrefixCache::keyOf(PrefixLink parent, std::span<const TokenId> tokens) {
    return XXH3_64bits_withSeed(tokens.data(), tokens.size_bytes(), parent);
}

const PrefixCache::Entry* PrefixCache::match(PrefixLink parent,
                                             std::span<const TokenId> tokens) const {
    const auto found = m_entries.find(keyOf(parent, tokens));
    if (found == m_entries.end() || found->second.parent != parent ||
        !std::ranges::equal(found->second.tokens, tokens)) {
        return nullptr;
    }
    return &found->second;
}

std::vector<BlockId> PrefixCache::find(std::uint64_t salt, std::span<const TokenId> tokens) const {
    std::vector<BlockId> blocks;
    if (m_entries.empty()) {
        return blocks;
    }
    const auto block = static_cast<std::size_t>(m_blockTokens);
    PrefixLink parent = root(salt);
    for (std::size_t begin = 0; begin + block < tokens.size(); begin += block) {
        const Entry* entry = match(parent, tokens.subspan(begin, block));
        if (entry == nullptr || entry->place != Place::Block) {
            break;
        }
        blocks.push_back(entry->block);
        parent = entry->link;
    }
    return blocks;
}

std::int64_t PrefixCache::idleAmong(std::span<const BlockId> blocks) const {
    return std::ranges::count_if(blocks, [this](BlockId block) { return node(block).isIdle; });
}

PrefixLink PrefixCache::insert(PrefixLink parent, std::span<const TokenId> tokens, BlockId block,
                               BlockPool& pool) {
    ensure(static_cast<std::int64_t>(tokens.size()) == m_blockTokens, "only full blocks are kept");
    const std::uint64_t key = keyOf(parent, tokens);
    if (const Entry* known = match(parent, tokens)) {
        if (known->place == Place::Packed && !node(block).isCached) {
            Entry& entry = m_entries.at(key); // computed anew: no need to unpack it
            forgetPacked(entry);
            place(entry, key, block);
            pool.retain(block);
        }
        return known->link; // else another was first: its block stays, this one is its own
    }
    const PrefixLink link = m_nextLink++;
    if (m_entries.contains(key) || node(block).isCached) {
        return link; // a different text of the same hash: this one is not kept
    }
    const auto added =
        m_entries.emplace(key, Entry{.parent = parent,
                                     .link = link,
                                     .tokens = std::vector<TokenId>(tokens.begin(), tokens.end())});
    place(added.first->second, key, block);
    pool.retain(block);
    return link;
}

void PrefixCache::place(Entry& entry, std::uint64_t key, BlockId block) {
    entry.place = Place::Block;
    entry.block = block;
    node(block) = {.key = key, .isCached = true, .since = {}};
}

PrefixLink PrefixCache::linkOf(BlockId block) const {
    ensure(node(block).isCached, "a block of the cache has a link");
    return m_entries.at(node(block).key).link;
}

void PrefixCache::noteHeld(BlockId block) {
    if (node(block).isIdle) {
        unlink(block);
    }
}

void PrefixCache::noteIdle(BlockId block, TimePoint now) {
    if (!holds(block) || node(block).isIdle) {
        return;
    }
    Node& idle = node(block);
    idle.isIdle = true;
    idle.since = now;
    idle.before = m_newest;
    idle.after = kNone;
    const auto index = static_cast<std::int32_t>(block);
    if (m_newest != kNone) {
        m_nodes[static_cast<std::size_t>(m_newest)].after = index;
    } else {
        m_oldest = index;
    }
    m_newest = index;
    ++m_idle;
}

void PrefixCache::touch(BlockId block, TimePoint now) {
    if (node(block).isIdle) {
        unlink(block);
        noteIdle(block, now);
    }
}

void PrefixCache::unlink(BlockId block) {
    Node& gone = node(block);
    (gone.before == kNone ? m_oldest : m_nodes[static_cast<std::size_t>(gone.before)].after) =
        gone.after;
    (gone.after == kNone ? m_newest : m_nodes[static_cast<std::size_t>(gone.after)].before) =
        gone.before;
    gone.before = gone.after = kNone;
    gone.isIdle = false;
    --m_idle;
}

void PrefixCache::drop(BlockId block, BlockPool& pool) {
    if (node(block).isIdle) {
        unlink(block);
    }
    m_entries.erase(node(block).key);
    node(block) = {};
    pool.release(block);
}

void PrefixCache::evictOne(BlockPool& pool) {
    ensure(m_idle > 0, "a block is evicted from a cache without idle ones");
    drop(BlockId{m_oldest}, pool);
}

std::int64_t PrefixCache::expire(TimePoint limit, BlockPool& pool) {
    std::int64_t dropped = 0;
    while (m_oldest != kNone && node(BlockId{m_oldest}).since < limit) {
        drop(BlockId{m_oldest}, pool);
        ++dropped;
    }
    while (!m_packed.empty() && m_entries.at(m_packed.front()).since < limit) {
        forgetOldestPacked();
        ++dropped;
    }
    return dropped;
}

std::int64_t PrefixCache::reset(BlockPool& pool) {
    const std::int64_t known = blocks();
    for (const BlockId block : table()) {
        if (node(block).isCached) {
            drop(block, pool);
        } else {
            pool.release(block); // being restored: whoever writes it holds it still
        }
    }
    m_entries.clear();
    m_packed.clear();
    m_packedBytes = m_unpackedBytes = 0;
    return known;
}

std::optional<TimePoint> PrefixCache::oldestIdle() const {
    return m_oldest == kNone ? std::nullopt : std::optional(node(BlockId{m_oldest}).since);
}

std::vector<BlockId> PrefixCache::table() const {
    std::vector<BlockId> blocks;
    blocks.reserve(m_entries.size());
    for (const auto& [key, entry] : m_entries) {
        if (entry.place != Place::Packed) {
            blocks.push_back(entry.block);
        }
    }
    std::ranges::sort(blocks);
    return blocks;
}

// Whether the block, beside the one reference of who works on it, is the cache's alone.
bool PrefixCache::isOurs(BlockId block, const BlockPool& pool) const {
    constexpr std::int32_t kOursAndTheirs = 2;
    return node(block).isCached && pool.references(block) == kOursAndTheirs;
}

std::vector<BlockId> PrefixCache::takeCold(TimePoint limit, std::int64_t most, BlockPool& pool) {
    std::vector<BlockId> blocks;
    while (m_oldest != kNone && node(BlockId{m_oldest}).since < limit &&
           static_cast<std::int64_t>(blocks.size()) < most) {
        const BlockId block{m_oldest};
        unlink(block);
        pool.retain(block);
        blocks.push_back(block);
    }
    return blocks;
}

bool PrefixCache::keepPacked(BlockId block, PackedPtr packed, BlockPool& pool, TimePoint now) {
    const bool isAlone = isOurs(block, pool);
    const bool pays = packed != nullptr && packed->bytes.size() < packed->plainBytes;
    if (!isAlone || !pays) {
        pool.release(block);
        if (isAlone) {
            noteIdle(block, now);
        }
        return false;
    }
    const std::uint64_t key = node(block).key;
    Entry& entry = m_entries.at(key);
    entry.place = Place::Packed;
    entry.block = {};
    entry.packed = std::move(packed);
    entry.since = node(block).since;
    entry.inPacked = m_packed.insert(m_packed.end(), key);
    m_packedBytes += entry.packed->bytes.size();
    m_unpackedBytes += entry.packed->plainBytes;
    node(block) = {};
    pool.release(block);
    pool.release(block);
    return true;
}

void PrefixCache::forgetPacked(Entry& entry) {
    m_packedBytes -= entry.packed->bytes.size();
    m_unpackedBytes -= entry.packed->plainBytes;
    m_packed.erase(entry.inPacked);
    entry.packed.reset();
}

void PrefixCache::forgetOldestPacked() {
    const std::uint64_t key = m_packed.front();
    forgetPacked(m_entries.at(key));
    m_entries.erase(key);
}

PrefixCache::Cold PrefixCache::findCold(std::uint64_t salt, std::span<const TokenId> tokens) const {
    Cold cold;
    const auto block = static_cast<std::size_t>(m_blockTokens);
    PrefixLink parent = root(salt);
    for (std::size_t begin = 0; begin + block < tokens.size(); begin += block) {
        const Entry* entry = match(parent, tokens.subspan(begin, block));
        if (entry == nullptr) {
            break;
        }
        if (entry->place == Place::Packed) {
            cold.packed.push_back(keyOf(parent, tokens.subspan(begin, block)));
        }
        cold.restoring += entry->place == Place::Restoring ? 1 : 0;
        parent = entry->link;
    }
    return cold;
}

PrefixCache::Restore PrefixCache::beginRestore(std::uint64_t key, BlockPool& pool) {
    Entry& entry = m_entries.at(key);
    ensure(entry.place == Place::Packed, "what is packed is unpacked");
    const PackedPtr packed = entry.packed;
    forgetPacked(entry);
    entry.place = Place::Restoring;
    entry.block = pool.acquire();
    pool.retain(entry.block);
    return {.block = entry.block, .packed = packed};
}

void PrefixCache::keepRestored(std::uint64_t key, BlockId block, bool isThere, BlockPool& pool,
                               TimePoint now) {
    pool.release(block);
    const auto found = m_entries.find(key);
    if (found == m_entries.end() || found->second.place != Place::Restoring ||
        found->second.block != block) {
        return; // forgotten meanwhile
    }
    if (!isThere) {
        m_entries.erase(found);
        pool.release(block);
        return;
    }
    place(found->second, key, block);
    noteIdle(block, now);
}

std::int64_t PrefixCache::trimPacked(std::uint64_t bytes) {
    std::int64_t dropped = 0;
    for (; m_packedBytes > bytes; ++dropped) {
        forgetOldestPacked();
    }
    return dropped;
}

} // namespace engine
