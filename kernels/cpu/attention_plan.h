// How a step's attention is cut into units that workers take: query tiles a kv head, and for few
// long sequences their spans of positions too. The cut never changes a result: every row merges the
// sums of its spans in ascending order, whoever computed them. One caller thread.
#pragma once

#include "kernels/cpu/kernel_table.h"
#include "kernels/ops.h"

#include <vector>

namespace kernels::cpu {

struct AttentionSpan {
    std::int32_t firstBlock; // index into AttentionPlan::blocks()
    std::int32_t blockCount;
};

// Query rows of one slice that share the loads of one kv head.
struct QueryTile {
    std::int32_t firstRow; // row of q
    std::int32_t tokens;
    std::int32_t firstToken; // of the slice
    std::int32_t firstPosition;
    std::int32_t kvHead;
    std::int32_t firstSpan; // index into AttentionPlan::spans()
    std::int32_t spanCount;
    std::int64_t firstPartial; // split plans: index of its first span's partial sums
};

struct AttentionUnit {
    std::int32_t tile;
    std::int32_t span; // of the tile; split plans only
};

class AttentionPlan {
public:
    // window: positions that a row sees, its own included. granule: no tile reaches over a multiple
    // of so many positions; 0: any may.
    void make(const AttentionBatch& batch, std::int64_t kvHeads, std::int64_t heads,
              std::int32_t window, std::int32_t granule, int threads);

    const std::vector<QueryTile>& tiles() const { return m_tiles; }
    const std::vector<AttentionSpan>& spans() const { return m_spans; }
    const std::vector<AttentionBlock>& blocks() const { return m_blocks; }
    // Largest first, so that the last ones to be taken are short.
    const std::vector<AttentionUnit>& units() const { return m_units; }
    bool isSplit() const { return m_isSplit; }
    std::int64_t partials() const { return m_partials; }
    int rowsAtMost() const { return m_rowsAtMost; }

private:
    void addSlice(const AttentionSlice& slice, std::int64_t kvHeads, std::int32_t window,
                  std::int32_t granule, int tileTokens);
    void addUnits(int threads);

    std::vector<QueryTile> m_tiles;
    std::vector<AttentionSpan> m_spans;
    std::vector<AttentionBlock> m_blocks;
    std::vector<AttentionUnit> m_units;
    bool m_isSplit = false;
    std::int64_t m_partials = 0;
    int m_rowsAtMost = 0;
};

} // namespace kernels::cpu
