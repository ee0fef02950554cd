// The CPU's operators over the functions of one instruction set. One caller thread; bodies run on
// the pool. Scratch memory grows to what the largest step needed and stays.
#pragma once

#include "kernels/cpu/activations.h"
#include "kernels/cpu/attention_plan.h"
#include "kernels/cpu/kernel_table.h"
#include "kernels/cpu/packed_memory.h"
#include "kernels/cpu/rope_table.h"
#include "kernels/ops.h"

#include <array>
#include <optional>
#include <vector>

namespace kernels::cpu {

class CpuOps final : public Ops {
public:
    CpuOps(ThreadPool& pool, const KernelTable& kernels) : m_pool(pool), m_kernels(kernels) {}

    Device device() const override { return Device::Cpu; }
    std::string isa() const override { return m_kernels.displayName; }
    Buffer allocate(Format format, Shape shape) override { return Buffer::cpu(format, shape); }
    std::unique_ptr<Weight> prepare(const View& fileWeight, WeightLayout layout,
                                    ActivationPrecision precision) override;

    void embed(const Weight& table, std::span<const std::int32_t> ids, View out) override;
    void rmsNorm(View x, View gain, float eps, View out) override;
    void addRmsNorm(View x, View delta, View gain, float eps, View out) override;
    void addRmsNormForProduct(View x, View delta, View gain, float eps, View out) override;
    void add(View x, View delta) override;
    void matmul(View x, std::span<const Weight* const> weights,
                std::span<const View> outs) override;
    void gatedMatmul(View gate, View up, GateActivation activation,
                     std::span<const Weight* const> weights, std::span<const View> outs) override;
    void ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                      std::span<const std::int32_t> positions, KvSlots slots,
                      const KvLayer& kv) override;
    void attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                   const AttentionRule& rule, View out) override;
    void ropeAndAttend(View q, View k, View v, const RopeSpec& rope,
                       std::span<const std::int32_t> positions, KvSlots slots, const KvLayer& kv,
                       const AttentionBatch& batch, const AttentionRule& rule, View out) override;
    void boundKeys(const KvLayer& kv, std::span<const std::int32_t> blocks) override;
    void selectBlocks(View q, const KvLayer& kv, std::span<const BlockQuery> queries,
                      std::span<const std::int32_t> candidates, float scale,
                      std::span<std::uint8_t> flags) override;
    void siluMul(View gate, View up, View out) override;
    void geluMul(View gate, View up, View out) override;
    void addToRows(View x, View row) override;
    void scale(View x, float factor) override;
    void softCap(View x, float cap) override;
    void matmulGroups(View x, std::span<const std::int32_t> sources,
                      std::span<const RowGroup> groups, std::span<const WeightStack> stacks,
                      std::span<const View> outs) override;
    void routeExperts(View logits, View bias, const RoutingRule& rule,
                      std::span<std::int32_t> experts, View weights) override;
    void mixRows(View x, std::span<const std::int32_t> rows, View weights, View out) override;
    void copyColumns(View from, std::int64_t fromColumn, View to, std::int64_t toColumn,
                     std::int64_t count) override;
    void gatherRows(View x, std::span<const std::int32_t> rows, View out) override;

private:
    struct Product;      // one matmul call, in cpu_matmul.cpp
    struct GroupProduct; // one matmulGroups call, in cpu_matmul_groups.cpp
    class TokenStore;    // one ropeAndStore call, in token_store.h
    class AttentionCall; // one attention call, in attention_call.h
    struct PendingNorm { // what addRmsNormForProduct was asked for
        View x, delta, gain;
        float eps;
        View out;
    };
    void codeChannels(std::span<const std::int32_t> positions, const KvSlots& slots,
                      const KvLayer& kv);
    void multiply(View x, RowMaker make, std::span<const Weight* const> weights,
                  std::span<const View> outs);
    // At least `bytes` of 64-byte aligned memory for each worker, `stride` bytes apart.
    struct WorkerScratch {
        std::byte* of(int worker) const { return base + stride * static_cast<std::size_t>(worker); }
        std::byte* base = nullptr;
        std::size_t stride = 0;
    };
    WorkerScratch workerScratch(std::size_t bytes);
    // The rows that the groups read, group after group: [rows, columns], x itself where it is that.
    const float* gatheredRows(View x, std::span<const std::int32_t> sources,
                              std::span<const RowGroup> groups, std::int64_t columns);

    ThreadPool& m_pool;
    const KernelTable& m_kernels;
    std::array<Activations, 2> m_activations{Activations(1), Activations(2)}; // by precision
    PackedMemory m_packedMemory;
    Buffer m_scratch;
    RopeTables m_ropeTables;
    std::optional<PendingNorm> m_pendingNorm;
    AttentionPlan m_plan;
    Buffer m_partials;
    Buffer m_gathered;
};

} // namespace kernels::cpu
