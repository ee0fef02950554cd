// The operators on one CUDA device: kernels on one stream, in the order they are asked for. Views
// of the device's memory (allocate) are used as they are and nothing is waited for; views of the
// CPU's memory are copied there and back, and the operator then returns when its results are there.
// One caller thread. Every operator throws CudaError where the device fails; the next one then
// throws as well, so whoever catches it drops these operators and makes others.
//
// Sums run in one fixed order, so that a row's result never depends on the batch around it: lanes
// take every 32nd group or element in ascending order and are added as a tree.
#pragma once

#include "kernels/cuda/device_memory.h"
#include "kernels/ops.h"

namespace kernels::cuda {

class Call;
class CudaWeight;

class CudaOps final : public Ops {
public:
    // `pool` codes weights and outlives this. Throws CudaError where there is no such device.
    CudaOps(ThreadPool& pool, int device);

    Device device() const override { return Device::Cuda; }
    std::string isa() const override { return m_name; }
    Buffer allocate(Format format, Shape shape) override;
    void copy(View from, View to) override;
    // File is as Packed here: a device can't compute on the file's pages. Same bits.
    std::unique_ptr<Weight> prepare(const View& fileWeight, WeightLayout layout,
                                    ActivationPrecision precision) override;

    void embed(const Weight& table, std::span<const std::int32_t> ids, View out) override;
    void rmsNorm(View x, View gain, float eps, View out) override;
    void addRmsNorm(View x, View delta, View gain, float eps, View out) override;
    void add(View x, View delta) override;
    void matmul(View x, std::span<const Weight* const> weights,
                std::span<const View> outs) override;
    void ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                      std::span<const std::int32_t> positions, KvSlots slots,
                      const KvLayer& kv) override;
    void attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                   const AttentionRule& rule, View out) override;
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
    friend class Call;

    struct RopeTable { // of the last positions of a spec
        RopeSpec spec;
        std::vector<std::int32_t> positions;
        DeviceMemory values; // [tokens, pairs] cosine and sine
    };
    const float2* ropeTable(Call& call, const RopeSpec& rope,
                            std::span<const std::int32_t> positions);
    void gate(View gate, View up, View out, GateActivation activation, const char* message);

    ThreadPool& m_pool;
    int m_device;
    std::string m_name;
    int m_processors = 1;
    Stream m_stream;
    Arena m_arena{m_stream};
    std::vector<RopeTable> m_ropeTables;
    std::size_t m_oldestTable = 0;
};

} // namespace kernels::cuda
