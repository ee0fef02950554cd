// Blocks of the codebook formats IQ2 and IQ3 taken apart. A codebook entry gives the magnitudes of
// eight (IQ2) or four (IQ3) elements, signs stand apart; both together are one of sixteen steps, so
// that decoding and products need no more than a table of steps. Private to block_codes.cpp.
#pragma once

#include "kernels/block_codes.h"

namespace kernels {

// Places 0..7 are the magnitudes, 8..15 their negatives.
extern const std::array<std::int8_t, 16> kStepsIQ2;
extern const std::array<std::int8_t, 16> kStepsIQ3_XXS;
extern const std::array<std::int8_t, 16> kStepsIQ3_S;

void takeIQ2_XXS(const std::uint8_t* block, BlockCodes& parts);
void takeIQ2_XS(const std::uint8_t* block, BlockCodes& parts);
void takeIQ2_S(const std::uint8_t* block, BlockCodes& parts);
void takeIQ3_XXS(const std::uint8_t* block, BlockCodes& parts);
void takeIQ3_S(const std::uint8_t* block, BlockCodes& parts);

} // namespace kernels
