// Which blocks of keys a query looks at, by what the keys of a block can score at most.
#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_ops.h"
#include "kernels/half.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

namespace kernels::cpu {

namespace {

bool hasBounds(const KvLayer& kv, std::int64_t keyDim) {
    const bool isKnown =
        isPlainCoding(kv.keyCoding) || (kv.keyCoding == KvCoding::Row8 && kv.plainTail == 0);
    return isKnown && isF32(kv.bounds) && kv.bounds.data != nullptr &&
           kv.bounds.shape.rank() == 4 && kv.bounds.shape[0] == kv.keys.shape[0] &&
           kv.bounds.shape[1] == kv.keys.shape[1] && kv.bounds.shape[2] == 2 &&
           kv.bounds.shape[3] == keyDim;
}

// Keys of one block and head as they are stored.
class StoredKeys {
public:
    StoredKeys(const KvLayer& kv, std::int64_t block, std::int64_t head)
        : m_coding(kv.keyCoding),
          m_tokens(kv.blockTokens()),
          m_dim(kv.bounds.shape[3]),
          m_rowBytes(kvRowBytes(m_coding, m_dim, 0)),
          m_data(static_cast<const std::byte*>(kv.keys.data) +
                 (block * kv.keys.shape[1] + head) * m_tokens * m_rowBytes) {}

    void read(std::int64_t token, float* out) const {
        const std::byte* row = m_data + token * m_rowBytes;
        if (m_coding == KvCoding::F32) {
            std::memcpy(out, row, static_cast<std::size_t>(m_dim) * sizeof(float));
        } else if (m_coding == KvCoding::Row8) {
            float scale;
            std::memcpy(&scale, row + kvCodedElements(m_dim, 0), sizeof scale);
            for (std::int64_t d = 0; d < m_dim; ++d) {
                out[d] = scale * static_cast<float>(static_cast<std::int8_t>(row[d]));
            }
        } else {
            const bool isByChannel = m_coding == KvCoding::Channel16;
            const auto* halves = reinterpret_cast<const std::uint16_t*>(isByChannel ? m_data : row);
            for (std::int64_t d = 0; d < m_dim; ++d) {
                out[d] = floatFromHalf(halves[isByChannel ? d * m_tokens + token : d]);
            }
        }
    }

private:
    KvCoding m_coding;
    std::int64_t m_tokens, m_dim, m_rowBytes;
    const std::byte* m_data;
};

float* boundsOf(const KvLayer& kv, std::int64_t block, std::int64_t head) {
    return kv.bounds.f32() + (block * kv.bounds.shape[1] + head) * 2 * kv.bounds.shape[3];
}

// Adds exp(scores - their largest) / the sum of these; what is no number is as small as can be.
void addShares(std::vector<float>& scores, std::vector<float>& sums) {
    float largest = -std::numeric_limits<float>::infinity();
    for (float& score : scores) {
        score = std::isnan(score) ? -std::numeric_limits<float>::infinity() : score;
        largest = std::max(largest, score);
    }
    if (!std::isfinite(largest)) {
        return;
    }
    float total = 0.0F;
    for (float& score : scores) {
        score = std::exp(score - largest);
        total += score;
    }
    for (std::size_t i = 0; i < scores.size(); ++i) {
        sums[i] += scores[i] / total;
    }
}

void flagLargest(const std::vector<float>& sums, std::size_t keep, std::vector<std::int32_t>& order,
                 std::uint8_t* flags) {
    order.resize(sums.size());
    std::iota(order.begin(), order.end(), 0);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(keep);
    if (end != order.end()) {
        std::nth_element(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
            const float first = sums[static_cast<std::size_t>(a)];
            const float second = sums[static_cast<std::size_t>(b)];
            return first != second ? first > second : a < b;
        });
    }
    std::fill_n(flags, sums.size(), std::uint8_t{0});
    std::for_each(order.begin(), end, [flags](std::int32_t i) { flags[i] = 1; });
}

} // namespace

