// Every operator of the engine, once: formula, shapes, precision. The CPU implements it
// (kernels/cpu), CUDA will. One caller thread (the engine's). Activations are F32 views of the
// device's memory; sums are in F32 or, for integer products, exact in I32 a group. Every operator
// sums in one fixed order: a row's result never depends on the batch around it, on chunking, or on
// the number of threads.
#pragma once

#include "kernels/kv_coding.h"
#include "kernels/tensor.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

class ThreadPool;

enum class WeightLayout : std::uint8_t {
    Packed, // the device's own order, a copy; the file's pages can be released
    File,   // computed on the borrowed bytes; the caller keeps them alive
};

// How finely a product with integer weights rounds its activations. A group of 32 columns shares
// one F32 scale either way; F16, BF16 and F32 weights never round them.
enum class ActivationPrecision : std::uint8_t {
    Int8,  // q in [-127, 127]: relative error about 0.5 % of a product, the fast path
    Int16, // two INT8 terms, hi * 254 + lo: 1/254 of that error, twice the arithmetic, same traffic
};

enum class GateActivation : std::uint8_t { Silu, Gelu };

// A weight matrix prepared for one device: logically [rows, columns], values of the file's format.
class Weight {
public:
    virtual ~Weight() = default;
    virtual std::int64_t rows() const = 0;
    virtual std::int64_t columns() const = 0;
    virtual Format format() const = 0;            // the format its values come from
    virtual std::size_t bytes() const = 0;        // owned by this object
    virtual std::size_t trafficBytes() const = 0; // read from memory by one product of few rows
};

// cos and sin of every position times frequency: pair i of a head turns by position * frequency[i].
enum class RopePairing : std::uint8_t { Interleaved, HalfSplit };
enum class RopePlace : std::uint8_t { Front, Back }; // the first or the last elements of a head

struct RopeSpec {
    std::vector<float> frequencies; // one a pair; rotated width = 2 * size
    RopePairing pairing = RopePairing::Interleaved;
    RopePlace place = RopePlace::Front;
    float magnitude = 1.0F; // multiplies cos and sin
};

// What a layer keeps of past tokens. keys: [blocks, kvHeads, blockTokens, keyDim] in F32 or F16, or
// [blocks, kvHeads, blockTokens, kvRowBytes()] I8 of another coding; values: the same with
// valueDim, or empty: values are then the first elements of keys (latent attention).
struct KvLayer {
    View keys{};
    View values{};
    KvCoding keyCoding = KvCoding::F16;
    KvCoding valueCoding = KvCoding::F16;
    std::int64_t plainTail = 0; // last elements of a key that are not coded
    // Heads of q and k are multiplied by a Hadamard matrix once they are turned: every run of
    // spreadLength(keyDim) elements, x[i] becoming the sum of x[j], negative where i & j has an odd
    // number of bits; q is divided by the length. Scores stay; one large element of a key is spread
    // over all, so that Row8, whose rows have one scale, rounds the others less.
    bool spreadsKeys = false;
    // Channel4: what is not coded yet or too near: [places, kvHeads, blockTokens, keyDim] F16.
    View recent{};
    // For selectBlocks(): [blocks, kvHeads, 2, keyDim] F32, or empty.
    View bounds{};
    std::int64_t blockTokens() const { return keys.shape[2]; }
};

// Where the rows of a step go: slot = block * blockTokens + offset.
struct KvSlots {
    KvSlots(std::span<const std::int32_t> all) : slots(all) {} // NOLINT: most layers have no other
    KvSlots(const std::vector<std::int32_t>& all) : slots(all) {} // NOLINT
    KvSlots(std::span<const std::int32_t> all, std::span<const std::int32_t> ofRecent)
        : slots(all),
          recent(ofRecent) {}
    std::span<const std::int32_t> slots;
    std::span<const std::int32_t> recent{}; // in KvLayer::recent, where there is one
};

constexpr std::uint32_t kAllTokens = 0xFFFFFFFFU;

struct BlockRef {
    std::int32_t block = 0;
    std::int32_t firstPosition = 0; // position of the block's first token
    // Bit i: token i of the slice sees it. Others than all: in slices of at most 32 tokens.
    std::uint32_t tokens = kAllTokens;
};

// The next tokens of one sequence: rows [firstRow, firstRow + tokens) of q, at positions
// firstPosition, +1, ... It sees blocks[firstBlock, firstBlock + blockCount), in ascending
// position, up to its own position.
struct AttentionSlice {
    std::int32_t firstRow = 0;
    std::int32_t tokens = 0;
    std::int32_t firstPosition = 0;
    std::int32_t firstBlock = 0;
    std::int32_t blockCount = 0;
};

// A row of q that chooses `keep` of its candidates [firstCandidate, firstCandidate + count).
struct BlockQuery {
    std::int32_t row = 0;
    std::int32_t firstCandidate = 0;
    std::int32_t count = 0;
    std::int32_t keep = 0;
    std::int64_t firstFlag = 0; // of its `count` flags
};

