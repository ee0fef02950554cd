// Each function below fills one block: random codes first, then scales chosen so that the decoded
// values have the wanted spread. Layouts: the GGUF formats, as kernels/formats.h decodes them.
#include "engine/checkpoint/random_blocks.h"

#include "engine/base/ensure.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace engine {

namespace {

using Block = std::span<std::byte>;
using Fill = void (*)(Block block, float deviation, RandomBits& random);

// Standard deviation of whole numbers drawn evenly from a range of `count`.
double spreadOf(int count) {
    return std::sqrt((static_cast<double>(count) * count - 1.0) / 12.0);
}

void fillBytes(Block bytes, RandomBits& random) {
    while (!bytes.empty()) {
        const std::uint64_t bits = random.next();
        const std::size_t count = std::min(bytes.size(), sizeof(bits));
        std::memcpy(bytes.data(), &bits, count);
        bytes = bytes.subspan(count);
    }
}

void putHalf(Block block, std::size_t at, double value) {
    const auto single = static_cast<float>(value);
    kernels::quantize(kernels::Format::F16, std::span(&single, 1), block.data() + at);
}

void putByte(Block block, std::size_t at, unsigned value) {
    block[at] = static_cast<std::byte>(value);
}

unsigned byteAt(Block block, std::size_t at) {
    return std::to_integer<unsigned>(block[at]);
}

// Codes of a format without a minimum are not quite centred; a random sign of the scale makes up.
double signedScale(double scale, RandomBits& random) {
    return (random.next() >> 63) != 0 ? scale : -scale;
}

// -128 is no value that encoders write, and some products can't take it.
void avoidMinimum(Block block, std::size_t from, std::size_t count) {
    for (std::size_t i = from; i < from + count; ++i) {
        if (byteAt(block, i) == 0x80) {
            putByte(block, i, 0x81);
        }
    }
}

float evenly(float deviation, RandomBits& random) {
    return (2.0F * random.unit() - 1.0F) * deviation * std::sqrt(3.0F);
}

void fillF32(Block block, float deviation, RandomBits& random) {
    const float value = evenly(deviation, random);
    std::memcpy(block.data(), &value, sizeof(value));
}

void fillF16(Block block, float deviation, RandomBits& random) {
    putHalf(block, 0, evenly(deviation, random));
}

void fillBF16(Block block, float deviation, RandomBits& random) {
    const float value = evenly(deviation, random);
    kernels::quantize(kernels::Format::BF16, std::span(&value, 1), block.data());
}

void fillQ4_0(Block block, float deviation, RandomBits& random) {
    putHalf(block, 0, signedScale(deviation / spreadOf(16), random));
}

void fillQ4_1(Block block, float deviation, RandomBits&) {
    const double scale = deviation / spreadOf(16);
    putHalf(block, 0, scale);
    putHalf(block, 2, -7.5 * scale);
}

void fillQ5_0(Block block, float deviation, RandomBits& random) {
    putHalf(block, 0, signedScale(deviation / spreadOf(32), random));
}

void fillQ5_1(Block block, float deviation, RandomBits&) {
    const double scale = deviation / spreadOf(32);
    putHalf(block, 0, scale);
    putHalf(block, 2, -15.5 * scale);
}

void fillQ8_0(Block block, float deviation, RandomBits&) {
    avoidMinimum(block, 2, 32);
    putHalf(block, 0, deviation / spreadOf(255));
}

// Scale and minimum of a sub-block get the same code 8..15, so that codes 0..3 stay centred.
void fillQ2_K(Block block, float deviation, RandomBits&) {
    for (std::size_t i = 0; i < 16; ++i) {
        const unsigned code = 8 + (byteAt(block, i) & 7U);
        putByte(block, i, code | code << 4);
    }
    constexpr double kCodeSize = 11.73; // root mean square of 8..15
    const double scale = deviation / (kCodeSize * spreadOf(4));
    putHalf(block, 80, scale);
    putHalf(block, 82, 1.5 * scale);
}

// Sub-block scales are code - 32 with codes 0..63, values -4..3.
void fillQ3_K(Block block, float deviation, RandomBits&) {
    constexpr double kCodeSize = 18.48;
    constexpr double kValueSize = 2.345;
    putHalf(block, 108, deviation / (kCodeSize * kValueSize));
}

// The twelve bytes of eight 6-bit scales and minima, both the same code 16..63.
void putScales6(Block block, RandomBits& random) {
    std::array<unsigned, 8> codes{};
    for (unsigned& code : codes) {
        code = 16 + static_cast<unsigned>(random.next() % 48);
    }
    for (std::size_t j = 0; j < 4; ++j) {
        const unsigned high = codes[j + 4];
        putByte(block, 4 + j, codes[j] | (high >> 4) << 6);
        putByte(block, 8 + j, codes[j] | (high >> 4) << 6);
        putByte(block, 12 + j, (high & 15U) | (high & 15U) << 4);
    }
}

constexpr double kCode6Size = 41.87; // root mean square of 16..63

void fillQ4_K(Block block, float deviation, RandomBits& random) {
    putScales6(block, random);
    const double scale = deviation / (kCode6Size * spreadOf(16));
    putHalf(block, 0, scale);
    putHalf(block, 2, 7.5 * scale);
}

void fillQ5_K(Block block, float deviation, RandomBits& random) {
    putScales6(block, random);
    const double scale = deviation / (kCode6Size * spreadOf(32));
    putHalf(block, 0, scale);
    putHalf(block, 2, 15.5 * scale);
}

void fillQ6_K(Block block, float deviation, RandomBits&) {
    avoidMinimum(block, 192, 16);
    putHalf(block, 208, deviation / (spreadOf(255) * spreadOf(64)));
}

// Root mean squares over all entries of a codebook, and of what multiplies a block's own scale:
// (code + 1/2) / 4 with codes 0..15.
constexpr double kQuarterScales = 2.308;
constexpr double kSizeIQ2_XXS = 23.12;
constexpr double kSizeIQ2_XS = 24.22;
constexpr double kSizeIQ2_S = 24.43;
constexpr double kSizeIQ3_XXS = 30.85;
constexpr double kSizeIQ3_S = 7.594;

void fillIQ2_XXS(Block block, float deviation, RandomBits&) {
    putHalf(block, 0, deviation / (kSizeIQ2_XXS * kQuarterScales));
}

void fillIQ2_XS(Block block, float deviation, RandomBits&) {
    putHalf(block, 0, deviation / (kSizeIQ2_XS * kQuarterScales));
}

void fillIQ2_S(Block block, float deviation, RandomBits&) {
    putHalf(block, 0, deviation / (kSizeIQ2_S * kQuarterScales));
}

void fillIQ3_XXS(Block block, float deviation, RandomBits&) {
    putHalf(block, 0, deviation / (kSizeIQ3_XXS * 2.0 * kQuarterScales));
}

void fillIQ3_S(Block block, float deviation, RandomBits&) {
    putHalf(block, 0, deviation / (kSizeIQ3_S * 8.0 * kQuarterScales));
}

constexpr double kNonLinearSize = 67.44; // root mean square of the sixteen IQ4 values

void fillIQ4_NL(Block block, float deviation, RandomBits& random) {
    putHalf(block, 0, signedScale(deviation / kNonLinearSize, random));
}

void fillIQ4_XS(Block block, float deviation, RandomBits&) {
    constexpr double kCodeSize = 18.48; // of code - 32, codes 0..63
    putHalf(block, 0, deviation / (kCodeSize * kNonLinearSize));
}

constexpr double kFloat4Size = 5.852; // root mean square of 0,1,2,3,4,6,8,12 and their negatives

// The scale is a power of two: the exponent is drawn so that the variance is right on average.
void fillMXFP4(Block block, float deviation, RandomBits& random) {
    const double scale = deviation / kFloat4Size; // 2^(e - 128)
    const double lower = std::exp2(std::floor(std::log2(scale)));
    const double share = (scale * scale - lower * lower) / (3.0 * lower * lower);
    const int exponent =
        static_cast<int>(std::log2(lower)) + (static_cast<double>(random.unit()) < share ? 1 : 0);
    putByte(block, 0, static_cast<unsigned>(std::clamp(exponent + 128, 1, 254)));
}

// Unsigned E4M3 with bias 7, the nearest code not below.
unsigned float8Code(double value) {
    for (unsigned code = 1; code < 0x7E; ++code) {
        const unsigned exponent = code >> 3;
        const unsigned mantissa = code & 7U;
        const double decoded =
            exponent == 0 ? mantissa * 0x1p-9
                          : std::ldexp(1.0 + mantissa / 8.0, static_cast<int>(exponent) - 7);
        if (decoded >= value) {
            return code;
        }
    }
    return 0x7E;
}

void fillNVFP4(Block block, float deviation, RandomBits&) {
    const unsigned code = float8Code(2.0 * deviation / kFloat4Size);
    for (std::size_t i = 0; i < 4; ++i) {
        putByte(block, i, code);
    }
}

// A byte holds five values in base 3; only multiples that an encoder makes decode evenly.
void fillTQ1_0(Block block, float deviation, RandomBits&) {
    constexpr unsigned kPacked = 243;
    for (std::size_t i = 0; i < 52; ++i) {
        const unsigned value = byteAt(block, i) * kPacked >> 8;
        putByte(block, i, (value * 256 + kPacked - 1) / kPacked);
    }
    constexpr double kValueSize = 0.8165; // of -1, 0, 1
    putHalf(block, 52, deviation / kValueSize);
}

void fillTQ2_0(Block block, float deviation, RandomBits&) {
    for (std::size_t i = 0; i < 64; ++i) {
        const unsigned codes = byteAt(block, i);
        const unsigned threes = codes & (codes >> 1) & 0x55U; // code 3 does not occur: 1, a zero
        putByte(block, i, codes & ~(threes << 1));
    }
    constexpr double kCodeSize = 0.7071; // of -1, 0, 0, 1
    putHalf(block, 64, deviation / kCodeSize);
}

struct Filler {
    kernels::Format format;
    Fill fill;
};

using kernels::Format;
constexpr std::array kFillers = {
    Filler{Format::F32, fillF32},         Filler{Format::F16, fillF16},
    Filler{Format::BF16, fillBF16},       Filler{Format::Q4_0, fillQ4_0},
    Filler{Format::Q4_1, fillQ4_1},       Filler{Format::Q5_0, fillQ5_0},
    Filler{Format::Q5_1, fillQ5_1},       Filler{Format::Q8_0, fillQ8_0},
    Filler{Format::Q2_K, fillQ2_K},       Filler{Format::Q3_K, fillQ3_K},
    Filler{Format::Q4_K, fillQ4_K},       Filler{Format::Q5_K, fillQ5_K},
    Filler{Format::Q6_K, fillQ6_K},       Filler{Format::IQ2_XXS, fillIQ2_XXS},
    Filler{Format::IQ2_XS, fillIQ2_XS},   Filler{Format::IQ2_S, fillIQ2_S},
    Filler{Format::IQ3_XXS, fillIQ3_XXS}, Filler{Format::IQ3_S, fillIQ3_S},
    Filler{Format::IQ4_NL, fillIQ4_NL},   Filler{Format::IQ4_XS, fillIQ4_XS},
    Filler{Format::MXFP4, fillMXFP4},     Filler{Format::NVFP4, fillNVFP4},
    Filler{Format::TQ1_0, fillTQ1_0},     Filler{Format::TQ2_0, fillTQ2_0},
};

std::uint64_t splitMix(std::uint64_t& state) {
    state += 0x9E3779B97F4A7C15ULL;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
    return mixed ^ (mixed >> 31);
}

} // namespace

RandomBits::RandomBits(std::uint64_t seed) : m_state{} {
    for (std::uint64_t& word : m_state) {
        word = splitMix(seed);
    }
}

std::uint64_t RandomBits::next() {
    const std::uint64_t result = std::rotl(m_state[1] * 5, 7) * 9;
    const std::uint64_t shifted = m_state[1] << 17;
    m_state[2] ^= m_state[0];
    m_state[3] ^= m_state[1];
    m_state[1] ^= m_state[2];
    m_state[0] ^= m_state[3];
    m_state[2] ^= shifted;
    m_state[3] = std::rotl(m_state[3], 45);
    return result;
}

void fillRandomBlocks(kernels::Format format, float deviation, RandomBits& random,
                      std::span<std::byte> blocks) {
    const auto* const filler = std::ranges::find(kFillers, format, &Filler::format);
    ensure(filler != kFillers.end(), "random blocks of a format that is no weight format");
    const auto blockBytes = static_cast<std::size_t>(kernels::traits(format).blockBytes);
    fillBytes(blocks, random);
    for (std::size_t at = 0; at + blockBytes <= blocks.size(); at += blockBytes) {
        filler->fill(blocks.subspan(at, blockBytes), deviation, random);
    }
}

} // namespace engine
