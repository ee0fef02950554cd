#include "kernels/reference/reference_kv.h"

#include <algorithm>
#include <cmath>

namespace kernels::reference {

Numbers boundKeys(const KvLayer& kv, std::int64_t keyDim) {
    const Numbers keys = decodeRows(kv.keys, kv.keyCoding, keyDim, kv.plainTail);
    const std::int64_t tokens = kv.blockTokens();
    Numbers bounds;
    for (std::int64_t lists = 0; lists < kv.keys.shape[0] * kv.keys.shape[1]; ++lists) {
        for (const bool isGreatest : {false, true}) {
            for (std::int64_t d = 0; d < keyDim; ++d) {
                double bound = keys[static_cast<std::size_t>(lists * tokens * keyDim + d)];
                for (std::int64_t t = 1; t < tokens; ++t) {
                    const double key =
                        keys[static_cast<std::size_t>((lists * tokens + t) * keyDim + d)];
                    bound = isGreatest ? std::max(bound, key) : std::min(bound, key);
                }
                bounds.push_back(bound);
            }
        }
    }
    return bounds;
}

Numbers blockShares(const View& q, const KvLayer& kv, const BlockQuery& query,
                    std::span<const std::int32_t> candidates, double scale) {
    const std::int64_t heads = q.shape[1];
    const std::int64_t dim = q.shape[2];
    const std::int64_t kvHeads = kv.keys.shape[1];
    const Numbers queries = decode(q);
    const Numbers bounds = boundKeys(kv, dim);
    Numbers shares(static_cast<std::size_t>(query.count));
    for (std::int64_t head = 0; head < heads; ++head) {
        Numbers scores;
        for (std::int32_t c = 0; c < query.count; ++c) {
            const std::int64_t block =
                candidates[static_cast<std::size_t>(query.firstCandidate + c)];
            const std::int64_t at = (block * kvHeads + head / (heads / kvHeads)) * 2 * dim;
            double score = 0.0;
            for (std::int64_t d = 0; d < dim; ++d) {
                const double factor =
                    queries[static_cast<std::size_t>((query.row * heads + head) * dim + d)];
                score += std::max(factor * bounds[static_cast<std::size_t>(at + d)],
                                  factor * bounds[static_cast<std::size_t>(at + dim + d)]);
            }
            scores.push_back(scale * score);
        }
        const double largest =
            scores.empty() ? 0.0 : *std::max_element(scores.begin(), scores.end());
        double total = 0.0;
        for (double& score : scores) {
            score = std::exp(score - largest);
            total += score;
        }
        for (std::size_t i = 0; i < scores.size(); ++i) {
            shares[i] += scores[i] / total;
        }
    }
    return shares;
}

} // namespace kernels::reference