// How scores become weights.
struct AttentionRule {
    float scale = 1.0F;
    std::int32_t window = 0; // a token sees itself and the window - 1 before it; 0: all
    float scoreCap = 0.0F;   // scaled scores become cap * tanh(score / cap); 0: as they are
};

struct AttentionBatch {
    std::span<const AttentionSlice> slices;
    std::span<const BlockRef> blocks;
    // Where the same blocks lie in KvLayer::recent; empty without one.
    std::span<const BlockRef> recent{};
};

// One weight of a stack and the rows it multiplies: row i reads source sources[firstSource + i *
// sourceStep] (where there is no list, that number itself) and writes row firstOut + i * outStep.
struct RowGroup {
    std::int32_t weight = 0;
    std::int32_t rows = 0;
    std::int32_t firstSource = 0;
    std::int32_t sourceStep = 1;
    std::int32_t firstOut = 0;
    std::int32_t outStep = 1;
};

// Weights of one shape: the experts of a layer, or the heads of a matrix.
using WeightStack = std::span<const std::unique_ptr<Weight>>;

enum class ExpertGate : std::uint8_t { Softmax, Sigmoid };
enum class GroupScore : std::uint8_t { Best, SumOfBestTwo }; // of the experts of a group

struct RoutingRule {
    ExpertGate gate = ExpertGate::Softmax;
    int used = 1; // experts a token, and columns of the result
    int groups = 1;
    int groupsUsed = 1; // experts of the other groups can't be chosen
    GroupScore groupScore = GroupScore::Best;
    bool normalises = false; // weights are divided by their sum + 1e-20
    float scale = 1.0F;      // then multiplied by this
};

class Ops {
public:
    virtual ~Ops() = default;

    virtual Device device() const = 0;
    virtual std::string isa() const = 0; // "AVX-512 VNNI", "AVX2", "scalar"

    // Zeroed memory of this device. Throws std::bad_alloc.
    virtual Buffer allocate(Format format, Shape shape) = 0;

    // to = from, of equal bytes, each in the CPU's or in this device's memory. What was asked for
    // before is done first, and `to` is there on return: the one way to read what operators write
    // to a device. Those of the CPU are done when they return.
    virtual void copy(View from, View to);

    // fileWeight: [rows, columns] in a format whose traits say isWeight, CPU memory of any
    // alignment. Throws std::invalid_argument for a format that can't be computed.
    // The precision of the activations belongs to the weight, so that a product's result never
    // depends on what else is in a call. Uses the pool's threads.
    virtual std::unique_ptr<Weight>
    prepare(const View& fileWeight, WeightLayout layout,
            ActivationPrecision precision = ActivationPrecision::Int8) = 0;

    // out[t,:] = table[ids[t],:].   out: [tokens, columns] F32
    virtual void embed(const Weight& table, std::span<const std::int32_t> ids, View out) = 0;

    // out[t,:] = gain * x[t,:] / sqrt(mean(x[t,:]^2) + eps).   x, out: [..., D]; gain: [D]. out may
    // be x.
    virtual void rmsNorm(View x, View gain, float eps, View out) = 0;

    // x += delta, then out = rmsNorm(x).   x, delta, out: [tokens, D]
    virtual void addRmsNorm(View x, View delta, View gain, float eps, View out) = 0;

    // addRmsNorm where the next product multiplies out: x and out need not be there before that,
    // which makes them row by row on the way. No other operator may read them or be called between.
    virtual void addRmsNormForProduct(View x, View delta, View gain, float eps, View out);

    // x += delta.
    virtual void add(View x, View delta) = 0;

    // outs[i][t,n] = sum_k x[t,k] * weights[i][n,k].   x: [tokens, K]; outs[i]: [tokens, N_i].
    // Weights of one call share K; integer formats round x a group of 32 once for all of them:
    // scale = max|x| / 127 in F32, q = x * (127 / max|x|) to the nearest, ties to even. Products
    // are exact in I32 a group of 16 or 32, scaled and added in F32 in ascending k. File and Packed
    // give the same bits.
    virtual void matmul(View x, std::span<const Weight* const> weights,
                        std::span<const View> outs) = 0;

    // outs[i] = matmul(activation(gate) * up, weights[i]), with the same bits as siluMul or geluMul
    // and matmul after it.   gate, up: [tokens, K]; what gate holds afterwards is not defined.
    virtual void gatedMatmul(View gate, View up, GateActivation activation,
                             std::span<const Weight* const> weights, std::span<const View> outs);

    // Turns q and k in place and stores k and v at slots, as the layer keeps them. q: [tokens,
    // heads, headDim]; k: [tokens, kvHeads, keyDim]; v: [tokens, kvHeads, valueDim], empty where
    // the cache has no values. What is stored of a token depends on it and, for Channel4, on its
    // group of 32 positions; never on what else is stored with it.
    virtual void ropeAndStore(View q, View k, View v, const RopeSpec& rope,
                              std::span<const std::int32_t> positions, KvSlots slots,
                              const KvLayer& kv) = 0;

