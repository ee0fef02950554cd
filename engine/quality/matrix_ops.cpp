#include "engine/quality/matrix_ops.h"

#include "engine/base/failure.h"
#include "engine/model/weight_precision.h"
#include "engine/quality/forwarding_ops.h"
#include "kernels/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace engine {

namespace {

using kernels::Buffer;
using kernels::View;
using kernels::Weight;

constexpr float kSteps = 127.0F;

class RangeOps final : public ForwardingOps {
public:
    RangeOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names, Calibration& calibration)
        : ForwardingOps(std::move(ops)),
          m_names(names),
          m_calibration(calibration) {}

    std::unique_ptr<Weight> prepare(const View& weight, kernels::WeightLayout layout,
                                    kernels::ActivationPrecision precision) override {
        auto prepared = inner().prepare(weight, layout, precision);
        m_names.names[prepared.get()] = m_names.current;
        return prepared;
    }

    void matmul(View x, std::span<const Weight* const> weights,
                std::span<const View> outs) override {
        const std::int64_t columns = x.shape.rowLength();
        m_largest.assign(static_cast<std::size_t>(columns), 0.0F);
        for (std::int64_t row = 0; row < x.shape[0]; ++row) {
            note(x.f32() + row * columns);
        }
        for (const Weight* weight : weights) {
            keep(weight);
        }
        inner().matmul(x, weights, outs);
    }

    void matmulGroups(View x, std::span<const std::int32_t> sources,
                      std::span<const kernels::RowGroup> groups,
                      std::span<const kernels::WeightStack> stacks,
                      std::span<const View> outs) override {
        const std::int64_t stride = x.shape.rowLength();
        for (const kernels::WeightStack& stack : stacks) {
            for (const kernels::RowGroup& group : groups) {
                const Weight* weight = stack[static_cast<std::size_t>(group.weight)].get();
                m_largest.assign(static_cast<std::size_t>(weight->columns()), 0.0F);
                for (std::int32_t i = 0; i < group.rows; ++i) {
                    const std::int32_t at = group.firstSource + i * group.sourceStep;
                    const std::int64_t row =
                        sources.empty() ? at : sources[static_cast<std::size_t>(at)];
                    note(x.f32() + row * stride);
                }
                keep(weight);
            }
        }
        inner().matmulGroups(x, sources, groups, stacks, outs);
    }

private:
    void note(const float* row) {
        for (std::size_t i = 0; i < m_largest.size(); ++i) {
            m_largest[i] = std::max(m_largest[i], std::abs(row[i]));
        }
    }
    void keep(const Weight* weight) {
        const auto name = m_names.names.find(weight);
        if (name == m_names.names.end()) {
            return;
        }
        std::vector<float>& known = m_calibration.largest[name->second];
        known.resize(m_largest.size(), 0.0F);
        for (std::size_t i = 0; i < known.size(); ++i) {
            known[i] = std::max(known[i], m_largest[i]);
        }
    }

    MatrixNames& m_names;
    Calibration& m_calibration;
    std::vector<float> m_largest;
};

// q = round(x / scale), scale = max|x| / 127; then x = q * scale.
void roundRow(std::span<float> row) {
    float largest = 0.0F;
    for (const float x : row) {
        largest = std::max(largest, std::abs(x));
    }
    constexpr float kLeast = 1e-30F;
    if (!(largest >= kLeast) || !std::isfinite(largest)) {
        return; // zeros, or no numbers: the product shows it
    }
    const float scale = largest / kSteps;
    const float inverse = kSteps / largest;
    for (float& x : row) {
        x = std::nearbyint(x * inverse) * scale;
    }
}

