#include "tests/support/watched_ops.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace tests {

namespace {

class WatchedOps final : public kernels::Ops {
public:
    WatchedOps(std::unique_ptr<kernels::Ops> ops, std::shared_ptr<OpsControl> control)
        : m_ops(std::move(ops)),
          m_control(std::move(control)) {}

    kernels::Device device() const override { return m_ops->device(); }
    std::string isa() const override { return m_ops->isa(); }
    kernels::Buffer allocate(kernels::Format format, kernels::Shape shape) override {
        m_control->enterAllocation(
            kernels::formatBytes(format, static_cast<std::size_t>(shape.elements())));
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
        m_control->enterProduct();
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
    void ropeAndAttend(kernels::View q, kernels::View k, kernels::View v,
                       const kernels::RopeSpec& rope, std::span<const std::int32_t> positions,
                       kernels::KvSlots slots, const kernels::KvLayer& kv,
                       const kernels::AttentionBatch& batch, const kernels::AttentionRule& rule,
                       kernels::View out) override {
        m_ops->ropeAndAttend(q, k, v, rope, positions, slots, kv, batch, rule, out);
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
        m_control->enterProduct();
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

private:
    std::unique_ptr<kernels::Ops> m_ops;
    std::shared_ptr<OpsControl> m_control;
};

} // namespace

void OpsControl::failNextProduct(std::string reason) {
    const std::lock_guard lock(m_mutex);
    m_reason = std::move(reason);
}

void OpsControl::hold() {
    const std::lock_guard lock(m_mutex);
    m_isHeld = true;
}

void OpsControl::release() {
    {
        const std::lock_guard lock(m_mutex);
        m_isHeld = false;
    }
    m_changed.notify_all();
}

void OpsControl::enterProduct() {
    ++m_products;
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return !m_isHeld; });
    if (!m_reason.empty()) {
        throw std::runtime_error(std::exchange(m_reason, {}));
    }
}

void OpsControl::enterAllocation(std::size_t bytes) {
    ++m_allocations;
    if (bytes > m_largestAllocation) {
        throw std::bad_alloc();
    }
}

std::function<std::unique_ptr<kernels::Ops>(kernels::ThreadPool&)>
watchedOps(std::shared_ptr<OpsControl> control) {
    return [control](kernels::ThreadPool& pool) -> std::unique_ptr<kernels::Ops> {
        return std::make_unique<WatchedOps>(kernels::makeCpuOps(pool), control);
    };
}

} // namespace tests
