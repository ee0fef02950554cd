#include "tests/support/watched_ops.h"

#include "engine/quality/forwarding_ops.h"

#include <new>
#include <stdexcept>
#include <utility>

namespace tests {

namespace {

class WatchedOps final : public engine::ForwardingOps {
public:
    WatchedOps(std::unique_ptr<kernels::Ops> ops, std::shared_ptr<OpsControl> control)
        : ForwardingOps(std::move(ops)),
          m_control(std::move(control)) {}

    kernels::Buffer allocate(kernels::Format format, kernels::Shape shape) override {
        m_control->enterAllocation(
            kernels::formatBytes(format, static_cast<std::size_t>(shape.elements())));
        return inner().allocate(format, shape);
    }
    void matmul(kernels::View x, std::span<const kernels::Weight* const> weights,
                std::span<const kernels::View> outs) override {
        m_control->enterProduct();
        inner().matmul(x, weights, outs);
    }
    void matmulGroups(kernels::View x, std::span<const std::int32_t> sources,
                      std::span<const kernels::RowGroup> groups,
                      std::span<const kernels::WeightStack> stacks,
                      std::span<const kernels::View> outs) override {
        m_control->enterProduct();
        inner().matmulGroups(x, sources, groups, stacks, outs);
    }
    // As one, as the engine has it: a forwarding one would take it apart.
    void ropeAndAttend(kernels::View q, kernels::View k, kernels::View v,
                       const kernels::RopeSpec& rope, std::span<const std::int32_t> positions,
                       kernels::KvSlots slots, const kernels::KvLayer& kv,
                       const kernels::AttentionBatch& batch, const kernels::AttentionRule& rule,
                       kernels::View out) override {
        inner().ropeAndAttend(q, k, v, rope, positions, slots, kv, batch, rule, out);
    }

private:
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