class RowScaleOps final : public ForwardingOps {
public:
    RowScaleOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names,
                const Calibration* calibration)
        : ForwardingOps(std::move(ops)),
          m_names(names),
          m_calibration(calibration) {}

    std::unique_ptr<Weight> prepare(const View& weight, kernels::WeightLayout layout,
                                    kernels::ActivationPrecision precision) override {
        if (!hasRowScales(m_names.current)) {
            return inner().prepare(weight, layout, precision);
        }
        const std::int64_t rows = weight.shape[0];
        const auto columns = static_cast<std::size_t>(weight.shape[1]);
        Buffer numbers = Buffer::cpu(kernels::Format::F32, weight.shape);
        const std::span all(numbers.view().f32(), static_cast<std::size_t>(rows) * columns);
        const std::size_t rowBytes = kernels::formatBytes(weight.format, columns);
        const std::vector<float> smooth = smoothing(columns);
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            const std::span values = all.subspan(row * columns, columns);
            kernels::dequantize(
                weight.format, static_cast<const std::byte*>(weight.data) + row * rowBytes, values);
            for (std::size_t i = 0; i < columns; ++i) {
                values[i] *= weight.factor * (smooth.empty() ? 1.0F : smooth[i]);
            }
            roundRow(values);
        }
        auto prepared = inner().prepare(numbers.view(), kernels::WeightLayout::Packed, precision);
        m_names.names[prepared.get()] = m_names.current;
        return prepared;
    }

    void matmul(View x, std::span<const Weight* const> weights,
                std::span<const View> outs) override {
        const auto name = weights.empty() ? m_names.names.end() : m_names.names.find(weights[0]);
        if (name == m_names.names.end()) {
            inner().matmul(x, weights, outs);
            return;
        }
        // Weights of one call share their input, so they share how it is smoothed.
        m_names.current = name->second;
        const auto columns = static_cast<std::size_t>(x.shape.rowLength());
        const std::vector<float> smooth = smoothing(columns);
        const auto count = static_cast<std::size_t>(x.shape[0]) * columns;
        if (m_rounded.bytes() < count * sizeof(float)) {
            m_rounded =
                Buffer::cpu(kernels::Format::F32, kernels::Shape{static_cast<std::int64_t>(count)});
        }
        float* rounded = m_rounded.view().f32();
        std::copy_n(x.f32(), count, rounded);
        for (std::size_t at = 0; at < count; at += columns) {
            const std::span row(rounded + at, columns);
            for (std::size_t i = 0; i < columns && !smooth.empty(); ++i) {
                row[i] /= smooth[i];
            }
            roundRow(row);
        }
        View view = x;
        view.data = rounded;
        inner().matmul(view, weights, outs);
    }

private:
    // The square root of each channel's range, over their geometric mean: half of what the inputs
    // differ by goes over to the weights. Empty without a calibration.
    std::vector<float> smoothing(std::size_t columns) const {
        if (m_calibration == nullptr) {
            return {};
        }
        const auto found = m_calibration->largest.find(m_names.current);
        if (found == m_calibration->largest.end() || found->second.size() != columns) {
            throw Failure(ErrorCode::Corrupt,
                          fmt::format("The calibration has no range of {} channels for {}.",
                                      columns, m_names.current));
        }
        constexpr float kLeast = 1e-5F; // a channel that was never used
        std::vector<float> factors;
        double sum = 0.0;
        for (const float largest : found->second) {
            factors.push_back(std::sqrt(std::max(largest, kLeast)));
            sum += std::log(factors.back());
        }
        const auto mean = static_cast<float>(std::exp(sum / static_cast<double>(columns)));
        for (float& factor : factors) {
            factor /= mean;
        }
        return factors;
    }

    MatrixNames& m_names;
    const Calibration* m_calibration;
    Buffer m_rounded;
};

} // namespace

bool hasRowScales(const std::string& name) {
    return weightGroup(name) == WeightGroup::FeedForward;
}

std::unique_ptr<kernels::Ops> makeRangeOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names,
                                           Calibration& calibration) {
    return std::make_unique<RangeOps>(std::move(ops), names, calibration);
}

std::unique_ptr<kernels::Ops> makeRowScaleOps(std::unique_ptr<kernels::Ops> ops, MatrixNames& names,
                                              const Calibration* calibration) {
    return std::make_unique<RowScaleOps>(std::move(ops), names, calibration);
}

} // namespace engine
