// The two halves of a decoder layer as interfaces: attention, which keeps state of past tokens, and
// what follows it. Architectures combine their implementations. Immutable once loaded; the engine
// thread calls them.
#pragma once

#include "engine/kv/kv_cache.h"
#include "engine/model/block_chooser.h"
#include "engine/model/low_rank.h"
#include "engine/model/scratch.h"
#include "engine/schedule/batch.h"
#include "kernels/ops.h"

#include <cstdint>
#include <functional>
#include <span>

namespace engine {

struct StepContext {
    kernels::Ops& ops;
    const Batch& batch;
    const Scratch& scratch;
    BlockChooser& chooser;
    const LowRankScratch& lowRank;
    std::span<const AdapterRows> adapters; // of the rows that blocks are given
};

// A weight, and the part of it that a step of so many tokens is expected to read.
using WeightVisitor = std::function<void(const kernels::Weight& weight, double share)>;

class AttentionBlock {
public:
    virtual ~AttentionBlock() = default;

    // What a token leaves in the cache.
    virtual KvLayerShape kvShape() const = 0;
    virtual std::int64_t width() const = 0; // elements of a row that attend() returns
    virtual void needScratch(Scratch& scratch) const = 0;
    // Stores what this step's tokens leave behind and attends over all.   normed: [tokens, hidden];
    // result: [tokens, width()], in the scratch until the next block runs.
    virtual kernels::View attend(const StepContext& step, const kernels::KvLayer& kv,
                                 kernels::View normed) const = 0;
    // attended: any rows of attend()'s result, [rows, width()]; out: [rows, hidden]
    virtual void project(const StepContext& step, kernels::View attended,
                         kernels::View out) const = 0;
    virtual void eachWeight(std::int64_t tokens, const WeightVisitor& visit) const = 0;
};

class FeedForwardBlock {
public:
    virtual ~FeedForwardBlock() = default;

    virtual void needScratch(Scratch& scratch) const = 0;
    // normed, out: [rows, hidden]
    virtual void apply(const StepContext& step, kernels::View normed, kernels::View out) const = 0;
    virtual void eachWeight(std::int64_t tokens, const WeightVisitor& visit) const = 0;
};

} // namespace engine
