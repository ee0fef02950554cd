// Speed of attention and the row operators for the shapes of small models.
// bench_attention [threads] [isa]
// One thread is timed by its processor time, so that a busy machine still gives usable figures.
#include "kernels/check_inputs.h"
#include "kernels/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <string>
#include <vector>

namespace {

double now(int threads) {
    timespec time{};
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Median seconds of a call over rounds of at least 10 ms.
template <class Call>
double measure(int threads, Call call) {
    call();
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) {
        const double begin = now(threads);
        int count = 0;
        double seconds = 0.0;
        do {
            call();
            ++count;
            seconds = now(threads) - begin;
        } while (seconds < 0.01);
        times.push_back(seconds / count);
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return times[3];
}

struct Heads {
    std::int64_t heads, kvHeads, dim;
};

// One sequence whose last `tokens` of `length` are the queries.
void benchAttention(kernels::Ops& ops, int threads, Heads h, std::int32_t length,
                    std::int32_t tokens) {
    constexpr std::int64_t kBlockTokens = 64;
    kernels::check::Inputs inputs(3);
    const std::int64_t blockCount = (length + kBlockTokens - 1) / kBlockTokens;
    const kernels::check::Cache cache(ops, inputs, blockCount, h.kvHeads, kBlockTokens, h.dim);
    const kernels::Buffer q = inputs.normal(kernels::Shape{tokens, h.heads, h.dim}, 1.0F);
    const kernels::Buffer out = inputs.poisoned(q.view().shape);
    std::vector<kernels::BlockRef> blocks;
    for (std::int32_t i = 0; i < blockCount; ++i) {
        blocks.push_back({i, i * static_cast<std::int32_t>(kBlockTokens)});
    }
    const kernels::AttentionSlice slice{.firstRow = 0,
                                        .tokens = tokens,
                                        .firstPosition = length - tokens,
                                        .firstBlock = 0,
                                        .blockCount = static_cast<std::int32_t>(blockCount)};
    const double time = measure(threads, [&] {
        ops.attention(q.view(), cache.layer(), {{&slice, 1}, blocks}, {.scale = 0.125F},
                      out.view());
    });
    const double keys = static_cast<double>(length) - 0.5 * (tokens - 1);
    const double products = 4.0 * keys * static_cast<double>(tokens * h.heads * h.dim);
    const double bytes = 4.0 * static_cast<double>(length * h.kvHeads * h.dim);
    fmt::print("attention {}/{} heads of {}, {} tokens at {}: {:.1f} us, {:.1f} GFLOPS, {:.1f} "
               "GB/s\n",
               h.heads, h.kvHeads, h.dim, tokens, length, 1e6 * time, 1e-9 * products / time,
               1e-9 * bytes / time);
}

void benchRows(kernels::Ops& ops, int threads, std::int64_t tokens) {
    kernels::check::Inputs inputs(5);
    const kernels::Buffer x = inputs.normal(kernels::Shape{tokens, 576}, 1.0F);
    const kernels::Buffer delta = inputs.normal(kernels::Shape{tokens, 576}, 0.0F);
    const kernels::Buffer gain = inputs.normal(kernels::Shape{576}, 1.0F);
    const kernels::Buffer out = inputs.poisoned(x.view().shape);
    const kernels::Buffer gate = inputs.normal(kernels::Shape{tokens, 1536}, 1.0F);
    const kernels::Buffer up = inputs.normal(kernels::Shape{tokens, 1536}, 1.0F);
    const kernels::Buffer silued = inputs.poisoned(gate.view().shape);
    const double norm = measure(
        threads, [&] { ops.addRmsNorm(x.view(), delta.view(), gain.view(), 1e-5F, out.view()); });
    const double silu =
        measure(threads, [&] { ops.siluMul(gate.view(), up.view(), silued.view()); });
    kernels::RopeSpec rope;
    for (int i = 0; i < 32; ++i) {
        rope.frequencies.push_back(std::pow(1e4F, -static_cast<float>(i) / 32.0F));
    }
    const kernels::check::Cache cache(ops, inputs, (tokens + 63) / 64, 3, 64, 64);
    const kernels::Buffer q = inputs.normal(kernels::Shape{tokens, 9, 64}, 1.0F);
    const kernels::Buffer k = inputs.normal(kernels::Shape{tokens, 3, 64}, 1.0F);
    std::vector<std::int32_t> positions(static_cast<std::size_t>(tokens));
    std::iota(positions.begin(), positions.end(), 0);
    const double turn = measure(threads, [&] {
        ops.ropeAndStore(q.view(), k.view(), k.view(), rope, positions, positions, cache.layer());
    });
    fmt::print("{} tokens: addRmsNorm 576 {:.2f} us, siluMul 1536 {:.2f} us, ropeAndStore 9/3x64 "
               "{:.2f} us\n",
               tokens, 1e6 * norm, 1e6 * silu, 1e6 * turn);
}

} // namespace

int main(int argc, char** argv) {
    kernels::ThreadPool pool(std::max(1, argc > 1 ? std::atoi(argv[1]) : 2));
    const auto ops = kernels::makeCpuOps(pool, argc > 2 ? argv[2] : "");
    fmt::print("{} threads, {}\n", pool.threads(), ops->isa());
    for (const Heads heads : {Heads{9, 3, 64}, Heads{32, 8, 128}}) {
        benchAttention(*ops, pool.threads(), heads, 128, 1);
        benchAttention(*ops, pool.threads(), heads, 512, 1);
        benchAttention(*ops, pool.threads(), heads, 4096, 1);
        benchAttention(*ops, pool.threads(), heads, 512, 512);
        benchAttention(*ops, pool.threads(), heads, 2048, 256);
    }
    for (const std::int64_t tokens : {1, 8, 512}) {
        benchRows(*ops, pool.threads(), tokens);
    }
    return 0;
}
