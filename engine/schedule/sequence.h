// A request as the scheduler sees it: its tokens, its block table and three lengths,
//     0 <= cached <= planned <= known,
// where cached tokens have their keys and values in the pool, planned ones will after this step,
// and known ones are prompt plus answer so far. Everything else is derived. Engine thread.
#pragma once

#include "engine/base/ensure.h"
#include "engine/kv/block_pool.h"
#include "engine/kv/prefix_cache.h"
#include "engine/request.h"
#include "engine/schedule/attention_tiers.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace engine {

class Adapter;

class Sequence {
public:
    // answerLimit >= 1: tokens after which the answer ends.
    Sequence(RequestId id, std::vector<TokenId> prompt, std::int64_t answerLimit)
        : m_id(id),
          m_tokens(std::move(prompt)),
          m_promptTokens(static_cast<std::int64_t>(m_tokens.size())),
          m_answerLimit(answerLimit) {
        ensure(m_promptTokens > 0 && answerLimit > 0, "a sequence has a prompt and an answer");
    }

    RequestId id() const { return m_id; }
    std::span<const TokenId> tokens() const { return m_tokens; }
    std::span<const BlockId> blocks() const { return m_blocks; }

    std::int64_t cached() const { return m_cached; }
    std::int64_t planned() const { return m_planned; }
    std::int64_t known() const { return static_cast<std::int64_t>(m_tokens.size()); }
    std::int64_t promptTokens() const { return m_promptTokens; }
    std::int64_t answerLimit() const { return m_answerLimit; }
    std::int64_t outputTokens() const { return known() - m_promptTokens; }
    // Tokens to compute before the next one can be sampled: 1 while it decodes.
    std::int64_t remaining() const { return known() - m_cached; }
    bool isDecoding() const { return remaining() == 1; }
    void limitAnswer(std::int64_t tokens) { m_answerLimit = std::min(m_answerLimit, tokens); }
    void setAnswerLimit(std::int64_t tokens) { m_answerLimit = tokens; }
    bool isAnswerFull() const { return outputTokens() >= m_answerLimit; }

    // Blocks to add so that `tokens` more than the cached ones have their place.
    std::int64_t blocksNeeded(std::int64_t tokens, std::int64_t blockTokens) const {
        const std::int64_t wanted = (m_cached + tokens + blockTokens - 1) / blockTokens;
        return std::max<std::int64_t>(0, wanted - static_cast<std::int64_t>(m_blocks.size()));
    }

    void addBlock(BlockId block) { m_blocks.push_back(block); }
    void commitPlanned(std::int64_t tokens, std::int64_t blockTokens) {
        m_planned = m_cached + tokens;
        check(blockTokens);
    }
    void commitCached() { m_cached = m_planned; }
    void commitToken(TokenId token) { m_tokens.push_back(token); }
    // Blocks of a known beginning, with the links of their texts. Precondition: nothing is cached.
    void adopt(std::vector<BlockId> blocks, std::vector<PrefixLink> chain,
               std::int64_t blockTokens) {
        ensure(m_blocks.empty() && m_cached == 0, "a beginning is taken over at the start");
        m_cached = m_planned = static_cast<std::int64_t>(blocks.size()) * blockTokens;
        m_blocks = std::move(blocks);
        m_chain = std::move(chain);
        check(blockTokens);
    }
    // Of its beginning, what it has had before and gave up: to find that again is no hit.
    std::int64_t givenUp() const { return m_given; }
    // Links of its full blocks as far as the prefix cache was told of them.
    std::vector<PrefixLink>& chain() { return m_chain; }
    // A prompt that is still open, or has just been closed: its tokens behind the first `kept` are
    // others. Returns the blocks that hold nothing of it any more. A block that the prefix cache
    // knows is never written again, so what is cached ends before it.
    std::vector<BlockId> replacePrompt(std::span<const TokenId> tokens, std::int64_t kept,
                                       std::int64_t blockTokens) {
        ensure(outputTokens() == 0 && !tokens.empty(), "only a prompt without an answer changes");
        m_tokens.assign(tokens.begin(), tokens.end());
        m_promptTokens = known();
        m_cached = std::min({m_cached, kept, known()});
        m_given = std::min(m_given, kept);
        const auto full = static_cast<std::size_t>(m_cached / blockTokens);
        if (full < m_chain.size()) {
            m_chain.resize(full);
            m_cached = static_cast<std::int64_t>(full) * blockTokens;
        }
        m_planned = m_cached;
        hitTokens = std::min(hitTokens, m_cached);
        const auto needed = static_cast<std::size_t>((m_cached + blockTokens - 1) / blockTokens);
        std::vector<BlockId> unused;
        if (needed < m_blocks.size()) {
            const auto first = m_blocks.begin() + static_cast<std::ptrdiff_t>(needed);
            unused.assign(first, m_blocks.end());
            m_blocks.erase(first, m_blocks.end());
        }
        check(blockTokens);
        return unused;
    }
    // Forgets what is cached; the tokens stay. Returns the blocks for their pool.
    std::vector<BlockId> takeBlocks() {
        m_given = std::max(m_given, m_cached);
        m_cached = 0;
        m_planned = 0;
        m_chain.clear();
        return std::exchange(m_blocks, {});
    }

    void check(std::int64_t blockTokens) const {
        ensure(0 <= m_cached && m_cached <= m_planned && m_planned <= known(),
               "0 <= cached <= planned <= known");
        ensure(static_cast<std::int64_t>(m_blocks.size()) * blockTokens >= m_planned,
               "every planned token has its block");
    }

    Lane lane = Lane::Realtime;
    TimePoint arrival; // when it came into the queue
    std::optional<TimePoint> deadline;
    bool isCancelled = false;
    bool isOpen = false;              // its prompt is still being written: nothing is sampled
    const Adapter* adapter = nullptr; // its request holds it; null: the model itself
    // Of tenant, adapter and lineage: sequences of different salts share no blocks.
    std::uint64_t salt = 0;
    // What its keys and values were computed with; blocks of an older one than the schedule's are
    // not kept for others.
    std::uint64_t lineage = 0;
    std::uint32_t kv = 0; // the cache that its blocks lie in
    AttentionTiers tiers;
    std::int64_t hitTokens = 0; // found in the prefix cache at its first start
    // The closed batch it belongs to, counted from 1; 0 for none.
    std::uint64_t batch = 0;
    // The step in which it last had a slice, arrived, or became the queue's head: who waits longest
    // has the next turn.
    std::uint64_t turn = 0;
    // Blocks of its beginning are being unpacked: it has no turn until they are there.
    bool isRestoring = false;
    // An open prompt that nobody writes on gave its blocks up, and has no turn until it goes on.
    bool isParked = false;
    // It has had a slice once; preempted sequences go on even where no new ones may start.
    bool hasStarted = false;

private:
    RequestId m_id;
    std::vector<TokenId> m_tokens;
    std::vector<BlockId> m_blocks;
    std::vector<PrefixLink> m_chain;
    std::int64_t m_promptTokens;
    std::int64_t m_answerLimit;
    std::int64_t m_cached = 0;
    std::int64_t m_planned = 0;
    std::int64_t m_given = 0;
};

} // namespace engine
