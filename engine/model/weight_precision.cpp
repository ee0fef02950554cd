#include "engine/model/weight_precision.h"

#include <fmt/format.h>

namespace engine {

namespace {

using kernels::Format;

constexpr std::int64_t kGroupColumns = 32;

std::string requestedText(WeightPrecision precision) {
    EngineConfig config;
    config.precision = precision;
    return valueText(*findField("weights.precision"), config);
}

// Formats with a scale a group of 32 columns need whole groups.
PlannedFormat inGroups(Format format, std::int64_t columns) {
    if (columns % kGroupColumns == 0) {
        return {.format = format, .reason = {}};
    }
    return {.format = Format::F16,
            .reason = fmt::format("Rows of {} numbers are no whole groups of {}: they are held in "
                                  "FP16.",
                                  columns, kGroupColumns)};
}

bool isAtTheEnds(WeightGroup group) {
    return group == WeightGroup::Embedding || group == WeightGroup::Output;
}

PlannedFormat planEnds(std::int64_t columns) {
    PlannedFormat planned = inGroups(Format::Q8_0, columns);
    if (planned.reason.empty()) {
        planned.reason = "They are held in INT8: an error there is one in every token.";
    }
    return planned;
}

PlannedFormat planInt4(WeightGroup group, Format file, std::int64_t columns) {
    constexpr double kFewBits = 5.1;
    if (bitsPerElement(file) < kFewBits) {
        return {.format = file,
                .reason = fmt::format("The file has them in {:.1f} bits already: they stay {}.",
                                      bitsPerElement(file), kernels::traits(file).name)};
    }
    return isAtTheEnds(group) ? planEnds(columns) : inGroups(Format::Q4_1, columns);
}

} // namespace

std::string_view name(WeightGroup group) {
    constexpr std::string_view kNames[] = {"embedding", "attention", "feed-forward",
                                           "experts",   "router",    "output"};
    return kNames[static_cast<std::size_t>(group)];
}

WeightGroup weightGroup(std::string_view tensor) {
    const auto has = [tensor](std::string_view part) {
        return tensor.find(part) != std::string_view::npos;
    };
    if (tensor.starts_with("token_embd")) {
        return WeightGroup::Embedding;
    }
    if (tensor.starts_with("output")) {
        return WeightGroup::Output;
    }
    if (has("ffn_gate_inp")) {
        return WeightGroup::Router;
    }
    if (has("_exps")) {
        return WeightGroup::Experts;
    }
    return has("ffn_") ? WeightGroup::FeedForward : WeightGroup::Attention;
}

double bitsPerElement(Format format) {
    const kernels::FormatTraits& traits = kernels::traits(format);
    return 8.0 * traits.blockBytes / traits.blockElements;
}

PlannedFormat planFormat(WeightPrecision precision, WeightGroup group, Format file,
                         std::int64_t columns) {
    if (precision == WeightPrecision::File) {
        return {.format = file, .reason = {}};
    }
    if (group == WeightGroup::Router) {
        return {.format = file, .reason = "The choice of experts stays as the file has it."};
    }
    switch (precision) {
    case WeightPrecision::BF16:
        return {.format = Format::BF16, .reason = {}};
    case WeightPrecision::INT8:
        return inGroups(Format::Q8_0, columns);
    case WeightPrecision::FP8:
        return isAtTheEnds(group) ? planEnds(columns)
                                  : PlannedFormat{.format = Format::F8, .reason = {}};
    case WeightPrecision::INT4:
        return planInt4(group, file, columns);
    default:
        return {.format = Format::F16, .reason = {}};
    }
}

std::uint64_t weightBytesNeeded(const Checkpoint& checkpoint, WeightPrecision precision) {
    constexpr double kVectorBits = 32.0;
    double bits = 0.0;
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        double each = kVectorBits;
        if (tensor.shape.rank() > 1) {
            each = bitsPerElement(planFormat(precision, weightGroup(tensor.name), tensor.format,
                                             tensor.shape.rowLength())
                                      .format);
        }
        bits += static_cast<double>(tensor.shape.elements()) * each;
    }
    return static_cast<std::uint64_t>(bits / 8.0);
}

void WeightGroups::add(WeightGroup group, WeightPrecision requested, const PlannedFormat& planned,
                       std::uint64_t bytes) {
    Entry& entry = m_entries[group];
    entry.requested = requestedText(requested);
    ++entry.formats[planned.format];
    ++entry.tensors;
    entry.bytes += bytes;
    if (entry.reason.empty()) {
        entry.reason = planned.reason;
    }
}

std::vector<WeightGroupStatus> WeightGroups::status() const {
    std::vector<WeightGroupStatus> groups;
    for (const auto& [group, entry] : m_entries) {
        std::string formats;
        for (const auto& [format, count] : entry.formats) {
            formats += (formats.empty() ? "" : ", ") + std::string(kernels::traits(format).name);
            if (entry.formats.size() > 1) {
                formats += fmt::format(" ({} of {})", count, entry.tensors);
            }
        }
        groups.push_back({.group = std::string(name(group)),
                          .requested = entry.requested,
                          .effective = std::move(formats),
                          .reason = entry.reason,
                          .tensors = entry.tensors,
                          .bytes = entry.bytes});
    }
    return groups;
}

} // namespace engine
