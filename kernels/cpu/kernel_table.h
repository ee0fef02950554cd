// The functions one instruction set offers, as plain pointers over plain data. An instruction-set
// unit includes only this header, its simd header and the shared bodies: nothing inline with
// external linkage may be compiled with its flags, or the linker could hand that copy to processors
// that can't run it.
#pragma once

#include "kernels/kv_coding.h"

#include <cstddef>
#include <cstdint>

namespace kernels::cpu {

constexpr int kTileRows = 16;     // weight rows interleaved in a tile
constexpr int kGroupColumns = 32; // columns whose activations share a scale
constexpr int kBlockTokens = 8;   // tokens interleaved in a block of quantised activations

// How the numbers of a tile are stored: code width, kind of scale, minimum, columns a scale.
enum class TileKind : std::uint8_t {
    F32,
    F16,
    BF16,
    Code4Half,
    Code4HalfMinimum,
    Code5Half,
    Code5HalfMinimum,
    Code8Half,
    Code4Super16,
    Code4SuperMinimum,
    Code4SuperMinimum16,
    Code5SuperMinimum,
    Code6Super16,
    TableHalf,
    TableHalf16,
    TableFloat,
    TableFloat16,
    TableSuper,
    F8,
};
constexpr int kTileKinds = 19;

// Planes of a tile, each contiguous: codes [K/32][record], factors [K/32][...], super [K/256][...].
// F8: codes [K][16 rows], then the rows' scales times 256 in F32 as factors, which sums are
// multiplied by at their end.
struct TileShape {
    TileKind kind;
    std::int64_t columns;
    std::size_t factorOffset; // bytes from the start of the tile
    std::size_t superOffset;
    std::size_t bytes; // of a tile, a multiple of 64
    float factor;      // of all values; the factors have it in them
    std::int8_t table[16];
};

// Up to kBlockTokens rows of activations, interleaved: groups x width x 32.
struct ActivationBlock {
    const std::int8_t* codes; // [groups][width][32]
    const float* scales;      // [groups][width]
    const std::int32_t* bias; // [groups][parts][width]: what an accumulator starts from
    const float* sums;        // [groups][parts][width]: scale times sum of codes, for minimums
    int width;
};

// Products of consecutive tiles with one block of activations, or two at once.
struct TileRun {
    const TileShape* shape;
    const std::byte* tiles;
    std::int64_t tileCount;
    int lastRows;           // rows of the last tile that exist
    std::int64_t firstTile; // which of its weight the first one is
    bool asksAhead;         // for the tiles behind these; not where they are multiplied again
    // Integer kinds; `terms` 2: token t is kTermBase times row 2t plus row 2t + 1, whose scale and
    // sums are those of both.
    ActivationBlock block;
    ActivationBlock second; // full ones only, and where MatmulTable says so; else of width 0
    int terms;
    // F32, F16, BF16 kinds: `width` rows of F32.
    const float* x;
    std::int64_t xStride;
    float* out; // [token][row], first row of the first tile
    std::int64_t outStride;
};

// Tiles expanded in L1, for products of many rows: codes to bytes and F32 factors, a group at a
// time; plain numbers to F32, where a group is one column.
constexpr int kWideTiles = 3;
constexpr int kWideRows = 4;                  // of a block, multiplied together
constexpr std::size_t kWideGroupBytes = 2304; // most that a group of them expands to

struct ExpandRun {
    const TileShape* shape;
    const std::byte* tiles[kWideTiles]; // where there are fewer, the last one again
    std::int64_t firstGroup;
    std::int64_t groups;
    std::byte* out; // 64-byte aligned
};

struct WideRun {
    const std::byte* expanded;
    std::int64_t groups;
    ActivationBlock block;           // at the first of these groups; plain numbers: its width only
    const float* x;                  // plain numbers: the rows, at the first of these columns
    const float* scales[kWideTiles]; // theirs for a tile's sums at the end, or nullptr
    std::int64_t xStride;
    std::int64_t nextBlock; // bytes from its codes to those that are needed next
    const std::byte* ahead; // memory that is needed later,
    int aheadLines;         // and how many lines of it each group of each kWideRows asks for
    int terms;              // as in TileRun
    bool isFirst;           // these groups start the sums
    bool isLast;            // and these end them
    float* sums;            // kept between: [width][kWideTiles * 16], 64-byte aligned
    int rows;               // that the tiles have
    float* out;             // [token][row], first row of the first tile
    std::int64_t outStride;
};

// Two terms: x = step * (kTermBase * upper + lower), both within [-127, 127].
constexpr float kTermBase = 254.0F;

// Where a row's codes go; `targets` are the bias arrays that the weights of a call need.
struct BiasTarget {
    std::int32_t* out; // [groups][parts][width], already at this row
    std::int32_t bias; // -bias times the sum of codes
    int parts;         // 1: a sum of 32, 2: sums of 16
};
constexpr int kMaxBiasTargets = 8;

struct QuantisedRow {
    std::int8_t* codes; // stride width * 32 a group
    float* scales;      // stride width
    float* sums32;      // stride width; may be nullptr
    float* sums16;      // stride 2 * width a group, width a part; may be nullptr
    BiasTarget targets[kMaxBiasTargets];
    int targetCount;
    int width;
};

constexpr int kPartialTail = 32; // floats behind a row's sums of values: weights, maximum
constexpr int kRowStates = 3;    // floats a row that attendSpan keeps, rows rounded up to 16

// Keys and values of one kv head, and the query rows that read them.
struct AttentionBlock {
    std::int32_t block;
    std::int32_t firstPosition;
    std::int32_t recent;  // its place in what is kept in full precision
    std::uint32_t tokens; // of the slice, that see it
};

// Rows of one kv head as they are stored, from block 0 on.
struct StoredRows {
    const std::byte* data;
    std::int64_t blockStride; // bytes from a block to the next
    std::int64_t rowBytes;
    KvCoding coding;
    int dim; // elements of a row
    int plainTail;
};

struct AttentionTile {
    const float* q; // row (token, head): q + token * queryStride + head * keyDim
    float* out;     // out + token * outStride + head * valueDim
    std::int64_t queryStride;
    std::int64_t outStride;
    int tokens;
    int firstToken; // of the slice
    int heads;      // that share the kv head
    int keyDim;
    int valueDim;
    std::int32_t firstPosition;
    StoredRows keys;
    StoredRows values; // longer than valueDim where they are those of keys
    StoredRows recent; // of Channel4 keys; the tile lies within one group of positions
    int blockTokens;
    const AttentionBlock* blocks; // ascending positions
    int blockCount;
    const std::byte* nextKeys; // what is read after these, or nullptr
    float scale;
    std::int32_t window; // positions that a row sees, its own included
    float scoreCap;      // 0: none
    float* scratch;      // attentionScratch(...) floats, 64-byte aligned
    float* partial;      // [rows][paddedValueDim + kPartialTail]
};

using MatmulFunction = void (*)(const TileRun&);

struct WideTable {
    void (*expand[kTileKinds])(const ExpandRun&); // by TileKind
    void (*multiply[2][2])(const WideRun&);       // by parts - 1 and whether there are minimums
    void (*multiplyNumbers)(const WideRun&);
};

struct MatmulTable {
    MatmulFunction run[kTileKinds]; // by TileKind
    bool pairsBlocks;               // `run` takes two of codes at once
    const WideTable* wide;          // nullptr where `run` is as fast for many rows
};

struct KernelTable {
    const char* name;        // as makeCpuOps takes it
    const char* displayName; // as people read it
    bool multipliesSigned;   // codes of 8 bits are signed here and need no bias
    const MatmulTable* matmul;
    // One row of groups * 32 numbers; `low` is the second term or nullptr.
    void (*quantiseRow)(const float* x, std::int64_t groups, const QuantisedRow& high,
                        const QuantisedRow* low);

