// One call of attention: what its plan's tiles read and write. Made by CpuOps, whose workers share
// it; every row merges the sums of its spans in ascending order, whoever computes them.
#pragma once

#include "kernels/cpu/cpu_ops.h"

namespace kernels::cpu {

class CpuOps::AttentionCall {
public:
    // Makes the plan. Throws std::invalid_argument where the arguments disagree.
    AttentionCall(CpuOps& ops, View q, const KvLayer& kv, const AttentionBatch& batch,
                  const AttentionRule& rule, View out);

    // All spans of a tile; the keys of tile `next` are asked for meanwhile.
    void attendTile(std::size_t index, std::size_t next, int worker) const;
    // Split plans: one span, and later what its tile's spans sum up to.
    void attendUnit(AttentionUnit unit, int worker) const;
    void mergeTile(std::size_t index, int worker) const;

private:
    AttentionTile tileOf(const QueryTile& query, int worker) const;
    void attendSpan(const QueryTile& query, std::int32_t index, AttentionTile& tile,
                    float* partial) const;
    const std::byte* firstKeys(std::size_t index) const; // nullptr where there are none

    const KernelTable& m_kernels;
    const AttentionPlan& m_plan;
    View m_q, m_out;
    const KvLayer& m_kv;
    AttentionRule m_rule;
    std::int32_t m_window;
    std::int64_t m_partialFloats = 0; // of one tile or span
    std::int64_t m_scratchFloats = 0; // of a worker, before its partial sums
    WorkerScratch m_scratch;
    float* m_partials = nullptr;
};

} // namespace kernels::cpu
