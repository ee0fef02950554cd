#include "engine/checkpoint/made_tensor.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "kernels/float8.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstring>

namespace engine {

namespace {

using kernels::Format;

std::size_t elementBytes(Format format) {
    return static_cast<std::size_t>(kernels::traits(format).blockBytes);
}

std::size_t elementsOf(const TensorPiece& piece) {
    return static_cast<std::size_t>(piece.rows) * static_cast<std::size_t>(piece.columns);
}

// out[c][r] = in[r][c] of elements of kBytes bytes.
template <std::size_t kBytes>
void transposeAs(const std::byte* in, std::size_t rows, std::size_t columns, std::byte* out) {
    for (std::size_t c = 0; c < columns; ++c) {
        for (std::size_t r = 0; r < rows; ++r) {
            std::memcpy(out + (c * rows + r) * kBytes, in + (r * columns + c) * kBytes, kBytes);
        }
    }
}

void transpose(std::size_t bytes, const std::byte* in, const TensorPiece& piece, std::byte* out) {
    const auto rows = static_cast<std::size_t>(piece.rows);
    const auto columns = static_cast<std::size_t>(piece.columns);
    if (bytes == 4) {
        transposeAs<4>(in, rows, columns, out);
    } else {
        transposeAs<2>(in, rows, columns, out);
    }
}

// Codes of E4M3 times their block's scale, rounded to F16: the code's four bits times the scale's
// 24 don't fit, so values are off by at most 2^-12 of themselves, or 2^-25 where they are tiny.
void convertFloat8(const TensorRecipe& recipe, const TensorPiece& piece, std::byte* out) {
    constexpr float kLargestHalf = 65504.0F;
    std::array<float, 256> codes{};
    for (std::size_t code = 0; code < codes.size(); ++code) {
        codes[code] = kernels::floatFromE4M3(static_cast<std::uint8_t>(code));
    }
    const auto columns = static_cast<std::size_t>(piece.columns);
    std::vector<float> row(columns);
    bool isWhole = true;
    for (std::int64_t r = 0; r < piece.rows; ++r) {
        const std::int64_t stored = piece.firstRow + r;
        const auto* const in = reinterpret_cast<const std::uint8_t*>(piece.matrix) +
                               static_cast<std::size_t>(stored) * columns;
        const std::byte* const scales =
            piece.scales.data +
            static_cast<std::size_t>(stored / piece.scales.blockRows * piece.scales.columns) *
                sizeof(float);
        const auto block = static_cast<std::size_t>(piece.scales.blockColumns);
        for (std::size_t first = 0; first < columns; first += block) {
            float scale = 0.0F;
            std::memcpy(&scale, scales + first / block * sizeof(float), sizeof scale);
            const std::size_t end = std::min(columns, first + block);
            for (std::size_t c = first; c < end; ++c) {
                row[c] = codes[in[c]] * scale;
                isWhole = isWhole && std::abs(row[c]) <= kLargestHalf; // false for NaN as well
            }
        }
        kernels::quantize(Format::F16, row, out + static_cast<std::size_t>(r) * columns * 2);
    }
    if (!isWhole) {
        throw Failure(ErrorCode::Unsupported,
                      fmt::format("The tensor {} has values that are no numbers or too large for "
                                  "16 bits. Convert the model to BF16.",
                                  displayText(recipe.stored)));
    }
}

void addOne(const TensorRecipe& recipe, const std::byte* in, std::size_t count, std::byte* out) {
    std::vector<float> values(count);
    kernels::dequantize(recipe.storedFormat, in, values);
    for (float& value : values) {
        value += 1.0F;
    }
    std::memcpy(out, values.data(), count * sizeof(float));
}

} // namespace

std::size_t bytesOf(const TensorRecipe& recipe, const TensorPiece& piece) {
    return elementsOf(piece) * elementBytes(recipe.format);
}

std::span<const std::byte> storedBytes(const TensorRecipe& recipe, const TensorPiece& piece) {
    const std::size_t row =
        static_cast<std::size_t>(piece.columns) * elementBytes(recipe.storedFormat);
    return {piece.matrix + static_cast<std::size_t>(piece.firstRow) * row,
            static_cast<std::size_t>(piece.rows) * row};
}

void makePiece(const TensorRecipe& recipe, const TensorPiece& piece, std::byte* out) {
    if (recipe.isFloat8) {
        if (!recipe.transposes) {
            convertFloat8(recipe, piece, out);
            return;
        }
        std::vector<std::byte> straight(bytesOf(recipe, piece));
        convertFloat8(recipe, piece, straight.data());
        transpose(elementBytes(recipe.format), straight.data(), piece, out);
        return;
    }
    const std::span<const std::byte> stored = storedBytes(recipe, piece);
    if (recipe.addsOne) {
        addOne(recipe, stored.data(), elementsOf(piece), out);
    } else if (recipe.transposes) {
        transpose(elementBytes(recipe.format), stored.data(), piece, out);
    } else {
        std::memcpy(out, stored.data(), stored.size());
    }
}

} // namespace engine
