// Operators of rows and of single elements: norms, gates, sums, copies.
#include "kernels/cuda/call.h"
#include "kernels/cuda/launch.cuh"
#include "kernels/cuda/require.h"
#include "kernels/cuda/warp.cuh"

#include <algorithm>

namespace kernels::cuda {

namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpLanes;
constexpr std::int64_t kMostBlocks = 1 << 20; // further elements in a loop

LaunchShape forElements(std::int64_t elements) {
    const std::int64_t blocks = (elements + kThreads - 1) / kThreads;
    return {.grid = dim3(static_cast<unsigned>(std::min(blocks, kMostBlocks))),
            .block = dim3(kThreads)};
}

__device__ __forceinline__ std::int64_t firstElement() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ std::int64_t elementStep() {
    return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

// A block is a row, a thread every kThreads-th element. Shared: a float a warp. Reads x, delta and
// gain, writes out (and x): one row each.
template <bool kAdds>
__global__ void __launch_bounds__(kThreads)
    normRows(float* x, const float* delta, const float* gain, float eps, float* out, int length) {
    SharedCarver carver;
    const Shared<float> sums = carver.take<float>(kWarps);
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * length;
    float squares = 0.0F;
    for (int i = static_cast<int>(threadIdx.x); i < length; i += kThreads) {
        float value = x[first + i];
        if constexpr (kAdds) {
            value += delta[first + i];
            x[first + i] = value;
        }
        squares += value * value;
    }
    squares = warpSum(squares);
    if (threadIdx.x % kWarpLanes == 0) {
        sums[threadIdx.x / kWarpLanes] = squares;
    }
    __syncthreads();
    float total = 0.0F;
    for (int warp = 0; warp < kWarps; ++warp) {
        const float part = sums[static_cast<unsigned>(warp)];
        total += part;
    }
    const float factor = 1.0F / sqrtf(total / static_cast<float>(length) + eps);
    for (int i = static_cast<int>(threadIdx.x); i < length; i += kThreads) {
        out[first + i] = gain[i] * (x[first + i] * factor);
    }
}

// An element a thread, as all below. x and delta: read, x written.
__global__ void __launch_bounds__(kThreads)
    addElements(float* x, const float* delta, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        x[i] += delta[i];
    }
}

__global__ void __launch_bounds__(kThreads)
    addRow(float* x, const float* row, std::int64_t elements, std::int64_t length) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        x[i] += row[i % length];
    }
}

template <GateActivation kActivation>
__global__ void __launch_bounds__(kThreads)
    gateElements(const float* gate, const float* up, float* out, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        const float g = gate[i];
        float activated;
        if constexpr (kActivation == GateActivation::Silu) {
            activated = g / (1.0F + expf(-g));
        } else {
            constexpr float kRoot = 0.797884560802865F; // sqrt(2 / pi)
            activated = 0.5F * g * (1.0F + tanhf(kRoot * (g + 0.044715F * g * g * g)));
        }
        out[i] = activated * up[i];
    }
}

__global__ void __launch_bounds__(kThreads)
    scaleElements(float* x, float factor, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        x[i] *= factor;
    }
}

__global__ void __launch_bounds__(kThreads)
    capElements(float* x, float cap, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        x[i] = cap * tanhf(x[i] / cap);
    }
}

// to[t, i] = from[row of t, i]; rows: of `from`, or none for t itself. Reads and writes `elements`.
__global__ void __launch_bounds__(kThreads)
    copyElements(const float* from, std::int64_t fromStride, const std::int32_t* rows, float* to,
                 std::int64_t toStride, std::int64_t columns, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        const std::int64_t row = i / columns;
        const std::int64_t column = i % columns;
        const std::int64_t source = rows == nullptr ? row : rows[row];
        to[row * toStride + column] = from[source * fromStride + column];
    }
}

// out[t, i] = sum over k of weights[t, k] * x[rows[t, k], i].
__global__ void __launch_bounds__(kThreads)
    mixElements(const float* x, const std::int32_t* rows, const float* weights, int used,
                float* out, std::int64_t length, std::int64_t elements) {
    for (std::int64_t i = firstElement(); i < elements; i += elementStep()) {
        const std::int64_t token = i / length;
        float sum = 0.0F;
        for (int k = 0; k < used; ++k) {
            const std::int64_t row = rows[token * used + k];
            sum += weights[token * used + k] * x[row * length + i % length];
        }
        out[i] = sum;
    }
}

bool isSameSize(const View& a, const View& b) {
    return a.shape.elements() == b.shape.elements();
}

} // namespace

void CudaOps::rmsNorm(View x, View gain, float eps, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(gain) && isF32(out) && isSameSize(x, out) &&
                gain.shape.elements() == length && out.shape.rowLength() == length,
            "rmsNorm: x and out are [tokens, D] and gain is [D]");
    Call call(*this);
    call.start(normRows<false>,
               {.grid = dim3(static_cast<unsigned>(x.shape.rows())),
                .block = dim3(kThreads),
                .sharedBytes = SharedSize().add<float>(kWarps).bytes()},
               const_cast<float*>(call.in(x)), nullptr, call.in(gain), eps, call.out(out),
               static_cast<int>(length));
    call.finish();
}

