// An adapter without training, as llama.cpp's converter would write it.
#include "engine/base/failure.h"
#include "engine/checkpoint/gguf_writer.h"
#include "engine/model/adapter_file.h"
#include "kernels/half.h"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace engine {

namespace {

// Uniform, of this root mean square.
void writeNumbers(gguf::Writer& writer, std::int64_t count, double size, std::mt19937_64& random) {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(count));
    for (std::uint16_t& value : values) {
        const double unit = static_cast<double>(random() >> 11U) * 0x1p-52 - 1.0;
        value = kernels::halfFromFloat(static_cast<float>(unit * size * std::sqrt(3.0)));
    }
    writer.writeData(std::as_bytes(std::span(values)));
}

} // namespace

void writeRandomAdapter(const std::filesystem::path& file, const AdapterBase& base,
                        std::int64_t rank, std::uint64_t seed) {
    if (rank < 1 || rank > kMostAdapterRank) {
        throw Failure(ErrorCode::Invalid,
                      fmt::format("An adapter has a rank of 1 to {}.", kMostAdapterRank));
    }
    gguf::Writer writer(file);
    writer.addText("general.architecture", base.architecture);
    writer.addText("general.type", "adapter");
    writer.addText("adapter.type", "lora");
    writer.addReal("adapter.lora.alpha", static_cast<float>(rank));
    for (const ProjectionSite& site : base.sites) {
        writer.declareTensor(site.name + ".weight.lora_a", kernels::Format::F16,
                             {rank, site.columns});
        writer.declareTensor(site.name + ".weight.lora_b", kernels::Format::F16, {site.rows, rank});
    }
    writer.writeHeader();
    std::mt19937_64 random(seed);
    constexpr double kPart = 0.05; // of the size of what went in
    for (const ProjectionSite& site : base.sites) {
        writeNumbers(writer, rank * site.columns,
                     1.0 / std::sqrt(static_cast<double>(site.columns)), random);
        writeNumbers(writer, site.rows * rank, kPart / std::sqrt(static_cast<double>(rank)),
                     random);
    }
    writer.finish();
}

} // namespace engine
