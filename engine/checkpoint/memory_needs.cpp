#include "engine/checkpoint/memory_needs.h"

#include "engine/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kWidest = std::int64_t{1} << 24;

struct Precision {
    std::string_view name;
    double bits; // of an element, its share of scales included
};

// Scales: an F16 for 32 elements of int8 and int4, an F32 for 128 by 128 of fp8.
constexpr std::array kWeightPrecisions = {Precision{"fp16", 16.0}, Precision{"bf16", 16.0},
                                          Precision{"int8", 8.5}, Precision{"fp8", 8.002},
                                          Precision{"int4", 4.5}};
constexpr std::array kKvPrecisions = {Precision{"fp16", 16.0}, Precision{"int8", 8.5},
                                      Precision{"int4", 4.5}};

// What runs is what the setting offers; without the setting, what there has always been.
bool isOffered(std::string_view flag, std::string_view precision, std::string_view usual) {
    const Field* const field = findField(flag);
    return precision == usual ||
           (field != nullptr &&
            std::ranges::find(field->choices, precision) != field->choices.end());
}

// One number a layer: the same for all, or as an array says.
std::vector<std::int64_t> perLayer(const Checkpoint& checkpoint, const std::string& key,
                                   std::int64_t layers, std::int64_t otherwise) {
    const auto* const list = checkpoint.integers(key);
    if (list != nullptr && std::ssize(*list) >= layers) {
        return {list->begin(), list->begin() + layers};
    }
    const std::int64_t value = checkpoint.integer(key).value_or(0);
    return std::vector<std::int64_t>(static_cast<std::size_t>(layers),
                                     value > 0 ? value : otherwise);
}

// Elements of keys and values that one token leaves in all layers: those that last, and those of
// layers with a window, which are dropped when they are out of sight.
struct KvElements {
    std::int64_t lasting = 0, windowed = 0, window = 0;

    std::int64_t at(std::int64_t tokens) const {
        return lasting * tokens + windowed * std::min(tokens, window);
    }
};

// The pattern of Gemma 3's files that name none: five layers with a window, then one without.
constexpr std::int64_t kGemmaPeriod = 6;

// Which layers have a window, as attention.sliding_window_pattern says: a flag each, or a period.
std::vector<bool> windowedLayers(const Checkpoint& checkpoint, const ModelInspection& model,
                                 std::int64_t layers) {
    const std::string key = fmt::format("{}.attention.sliding_window_pattern", model.architecture);
    std::vector<bool> result(static_cast<std::size_t>(layers), false);
    const auto* const value = checkpoint.metadata(key);
    const auto* const array = value == nullptr ? nullptr : std::get_if<MetadataArray>(value);
    if (const auto* const flags =
            array == nullptr ? nullptr : std::get_if<std::vector<bool>>(array);
        flags != nullptr && std::ssize(*flags) >= layers) {
        std::copy_n(flags->begin(), layers, result.begin());
        return result;
    }
    const std::int64_t period =
        checkpoint.integer(key).value_or(model.architecture == "gemma3" ? kGemmaPeriod : 0);
    for (std::int64_t i = 0; i < layers && period > 0; ++i) {
        result[static_cast<std::size_t>(i)] = i % period < period - 1;
    }
    return result;
}

