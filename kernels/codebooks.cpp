#include "kernels/codebooks.h"

#include "kernels/half.h"

#include <bit>
#include <span>

namespace kernels {

namespace {

#include "kernels/codebooks.inc"

using Bytes = const std::uint8_t*;

constexpr int kGroups = 8; // of 32 elements

std::uint32_t word16(Bytes p) {
    return p[0] | static_cast<std::uint32_t>(p[1]) << 8;
}

std::uint32_t word32(Bytes p) {
    return word16(p) | word16(p + 2) << 16;
}

// Seven sign bits are stored; the eighth makes their number even.
std::uint32_t evenSigns(std::uint32_t seven) {
    return seven | static_cast<std::uint32_t>(std::popcount(seven) & 1) << 7;
}

// Codes of 8 elements: the magnitudes of an IQ2 entry and a sign bit each.
void put8(std::uint32_t entry, std::uint32_t signs, std::uint8_t* codes) {
    for (int i = 0; i < 8; ++i) {
        codes[i] = static_cast<std::uint8_t>((entry >> 2 * i & 3) | (signs >> i & 1) << 3);
    }
}

// The same of two IQ3 entries.
void put4and4(std::uint32_t first, std::uint32_t second, std::uint32_t signs, std::uint8_t* codes) {
    const std::uint32_t both = first | second << 12;
    for (int i = 0; i < 8; ++i) {
        codes[i] = static_cast<std::uint8_t>((both >> 3 * i & 7) | (signs >> i & 1) << 3);
    }
}

// (code + 1/2) / 4 of a block's scale; exact, as all scales here are: 11 bits times 5.
float quarterScale(float block, std::uint32_t code) {
    return block * (0.5F + static_cast<float>(code)) * 0.25F;
}

} // namespace

const std::array<std::int8_t, 16> kStepsIQ2{8, 25, 43, 0, 0, 0, 0, 0, -8, -25, -43};
const std::array<std::int8_t, 16> kStepsIQ3_XXS{4,  12,  20,  28,  36,  44,  52,  62,
                                                -4, -12, -20, -28, -36, -44, -52, -62};
const std::array<std::int8_t, 16> kStepsIQ3_S{1,  3,  5,  7,  9,  11,  13,  15,
                                              -1, -3, -5, -7, -9, -11, -13, -15};

void takeIQ2_XXS(Bytes block, BlockCodes& parts) {
    const float scale = floatFromHalf(static_cast<std::uint16_t>(word16(block)));
    for (int group = 0; group < kGroups; ++group) {
        Bytes places = block + 2 + 8 * group;
        const std::uint32_t signs = word32(places + 4); // four times seven, then the scale
        for (int run = 0; run < 4; ++run) {
            put8(kGridIQ2_XXS[places[run]], evenSigns(signs >> 7 * run & 127),
                 parts.codes.data() + 32 * group + 8 * run);
        }
        parts.floatScales[static_cast<std::size_t>(group)] = quarterScale(scale, signs >> 28);
    }
}

void takeIQ2_XS(Bytes block, BlockCodes& parts) {
    const float scale = floatFromHalf(static_cast<std::uint16_t>(word16(block)));
    for (int run = 0; run < 32; ++run) {
        const std::uint32_t word = word16(block + 2 + 2 * run); // place, then seven signs
        put8(kGridIQ2_XS[word & 511], evenSigns(word >> 9), parts.codes.data() + 8 * run);
    }
    for (int half = 0; half < 2 * kGroups; ++half) {
        const std::uint32_t code = block[66 + half / 2] >> 4 * (half % 2) & 15;
        parts.floatScales[static_cast<std::size_t>(half)] = quarterScale(scale, code);
    }
}

void takeIQ2_S(Bytes block, BlockCodes& parts) {
    const float scale = floatFromHalf(static_cast<std::uint16_t>(word16(block)));
    for (int run = 0; run < 32; ++run) {
        const std::uint32_t high = block[66 + run / 4] >> 2 * (run % 4) & 3;
        put8(kGridIQ2_S[block[2 + run] | high << 8], block[34 + run], parts.codes.data() + 8 * run);
    }
    for (int half = 0; half < 2 * kGroups; ++half) {
        const std::uint32_t code = block[74 + half / 2] >> 4 * (half % 2) & 15;
        parts.floatScales[static_cast<std::size_t>(half)] = quarterScale(scale, code);
    }
}

void takeIQ3_XXS(Bytes block, BlockCodes& parts) {
    const float scale = floatFromHalf(static_cast<std::uint16_t>(word16(block)));
    for (int group = 0; group < kGroups; ++group) {
        Bytes places = block + 2 + 8 * group;
        const std::uint32_t signs = word32(block + 66 + 4 * group);
        for (int run = 0; run < 4; ++run) {
            put4and4(kGridIQ3_XXS[places[2 * run]], kGridIQ3_XXS[places[2 * run + 1]],
                     evenSigns(signs >> 7 * run & 127), parts.codes.data() + 32 * group + 8 * run);
        }
        parts.floatScales[static_cast<std::size_t>(group)] =
            scale * (0.5F + static_cast<float>(signs >> 28)) * 0.5F;
    }
}

void takeIQ3_S(Bytes block, BlockCodes& parts) {
    const float scale = floatFromHalf(static_cast<std::uint16_t>(word16(block)));
    for (int group = 0; group < kGroups; ++group) {
        Bytes places = block + 2 + 8 * group;
        const std::uint32_t high = block[66 + group]; // the ninth bit of each place
        const auto entry = [&](int i) { return kGridIQ3_S[places[i] | (high >> i & 1) << 8]; };
        for (int run = 0; run < 4; ++run) {
            put4and4(entry(2 * run), entry(2 * run + 1), block[74 + 4 * group + run],
                     parts.codes.data() + 32 * group + 8 * run);
        }
        const int code = block[106 + group / 2] >> 4 * (group % 2) & 15;
        parts.floatScales[static_cast<std::size_t>(group)] =
            scale * static_cast<float>(1 + 2 * code);
    }
}

} // namespace kernels
