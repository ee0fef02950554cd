#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/synthetic_model.h"
#include "engine/model_file.h"
#include "kernels/formats.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

constexpr std::int64_t kMostLayers = 512;

SyntheticShape findShape(std::string_view name) {
    std::string known;
    for (const SyntheticShape& shape : syntheticShapes()) {
        if (shape.name == name) {
            return shape;
        }
        known += (known.empty() ? "" : ", ") + std::string(shape.name);
    }
    throw Failure(ErrorCode::Invalid, fmt::format("There is no shape \"{}\". Known shapes: {}.",
                                                  displayText(name), known));
}

kernels::Format findFormat(std::string_view name) {
    const auto format = kernels::formatFromName(name);
    if (format && kernels::traits(*format).isWeight) {
        return *format;
    }
    std::string known;
    for (int id = 0; id <= static_cast<int>(kernels::Format::F64); ++id) {
        const kernels::FormatTraits& traits = kernels::traits(static_cast<kernels::Format>(id));
        if (traits.isWeight) {
            known += (known.empty() ? "" : ", ") + std::string(traits.name);
        }
    }
    throw Failure(ErrorCode::Invalid, fmt::format("Matrices can't be in the format \"{}\". Known "
                                                  "formats: {}.",
                                                  displayText(name), known));
}

} // namespace

std::vector<SynthShape> synthShapes() {
    std::vector<SynthShape> shapes;
    for (const SyntheticShape& shape : syntheticShapes()) {
        shapes.push_back({.name = std::string(shape.name), .summary = std::string(shape.summary)});
    }
    return shapes;
}

Result<void> synthesizeModel(const SynthOptions& options, const std::filesystem::path& file,
                             const std::function<void(std::uint64_t, std::uint64_t)>& progress,
                             std::stop_token stop) {
    return atTheDoor([&] {
        SyntheticShape shape = findShape(options.shape);
        if (options.layers) {
            if (*options.layers < 1 || *options.layers > kMostLayers) {
                throw Failure(ErrorCode::Invalid, fmt::format("A model has 1 to {} layers, not {}.",
                                                              kMostLayers, *options.layers));
            }
            shape.layers = *options.layers;
        }
        const SyntheticOptions writing{.format = findFormat(options.format),
                                       .mixesLikeFiles = true,
                                       .seed = options.seed,
                                       .progress = progress,
                                       .stop = stop};
        writeSyntheticModel(shape, writing, file);
    });
}

} // namespace engine
