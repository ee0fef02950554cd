#include "tests/bench/roofline.h"

#include "engine/checkpoint/checkpoint.h"

#include <algorithm>
#include <stdexcept>

namespace bench {

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

double mostTokensPerSecond(const kernels::Ceilings& machine, const Demand& demand, double tokens,
                           double logitRows) {
    if (!machine.int8PerSecond || machine.readBytesPerSecond <= 0.0) {
        return 0.0;
    }
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    const double operations =
        2.0 * (number(demand.layerElements) * tokens + number(demand.headElements) * logitRows);
    const double bytes = number(demand.layerBytes + (logitRows > 0.0 ? demand.headBytes : 0));
    const double seconds =
        std::max(operations / *machine.int8PerSecond, bytes / machine.readBytesPerSecond);
    return tokens / seconds;
}

} // namespace bench
