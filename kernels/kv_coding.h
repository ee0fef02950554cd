// How the rows of keys and values of a layer are stored, and what they take. Compile-time only,
// internal linkage on purpose: operators, tests and instruction-set units all read it.
#pragma once

#include <cstdint>

namespace kernels {

// Elements of a head that KvLayer::spreadsKeys mixes: the largest power of two that divides it.
constexpr std::int64_t spreadLength(std::int64_t dim) {
    return dim & -dim;
}

enum class KvCoding : std::uint8_t {
    F32,
    F16,
    Row8, // a row: codes of -127..127 padded to whole groups of 32, then their scale in F32
    // A row: for every 32 elements 16 bytes of codes 0..15, then scale and minimum in F16 of the
    // first 16 and of the others.
    Row4,
    // Keys only. For 32 tokens of a head: of every element 16 bytes of codes, then all scales, then
    // all minimums in F16. Written once the last of the 32 is there; until a token is
    // kKvRecentTokens behind the group of 32 that a query stands in, it is read from
    // KvLayer::recent.
    Channel4,
    // Keys only, F16: of a block and head first the element 0 of every token, then element 1 …, so
    // that sixteen keys are multiplied side by side as they lie. Blocks of whole sixteens.
    Channel16,
};
// Tokens that Channel16 blocks are multiples of.
static constexpr std::int64_t kKvVector = 16;

// Elements of a row that are coded together, or tokens of a channel that share a scale.
static constexpr std::int64_t kKvGroup = 32;
// Tokens before a query's own group of 32 that Channel4 reads in full precision.
static constexpr std::int64_t kKvRecentTokens = 128;
// Positions back to which a query may read `recent`, its own included.
static constexpr std::int64_t kKvRecentReach = kKvRecentTokens + kKvGroup;

// Row8 and Row4 keep the last `plainTail` elements of a row in F16, behind the codes.
static constexpr std::int64_t kvCodedElements(std::int64_t dim, std::int64_t plainTail) {
    return (dim - plainTail + kKvGroup - 1) / kKvGroup * kKvGroup;
}

// Of one token of one head; a group of Channel4 is as long as its 32 rows.
static constexpr std::int64_t kvRowBytes(KvCoding coding, std::int64_t dim,
                                         std::int64_t plainTail) {
    const std::int64_t coded = kvCodedElements(dim, plainTail);
    switch (coding) {
    case KvCoding::F32:
        return 4 * dim;
    case KvCoding::F16:
    case KvCoding::Channel16:
        return 2 * dim;
    case KvCoding::Row8:
        return coded + 4 + 2 * plainTail;
    case KvCoding::Row4:
        return coded / kKvGroup * 24 + 2 * plainTail;
    case KvCoding::Channel4:
        return (dim * 20 + kKvGroup - 1) / kKvGroup;
    }
    return 0;
}

// Whether a view of rows has their own number format and length, or is bytes.
static constexpr bool isPlainCoding(KvCoding coding) {
    return coding == KvCoding::F32 || coding == KvCoding::F16 || coding == KvCoding::Channel16;
}

// First position that a query at `position` reads in full precision.
static constexpr std::int64_t kvRecentBegin(std::int64_t position) {
    const std::int64_t begin = position / kKvGroup * kKvGroup - kKvRecentTokens;
    return begin > 0 ? begin : 0;
}

} // namespace kernels