    void (*rmsNormRow)(const float* x, const float* gain, float eps, float* out, std::int64_t n);
    void (*addRmsNormRow)(float* x, const float* delta, const float* gain, float eps, float* out,
                          std::int64_t n);
    void (*addRange)(float* x, const float* delta, std::int64_t n);
    void (*siluMulRange)(const float* gate, const float* up, float* out, std::int64_t n);
    void (*geluMulRange)(const float* gate, const float* up, float* out, std::int64_t n);
    void (*scaleRange)(float* x, float factor, std::int64_t n);
    void (*addScaledRange)(float* x, const float* delta, float factor, std::int64_t n);
    void (*softCapRange)(float* x, float cap, std::int64_t n);
    // Turns the first `width` elements of a head. Interleaved: cosines twice a pair, sines as
    // (-sine, sine). Halves: cosines and sines one a pair.
    void (*turnInterleaved)(float* head, const float* cosines, const float* sines, int width);
    void (*turnHalves)(float* head, const float* cosines, const float* sines, int width);
    // Sums and differences within every run of spreadLength(n) elements, times a factor.
    void (*spreadHead)(float* head, std::int64_t n, float factor);
    // F32, F16, Row8, Row4: one row of `dim` elements, the last plainTail of them in F16.
    void (*storeKvRow)(KvCoding coding, const float* in, std::int64_t dim, std::int64_t plainTail,
                       std::byte* out);
    // Channel4: a group of 32 rows of F16, one after the other.
    void (*storeKvChannels)(const std::uint16_t* rows, std::int64_t dim, std::byte* out);
    void (*expRange)(const float* in, float* out, std::int64_t n);
    // What q . k can be at most where least <= k <= greatest, element by element.
    float (*largestScore)(const float* q, const float* least, const float* greatest, int dim);

    // Sums of one span of blocks into tile.partial.
    void (*attendSpan)(const AttentionTile& tile);
    // total = both spans, in the rows of `into`.
    void (*mergeSpans)(float* into, const float* from, int rows, int valueDim);
    void (*finishAttention)(const AttentionTile& tile);
};

extern const MatmulTable kScalarMatmul;
extern const MatmulTable kAvx2Matmul;
extern const MatmulTable kAvx512Matmul;

const KernelTable& scalarKernels();
const KernelTable& avx2Kernels();
const KernelTable& avx512Kernels();

} // namespace kernels::cpu
