#include "kernels/cuda/device_intrinsics.cuh"

#include <fmt/format.h>

#include <cuda_runtime.h>
#include <limits>

namespace simt {

void requireAligned(const void* address, std::size_t bytes, const Site& site) {
    if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0) {
        fail(FindingKind::Misaligned,
             fmt::format("{} bytes at an address that is no multiple of it", bytes), site);
    }
}

// --- asynchronous copies ---

void beginCopy(const SharedArray* array, std::int64_t offset, const void* from) {
    Lane& self = lane();
    const void* place = __builtin_return_address(0);
    // Until it lands the copy may write at any time, so it must be free to write now.
    self.executor->access(array, offset, 16, Access::Write, 16, place);
    AsyncCopy copy{.array = const_cast<SharedArray*>(array),
                   .offset = static_cast<std::size_t>(offset),
                   .group = self.committedGroups,
                   .site = place};
    std::memcpy(copy.bytes.data(), from, 16);
    self.executor->shared().markPending(*array, copy.offset, 16);
    self.copies.push_back(copy);
}

void commitGroup() {
    ++lane().committedGroups;
}

void landCopies(unsigned pending) {
    Lane& self = lane();
    const auto hasLanded = [&](const AsyncCopy& copy) {
        return copy.group + pending < self.committedGroups;
    };
    for (const AsyncCopy& copy : self.copies) {
        if (hasLanded(copy)) {
            self.executor->access(copy.array, static_cast<std::int64_t>(copy.offset), 16,
                                  Access::Write, 16, copy.site);
            std::memcpy(copy.array->data + copy.offset, copy.bytes.data(), 16);
        }
    }
    std::erase_if(self.copies, hasLanded);
}

// --- matrix loads ---

namespace {

struct MatrixPayload {
    std::array<std::uint16_t, 8> row{};
    std::uint32_t* result = nullptr;
    bool isTransposed = false;
};

void completeMatrices(void* const (&payloads)[32], std::uint32_t present) {
    if (present != 0xFFFFFFFFU) {
        failAt(FindingKind::WarpMask, "a matrix load without all lanes of the warp",
               __builtin_return_address(0));
    }
    const auto element = [&](unsigned matrix, unsigned row, unsigned column) {
        const auto* payload = static_cast<const MatrixPayload*>(payloads[matrix * 8 + row]);
        return std::uint32_t{payload->row[column]};
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
        const auto* payload = static_cast<const MatrixPayload*>(payloads[lane]);
        const unsigned outer = lane / 4, inner = lane % 4 * 2;
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            const std::uint32_t low = payload->isTransposed ? element(matrix, inner, outer)
                                                            : element(matrix, outer, inner);
            const std::uint32_t high = payload->isTransposed ? element(matrix, inner + 1, outer)
                                                             : element(matrix, outer, inner + 1);
            payload->result[matrix] = low | high << 16;
        }
    }
}

constexpr Collective kMatrixLoad{"a matrix load", &completeMatrices, false};

} // namespace

void loadMatrices(std::uint32_t (&r)[4], const SharedArray* array, std::int64_t offset,
                  bool isTransposed, const Site& site) {
    Lane& self = lane();
    self.executor->access(array, offset, 16, Access::Read, 16, __builtin_return_address(0));
    MatrixPayload payload{.result = r, .isTransposed = isTransposed};
    std::memcpy(payload.row.data(), array->data + offset, 16);
    self.executor->collective(self, kMatrixLoad, 0xFFFFFFFFU, &payload, site);
}

// --- numbers ---

// To nearest, ties to even; beyond the largest, 448, it stays there; NaN stays NaN.
std::uint8_t nearestE4M3(float value) {
    const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
    if (std::isnan(value)) {
        return sign | 0x7FU;
    }
    const double magnitude = std::min(std::abs(static_cast<double>(value)), 448.0);
    // Steps between neighbours: an eighth of the power of two below, 2^-9 for the smallest. Codes
    // of magnitudes count on, so a carry out of the mantissa raises the exponent by itself.
    const int step = std::max(magnitude == 0.0 ? -6 : std::ilogb(magnitude), -6) - 3;
    const int units = static_cast<int>(std::nearbyint(std::ldexp(magnitude, -step)));
    return static_cast<std::uint8_t>(sign | ((step + 9) * 8 + units));
}

float roughly(double exact, float x) {
    const std::uint32_t mixed = kernels::bitsOfFloat(x) * 2654435761U;
    const double error = (static_cast<double>(mixed) / 4294967296.0 - 0.5) * 0x1p-22;
    const auto result = static_cast<float>(exact * (1.0 + error));
    return std::abs(result) < std::numeric_limits<float>::min() ? std::copysign(0.0F, result)
                                                                : result;
}

} // namespace simt
