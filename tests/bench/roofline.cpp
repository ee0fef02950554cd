#include "tests/bench/roofline.h"

#include "engine/checkpoint/checkpoint.h"
#include "kernels/ops.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace bench {

namespace {

constexpr int kChains = 12; // independent sums, more than latency times ports
constexpr std::int64_t kSteps = 1'000'000;

__attribute__((target("avx512f,avx512vnni"))) void multiplyAvx512() {
    __m512i sums[kChains] = {};
    __m512i codes = _mm512_set1_epi8(1);
    for (std::int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sums[c] = _mm512_dpbusd_epi32(sums[c], codes, codes);
        }
    }
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
        __asm__ volatile("" ::"v"(sums[c]));
    }
}

// As the AVX2 products do it: pairs in 16 bits, then 32.
__attribute__((target("avx2"))) void multiplyAvx2() {
    __m256i sums[kChains] = {};
    const __m256i codes = _mm256_set1_epi8(1);
    const __m256i ones = _mm256_set1_epi16(1);
    for (std::int64_t i = 0; i < kSteps; ++i) {
        for (int c = 0; c < kChains; ++c) {
            __m256i factors = codes;
            __asm__ volatile("" : "+x"(factors)); // or the product would leave the loop
            sums[c] = _mm256_add_epi32(
                sums[c], _mm256_madd_epi16(_mm256_maddubs_epi16(factors, codes), ones));
        }
    }
    for (int c = 0; c < kChains; ++c) {
        __asm__ volatile("" ::"x"(sums[c]));
    }
}

double measureProducts(kernels::ThreadPool& pool, void (*multiply)(), int lanes) {
    using Clock = std::chrono::steady_clock;
    double best = 0.0;
    for (int round = 0; round < 5; ++round) {
        const auto begin = Clock::now();
        pool.parallelFor(pool.threads(), 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                multiply();
            }
        });
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        const double products = static_cast<double>(kSteps * kChains) * pool.threads();
        best = std::max(best, products * 8.0 * lanes / seconds);
    }
    return best;
}

} // namespace

Machine measureMachine(kernels::ThreadPool& pool, std::string_view isa) {
    Machine machine{.readBytesPerSecond = kernels::measureReadBandwidth(pool)};
    const std::string best = isa.empty() ? kernels::cpuIsas().front() : std::string(isa);
    if (best == "avx512") {
        machine.productsPerSecond = measureProducts(pool, multiplyAvx512, 16);
    } else if (best == "avx2") {
        machine.productsPerSecond = measureProducts(pool, multiplyAvx2, 8);
    }
    return machine;
}

Demand demandOf(const std::filesystem::path& model) {
    const auto checkpoint = engine::openCheckpoint(model);
    if (!checkpoint) {
        throw std::runtime_error(checkpoint.error().message);
    }
    const bool isTied = (*checkpoint)->find("output.weight") == nullptr;
    const std::string_view head = isTied ? "token_embd.weight" : "output.weight";
    Demand demand;
    for (const engine::TensorEntry& tensor : (*checkpoint)->tensors()) {
        if (tensor.shape.rank() < 2) {
            continue;
        }
        const auto elements = static_cast<std::uint64_t>(tensor.shape.elements());
        if (tensor.name == head) {
            demand.headElements += elements;
            demand.headBytes += tensor.bytes.size();
        } else if (tensor.name != "token_embd.weight") { // of that, a step reads a row a token
            demand.layerElements += elements;
            demand.layerBytes += tensor.bytes.size();
        }
    }
    return demand;
}

double mostTokensPerSecond(const Machine& machine, const Demand& demand, double tokens,
                           double logitRows) {
    if (machine.productsPerSecond <= 0.0 || machine.readBytesPerSecond <= 0.0) {
        return 0.0;
    }
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    const double operations =
        2.0 * (number(demand.layerElements) * tokens + number(demand.headElements) * logitRows);
    const double bytes = number(demand.layerBytes + (logitRows > 0.0 ? demand.headBytes : 0));
    const double seconds =
        std::max(operations / machine.productsPerSecond, bytes / machine.readBytesPerSecond);
    return tokens / seconds;
}

} // namespace bench
