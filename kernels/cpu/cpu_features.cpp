#include "kernels/cpu/cpu_features.h"

#include <array>
#include <cpuid.h>
#include <cstdint>

namespace kernels::cpu {

namespace {

struct Registers {
    unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf) {
    Registers r;
    return __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d) != 0 ? r : Registers{};
}

// Which register files the operating system saves; by name, as the intrinsic needs -mxsave.
std::uint64_t enabledState() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<std::uint64_t>(high) << 32 | low;
}

bool hasBit(unsigned word, int bit) {
    return (word >> bit & 1U) != 0;
}

} // namespace

CpuFeatures cpuFeatures() {
    const Registers one = cpuid(1, 0);
    const Registers seven = cpuid(7, 0);
    const Registers sevenOne = cpuid(7, 1);
    const std::uint64_t state = hasBit(one.c, 27) ? enabledState() : 0;
    const bool savesYmm = (state & 0x6U) == 0x6U;
    const bool savesZmm = (state & 0xE6U) == 0xE6U;

    struct Flag {
        const char* name;
        bool isSet;
    };
    const bool avx2 = savesYmm && hasBit(seven.b, 5);
    const bool avx512f = savesZmm && hasBit(seven.b, 16);
    const std::array flags{
        Flag{"sse4.2", hasBit(one.c, 20)},
        Flag{"avx", savesYmm && hasBit(one.c, 28)},
        Flag{"f16c", savesYmm && hasBit(one.c, 29)},
        Flag{"fma", savesYmm && hasBit(one.c, 12)},
        Flag{"avx2", avx2},
        Flag{"avx-vnni", savesYmm && hasBit(sevenOne.a, 4)},
        Flag{"avx512f", avx512f},
        Flag{"avx512dq", avx512f && hasBit(seven.b, 17)},
        Flag{"avx512bw", avx512f && hasBit(seven.b, 30)},
        Flag{"avx512vl", avx512f && hasBit(seven.b, 31)},
        Flag{"avx512-vnni", avx512f && hasBit(seven.c, 11)},
        Flag{"avx512-bf16", avx512f && hasBit(sevenOne.a, 5)},
        Flag{"avx512-fp16", avx512f && hasBit(seven.d, 23)},
        Flag{"amx-int8", hasBit(seven.d, 25) && (state & 0x60000U) == 0x60000U},
    };

    CpuFeatures features;
    features.avx2 = avx2 && hasBit(one.c, 29) && hasBit(one.c, 12);
    features.avx512 = features.avx2 && avx512f && hasBit(seven.b, 17) && hasBit(seven.b, 30) &&
                      hasBit(seven.b, 31) && hasBit(seven.c, 11);
    for (const Flag& flag : flags) {
        if (flag.isSet) {
            features.vectorFlags += features.vectorFlags.empty() ? "" : " ";
            features.vectorFlags += flag.name;
        }
    }
    return features;
}

} // namespace kernels::cpu
