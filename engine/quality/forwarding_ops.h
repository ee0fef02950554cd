// Operators that hand everything on to others: the base of those that look at, or change, what goes
// into products. What Ops puts together from other operators stays put together from these.
#pragma once

#include "kernels/ops.h"

#include <memory>
#include <utility>

namespace engine {

class ForwardingOps : public kernels::Ops {
public:
    explicit ForwardingOps(std::unique_ptr<kernels::Ops> ops) : m_ops(std::move(ops)) {}

    kernels::Device device() const override { return m_ops->device(); }
    std::string isa() const override { return m_ops->isa(); }
    kernels::Buffer allocate(kernels::Format format, kernels::Shape shape) override {
        return m_ops->allocate(format, shape);
    }
    void copy(kernels::View from, kernels::View to) override { m_ops->copy(from, to); }
    std::unique_ptr<kernels::Weight> prepare(const kernels::View& weight,
                                             kernels::WeightLayout layout,
                                             kernels::ActivationPrecision precision) override {
        return m_ops->prepare(weight, layout, precision);
    }
    void embed(const kernels::Weight& table, std::span<const std::int32_t> ids,
               kernels::View out) override {
        m_ops->embed(table, ids, out);
    }
    void rmsNorm(kernels::View x, kernels::View gain, float eps, kernels::View out) override {
        m_ops->rmsNorm(x, gain, eps, out);
    }
    void addRmsNorm(kernels::View x, kernels::View delta, kernels::View gain, float eps,
                    kernels::View out) override {
        m_ops->addRmsNorm(x, delta, gain, eps, out);
    }
    void add(kernels::View x, kernels::View delta) override { m_ops->add(x, delta); }
    void matmul(kernels::View x, std::span<const kernels::Weight* const> weights,
                std::span<const kernels::View> outs) override {
        m_ops->matmul(x, weights, outs);
    }
    void ropeAndStore(kernels::View q, kernels::View k, kernels::View v,
                      const kernels::RopeSpec& rope, std::span<const std::int32_t> positions,
                      kernels::KvSlots slots, const kernels::KvLayer& kv) override {
        m_ops->ropeAndStore(q, k, v, rope, positions, slots, kv);
    }
    void attention(kernels::View q, const kernels::KvLayer& kv,
                   const kernels::AttentionBatch& batch, const kernels::AttentionRule& rule,
                   kernels::View out) override {
        m_ops->attention(q, kv, batch, rule, out);
    }
    void boundKeys(const kernels::KvLayer& kv, std::span<const std::int32_t> blocks) override {
        m_ops->boundKeys(kv, blocks);
    }
    void selectBlocks(kernels::View q, const kernels::KvLayer& kv,
                      std::span<const kernels::BlockQuery> queries,
                      std::span<const std::int32_t> candidates, float scale,
                      std::span<std::uint8_t> flags) override {
        m_ops->selectBlocks(q, kv, queries, candidates, scale, flags);
    }
    void siluMul(kernels::View gate, kernels::View up, kernels::View out) override {
        m_ops->siluMul(gate, up, out);
    }
    void geluMul(kernels::View gate, kernels::View up, kernels::View out) override {
        m_ops->geluMul(gate, up, out);
    }
    void addToRows(kernels::View x, kernels::View row) override { m_ops->addToRows(x, row); }
    void scale(kernels::View x, float factor) override { m_ops->scale(x, factor); }
    void softCap(kernels::View x, float cap) override { m_ops->softCap(x, cap); }
    void matmulGroups(kernels::View x, std::span<const std::int32_t> sources,
                      std::span<const kernels::RowGroup> groups,
                      std::span<const kernels::WeightStack> stacks,
                      std::span<const kernels::View> outs) override {
        m_ops->matmulGroups(x, sources, groups, stacks, outs);
    }
    void routeExperts(kernels::View logits, kernels::View bias, const kernels::RoutingRule& rule,
                      std::span<std::int32_t> experts, kernels::View weights) override {
        m_ops->routeExperts(logits, bias, rule, experts, weights);
    }
    void mixRows(kernels::View x, std::span<const std::int32_t> rows, kernels::View weights,
                 kernels::View out) override {
        m_ops->mixRows(x, rows, weights, out);
    }
    void copyColumns(kernels::View from, std::int64_t fromColumn, kernels::View to,
                     std::int64_t toColumn, std::int64_t count) override {
        m_ops->copyColumns(from, fromColumn, to, toColumn, count);
    }
    void gatherRows(kernels::View x, std::span<const std::int32_t> rows,
                    kernels::View out) override {
        m_ops->gatherRows(x, rows, out);
    }

protected:
    kernels::Ops& inner() { return *m_ops; }

private:
    std::unique_ptr<kernels::Ops> m_ops;
};

} // namespace engine
