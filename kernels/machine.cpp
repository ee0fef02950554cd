#include "kernels/cores.h"
#include "kernels/cpu/cpu_features.h"
#include "kernels/ops.h"
#include "kernels/thread_pool.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>

namespace kernels {

namespace {

std::string modelName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
            return line.substr(colon + 2);
        }
    }
    return "unknown processor";
}

std::uint64_t memoryOfMachine() {
    struct sysinfo info {};
    return sysinfo(&info) == 0 ? static_cast<std::uint64_t>(info.totalram) * info.mem_unit : 0;
}

// More than this machine's caches where they are a desktop's. Servers share last-level caches of
// hundreds of megabytes, which a small model's weights stay in: there the figure is what they get.
std::int64_t bandwidthBytes() {
    constexpr std::int64_t kLeast = std::int64_t{64} << 20;
    constexpr std::int64_t kMost = std::int64_t{128} << 20;
    const std::int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::clamp(4 * cache, kLeast, kMost);
}

// Reads [begin, end) lines of 64 bytes in four streams.
std::uint64_t readLines(const std::uint64_t* data, std::int64_t begin, std::int64_t end) {
    const std::int64_t quarter = (end - begin) / 4;
    std::uint64_t sums[4] = {};
    for (std::int64_t line = begin; line < begin + quarter; ++line) {
        for (int stream = 0; stream < 4; ++stream) {
            const std::uint64_t* p = data + 8 * (line + stream * quarter);
            __builtin_prefetch(p + 256);
            std::uint64_t sum = 0;
            for (int i = 0; i < 8; ++i) {
                sum += p[i];
            }
            sums[stream] += sum;
        }
    }
    return sums[0] + sums[1] + sums[2] + sums[3];
}

} // namespace

Machine describeMachine() {
    Machine machine;
    machine.cpu = modelName();
    ThreadPool pool(1);
    machine.isa = makeCpuOps(pool)->isa();
    machine.flags = cpu::cpuFeatures().vectorFlags;
    machine.cores = usableCores();
    machine.memoryBytes = memoryOfMachine();
    return machine;
}

double measureReadBandwidth(ThreadPool& pool) {
    using Clock = std::chrono::steady_clock;
    constexpr std::int64_t kLinesPerMegabyte = 16384;
    const Buffer memory = Buffer::cpu(Format::I8, Shape{bandwidthBytes()});
    const auto* data = static_cast<const std::uint64_t*>(memory.view().data);
    const std::int64_t lines = static_cast<std::int64_t>(memory.bytes()) / 64;
    // Pages are touched by the threads that read them.
    pool.parallelFor(lines, kLinesPerMegabyte, [&](std::int64_t begin, std::int64_t end, int) {
        for (std::int64_t line = begin; line < end; line += 64) {
            static_cast<std::uint64_t*>(memory.view().data)[8 * line] = 1;
        }
    });
    double best = 0.0;
    const auto deadline = Clock::now() + std::chrono::milliseconds(20);
    do {
        std::atomic<std::uint64_t> sink{0}; // keeps the reads; relaxed, nobody reads it
        const auto begin = Clock::now();
        pool.parallelFor(lines, kLinesPerMegabyte, [&](std::int64_t first, std::int64_t end, int) {
            sink.fetch_add(readLines(data, first, end), std::memory_order_relaxed);
        });
        const std::chrono::duration<double> time = Clock::now() - begin;
        best = std::max(best, static_cast<double>(memory.bytes()) / time.count());
    } while (Clock::now() < deadline);
    return best;
}

} // namespace kernels
