// Products of rows with weights on the device, piece by piece: many weights of one kind in one
// launch, each with rows of its own. Private to the CUDA operators.
#pragma once

#include "kernels/cuda/call.h"
#include "kernels/cuda/code_kind.h"

namespace kernels::cuda {

// Activations rounded a group of 32: x = scale * (254 * first + second) with two terms, scale *
// first with one.
struct RoundedRows {
    const std::int8_t* codes = nullptr; // [terms, rows, columns]
    const float* scales = nullptr;      // [rows, groups]
    const std::int32_t* sums = nullptr; // [rows, 2 groups]: of sixteen codes, both terms
    std::int64_t rows = 0;
    std::int32_t columns = 0;
};

inline constexpr int kTermBase = 254;

// Rows of x as they are multiplied: row i is sources[i], or i where there is no list.
struct SourceRows {
    const float* x = nullptr;
    std::int64_t stride = 0;
    const std::int32_t* sources = nullptr;
    std::int64_t rows = 0;
};

// Row r of a part is source row firstRow + r and goes to out + r * outStride.
template <class WeightRows>
struct ProductPart {
    WeightRows weight;
    float* out = nullptr;
    std::int64_t outStride = 0;
    std::int32_t firstRow = 0;
};
using CodePart = ProductPart<WeightCodes>;
using NumberPart = ProductPart<WeightNumbers>;

// Some rows of a part that are multiplied together.
struct ProductUnit {
    std::int32_t part = 0;
    std::int32_t firstRow = 0;
    std::int32_t rows = 0;
};

// A launch: what is on the device, and how large it is.
template <class Part>
struct ProductLaunch {
    const Part* parts = nullptr;
    const ProductUnit* units = nullptr;
    std::int64_t unitCount = 0;
    std::int32_t weightRows = 0; // of the largest
    int unitRows = 1;            // at most: 1, kUnitRows or kTileUnitRows
};

// Rows that are multiplied together: by integer dots, and of codes by matrix instructions.
inline constexpr int kUnitRows = 8;
inline constexpr int kTileUnitRows = 16;

RoundedRows roundRows(Call& call, const SourceRows& rows, std::int32_t columns, int terms);
void multiplyCodes(Call& call, int codeKind, int terms, const ProductLaunch<CodePart>& product,
                   const RoundedRows& rows);
// The same for units of up to kTileUnitRows rows, with the same bits.
void multiplyCodeTiles(Call& call, int codeKind, int terms, const ProductLaunch<CodePart>& product,
                       const RoundedRows& rows);
void multiplyNumbers(Call& call, NumberKind kind, const ProductLaunch<NumberPart>& product,
                     const SourceRows& rows);

} // namespace kernels::cuda
