#include "kernels/ceilings.h"

#include "kernels/ops.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <string>

namespace kernels {

namespace {

constexpr int kChains = 12; // independent sums, more than latency times ports
constexpr std::int64_t kSteps = 1'000'000;
constexpr int kRounds = 5;

__attribute__((target("avx512f,avx512vnni"))) void int8Avx512() {
    __m512i sums[kChains] = {};
    const __m512i codes = _mm512_set1_epi8(1);
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

__attribute__((target("avx512f,avx512bf16"))) void bf16Avx512() {
    __m512 sums[kChains] = {};
    __m512i ones = _mm512_set1_epi16(0x3F80);
    __asm__ volatile("" : "+v"(ones));
    __m512bh factors;
    std::memcpy(&factors, &ones, sizeof factors);
    for (std::int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sums[c] = _mm512_dpbf16_ps(sums[c], factors, factors);
        }
    }
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
        __asm__ volatile("" ::"v"(sums[c]));
    }
}

__attribute__((target("avx512f"))) void f32Avx512() {
    __m512 sums[kChains] = {};
    __m512 factors = _mm512_set1_ps(1.0F);
    __asm__ volatile("" : "+v"(factors));
    for (std::int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sums[c] = _mm512_fmadd_ps(factors, factors, sums[c]);
        }
    }
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
        __asm__ volatile("" ::"v"(sums[c]));
    }
}

// As the AVX2 products do it: pairs in 16 bits, then 32.
__attribute__((target("avx2"))) void int8Avx2() {
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

__attribute__((target("avx2,fma"))) void f32Avx2() {
    __m256 sums[kChains] = {};
    __m256 factors = _mm256_set1_ps(1.0F);
    __asm__ volatile("" : "+x"(factors));
    for (std::int64_t i = 0; i < kSteps; ++i) {
#pragma GCC unroll 12
        for (int c = 0; c < kChains; ++c) {
            sums[c] = _mm256_fmadd_ps(factors, factors, sums[c]);
        }
    }
#pragma GCC unroll 12
    for (int c = 0; c < kChains; ++c) {
        __asm__ volatile("" ::"x"(sums[c]));
    }
}

bool hasBf16() {
    return __builtin_cpu_supports("avx512bf16") != 0;
}
bool always() {
    return true;
}

// The products of an instruction set, and how many operations an instruction is.
struct Product {
    std::string_view isa;
    std::optional<double> Ceilings::*result;
    void (*run)();
    int operations;
    bool (*isThere)();
};

constexpr std::array kProducts = {
    Product{"avx512", &Ceilings::int8PerSecond, int8Avx512, 128, always},
    Product{"avx512", &Ceilings::bf16PerSecond, bf16Avx512, 64, hasBf16},
    Product{"avx512", &Ceilings::f32PerSecond, f32Avx512, 32, always},
    Product{"avx2", &Ceilings::int8PerSecond, int8Avx2, 64, always},
    Product{"avx2", &Ceilings::f32PerSecond, f32Avx2, 16, always},
};

using Clock = std::chrono::steady_clock;

// Seconds of the fastest round.
template <class Work>
double fastest(const Work& work) {
    double best = 0.0;
    for (int round = 0; round < kRounds; ++round) {
        const auto begin = Clock::now();
        work();
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        best = round == 0 ? seconds : std::min(best, seconds);
    }
    return best;
}

double measureProduct(ThreadPool& pool, const Product& product) {
    const double seconds = fastest([&] {
        pool.parallelFor(pool.threads(), 1, [&](std::int64_t first, std::int64_t end, int) {
            for (std::int64_t i = first; i < end; ++i) {
                product.run();
            }
        });
    });
    return static_cast<double>(kSteps * kChains) * pool.threads() * product.operations / seconds;
}

double measureCopy(ThreadPool& pool) {
    constexpr std::int64_t kBytes = std::int64_t{128} << 20;
    constexpr std::int64_t kPiece = std::int64_t{1} << 20;
    const Buffer from = Buffer::cpu(Format::I8, Shape{kBytes});
    const Buffer to = Buffer::cpu(Format::I8, Shape{kBytes});
    const double seconds = fastest([&] { // the first round touches the pages
        pool.parallelFor(kBytes / kPiece, 1, [&](std::int64_t first, std::int64_t end, int) {
            std::memcpy(static_cast<std::byte*>(to.view().data) + first * kPiece,
                        static_cast<const std::byte*>(from.view().data) + first * kPiece,
                        static_cast<std::size_t>((end - first) * kPiece));
        });
    });
    return 2.0 * static_cast<double>(kBytes) / seconds;
}

} // namespace

Ceilings measureCeilings(ThreadPool& pool, std::string_view isa) {
    makeCpuOps(pool, isa); // refuses what this processor can't run
    const std::string chosen = isa.empty() ? cpuIsas().front() : std::string(isa);
    Ceilings ceilings;
    ceilings.readBytesPerSecond = measureReadBandwidth(pool);
    ceilings.copyBytesPerSecond = measureCopy(pool);
    for (const Product& product : kProducts) {
        if (product.isa == chosen && product.isThere()) {
            ceilings.*product.result = measureProduct(pool, product);
        }
    }
    return ceilings;
}

} // namespace kernels
