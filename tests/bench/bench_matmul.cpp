// Speed of weight products by shape, format and tokens: median and spread of several rounds.
// bench_matmul [threads] [isa] [format] [rows x columns, as 576x576]
// One thread is timed by its processor time, so that a busy machine still gives usable figures.
#include "kernels/check_inputs.h"
#include "kernels/convert.h"
#include "kernels/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

namespace {

double now(int threads) {
    timespec time{};
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Measured {
    double median, least, most; // seconds a product
};

// Rounds of at least 10 ms each over copies of the weight, so that a layer's weights come from
// where they would come from in a pass over a model of about 90 MB.
Measured measure(kernels::Ops& ops, int threads,
                 const std::vector<std::unique_ptr<kernels::Weight>>& copies,
                 const kernels::View& x, const kernels::View& out) {
    std::size_t next = 0;
    const auto product = [&] {
        const kernels::Weight* weight = copies[next++ % copies.size()].get();
        ops.matmul(x, {&weight, 1}, {&out, 1});
    };
    product();
    std::vector<double> times;
    for (int round = 0; round < 7; ++round) {
        const double begin = now(threads);
        int count = 0;
        double seconds = 0.0;
        do {
            product();
            ++count;
            seconds = now(threads) - begin;
        } while (seconds < 0.01);
        times.push_back(seconds / count);
    }
    std::sort(times.begin(), times.end());
    return {times[times.size() / 2], times.front(), times.back()};
}

void benchShape(kernels::Ops& ops, kernels::ThreadPool& pool, kernels::Format format,
                std::int64_t rows, std::int64_t columns, kernels::ActivationPrecision precision) {
    kernels::check::Inputs inputs(7);
    const kernels::Shape shape{rows, columns};
    kernels::Buffer source =
        inputs.weights(format == kernels::Format::F8 ? kernels::Format::F32 : format, shape);
    kernels::View view = source.view();
    if (format == kernels::Format::F8) { // no file has rows like these
        source = kernels::convertRows(source.view(), format, pool);
        view = {.data = source.view().data, .format = format, .shape = shape};
    }
    constexpr std::size_t kModelBytes = std::size_t{90} << 20;
    std::vector<std::unique_ptr<kernels::Weight>> copies;
    for (std::size_t bytes = 0; bytes < kModelBytes; bytes += source.bytes()) {
        copies.push_back(ops.prepare(view, kernels::WeightLayout::Packed, precision));
    }
    for (const std::int64_t tokens : {1, 2, 4, 8, 16, 128, 512}) {
        if (tokens > 16 && rows > 16384) {
            continue; // heads see few rows
        }
        const kernels::Buffer x = inputs.normal(kernels::Shape{tokens, columns}, 1.0F);
        const kernels::Buffer out = inputs.poisoned(kernels::Shape{tokens, rows});
        const Measured time = measure(ops, pool.threads(), copies, x.view(), out.view());
        const double products = 2.0 * static_cast<double>(rows * columns * tokens);
        fmt::print("{:8} {:>6} x {:<5} {:>4} tokens {:>10.1f} us ({:.1f}-{:.1f}) {:>8.1f} GOPS "
                   "{:>7.1f} GB/s\n",
                   kernels::traits(format).name, rows, columns, tokens, 1e6 * time.median,
                   1e6 * time.least, 1e6 * time.most, 1e-9 * products / time.median,
                   1e-9 * static_cast<double>(copies.front()->trafficBytes()) / time.median);
    }
}

} // namespace

int main(int argc, char** argv) {
    const int threads = argc > 1 ? std::atoi(argv[1]) : 2;
    kernels::ThreadPool pool(std::max(1, threads));
    const auto ops = kernels::makeCpuOps(pool, argc > 2 ? argv[2] : "");
    fmt::print("{} threads, {}, read bandwidth {:.1f} GB/s\n", pool.threads(), ops->isa(),
               1e-9 * kernels::measureReadBandwidth(pool));
    struct Row {
        kernels::Format format;
        std::int64_t rows, columns;
    };
    using kernels::Format;
    std::vector<Row> rows;
    if (argc > 4) {
        const std::string shape = argv[4];
        const std::size_t cross = shape.find('x');
        const auto format = kernels::formatFromName(argv[3]);
        if (cross == std::string::npos || !format) {
            fmt::print(stderr, "usage: bench_matmul [threads] [isa] [format] [rows x columns]\n");
            return 2;
        }
        rows.push_back({*format, std::atoll(shape.c_str()), std::atoll(shape.c_str() + cross + 1)});
    } else {
        for (const Format format : {Format::Q4_1, Format::Q8_0}) {
            rows.push_back({format, 576, 576});
            rows.push_back({format, 1536, 576});
            rows.push_back({format, 576, 1536});
            rows.push_back({format, 2048, 8192});
        }
        rows.push_back({Format::Q8_0, 49152, 576});
    }
    for (const Row& row : rows) {
        benchShape(*ops, pool, row.format, row.rows, row.columns,
                   kernels::ActivationPrecision::Int8);
    }
    return 0;
}
