// What adapters add to the output of projections, for the rows of a step that ask for it. Engine
// thread.
#pragma once

#include "engine/schedule/batch.h"
#include "kernels/ops.h"

#include <cstdint>
#include <span>

namespace engine {

struct Projection;
struct StepContext;

// Memory of one piece of rows; owned by the model.
class LowRankScratch {
public:
    static constexpr std::int64_t kRows = 64; // computed together
    static constexpr std::size_t kShared = 4; // projections of the same rows

    // For projections of at most so many rows. Throws std::bad_alloc, and then it is as it was.
    void reserve(kernels::Ops& ops, std::int64_t widest);
    // [count, rank] of the i-th of those that share their rows; [count, width].
    kernels::View low(std::size_t i, std::int64_t count, std::int64_t rank) const;
    kernels::View delta(std::int64_t count, std::int64_t width) const;

private:
    kernels::Buffer m_low, m_delta;
};

// outs[i] += scale * (x * A^T) * B^T of each projection's pair, in the rows of each adapter. A
// row's result depends on the row and its adapter alone.   x: [rows, columns]; outs[i]: [rows,
// rows_i]
void addLowRank(const StepContext& step, std::span<const Projection* const> projections,
                kernels::View x, std::span<const kernels::View> outs);

// Whether an adapter of this step adds to the projection.
bool isAdapted(const StepContext& step, const Projection& projection);

} // namespace engine
