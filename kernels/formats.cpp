#include "kernels/formats.h"

#include "kernels/block_codes.h"
#include "kernels/encoders.h"
#include "kernels/float8.h"
#include "kernels/half.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <string>

namespace kernels {

namespace {

using Encoder = void (*)(const float* in, std::size_t blocks, std::byte* dst);

struct Row {
    FormatTraits traits;
    Encoder encode = nullptr; // quantised formats that models are made in
};

constexpr int kNoGgufType = -1;

// In the order of the enumeration; a static_assert below holds it.
constexpr std::array kRows{
    Row{{Format::F32, "F32", 0, 1, 4, true}},
    Row{{Format::F16, "F16", 1, 1, 2, true}},
    Row{{Format::BF16, "BF16", 30, 1, 2, true}},
    Row{{Format::Q4_0, "Q4_0", 2, 32, 18, true}, encodeQ4_0},
    Row{{Format::Q4_1, "Q4_1", 3, 32, 20, true}, encodeQ4_1},
    Row{{Format::Q5_0, "Q5_0", 6, 32, 22, true}, encodeQ5_0},
    Row{{Format::Q5_1, "Q5_1", 7, 32, 24, true}, encodeQ5_1},
    Row{{Format::Q8_0, "Q8_0", 8, 32, 34, true}, encodeQ8_0},
    Row{{Format::Q2_K, "Q2_K", 10, 256, 84, true}},
    Row{{Format::Q3_K, "Q3_K", 11, 256, 110, true}},
    Row{{Format::Q4_K, "Q4_K", 12, 256, 144, true}, encodeQ4_K},
    Row{{Format::Q5_K, "Q5_K", 13, 256, 176, true}, encodeQ5_K},
    Row{{Format::Q6_K, "Q6_K", 14, 256, 210, true}, encodeQ6_K},
    Row{{Format::IQ2_XXS, "IQ2_XXS", 16, 256, 66, true}},
    Row{{Format::IQ2_XS, "IQ2_XS", 17, 256, 74, true}},
    Row{{Format::IQ2_S, "IQ2_S", 22, 256, 82, true}},
    Row{{Format::IQ3_XXS, "IQ3_XXS", 18, 256, 98, true}},
    Row{{Format::IQ3_S, "IQ3_S", 21, 256, 110, true}},
    Row{{Format::IQ4_NL, "IQ4_NL", 20, 32, 18, true}},
    Row{{Format::IQ4_XS, "IQ4_XS", 23, 256, 136, true}},
    Row{{Format::MXFP4, "MXFP4", 39, 32, 17, true}},
    Row{{Format::NVFP4, "NVFP4", 40, 64, 36, true}},
    Row{{Format::TQ1_0, "TQ1_0", 34, 256, 54, true}},
    Row{{Format::TQ2_0, "TQ2_0", 35, 256, 66, true}},
    Row{{Format::I8, "I8", 24, 1, 1, false}},
    Row{{Format::I16, "I16", 25, 1, 2, false}},
    Row{{Format::I32, "I32", 26, 1, 4, false}},
    Row{{Format::I64, "I64", 27, 1, 8, false}},
    Row{{Format::F64, "F64", 28, 1, 8, false}},
    Row{{Format::F8, "F8_E4M3", kNoGgufType, 1, 1, true}},
};

constexpr bool isInOrder() {
    for (std::size_t i = 0; i < kRows.size(); ++i) {
        if (static_cast<std::size_t>(kRows[i].traits.format) != i) {
            return false;
        }
    }
    return kRows.size() == static_cast<std::size_t>(Format::F8) + 1;
}
static_assert(isInOrder(), "the rows stand in the order of the enumeration");

struct UnsupportedType {
    int ggufType;
    std::string_view name;
};

// One-bit formats, activation-side formats, formats of 2026, and ids that left the file format.
constexpr std::array kUnsupported{
    UnsupportedType{4, "Q4_2"},        UnsupportedType{5, "Q4_3"},
    UnsupportedType{9, "Q8_1"},        UnsupportedType{15, "Q8_K"},
    UnsupportedType{19, "IQ1_S"},      UnsupportedType{29, "IQ1_M"},
    UnsupportedType{31, "Q4_0_4_4"},   UnsupportedType{32, "Q4_0_4_8"},
    UnsupportedType{33, "Q4_0_8_8"},   UnsupportedType{36, "IQ4_NL_4_4"},
    UnsupportedType{37, "IQ4_NL_4_8"}, UnsupportedType{38, "IQ4_NL_8_8"},
    UnsupportedType{41, "Q1_0"},       UnsupportedType{42, "Q2_0"},
};

const Row& rowOf(Format format) {
    const auto index = static_cast<std::size_t>(format);
    if (index >= kRows.size()) {
        throw std::invalid_argument("unknown tensor format " + std::to_string(index));
    }
    return kRows[index];
}

std::size_t wholeBlocks(const FormatTraits& format, std::size_t elements) {
    const auto block = static_cast<std::size_t>(format.blockElements);
    if (elements % block != 0) {
        throw std::invalid_argument(std::string(format.name) + " comes in blocks of " +
                                    std::to_string(block) + " elements, not " +
                                    std::to_string(elements));
    }
    return elements / block;
}

// out[i] = the number stored as a T at src + i * sizeof(T).
template <class T, class Convert>
void decodeEach(const std::byte* src, std::span<float> out, Convert convert) {
    for (std::size_t i = 0; i < out.size(); ++i) {
        T stored;
        std::memcpy(&stored, src + i * sizeof(T), sizeof(T));
        out[i] = convert(stored);
    }
}

template <class T, class Convert>
void encodeEach(std::span<const float> in, std::byte* dst, Convert convert) {
    for (std::size_t i = 0; i < in.size(); ++i) {
        const T stored = convert(in[i]);
        std::memcpy(dst + i * sizeof(T), &stored, sizeof(T));
    }
}

template <class T>
void decodeNumbers(const std::byte* src, std::span<float> out) {
    decodeEach<T>(src, out, [](T stored) { return static_cast<float>(stored); });
}

} // namespace

const FormatTraits& traits(Format format) {
    return rowOf(format).traits;
}

std::optional<Format> formatFromGguf(int ggufType) {
    for (const Row& row : kRows) {
        if (row.traits.ggufType == ggufType && ggufType != kNoGgufType) {
            return row.traits.format;
        }
    }
    return std::nullopt;
}

std::optional<Format> formatFromName(std::string_view name) {
    for (const Row& row : kRows) {
        if (row.traits.name == name && row.traits.ggufType != kNoGgufType) {
            return row.traits.format;
        }
    }
    return std::nullopt;
}

std::string_view unsupportedGgufTypeName(int ggufType) {
    for (const UnsupportedType& type : kUnsupported) {
        if (type.ggufType == ggufType) {
            return type.name;
        }
    }
    return {};
}

std::size_t formatBytes(Format format, std::size_t elements) {
    const FormatTraits& row = traits(format);
    return wholeBlocks(row, elements) * static_cast<std::size_t>(row.blockBytes);
}

std::size_t weightRowBytes(Format format, std::size_t columns) {
    return formatBytes(format, columns) + (format == Format::F8 ? sizeof(float) : 0);
}

void dequantize(Format format, const std::byte* src, std::span<float> out) {
    const std::size_t blocks = wholeBlocks(traits(format), out.size());
    switch (format) {
    case Format::F32:
        std::memcpy(out.data(), src, out.size_bytes());
        break;
    case Format::F16:
        decodeEach<std::uint16_t>(src, out, floatFromHalf);
        break;
    case Format::BF16:
        decodeEach<std::uint16_t>(src, out, floatFromBrain);
        break;
    case Format::F8: // as if the scale were 1
        decodeEach<std::uint8_t>(src, out, floatFromE4M3);
        break;
    case Format::I8:
        decodeNumbers<std::int8_t>(src, out);
        break;
    case Format::I16:
        decodeNumbers<std::int16_t>(src, out);
        break;
    case Format::I32:
        decodeNumbers<std::int32_t>(src, out);
        break;
    case Format::I64:
        decodeNumbers<std::int64_t>(src, out);
        break;
    case Format::F64:
        decodeNumbers<double>(src, out);
        break;
    default:
        decodeBlocks(format, src, blocks, out.data());
        break;
    }
}

void quantize(Format format, std::span<const float> in, std::byte* dst) {
    const Row& row = rowOf(format);
    const std::size_t blocks = wholeBlocks(row.traits, in.size());
    if (format == Format::F32) {
        std::memcpy(dst, in.data(), in.size_bytes());
    } else if (format == Format::F16) {
        encodeEach<std::uint16_t>(in, dst, halfFromFloat);
    } else if (format == Format::BF16) {
        encodeEach<std::uint16_t>(in, dst, brainFromFloat);
    } else if (format == Format::F8) {
        encodeEach<std::uint8_t>(in, dst, e4m3FromFloat);
    } else if (row.encode != nullptr) {
        row.encode(in.data(), blocks, dst);
    } else {
        throw std::invalid_argument("no encoder writes " + std::string(row.traits.name) +
                                    "; choose F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, "
                                    "Q5_K or Q6_K");
    }
}

} // namespace kernels
