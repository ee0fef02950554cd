#include "kernels/cpu/cpu_ops.h"

#include "kernels/cpu/check_view.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/cpu/cpu_weight.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cstring>

namespace kernels::cpu {

namespace {

// Elements a piece of row work has at least: a microsecond or two, more than handing it to a
// spinning worker costs.
constexpr std::int64_t kGrainElements = 4096;

std::int64_t rowGrain(std::int64_t rowLength) {
    return std::max<std::int64_t>(1, kGrainElements / std::max<std::int64_t>(1, rowLength));
}

const CpuWeight& cpuWeight(const Weight& weight) {
    const auto* own = dynamic_cast<const CpuWeight*>(&weight);
    require(own != nullptr, "the weight was prepared for another device");
    return *own;
}

void checkAddRmsNorm(const View& x, const View& delta, const View& gain, const View& out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(delta) && isF32(gain) && isF32(out) &&
                x.shape.elements() == out.shape.elements() &&
                x.shape.elements() == delta.shape.elements() && gain.shape.elements() == length &&
                out.shape.rowLength() == length,
            "addRmsNorm: x, delta and out are [tokens, D] and gain is [D]");
}

} // namespace

std::unique_ptr<Weight> CpuOps::prepare(const View& fileWeight, WeightLayout layout,
                                        ActivationPrecision precision) {
    return std::make_unique<CpuWeight>(fileWeight, layout, precision, m_packedMemory, m_pool);
}

CpuOps::WorkerScratch CpuOps::workerScratch(std::size_t bytes) {
    const std::size_t stride = (bytes + 63) / 64 * 64;
    const std::size_t needed = stride * static_cast<std::size_t>(m_pool.threads());
    if (m_scratch.bytes() < needed) {
        m_scratch = Buffer();
        m_scratch = Buffer::cpu(Format::I8, Shape{static_cast<std::int64_t>(needed)});
    }
    return WorkerScratch{static_cast<std::byte*>(m_scratch.view().data), stride};
}

void CpuOps::embed(const Weight& table, std::span<const std::int32_t> ids, View out) {
    m_pendingNorm.reset(); // of a step that was interrupted
    const CpuWeight& weight = cpuWeight(table);
    const std::int64_t columns = weight.columns();
    require(isF32(out) && out.shape.rowLength() == columns &&
                out.shape.rows() >= static_cast<std::int64_t>(ids.size()),
            "embed: out is not [tokens, columns of the table]");
    for (const std::int32_t id : ids) {
        require(id >= 0 && id < weight.rows(), "embed: a token id is outside the table");
    }
    m_pool.parallelFor(static_cast<std::int64_t>(ids.size()), rowGrain(4 * columns),
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               weight.unpack(
                                   ids[static_cast<std::size_t>(t)],
                                   {out.f32() + t * columns, static_cast<std::size_t>(columns)});
                           }
                       });
}

void CpuOps::rmsNorm(View x, View gain, float eps, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(gain) && isF32(out) && x.shape.elements() == out.shape.elements() &&
                gain.shape.elements() == length && out.shape.rowLength() == length,
            "rmsNorm: x and out are [tokens, D] and gain is [D]");
    m_pool.parallelFor(x.shape.rows(), rowGrain(length),
                       [&](std::int64_t begin, std::int64_t end, int) {
                           for (std::int64_t t = begin; t < end; ++t) {
                               m_kernels.rmsNormRow(x.f32() + t * length, gain.f32(), eps,
                                                    out.f32() + t * length, length);
                           }
                       });
}

void CpuOps::addRmsNorm(View x, View delta, View gain, float eps, View out) {
    checkAddRmsNorm(x, delta, gain, out);
    const std::int64_t length = x.shape.rowLength();
    m_pool.parallelFor(
        x.shape.rows(), rowGrain(length), [&](std::int64_t begin, std::int64_t end, int) {
            for (std::int64_t t = begin; t < end; ++t) {
                m_kernels.addRmsNormRow(x.f32() + t * length, delta.f32() + t * length, gain.f32(),
                                        eps, out.f32() + t * length, length);
            }
        });
}

void CpuOps::addRmsNormForProduct(View x, View delta, View gain, float eps, View out) {
    checkAddRmsNorm(x, delta, gain, out);
    m_pendingNorm = PendingNorm{.x = x, .delta = delta, .gain = gain, .eps = eps, .out = out};
}

void CpuOps::add(View x, View delta) {
    require(isF32(x) && isF32(delta) && x.shape.elements() == delta.shape.elements(),
            "add: x and delta differ in shape");
    m_pool.parallelFor(x.shape.elements(), kGrainElements,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           m_kernels.addRange(x.f32() + begin, delta.f32() + begin, end - begin);
                       });
}

void CpuOps::siluMul(View gate, View up, View out) {
    require(isF32(gate) && isF32(up) && isF32(out) &&
                gate.shape.elements() == up.shape.elements() &&
                gate.shape.elements() == out.shape.elements(),
            "siluMul: gate, up and out differ in shape");
    m_pool.parallelFor(gate.shape.elements(), kGrainElements / 2,
                       [&](std::int64_t begin, std::int64_t end, int) {
                           m_kernels.siluMulRange(gate.f32() + begin, up.f32() + begin,
                                                  out.f32() + begin, end - begin);
                       });
}

void CpuOps::gatherRows(View x, std::span<const std::int32_t> rows, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(out) && out.shape.rowLength() == length &&
                out.shape.rows() >= static_cast<std::int64_t>(rows.size()),
            "gatherRows: out is not [rows, row length of x]");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(rows[i] >= 0 && rows[i] < x.shape.rows(), "gatherRows: a row is outside x");
        std::memcpy(out.f32() + static_cast<std::int64_t>(i) * length, x.f32() + rows[i] * length,
                    static_cast<std::size_t>(length) * sizeof(float));
    }
}

} // namespace kernels::cpu

namespace kernels {

namespace {

struct IsaChoice {
    std::string_view name;
    bool isAvailable;
    const cpu::KernelTable& (*kernels)();
};

// Best first.
std::array<IsaChoice, 3> isaChoices() {
    const cpu::CpuFeatures features = cpu::cpuFeatures();
    return {IsaChoice{"avx512", features.avx512, cpu::avx512Kernels},
            IsaChoice{"avx2", features.avx2, cpu::avx2Kernels},
            IsaChoice{"scalar", true, cpu::scalarKernels}};
}

} // namespace

std::unique_ptr<Ops> makeCpuOps(ThreadPool& pool, std::string_view isa) {
    for (const IsaChoice& choice : isaChoices()) {
        if (choice.isAvailable && (isa.empty() || isa == choice.name)) {
            return std::make_unique<cpu::CpuOps>(pool, choice.kernels());
        }
    }
    std::string names;
    for (const std::string& name : cpuIsas()) {
        names += (names.empty() ? "" : ", ") + name;
    }
    throw std::invalid_argument("this processor can't run the instruction set \"" +
                                std::string(isa) + "\"; it can run " + names);
}

std::vector<std::string> cpuIsas() {
    std::vector<std::string> names;
    for (const IsaChoice& choice : isaChoices()) {
        if (choice.isAvailable) {
            names.emplace_back(choice.name);
        }
    }
    return names;
}

} // namespace kernels
