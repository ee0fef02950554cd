// How a tensor is made of what a safetensors file holds: pieces in a row, each a run of rows of a
// stored matrix, converted on the way where need be. Pure functions, any thread.
#pragma once

#include "kernels/tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace engine {

// Scales of an FP8 matrix, one a block: value = code * scale.
struct BlockScales {
    const std::byte* data = nullptr; // F32, [rows, columns] of blocks
    std::int64_t columns = 0;
    std::int64_t blockRows = 128;
    std::int64_t blockColumns = 128;
};

// Rows [firstRow, firstRow + rows) of a stored matrix.
struct TensorPiece {
    const std::byte* matrix = nullptr; // its first row
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    BlockScales scales; // of FP8: without data there are none
};

struct TensorRecipe {
    std::string stored; // name of the (first) stored tensor, for messages
    std::vector<TensorPiece> pieces;
    kernels::Format storedFormat = kernels::Format::F32; // of pieces that are no FP8
    kernels::Format format = kernels::Format::F32;       // of the result
    bool isFloat8 = false;
    bool transposes = false;
    bool addsOne = false;
    std::vector<float> constants; // the whole tensor, where it has no pieces

    // The result is the pieces' bytes in a row.
    bool isPlain() const { return !isFloat8 && !transposes && !addsOne && constants.empty(); }
};

std::size_t bytesOf(const TensorRecipe& recipe, const TensorPiece& piece);
// The bytes of a piece where they lie. Precondition: recipe.isPlain().
std::span<const std::byte> storedBytes(const TensorRecipe& recipe, const TensorPiece& piece);
// Writes one piece of the result, bytesOf() of it. Throws Failure for numbers that F16 can't hold.
void makePiece(const TensorRecipe& recipe, const TensorPiece& piece, std::byte* out);

} // namespace engine
