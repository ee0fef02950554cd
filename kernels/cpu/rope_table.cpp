#include "kernels/cpu/rope_table.h"

#include "kernels/thread_pool.h"

#include <algorithm>
#include <cmath>

namespace kernels::cpu {

bool RopeTable::holds(const RopeSpec& spec, std::span<const std::int32_t> positions) const {
    return m_spec.pairing == spec.pairing && m_spec.magnitude == spec.magnitude &&
           std::equal(positions.begin(), positions.end(), m_positions.begin(), m_positions.end()) &&
           m_spec.frequencies == spec.frequencies;
}

void RopeTable::compute(const RopeSpec& spec, std::span<const std::int32_t> positions,
                        ThreadPool& pool) {
    m_spec = spec;
    m_positions.assign(positions.begin(), positions.end());
    const std::size_t pairs = spec.frequencies.size();
    m_values.resize(positions.size() * pairs * 4);
    const auto magnitude = static_cast<double>(spec.magnitude);
    const bool isInterleaved = spec.pairing == RopePairing::Interleaved;
    pool.parallelFor(
        static_cast<std::int64_t>(positions.size()), 8,
        [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t token = begin; token < end; ++token) {
                float* c = m_values.data() + static_cast<std::size_t>(token) * pairs * 4;
                float* s = c + 2 * pairs;
                const double position = m_positions[static_cast<std::size_t>(token)];
                for (std::size_t i = 0; i < pairs; ++i) {
                    const double angle = position * static_cast<double>(spec.frequencies[i]);
                    const auto cosine = static_cast<float>(std::cos(angle) * magnitude);
                    const auto sine = static_cast<float>(std::sin(angle) * magnitude);
                    if (isInterleaved) {
                        c[2 * i] = c[2 * i + 1] = cosine;
                        s[2 * i] = -sine;
                        s[2 * i + 1] = sine;
                    } else {
                        c[i] = cosine;
                        s[i] = sine;
                    }
                }
            }
        });
}

const RopeTable& RopeTables::find(const RopeSpec& spec, std::span<const std::int32_t> positions,
                                  ThreadPool& pool) {
    for (const RopeTable& table : m_tables) {
        if (table.holds(spec, positions)) {
            return table;
        }
    }
    if (m_tables.size() < kTables) {
        m_tables.emplace_back();
        m_tables.back().compute(spec, positions, pool);
        return m_tables.back();
    }
    RopeTable& table = m_tables[m_oldest++ % kTables];
    table.compute(spec, positions, pool);
    return table;
}

} // namespace kernels::cpu
