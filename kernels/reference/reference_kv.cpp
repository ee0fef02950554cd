#include "kernels/reference/reference_kv.h"

#include "kernels/half.h"

#include <cstring>

namespace kernels::reference {

namespace {

double halfAt(const std::uint8_t* p) {
    return static_cast<double>(floatFromHalf(static_cast<std::uint16_t>(p[0] | p[1] << 8)));
}

int nibble(const std::uint8_t* codes, std::int64_t i) {
    return i < 16 ? codes[i] & 15 : codes[i - 16] >> 4;
}

double elementOfRow(const std::uint8_t* row, KvCoding coding, std::int64_t coded, std::int64_t d) {
    const std::int64_t padded = (coded + 31) / 32 * 32;
    if (coding == KvCoding::Row8) {
        if (d >= coded) {
            return halfAt(row + padded + 4 + 2 * (d - coded));
        }
        float scale;
        std::memcpy(&scale, row + padded, sizeof scale);
        return static_cast<double>(scale) * static_cast<std::int8_t>(row[d]);
    }
    if (d >= coded) {
        return halfAt(row + padded / 32 * 24 + 2 * (d - coded));
    }
    const std::uint8_t* group = row + d / 32 * 24;
    const std::uint8_t* factors = group + 16 + d % 32 / 16 * 4;
    return halfAt(factors + 2) + halfAt(factors) * nibble(group, d % 32);
}

} // namespace

Numbers decodeRows(const View& stored, KvCoding coding, std::int64_t dim, std::int64_t plainTail) {
    if (coding == KvCoding::F32 || coding == KvCoding::F16) {
        return decode(stored);
    }
    const std::int64_t rows = stored.shape.rows();
    if (coding == KvCoding::Channel16) {
        const std::int64_t tokens = stored.shape[2];
        const Numbers channels = decode(stored);
        Numbers values(channels.size());
        for (std::int64_t row = 0; row < rows; ++row) {
            for (std::int64_t d = 0; d < dim; ++d) {
                values[static_cast<std::size_t>(row * dim + d)] = channels[static_cast<std::size_t>(
                    row / tokens * tokens * dim + d * tokens + row % tokens)];
            }
        }
        return values;
    }
    const std::int64_t rowBytes = stored.shape.rowLength();
    const auto* bytes = static_cast<const std::uint8_t*>(stored.data);
    Numbers values(static_cast<std::size_t>(rows * dim));
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t d = 0; d < dim; ++d) {
            double& value = values[static_cast<std::size_t>(row * dim + d)];
            if (coding == KvCoding::Channel4) {
                const std::uint8_t* group = bytes + row / 32 * 32 * rowBytes;
                value = halfAt(group + 16 * dim + 2 * (dim + d)) +
                        halfAt(group + 16 * dim + 2 * d) * nibble(group + 16 * d, row % 32);
            } else {
                value = elementOfRow(bytes + row * rowBytes, coding, dim - plainTail, d);
            }
        }
    }
    return values;
}

} // namespace kernels::reference