void CudaOps::addRmsNorm(View x, View delta, View gain, float eps, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(delta) && isF32(gain) && isF32(out) && isSameSize(x, out) &&
                isSameSize(x, delta) && gain.shape.elements() == length &&
                out.shape.rowLength() == length,
            "addRmsNorm: x, delta and out are [tokens, D] and gain is [D]");
    Call call(*this);
    float* sum = call.out(x);
    call.start(normRows<true>,
               {.grid = dim3(static_cast<unsigned>(x.shape.rows())),
                .block = dim3(kThreads),
                .sharedBytes = SharedSize().add<float>(kWarps).bytes()},
               sum, call.in(delta), call.in(gain), eps, call.out(out), static_cast<int>(length));
    call.finish();
}

void CudaOps::add(View x, View delta) {
    require(isF32(x) && isF32(delta) && isSameSize(x, delta), "add: x and delta differ in shape");
    Call call(*this);
    call.start(addElements, forElements(x.shape.elements()), call.out(x), call.in(delta),
               x.shape.elements());
    call.finish();
}

void CudaOps::addToRows(View x, View row) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(row) && row.shape.elements() == length,
            "addToRows: row is not as long as the rows of x");
    Call call(*this);
    call.start(addRow, forElements(x.shape.elements()), call.out(x), call.in(row),
               x.shape.elements(), length);
    call.finish();
}

void CudaOps::gate(View gate, View up, View out, GateActivation activation, const char* message) {
    require(isF32(gate) && isF32(up) && isF32(out) && isSameSize(gate, up) && isSameSize(gate, out),
            message);
    Call call(*this);
    call.start(activation == GateActivation::Silu ? gateElements<GateActivation::Silu>
                                                  : gateElements<GateActivation::Gelu>,
               forElements(gate.shape.elements()), call.in(gate), call.in(up), call.out(out),
               gate.shape.elements());
    call.finish();
}

void CudaOps::siluMul(View gate, View up, View out) {
    this->gate(gate, up, out, GateActivation::Silu, "siluMul: gate, up and out differ in shape");
}

void CudaOps::geluMul(View gate, View up, View out) {
    this->gate(gate, up, out, GateActivation::Gelu, "geluMul: gate, up and out differ in shape");
}

void CudaOps::scale(View x, float factor) {
    require(isF32(x), "scale: x is not F32");
    Call call(*this);
    call.start(scaleElements, forElements(x.shape.elements()), call.out(x), factor,
               x.shape.elements());
    call.finish();
}

void CudaOps::softCap(View x, float cap) {
    require(isF32(x) && cap > 0.0F, "softCap: x is not F32 or cap not above 0");
    Call call(*this);
    call.start(capElements, forElements(x.shape.elements()), call.out(x), cap, x.shape.elements());
    call.finish();
}

void CudaOps::copyColumns(View from, std::int64_t fromColumn, View to, std::int64_t toColumn,
                          std::int64_t count) {
    const std::int64_t fromLength = from.shape.rowLength();
    const std::int64_t toLength = to.shape.rowLength();
    const std::int64_t rows = from.shape.rows();
    require(isF32(from) && isF32(to) && to.shape.rows() >= rows && count >= 0 && fromColumn >= 0 &&
                toColumn >= 0 && fromColumn + count <= fromLength && toColumn + count <= toLength,
            "copyColumns: the columns are not in both");
    Call call(*this);
    call.start(copyElements, forElements(rows * count), call.in(from) + fromColumn, fromLength,
               nullptr, call.out(to) + toColumn, toLength, count, rows * count);
    call.finish();
}

void CudaOps::gatherRows(View x, std::span<const std::int32_t> rows, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(out) && out.shape.rowLength() == length &&
                out.shape.rows() >= std::ssize(rows),
            "gatherRows: out is not [rows, row length of x]");
    for (const std::int32_t row : rows) {
        require(row >= 0 && row < x.shape.rows(), "gatherRows: a row is outside x");
    }
    Call call(*this);
    const std::int64_t elements = std::ssize(rows) * length;
    call.start(copyElements, forElements(elements), call.in(x), length, call.arena().upload(rows),
               call.out(out), length, length, elements);
    call.finish();
}

void CudaOps::mixRows(View x, std::span<const std::int32_t> rows, View weights, View out) {
    const std::int64_t length = x.shape.rowLength();
    require(isF32(x) && isF32(weights) && weights.shape.rank() == 2 && isF32(out) &&
                out.shape.rowLength() == length && out.shape.rows() >= weights.shape[0] &&
                std::ssize(rows) == weights.shape.elements(),
            "mixRows: a row of x is needed for every weight, and out is [tokens, D]");
    for (const std::int32_t row : rows) {
        require(row >= 0 && row < x.shape.rows(), "mixRows: a row is outside x");
    }
    Call call(*this);
    const std::int64_t elements = weights.shape[0] * length;
    call.start(mixElements, forElements(elements), call.in(x), call.arena().upload(rows),
               call.in(weights), static_cast<int>(weights.shape[1]), call.out(out), length,
               elements);
    call.finish();
}

} // namespace kernels::cuda
