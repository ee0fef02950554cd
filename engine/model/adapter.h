// A low-rank adapter, bound to the projections of one model and prepared for its device: the output
// of a projection becomes W x + scale * B (A x), in F32. Immutable once made; any thread. Whoever
// computes with it shares it, so that it outlives its place among the loaded ones.
#pragma once

#include "engine/adapters.h"
#include "kernels/ops.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

constexpr std::int64_t kMostAdapterRank = 512;

// A matrix of a model that an adapter may add to.
struct ProjectionSite {
    std::string name; // "blk.3.attn_q"
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct LowRankPair {
    std::unique_ptr<kernels::Weight> a; // [rank, columns]
    std::unique_ptr<kernels::Weight> b; // [rows, rank]
    float scale = 1.0F;

    std::int64_t rank() const { return a->rows(); }
};

class Adapter {
public:
    // By the name of its projection.
    using Pairs = std::unordered_map<std::string, LowRankPair>;

    Adapter(AdapterInfo info, Pairs pairs) : m_info(std::move(info)), m_pairs(std::move(pairs)) {}

    const AdapterInfo& info() const { return m_info; }
    // Null where it adds nothing to that projection.
    const LowRankPair* find(const std::string& projection) const {
        const auto found = m_pairs.find(projection);
        return found == m_pairs.end() ? nullptr : &found->second;
    }

private:
    AdapterInfo m_info;
    Pairs m_pairs;
};

} // namespace engine
