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
        if (entry == nullptr) {
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
    if (const Entry* known = match(parent, tokens)) {
        return known->link; // another sequence was first: its block stays, this one is its own
    }
    const std::uint64_t key = keyOf(parent, tokens);
    const PrefixLink link = m_nextLink++;
    if (m_entries.contains(key) || node(block).isCached) {
        return link; // a different text of the same hash: this one is not kept
    }
    m_entries.emplace(key, Entry{.parent = parent,
                                 .link = link,
                                 .block = block,
                                 .tokens = std::vector<TokenId>(tokens.begin(), tokens.end())});
    node(block) = {.key = key, .isCached = true, .since = {}};
    pool.retain(block);
    return link;
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
    return dropped;
}

std::int64_t PrefixCache::reset(BlockPool& pool) {
    const std::vector<BlockId> all = table();
    for (const BlockId block : all) {
        drop(block, pool);
    }
    return static_cast<std::int64_t>(all.size());
}

std::optional<TimePoint> PrefixCache::oldestIdle() const {
    return m_oldest == kNone ? std::nullopt : std::optional(node(BlockId{m_oldest}).since);
}

std::vector<BlockId> PrefixCache::table() const {
    std::vector<BlockId> blocks;
    blocks.reserve(m_entries.size());
    for (const auto& [key, entry] : m_entries) {
        blocks.push_back(entry.block);
    }
    std::ranges::sort(blocks);
    return blocks;
}

} // namespace engine