void CpuOps::boundKeys(const KvLayer& kv, std::span<const std::int32_t> blocks) {
    require(kv.bounds.shape.rank() == 4 && hasBounds(kv, kv.bounds.shape[3]),
            "boundKeys: bounds are [blocks, kvHeads, 2, keyDim] of keys in F32, F16 or INT8");
    for (const std::int32_t block : blocks) {
        require(block >= 0 && block < kv.keys.shape[0], "boundKeys: a block is outside the cache");
    }
    const std::int64_t heads = kv.keys.shape[1];
    const std::int64_t dim = kv.bounds.shape[3];
    m_pool.parallelFor(
        std::ssize(blocks) * heads, 1, [&](std::int64_t begin, std::int64_t end, int) {
            std::vector<float> row(static_cast<std::size_t>(dim));
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t block = blocks[static_cast<std::size_t>(i / heads)];
                const StoredKeys keys(kv, block, i % heads);
                float* least = boundsOf(kv, block, i % heads);
                float* greatest = least + dim;
                keys.read(0, least);
                std::copy_n(least, dim, greatest);
                for (std::int64_t token = 1; token < kv.blockTokens(); ++token) {
                    keys.read(token, row.data());
                    for (std::int64_t d = 0; d < dim; ++d) {
                        least[d] = std::min(least[d], row[static_cast<std::size_t>(d)]);
                        greatest[d] = std::max(greatest[d], row[static_cast<std::size_t>(d)]);
                    }
                }
            }
        });
}

void CpuOps::selectBlocks(View q, const KvLayer& kv, std::span<const BlockQuery> queries,
                          std::span<const std::int32_t> candidates, float scale,
                          std::span<std::uint8_t> flags) {
    require(isF32(q) && q.shape.rank() == 3 && hasBounds(kv, q.shape[2]) &&
                q.shape[1] % kv.keys.shape[1] == 0,
            "selectBlocks: q is [tokens, heads, keyDim] in F32, of a layer with bounds");
    for (const std::int32_t block : candidates) {
        require(block >= 0 && block < kv.keys.shape[0],
                "selectBlocks: a candidate is outside the cache");
    }
    for (const BlockQuery& query : queries) {
        require(query.row >= 0 && query.row < q.shape[0] && query.firstCandidate >= 0 &&
                    query.count >= 0 && query.keep >= 0 && query.keep <= query.count &&
                    std::int64_t{query.firstCandidate} + query.count <= std::ssize(candidates) &&
                    query.firstFlag >= 0 && query.firstFlag + query.count <= std::ssize(flags),
                "selectBlocks: a query reaches outside q, the candidates or the flags");
    }
    const std::int64_t heads = q.shape[1];
    const std::int64_t dim = q.shape[2];
    const std::int64_t group = heads / kv.keys.shape[1];
    m_pool.parallelFor(std::ssize(queries), 1, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<float> scores, sums;
        std::vector<std::int32_t> order;
        for (std::int64_t i = begin; i < end; ++i) {
            const BlockQuery& query = queries[static_cast<std::size_t>(i)];
            const auto of = candidates.subspan(static_cast<std::size_t>(query.firstCandidate),
                                               static_cast<std::size_t>(query.count));
            scores.resize(of.size());
            sums.assign(of.size(), 0.0F);
            for (std::int64_t head = 0; head < heads; ++head) {
                const float* row = q.f32() + (query.row * heads + head) * dim;
                for (std::size_t c = 0; c < of.size(); ++c) {
                    const float* least = boundsOf(kv, of[c], head / group);
                    scores[c] = scale * m_kernels.largestScore(row, least, least + dim,
                                                               static_cast<int>(dim));
                }
                addShares(scores, sums);
            }
            flagLargest(sums, static_cast<std::size_t>(query.keep), order,
                        flags.data() + query.firstFlag);
        }
    });
}

} // namespace kernels::cpu
