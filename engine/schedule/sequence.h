// A request as the scheduler sees it: its tokens, its block table and three lengths,
//     0 <= cached <= planned <= known,
// where cached tokens have their keys and values in the pool, planned ones will after this step,
// and known ones are prompt plus answer so far. Everything else is derived. Engine thread.
#pragma once

#include "engine/base/ensure.h"
#include "engine/kv/block_pool.h"
#include "engine/request.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace engine {

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
    // Forgets what is cached; the tokens stay. Returns the blocks for their pool.
    std::vector<BlockId> takeBlocks() {
        m_cached = 0;
        m_planned = 0;
        return std::exchange(m_blocks, {});
    }

    void check(std::int64_t blockTokens) const {
        ensure(0 <= m_cached && m_cached <= m_planned && m_planned <= known(),
               "0 <= cached <= planned <= known");
        ensure(static_cast<std::int64_t>(m_blocks.size()) * blockTokens >= m_planned,
               "every planned token has its block");
    }

    std::optional<TimePoint> deadline;
    bool isCancelled = false;
    // The step in which it last had a slice, arrived, or became the queue's head: who waits longest
    // has the next turn.
    std::uint64_t turn = 0;
    // It has had a slice once; preempted sequences go on even where no new ones may start.
    bool hasStarted = false;

private:
    RequestId m_id;
    std::vector<TokenId> m_tokens;
    std::vector<BlockId> m_blocks;
    std::int64_t m_promptTokens;
    std::int64_t m_answerLimit;
    std::int64_t m_cached = 0;
    std::int64_t m_planned = 0;
};

} // namespace engine
