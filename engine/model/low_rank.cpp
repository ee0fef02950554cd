#include "engine/model/low_rank.h"

#include "engine/base/ensure.h"
#include "engine/model/adapter.h"
#include "engine/model/block.h"
#include "engine/model/layers.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace engine {

namespace {

// Rows [first, first + count).
kernels::View rowsOf(kernels::View view, std::int64_t first, std::int64_t count) {
    const std::size_t skipped = view.first(first).bytes();
    view.data = static_cast<std::byte*>(view.data) + skipped;
    view.shape = {count, view.shape.rowLength()};
    return view;
}

struct Piece {
    const Adapter& adapter;
    std::int64_t first = 0;
    std::int64_t count = 0;
};

void addPiece(const StepContext& step, const Piece& piece,
              std::span<const Projection* const> projections, kernels::View x,
              std::span<const kernels::View> outs) {
    std::array<const kernels::Weight*, LowRankScratch::kShared> inner{};
    std::array<kernels::View, LowRankScratch::kShared> lows{};
    std::array<const LowRankPair*, LowRankScratch::kShared> pairs{};
    std::array<std::size_t, LowRankScratch::kShared> places{};
    std::size_t found = 0;
    for (std::size_t i = 0; i < projections.size(); ++i) {
        if (const LowRankPair* pair = piece.adapter.find(projections[i]->name)) {
            pairs[found] = pair;
            inner[found] = pair->a.get();
            lows[found] = step.lowRank.low(found, piece.count, pair->rank());
            places[found] = i;
            ++found;
        }
    }
    if (found == 0) {
        return;
    }
    step.ops.matmul(rowsOf(x, piece.first, piece.count), std::span(inner).first(found),
                    std::span(lows).first(found));
    for (std::size_t i = 0; i < found; ++i) {
        if (pairs[i]->scale != 1.0F) {
            step.ops.scale(lows[i], pairs[i]->scale);
        }
        const kernels::View delta = step.lowRank.delta(piece.count, pairs[i]->b->rows());
        const std::array<const kernels::Weight*, 1> outer = {pairs[i]->b.get()};
        step.ops.matmul(lows[i], outer, std::array{delta});
        step.ops.add(rowsOf(outs[places[i]], piece.first, piece.count), delta);
    }
}

} // namespace

void LowRankScratch::reserve(kernels::Ops& ops, std::int64_t widest) {
    kernels::Buffer low = m_low;
    if (!low) {
        low = ops.allocate(kernels::Format::F32,
                           {static_cast<std::int64_t>(kShared) * kRows, kMostAdapterRank});
    }
    if (!m_delta || m_delta.view().shape.rowLength() < widest) {
        m_delta = ops.allocate(kernels::Format::F32, {kRows, widest});
    }
    m_low = std::move(low);
}

kernels::View LowRankScratch::low(std::size_t i, std::int64_t count, std::int64_t rank) const {
    ensure(i < kShared && count <= kRows && rank <= kMostAdapterRank, "a piece fits its scratch");
    kernels::View view = rowsOf(m_low.view(), static_cast<std::int64_t>(i) * kRows, count);
    view.shape = {count, rank};
    return view;
}

kernels::View LowRankScratch::delta(std::int64_t count, std::int64_t width) const {
    ensure(count <= kRows && width <= m_delta.view().shape.rowLength(), "a piece fits its scratch");
    kernels::View view = m_delta.view();
    view.shape = {count, width};
    return view;
}

bool isAdapted(const StepContext& step, const Projection& projection) {
    return std::ranges::any_of(step.adapters, [&](const AdapterRows& rows) {
        return rows.adapter->find(projection.name) != nullptr;
    });
}

void addLowRank(const StepContext& step, std::span<const Projection* const> projections,
                kernels::View x, std::span<const kernels::View> outs) {
    ensure(projections.size() <= LowRankScratch::kShared, "few projections share a row");
    for (const AdapterRows& rows : step.adapters) {
        for (std::int64_t done = 0; done < rows.count; done += LowRankScratch::kRows) {
            addPiece(step,
                     {.adapter = *rows.adapter,
                      .first = rows.first + done,
                      .count = std::min(LowRankScratch::kRows, rows.count - done)},
                     projections, x, outs);
        }
    }
}

} // namespace engine