// Nothing where the numbers make no sense.
KvElements kvElementsPerToken(const Checkpoint& checkpoint, const ModelInspection& model) {
    const auto keyOf = [&](std::string_view name) {
        return fmt::format("{}.{}", model.architecture, name);
    };
    const auto number = [&](std::string_view name) {
        return integerOrLargest(checkpoint, keyOf(name));
    };
    const std::int64_t latent = number("attention.kv_lora_rank");
    const std::int64_t valueDim = number("attention.value_length");
    const std::int64_t ahead = number("nextn_predict_layers");
    if (model.kvHeads < 0 || model.kvHeads > kWidest || model.headDim < 0 ||
        model.headDim > kWidest || latent < 0 || latent > kWidest || valueDim > kWidest ||
        model.layers < 0 || model.layers > kMostLayers || ahead < 0 || ahead > model.layers) {
        return {};
    }
    const std::int64_t layers = model.layers - ahead;
    if (latent > 0) {
        return {.lasting = layers * (latent + std::clamp<std::int64_t>(
                                                  number("rope.dimension_count"), 0, kWidest))};
    }
    const std::int64_t width = model.headDim + (valueDim > 0 ? valueDim : model.headDim);
    KvElements sum;
    sum.window = std::clamp<std::int64_t>(number("attention.sliding_window"), 0, kWidest);
    const auto heads =
        perLayer(checkpoint, keyOf("attention.head_count_kv"), layers, model.kvHeads);
    const auto windowed = windowedLayers(checkpoint, model, layers);
    for (std::size_t i = 0; i < heads.size(); ++i) {
        (sum.window > 0 && windowed[i] ? sum.windowed : sum.lasting) +=
            std::clamp<std::int64_t>(heads[i], 0, kWidest) * width;
    }
    return sum;
}

void addWeights(const Checkpoint& checkpoint, std::uint64_t fileBytes, ModelInspection& result) {
    double matrices = 0.0; // elements
    double rest = 0.0;     // bytes: vectors stay as they are
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        if (tensor.shape.rank() > 1) {
            matrices += static_cast<double>(tensor.shape.elements());
        } else {
            rest += 4.0 * static_cast<double>(tensor.shape.elements());
        }
    }
    result.weights.push_back(
        {.precision = "file", .bytes = static_cast<double>(fileBytes), .isAvailable = true});
    for (const Precision& precision : kWeightPrecisions) {
        result.weights.push_back({.precision = std::string(precision.name),
                                  .bytes = rest + matrices * precision.bits / 8.0,
                                  .isAvailable = isOffered("--precision", precision.name, "file")});
    }
}

MemoryNeed needAt(std::int64_t context, const KvElements& elements, std::uint64_t weightsBytes) {
    const auto all = static_cast<double>(elements.at(context));
    MemoryNeed need{.contextTokens = context,
                    .weightsBytes = weightsBytes,
                    .kvBytes = static_cast<std::uint64_t>(2 * elements.at(context)),
                    .kv = {}};
    for (const Precision& precision : kKvPrecisions) {
        need.kv.push_back({.precision = std::string(precision.name),
                           .bytes = all * precision.bits / 8.0,
                           .isAvailable = isOffered("--kv-precision", precision.name, "fp16")});
    }
    return need;
}

} // namespace

std::int64_t integerOrLargest(const Checkpoint& checkpoint, const std::string& key) {
    if (const auto* const list = checkpoint.integers(key); list != nullptr && !list->empty()) {
        return std::ranges::max(*list);
    }
    return checkpoint.integer(key).value_or(0);
}

void addMemoryNeeds(const Checkpoint& checkpoint, ModelInspection& result) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 24;
    std::uint64_t weightsBytes = 0;
    for (const TensorEntry& tensor : checkpoint.tensors()) {
        weightsBytes += tensor.size();
    }
    if (weightsBytes > 0) {
        addWeights(checkpoint, weightsBytes, result);
    }
    const KvElements elements = kvElementsPerToken(checkpoint, result);
    constexpr std::int64_t kMostElements = std::int64_t{1} << 36;
    if (result.context < 1 || result.context > kLongest || elements.at(1) < 1 ||
        elements.lasting > kMostElements || elements.windowed > kMostElements) {
        return;
    }
    for (const std::int64_t context :
         {std::int64_t{2048}, std::int64_t{8192}, std::int64_t{32768}, result.context}) {
        const bool isTold = !result.memory.empty() && result.memory.back().contextTokens >= context;
        if (context <= result.context && !isTold) {
            result.memory.push_back(needAt(context, elements, weightsBytes));
        }
    }
}

} // namespace engine
