#include "kernels/convert.h"

#include "kernels/float8.h"
#include "kernels/thread_pool.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace kernels {

namespace {

constexpr std::int64_t kCheckEvery = 256; // rows of a thread

void encodeF8(std::span<const float> row, std::byte* out) {
    float largest = 0.0F;
    for (const float x : row) {
        largest = largest >= std::abs(x) || std::isnan(largest) ? largest : std::abs(x);
    }
    // Below, the inverse would be infinite, and zeros no numbers.
    constexpr float kLeast = 0x1p-100F;
    const bool isZero = largest < kLeast;
    const float scale = isZero ? 0.0F : largest / kLargestE4M3;
    const float inverse = isZero ? 0.0F : kLargestE4M3 / largest;
    for (std::size_t i = 0; i < row.size(); ++i) {
        out[i] = static_cast<std::byte>(e4m3FromFloat(row[i] * inverse));
    }
    std::memcpy(out + row.size(), &scale, sizeof scale);
}

} // namespace

Buffer convertRows(const View& matrix, Format to, ThreadPool& pool,
                   const std::function<void()>& check) {
    if (matrix.shape.rank() != 2 || matrix.device != Device::Cpu) {
        throw std::invalid_argument("rows of a matrix in CPU memory are converted");
    }
    const std::int64_t rows = matrix.shape[0];
    const auto columns = static_cast<std::size_t>(matrix.shape[1]);
    const std::size_t fromBytes = weightRowBytes(matrix.format, columns);
    const std::size_t toBytes = weightRowBytes(to, columns);
    Buffer result = to == Format::F8
                        ? Buffer::cpu(Format::I8, {rows, static_cast<std::int64_t>(toBytes)})
                        : Buffer::cpu(to, matrix.shape);
    const auto* from = static_cast<const std::byte*>(matrix.data);
    auto* out = static_cast<std::byte*>(result.view().data);
    pool.parallelFor(rows, 16, [&](std::int64_t begin, std::int64_t end, int) {
        std::vector<float> row(columns);
        for (std::int64_t i = begin; i < end; ++i) {
            if (check && i % kCheckEvery == 0) {
                check();
            }
            const auto at = static_cast<std::size_t>(i);
            dequantize(matrix.format, from + at * fromBytes, row);
            if (matrix.factor != 1.0F) {
                std::ranges::for_each(row, [&](float& value) { value *= matrix.factor; });
            }
            if (to == Format::F8) {
                encodeF8(row, out + at * toBytes);
            } else {
                quantize(to, row, out + at * toBytes);
            }
        }
    });
    return result;
}

} // namespace kernels
