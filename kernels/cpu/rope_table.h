// Cosines and sines of a step's positions, computed once in double precision and reused by all
// layers of the step that share a RopeSpec. Owned by CpuOps, one caller thread.
#pragma once

#include "kernels/ops.h"

#include <span>
#include <vector>

namespace kernels::cpu {

class RopeTable {
public:
    bool holds(const RopeSpec& spec, std::span<const std::int32_t> positions) const;
    void compute(const RopeSpec& spec, std::span<const std::int32_t> positions, ThreadPool& pool);

    // Interleaved: width values, cosines twice and sines as (-sine, sine) a pair. Halves: one a
    // pair.
    const float* cosines(std::int64_t token) const { return row(token); }
    const float* sines(std::int64_t token) const {
        return row(token) + m_spec.frequencies.size() * 2;
    }

private:
    const float* row(std::int64_t token) const {
        return m_values.data() + static_cast<std::size_t>(token) * m_spec.frequencies.size() * 4;
    }

    RopeSpec m_spec;
    std::vector<std::int32_t> m_positions;
    std::vector<float> m_values;
};

// The few specs a model has (Gemma: local and global layers) with the positions of the last step.
class RopeTables {
public:
    const RopeTable& find(const RopeSpec& spec, std::span<const std::int32_t> positions,
                          ThreadPool& pool);

private:
    static constexpr std::size_t kTables = 4;
    std::vector<RopeTable> m_tables;
    std::size_t m_oldest = 0;
};

} // namespace kernels::cpu