    // out[t,h,:] = softmax(q[t,h,:] . K^T * scale) . V over the slice's blocks, causal.   q:
    // [tokens, heads, keyDim]; out: [tokens, heads, valueDim]. Head h reads kv head
    // h / (heads / kvHeads). Sums in F32; online softmax, Milakov & Gimelshein 2018.
    virtual void attention(View q, const KvLayer& kv, const AttentionBatch& batch,
                           const AttentionRule& rule, View out) = 0;

    // ropeAndStore and attention, with the same bits; in one pass where all slices are single
    // tokens.
    virtual void ropeAndAttend(View q, View k, View v, const RopeSpec& rope,
                               std::span<const std::int32_t> positions, KvSlots slots,
                               const KvLayer& kv, const AttentionBatch& batch,
                               const AttentionRule& rule, View out);

    // bounds[b,h,0,:] = min over the block's tokens of its keys as they are stored, bounds[b,h,1,:]
    // = max, of whole blocks. Precondition: the layer has bounds, and no coding but F32, F16,
    // Channel16 and Row8 without a plain tail.
    virtual void boundKeys(const KvLayer& kv, std::span<const std::int32_t> blocks) = 0;

    // flags = 1 for the `keep` candidates of each query with the largest sum_h w[h], 0 for others;
    // of equal ones the first. w[h] = softmax over the candidates of scale * sum_d max(q[h,d] *
    // bounds[0,d], q[h,d] * bounds[1,d]), which no score of a block's keys exceeds (Quest, Tang et
    // al. 2024). q: [tokens, heads, keyDim]; candidates: blocks that boundKeys() has seen.
    virtual void selectBlocks(View q, const KvLayer& kv, std::span<const BlockQuery> queries,
                              std::span<const std::int32_t> candidates, float scale,
                              std::span<std::uint8_t> flags) = 0;

    // out = silu(gate) * up, silu(g) = g / (1 + exp(-g)).   all [tokens, I]
    virtual void siluMul(View gate, View up, View out) = 0;

    // out = gelu(gate) * up, gelu(g) = g/2 * (1 + tanh(sqrt(2/pi) * (g + 0.044715 g^3))).
    virtual void geluMul(View gate, View up, View out) = 0;

    // x[t,:] += row.   x: [tokens, D]; row: [D]
    virtual void addToRows(View x, View row) = 0;

    // x *= factor.
    virtual void scale(View x, float factor) = 0;

    // x = cap * tanh(x / cap), within cap * 2^-22.
    virtual void softCap(View x, float cap) = 0;

    // outs[i][out row, n] = sum_k x[source row, k] * stacks[i][weight][n, k], as matmul computes
    // it. x: [rows, at least K]; outs[i]: [rows, at least N_i]; what is longer stays as it is. A
    // source may be in many groups, an out row in one.
    virtual void matmulGroups(View x, std::span<const std::int32_t> sources,
                              std::span<const RowGroup> groups, std::span<const WeightStack> stacks,
                              std::span<const View> outs) = 0;

    // Of every token the `used` best experts, best first, the lower one of equals: s = softmax or
    // sigmoid of the logits, chosen by s + bias within the best groups, weighed by s.
    // logits: [tokens, experts]; bias: [experts] or empty; experts: tokens * used; weights:
    // [tokens, used]. Precondition: the used groups hold at least `used` experts.
    virtual void routeExperts(View logits, View bias, const RoutingRule& rule,
                              std::span<std::int32_t> experts, View weights) = 0;

    // out[t,:] = sum_k weights[t,k] * x[rows[t * K + k],:], in ascending k.   weights: [tokens, K];
    // out: [tokens, D]
    virtual void mixRows(View x, std::span<const std::int32_t> rows, View weights, View out) = 0;

    // to[t, toColumn + i] = from[t, fromColumn + i] for i < count.
    virtual void copyColumns(View from, std::int64_t fromColumn, View to, std::int64_t toColumn,
                             std::int64_t count) = 0;

    // out[i,:] = x[rows[i],:].
    virtual void gatherRows(View x, std::span<const std::int32_t> rows, View out) = 0;
};

// The CPU's operators with the best instruction set found at start, or the one named ("scalar",
// "avx2", "avx512"). Throws std::invalid_argument for a name this processor can't run. `pool`
// outlives the result.
std::unique_ptr<Ops> makeCpuOps(ThreadPool& pool, std::string_view isa = {});
// The names makeCpuOps accepts on this machine, best first.
std::vector<std::string> cpuIsas();

struct Machine {
    std::string cpu;   // model name
    std::string isa;   // of makeCpuOps's choice
    std::string flags; // the vector extensions found, blank-separated
    int cores = 0;
    std::uint64_t memoryBytes = 0;
};
Machine describeMachine();

// Bytes per second that all workers together read from memory far larger than the caches; takes
// about 50 ms.
double measureReadBandwidth(ThreadPool& pool);

} // namespace kernels
