#include "engine/model/block_chooser.h"

#include <span>

namespace engine {

kernels::AttentionBatch BlockChooser::choose(kernels::Ops& ops, const Batch& batch, kernels::View q,
                                             const kernels::KvLayer& kv, float scale) {
    if (!batch.filled.empty()) {
        ops.boundKeys(kv, batch.filled);
    }
    if (batch.choices.empty()) {
        return {.slices = batch.slices, .blocks = batch.blocks};
    }
    select(ops, batch, q, kv, scale);
    m_slices.clear();
    m_blocks.clear();
    auto choice = batch.choices.begin();
    const std::uint8_t* flags = m_flags.data();
    for (std::size_t i = 0; i < batch.slices.size(); ++i) {
        kernels::AttentionSlice slice = batch.slices[i];
        const auto begin = static_cast<std::int32_t>(m_blocks.size());
        if (choice != batch.choices.end() && static_cast<std::size_t>(choice->slice) == i) {
            addChosen(batch, slice, *choice, flags);
            flags += std::ptrdiff_t{slice.tokens} * choice->count;
            ++choice;
        } else {
            const auto own = batch.blocks.begin() + slice.firstBlock;
            m_blocks.insert(m_blocks.end(), own, own + slice.blockCount);
        }
        slice.firstBlock = begin;
        slice.blockCount = static_cast<std::int32_t>(m_blocks.size()) - begin;
        m_slices.push_back(slice);
    }
    return {.slices = m_slices, .blocks = m_blocks};
}

void BlockChooser::select(kernels::Ops& ops, const Batch& batch, kernels::View q,
                          const kernels::KvLayer& kv, float scale) {
    m_queries.clear();
    m_candidates.clear();
    for (const kernels::BlockRef& candidate : batch.candidates) {
        m_candidates.push_back(candidate.block);
    }
    std::int64_t flags = 0;
    for (const BlockChoice& choice : batch.choices) {
        const kernels::AttentionSlice& slice = batch.slices[static_cast<std::size_t>(choice.slice)];
        for (std::int32_t token = 0; token < slice.tokens; ++token) {
            m_queries.push_back({.row = slice.firstRow + token,
                                 .firstCandidate = choice.firstCandidate,
                                 .count = choice.count,
                                 .keep = choice.keep,
                                 .firstFlag = flags});
            flags += choice.count;
        }
    }
    m_flags.resize(static_cast<std::size_t>(flags));
    ops.selectBlocks(q, kv, m_queries, m_candidates, scale, m_flags);
}

// First ones, what some token chose, and the window, in ascending position.
void BlockChooser::addChosen(const Batch& batch, const kernels::AttentionSlice& slice,
                             const BlockChoice& choice, const std::uint8_t* flags) {
    const std::span candidates = std::span(batch.candidates)
                                     .subspan(static_cast<std::size_t>(choice.firstCandidate),
                                              static_cast<std::size_t>(choice.count));
    const std::span own = std::span(batch.blocks)
                              .subspan(static_cast<std::size_t>(slice.firstBlock),
                                       static_cast<std::size_t>(slice.blockCount));
    for (const kernels::BlockRef& block : own) {
        if (block.firstPosition < candidates.front().firstPosition) {
            m_blocks.push_back(block);
        }
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        kernels::BlockRef block = candidates[i];
        block.tokens = 0;
        for (std::int32_t token = 0; token < slice.tokens; ++token) {
            const std::uint32_t flag =
                flags[static_cast<std::size_t>(token) * candidates.size() + i];
            block.tokens |= flag << static_cast<std::uint32_t>(token);
        }
        if (block.tokens != 0) {
            m_blocks.push_back(block);
        }
    }
    for (const kernels::BlockRef& block : own) {
        if (block.firstPosition > candidates.back().firstPosition) {
            m_blocks.push_back(block);
        }
    }
}

} // namespace engine
