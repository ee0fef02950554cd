// Sparse attention's lists of blocks as the tokens of a layer choose them by its keys. Its arrays
// keep their memory from step to step. Engine thread.
#pragma once

#include "engine/schedule/batch.h"
#include "kernels/ops.h"

#include <cstdint>
#include <vector>

namespace engine {

class BlockChooser {
public:
    // Whether there is something to choose, or to be bounded for who chooses later.
    static bool isNeeded(const Batch& batch) {
        return !batch.choices.empty() || !batch.filled.empty();
    }
    // What attention reads: lists of this step and layer, or the batch's own where nothing is to be
    // chosen. Valid until the next call. Preconditions: the step's keys are stored, the layer has
    // bounds.
    kernels::AttentionBatch choose(kernels::Ops& ops, const Batch& batch, kernels::View q,
                                   const kernels::KvLayer& kv, float scale);

private:
    void select(kernels::Ops& ops, const Batch& batch, kernels::View q, const kernels::KvLayer& kv,
                float scale);
    void addChosen(const Batch& batch, const kernels::AttentionSlice& slice,
                   const BlockChoice& choice, const std::uint8_t* flags);

    std::vector<kernels::BlockQuery> m_queries;
    std::vector<std::int32_t> m_candidates;
    std::vector<std::uint8_t> m_flags;
    std::vector<kernels::AttentionSlice> m_slices;
    std::vector<kernels::BlockRef> m_blocks;
};

} // namespace engine
