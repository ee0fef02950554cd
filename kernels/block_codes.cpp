#include "kernels/block_codes.h"

#include "kernels/codebooks.h"
#include "kernels/half.h"

namespace kernels {

namespace {

constexpr std::array<std::int8_t, 16> kNonLinear{-127, -104, -83, -65, -49, -35, -22, -10,
                                                 1,    13,   25,  38,  53,  69,  89,  113};
// E2M1 doubled, so that every step is an integer.
constexpr std::array<std::int8_t, 16> kDoubledE2M1{0, 1,  2,  3,  4,  6,  8,  12,
                                                   0, -1, -2, -3, -4, -6, -8, -12};

using Bytes = const std::uint8_t*;

std::uint16_t halfAt(Bytes p) {
    return static_cast<std::uint16_t>(p[0] | p[1] << 8);
}

std::uint8_t low(std::uint8_t byte) {
    return byte & 15;
}

std::uint8_t high(std::uint8_t byte) {
    return byte >> 4;
}

// The pattern of all blocks of 32: low nibbles first, then the high nibbles of the same bytes.
void nibbles32(Bytes qs, std::uint8_t* codes) {
    for (int i = 0; i < 16; ++i) {
        codes[i] = low(qs[i]);
        codes[i + 16] = high(qs[i]);
    }
}

void fifthBits(Bytes qh, std::uint8_t* codes) {
    for (int i = 0; i < 32; ++i) {
        const int bit = qh[i / 8] >> (i % 8) & 1;
        codes[i] = static_cast<std::uint8_t>(codes[i] | bit << 4);
    }
}

void takeQ4_0(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    nibbles32(p + 2, parts.codes.data());
}

void takeQ4_1(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    parts.halfMinimum = halfAt(p + 2);
    nibbles32(p + 4, parts.codes.data());
}

void takeQ5_0(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    nibbles32(p + 6, parts.codes.data());
    fifthBits(p + 2, parts.codes.data());
}

void takeQ5_1(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    parts.halfMinimum = halfAt(p + 2);
    nibbles32(p + 8, parts.codes.data());
    fifthBits(p + 4, parts.codes.data());
}

void takeQ8_0(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    for (int i = 0; i < 32; ++i) {
        parts.codes[static_cast<std::size_t>(i)] = p[2 + i] ^ 0x80U; // offset 128
    }
}

// Two bits an element, four runs of 32 in the same 32 bytes.
void twoBits128(Bytes qs, std::uint8_t* codes) {
    for (int run = 0; run < 4; ++run) {
        for (int i = 0; i < 32; ++i) {
            codes[32 * run + i] = qs[i] >> 2 * run & 3;
        }
    }
}

void takeQ2_K(Bytes p, BlockCodes& parts) {
    for (std::size_t g = 0; g < 16; ++g) {
        parts.superScales[g] = static_cast<std::int8_t>(low(p[g]));
        parts.superMinimums[g] = high(p[g]);
    }
    twoBits128(p + 16, parts.codes.data());
    twoBits128(p + 48, parts.codes.data() + 128);
    parts.halfScales[0] = halfAt(p + 80);
    parts.halfMinimum = halfAt(p + 82);
}

void takeQ3_K(Bytes p, BlockCodes& parts) {
    std::uint8_t* codes = parts.codes.data();
    twoBits128(p + 32, codes);
    twoBits128(p + 64, codes + 128);
    for (int i = 0; i < 256; ++i) {
        const int bit = p[i % 32] >> (i / 32) & 1;
        codes[i] = static_cast<std::uint8_t>(codes[i] | bit << 2); // offset 4
    }
    Bytes scales = p + 96;
    for (int k = 0; k < 16; ++k) {
        const int low4 = k < 8 ? low(scales[k]) : high(scales[k - 8]);
        const int high2 = scales[8 + k % 4] >> 2 * (k / 4) & 3;
        parts.superScales[static_cast<std::size_t>(k)] =
            static_cast<std::int8_t>((low4 | high2 << 4) - 32);
    }
    parts.halfScales[0] = halfAt(p + 108);
}

// Six-bit scales and minimums of Q4_K and Q5_K.
void sixBitScales(Bytes s, BlockCodes& parts) {
    for (std::size_t j = 0; j < 8; ++j) {
        const int scale = j < 4 ? s[j] & 63 : low(s[j + 4]) | s[j - 4] >> 6 << 4;
        const int minimum = j < 4 ? s[j + 4] & 63 : high(s[j + 4]) | s[j] >> 6 << 4;
        parts.superScales[j] = static_cast<std::int8_t>(scale);
        parts.superMinimums[j] = static_cast<std::uint8_t>(minimum);
    }
}

// Nibbles in runs of 32: low ones are one group, high ones the next.
void nibbles256(Bytes qs, std::uint8_t* codes) {
    for (int run = 0; run < 4; ++run) {
        for (int i = 0; i < 32; ++i) {
            codes[64 * run + i] = low(qs[32 * run + i]);
            codes[64 * run + 32 + i] = high(qs[32 * run + i]);
        }
    }
}

void takeQ4_K(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    parts.halfMinimum = halfAt(p + 2);
    sixBitScales(p + 4, parts);
    nibbles256(p + 16, parts.codes.data());
}

void takeQ5_K(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    parts.halfMinimum = halfAt(p + 2);
    sixBitScales(p + 4, parts);
    std::uint8_t* codes = parts.codes.data();
    nibbles256(p + 48, codes);
    for (int i = 0; i < 256; ++i) {
        const int bit = p[16 + i % 32] >> (i / 32) & 1;
        codes[i] = static_cast<std::uint8_t>(codes[i] | bit << 4);
    }
}

void takeQ6_K(Bytes p, BlockCodes& parts) {
    std::uint8_t* codes = parts.codes.data();
    for (int half = 0; half < 2; ++half) {
        Bytes ql = p + 64 * half;
        Bytes qh = p + 128 + 32 * half;
        for (int i = 0; i < 128; ++i) {
            const int run = i / 32;
            const int l = i % 32;
            const std::uint8_t byte = ql[32 * (run % 2) + l];
            const int low4 = run < 2 ? low(byte) : high(byte);
            codes[128 * half + i] =
                static_cast<std::uint8_t>(low4 | (qh[l] >> 2 * run & 3) << 4); // offset 32
        }
    }
    for (std::size_t g = 0; g < 16; ++g) {
        parts.superScales[g] = static_cast<std::int8_t>(p[192 + g]);
    }
    parts.halfScales[0] = halfAt(p + 208);
}

void takeIQ4_XS(Bytes p, BlockCodes& parts) {
    parts.halfScales[0] = halfAt(p);
    const int scalesHigh = halfAt(p + 2);
    for (int g = 0; g < 8; ++g) {
        const int low4 = p[4 + g / 2] >> 4 * (g % 2) & 15;
        const int high2 = scalesHigh >> 2 * g & 3;
        parts.superScales[static_cast<std::size_t>(g)] =
            static_cast<std::int8_t>((low4 | high2 << 4) - 32);
        nibbles32(p + 8 + 16 * g, parts.codes.data() + 32 * g);
    }
}

void takeMXFP4(Bytes p, BlockCodes& parts) {
    parts.exponent = p[0];
    nibbles32(p + 1, parts.codes.data());
}

// Half of an unsigned E4M3 number, as F16 (exact: the smallest is 2^-10).
std::uint16_t halvedE4M3(std::uint8_t code) {
    const int exponent = code >> 3 & 15;
    const int mantissa = code & 7;
    if (code == 0x7F) {
        return 0;
    }
    if (exponent == 0) {
        return halfFromFloat(static_cast<float>(mantissa) * 0x1p-10F);
    }
    return static_cast<std::uint16_t>((exponent + 7) << 10 | mantissa << 7);
}

void takeNVFP4(Bytes p, BlockCodes& parts) {
    for (std::size_t s = 0; s < 4; ++s) {
        parts.halfScales[s] = halvedE4M3(p[s]);
        for (std::size_t j = 0; j < 8; ++j) {
            const std::uint8_t byte = p[4 + 8 * s + j];
            parts.codes[16 * s + j] = low(byte);
            parts.codes[16 * s + 8 + j] = high(byte);
        }
    }
}

// Digit `place` of a byte that holds five base-3 digits as a fraction of 256.
std::uint8_t ternaryDigit(std::uint8_t byte, int place) {
    constexpr std::array<int, 5> kPowers{1, 3, 9, 27, 81};
    const int shifted = byte * kPowers[static_cast<std::size_t>(place)] & 255;
    return static_cast<std::uint8_t>(shifted * 3 >> 8);
}

void takeTQ1_0(Bytes p, BlockCodes& parts) {
    std::uint8_t* codes = parts.codes.data();
    for (int i = 0; i < 160; ++i) {
        codes[i] = ternaryDigit(p[i % 32], i / 32);
    }
    for (int i = 0; i < 80; ++i) {
        codes[160 + i] = ternaryDigit(p[32 + i % 16], i / 16);
    }
    for (int i = 0; i < 16; ++i) {
        codes[240 + i] = ternaryDigit(p[48 + i % 4], i / 4);
    }
    parts.halfScales[0] = halfAt(p + 52);
}

void takeTQ2_0(Bytes p, BlockCodes& parts) {
    twoBits128(p, parts.codes.data());
    twoBits128(p + 32, parts.codes.data() + 128);
    parts.halfScales[0] = halfAt(p + 64);
}

struct Row {
    Format format;
    void (*take)(Bytes, BlockCodes&);
    BlockFormula formula;
};

constexpr const std::int8_t* kNoTable = nullptr;
constexpr std::array kRows{
    Row{Format::Q4_0, takeQ4_0, {32, 4, 8, kNoTable, ScaleKind::Half, MinimumKind::None}},
    Row{Format::Q4_1, takeQ4_1, {32, 4, 0, kNoTable, ScaleKind::Half, MinimumKind::Half}},
    Row{Format::Q5_0, takeQ5_0, {32, 5, 16, kNoTable, ScaleKind::Half, MinimumKind::None}},
    Row{Format::Q5_1, takeQ5_1, {32, 5, 0, kNoTable, ScaleKind::Half, MinimumKind::Half}},
    Row{Format::Q8_0, takeQ8_0, {32, 8, 128, kNoTable, ScaleKind::Half, MinimumKind::None}},
    Row{Format::Q2_K, takeQ2_K, {16, 2, 0, kNoTable, ScaleKind::Super, MinimumKind::Super}},
    Row{Format::Q3_K, takeQ3_K, {16, 3, 4, kNoTable, ScaleKind::Super, MinimumKind::None}},
    Row{Format::Q4_K, takeQ4_K, {32, 4, 0, kNoTable, ScaleKind::Super, MinimumKind::Super}},
    Row{Format::Q5_K, takeQ5_K, {32, 5, 0, kNoTable, ScaleKind::Super, MinimumKind::Super}},
    Row{Format::Q6_K, takeQ6_K, {16, 6, 32, kNoTable, ScaleKind::Super, MinimumKind::None}},
    Row{Format::IQ2_XXS,
        takeIQ2_XXS,
        {32, 4, 0, kStepsIQ2.data(), ScaleKind::Float, MinimumKind::None}},
    Row{Format::IQ2_XS,
        takeIQ2_XS,
        {16, 4, 0, kStepsIQ2.data(), ScaleKind::Float, MinimumKind::None}},
    Row{Format::IQ2_S,
        takeIQ2_S,
        {16, 4, 0, kStepsIQ2.data(), ScaleKind::Float, MinimumKind::None}},
    Row{Format::IQ3_XXS,
        takeIQ3_XXS,
        {32, 4, 0, kStepsIQ3_XXS.data(), ScaleKind::Float, MinimumKind::None}},
    Row{Format::IQ3_S,
        takeIQ3_S,
        {32, 4, 0, kStepsIQ3_S.data(), ScaleKind::Float, MinimumKind::None}},
    Row{Format::IQ4_NL,
        takeQ4_0,
        {32, 4, 0, kNonLinear.data(), ScaleKind::Half, MinimumKind::None}},
    Row{Format::IQ4_XS,
        takeIQ4_XS,
        {32, 4, 0, kNonLinear.data(), ScaleKind::Super, MinimumKind::None}},
    Row{Format::MXFP4,
        takeMXFP4,
        {32, 4, 0, kDoubledE2M1.data(), ScaleKind::Exponent, MinimumKind::None}},
    Row{Format::NVFP4,
        takeNVFP4,
        {16, 4, 0, kDoubledE2M1.data(), ScaleKind::Half, MinimumKind::None}},
    Row{Format::TQ1_0, takeTQ1_0, {256, 2, 1, kNoTable, ScaleKind::Half, MinimumKind::None}},
    Row{Format::TQ2_0, takeTQ2_0, {256, 2, 1, kNoTable, ScaleKind::Half, MinimumKind::None}},
};

const Row* rowOf(Format format) {
    for (const Row& row : kRows) {
        if (row.format == format) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace

const BlockFormula* blockFormula(Format format) {
    const Row* row = rowOf(format);
    return row == nullptr ? nullptr : &row->formula;
}

void takeApart(Format format, const std::byte* block, BlockCodes& parts) {
    rowOf(format)->take(reinterpret_cast<Bytes>(block), parts);
}

float groupScale(const BlockFormula& formula, const BlockCodes& parts, int group) {
    const auto g = static_cast<std::size_t>(group);
    switch (formula.scale) {
    case ScaleKind::Half:
        return floatFromHalf(parts.halfScales[g]);
    case ScaleKind::Super:
        return floatFromHalf(parts.halfScales[0]) * static_cast<float>(parts.superScales[g]);
    case ScaleKind::Exponent:
        // 2^-128 and 2^-127 are subnormal.
        return parts.exponent < 2
                   ? floatFromBits(0x200000U << parts.exponent)
                   : floatFromBits(static_cast<std::uint32_t>(parts.exponent - 1) << 23);
    case ScaleKind::Float:
        return parts.floatScales[g];
    }
    return 0.0F;
}

float groupMinimum(const BlockFormula& formula, const BlockCodes& parts, int group) {
    const float minimum = floatFromHalf(parts.halfMinimum);
    return formula.minimum == MinimumKind::Super
               ? minimum * static_cast<float>(parts.superMinimums[static_cast<std::size_t>(group)])
               : minimum;
}

void decodeBlocks(Format format, const std::byte* src, std::size_t blocks, float* out) {
    const Row& row = *rowOf(format);
    const BlockFormula& formula = row.formula;
    const int elements = traits(format).blockElements;
    const auto bytes = static_cast<std::size_t>(traits(format).blockBytes);
    BlockCodes parts;
    for (std::size_t block = 0; block < blocks; ++block, src += bytes) {
        row.take(reinterpret_cast<Bytes>(src), parts);
        const std::uint8_t* codes = parts.codes.data();
        for (int group = 0; group * formula.groupElements < elements; ++group) {
            const float scale = groupScale(formula, parts, group);
            const int count = formula.groupElements;
            if (formula.minimum == MinimumKind::None) {
                for (int i = 0; i < count; ++i) {
                    const int step = formula.table != nullptr ? formula.table[codes[i]]
                                                              : codes[i] - formula.offset;
                    out[i] = scale * static_cast<float>(step);
                }
            } else {
                const float minimum = groupMinimum(formula, parts, group);
                const bool isSubtracted = formula.minimum == MinimumKind::Super;
                for (int i = 0; i < count; ++i) {
                    const float product = scale * static_cast<float>(codes[i]);
                    out[i] = isSubtracted ? product - minimum : product + minimum;
                }
            }
            codes += count;
            out += count;
        }
    }
}

} // namespace kernels
