#include "engine/kv/block_packing.h"

#include "engine/base/ensure.h"
#include "engine/kv/entropy_code.h"

#include <array>

namespace engine {

namespace {

using kernels::KvCoding;

// Bytes of one kind: three loops over a part, the innermost last. What is next to each other in the
// innermost is alike where anything is: the same channel of token after token.
struct Run {
    struct Loop {
        std::int64_t count = 1;
        std::int64_t stride = 0;
    };
    std::int64_t first = 0;
    std::array<Loop, 3> loops{};
    bool areNibbles = false; // two symbols a byte

    std::int64_t bytes() const { return loops[0].count * loops[1].count * loops[2].count; }
    std::size_t symbols() const { return static_cast<std::size_t>(bytes()) * (areNibbles ? 2 : 1); }
    int bits() const { return areNibbles ? 4 : 8; }

    template <class Use> // void(std::int64_t offset)
    void each(Use use) const {
        for (std::int64_t a = 0; a < loops[0].count; ++a) {
            for (std::int64_t b = 0; b < loops[1].count; ++b) {
                std::int64_t at = first + a * loops[0].stride + b * loops[1].stride;
                for (std::int64_t c = 0; c < loops[2].count; ++c, at += loops[2].stride) {
                    use(at);
                }
            }
        }
    }
};

using Runs = std::vector<Run>;

// Numbers of `width` bytes: the first byte of all, the second of all ...
void addPlanes(Runs& runs, std::int64_t first, std::int64_t width, Run::Loop outer,
               Run::Loop middle, Run::Loop inner) {
    for (std::int64_t i = 0; i < width; ++i) {
        runs.push_back({.first = first + i, .loops = {outer, middle, inner}});
    }
}

// Rows of codes, then a scale in F32, then a plain tail of halves.
void addRow8(Runs& runs, const BlockPart& part) {
    const std::int64_t coded = kernels::kvCodedElements(part.dim, part.plainTail);
    const std::int64_t row = kernels::kvRowBytes(part.coding, part.dim, part.plainTail);
    const Run::Loop heads{.count = part.heads, .stride = part.tokens * row};
    const Run::Loop tokens{.count = part.tokens, .stride = row};
    runs.push_back({.first = 0, .loops = {heads, {.count = coded, .stride = 1}, tokens}});
    addPlanes(runs, coded, 4, {}, heads, tokens);
    addPlanes(runs, coded + 4, 2, heads, {.count = part.plainTail, .stride = 2}, tokens);
}

// Of every 32 elements 16 bytes of codes, then scale and minimum in F16 of either half; then a
// plain tail.
void addRow4(Runs& runs, const BlockPart& part) {
    constexpr std::int64_t kCodes = 16;
    constexpr std::int64_t kBytes = 24;
    const std::int64_t groups =
        kernels::kvCodedElements(part.dim, part.plainTail) / kernels::kKvGroup;
    const std::int64_t row = kernels::kvRowBytes(part.coding, part.dim, part.plainTail);
    const Run::Loop rows{.count = part.heads * part.tokens, .stride = row};
    const Run::Loop each{.count = groups, .stride = kBytes};
    runs.push_back(
        {.first = 0, .loops = {rows, each, {.count = kCodes, .stride = 1}}, .areNibbles = true});
    addPlanes(runs, kCodes, 2, {}, rows, each);     // scales
    addPlanes(runs, kCodes + 2, 2, {}, rows, each); // minimums
    addPlanes(runs, kCodes + 4, 2, {}, rows, each); // those of the second half
    addPlanes(runs, kCodes + 6, 2, {}, rows, each);
    addPlanes(runs, groups * kBytes, 2, {}, rows, {.count = part.plainTail, .stride = 2});
}

// For 32 tokens of a head: of every element 16 bytes of codes, then all scales, then all minimums.
void addChannel4(Runs& runs, const BlockPart& part) {
    constexpr std::int64_t kCodes = 16;
    const std::int64_t row = kernels::kvRowBytes(part.coding, part.dim, 0);
    const std::int64_t group = row * kernels::kKvGroup;
    const Run::Loop groups{.count = part.heads * part.tokens / kernels::kKvGroup, .stride = group};
    const Run::Loop halves{.count = part.dim, .stride = 2};
    runs.push_back({.first = 0,
                    .loops = {Run::Loop{}, groups, {.count = kCodes * part.dim, .stride = 1}},
                    .areNibbles = true});
    addPlanes(runs, kCodes * part.dim, 2, {}, groups, halves);
    addPlanes(runs, (kCodes + 2) * part.dim, 2, {}, groups, halves);
    const std::int64_t used = (kCodes + 4) * part.dim;
    runs.push_back(
        {.first = used, .loops = {Run::Loop{}, groups, {.count = group - used, .stride = 1}}});
}

Runs runsOf(const BlockPart& part) {
    Runs runs;
    const auto bytes = static_cast<std::int64_t>(part.bytes);
    switch (part.coding) {
    case KvCoding::F32:
        addPlanes(runs, 0, 4, {}, {}, {.count = bytes / 4, .stride = 4});
        break;
    case KvCoding::F16:
    case KvCoding::Channel16:
        addPlanes(runs, 0, 2, {}, {}, {.count = bytes / 2, .stride = 2});
        break;
    case KvCoding::Row8:
        addRow8(runs, part);
        break;
    case KvCoding::Row4:
        addRow4(runs, part);
        break;
    case KvCoding::Channel4:
        addChannel4(runs, part);
        break;
    }
    std::int64_t covered = 0;
    for (const Run& run : runs) {
        covered += run.bytes();
    }
    ensure(covered == bytes, "runs of a KV block are all of its bytes");
    return runs;
}

} // namespace

PackedBytes packBlock(std::span<const BlockPart> parts) {
    PackedBytes packed;
    packed.reserve(plainBytes(parts));
    std::vector<std::uint8_t> symbols;
    for (const BlockPart& part : parts) {
        for (const Run& run : runsOf(part)) {
            symbols.clear();
            symbols.reserve(run.symbols());
            run.each([&](std::int64_t at) {
                const auto byte = static_cast<std::uint8_t>(part.data[at]);
                if (run.areNibbles) {
                    symbols.push_back(byte & 15U);
                    symbols.push_back(byte >> 4U);
                } else {
                    symbols.push_back(byte);
                }
            });
            packRun(symbols, run.bits(), packed);
        }
    }
    packed.shrink_to_fit();
    return packed;
}

bool unpackBlock(std::span<const std::byte> packed, std::span<const BlockPart> parts) {
    std::vector<std::uint8_t> symbols;
    for (const BlockPart& part : parts) {
        for (const Run& run : runsOf(part)) {
            symbols.resize(run.symbols());
            const auto rest = unpackRun(packed, run.bits(), symbols);
            if (!rest) {
                return false;
            }
            packed = *rest;
            std::size_t next = 0;
            run.each([&](std::int64_t at) {
                unsigned byte = symbols[next++];
                if (run.areNibbles) {
                    byte |= unsigned{symbols[next++]} << 4U;
                }
                part.data[at] = static_cast<std::byte>(byte);
            });
        }
    }
    return packed.empty();
}

std::size_t plainBytes(std::span<const BlockPart> parts) {
    std::size_t bytes = 0;
    for (const BlockPart& part : parts) {
        bytes += part.bytes;
    }
    return bytes;
}

} // namespace engine
