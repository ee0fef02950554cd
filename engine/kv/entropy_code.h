// Symbols of up to eight bits packed without loss, each run of them by what takes least: as they
// are, as differences (delta, zig-zag, bit-packed in groups of 32), or by how often each of them,
// or each of the differences, occurs (range asymmetric numeral systems, Duda 2013; four states side
// by side). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

enum class RunCode : std::uint8_t {
    Constant,
    Plain,
    Differences,
    Frequencies,
    DifferenceFrequencies
};

// Appends the packed run. Every symbol is below 2^bits; bits: 4 or 8.
void packRun(std::span<const std::uint8_t> symbols, int bits, std::vector<std::byte>& out);

// Reads one run of symbols.size() symbols back from the front of `in`; what is left of it. Nothing
// where `in` is no such run; never reads outside it.
std::optional<std::span<const std::byte>> unpackRun(std::span<const std::byte> in, int bits,
                                                    std::span<std::uint8_t> symbols);

} // namespace engine
