#include "engine/model_file.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/gguf.h"
#include "engine/model/registry.h"
#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

namespace engine {

namespace {

constexpr std::size_t kShownBytes = 100;     // of a metadata text
constexpr std::uint64_t kKvElementBytes = 2; // keys and values are kept in F16
constexpr std::string_view kNone = "none";

// One row a role, in the order they are told; the first whose sign occurs in a name is its role.
struct Role {
    std::string_view name;
    std::string_view sign;
};

constexpr std::array kRoles = {
    Role{"embedding", "token_embd"},
    Role{"norms", "_norm"},
    Role{"attention", "attn_"},
    Role{"experts", "_exps"},
    Role{"feed-forward", "ffn_"},
    Role{"output", "output."},
    Role{"other", ""},
};

std::size_t roleOf(std::string_view tensor) {
    const auto* const role = std::ranges::find_if(kRoles, [tensor](const Role& candidate) {
        return tensor.find(candidate.sign) != std::string_view::npos;
    });
    return static_cast<std::size_t>(role - kRoles.begin());
}

struct ShortText {
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(std::uint64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{:g}", value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::string& value) const {
        return displayText(value, kShownBytes);
    }
    std::string operator()(const MetadataArray& array) const {
        constexpr std::array<std::string_view, 4> kElements = {"integer", "number", "string",
                                                               "bool"};
        const std::size_t count =
            std::visit([](const auto& values) { return values.size(); }, array);
        return fmt::format("{}[{}]", kElements[array.index()], count);
    }
};

// A number, or the largest of an array with one a layer. 0 where it is absent.
std::int64_t integerOrLargest(const Checkpoint& checkpoint, const std::string& key) {
    if (const auto* const list = checkpoint.integers(key); list != nullptr && !list->empty()) {
        return std::ranges::max(*list);
    }
    return checkpoint.integer(key).value_or(0);
}

void readNumbers(const Checkpoint& checkpoint, ModelInspection& result) {
    const auto number = [&](std::string_view name) {
        return integerOrLargest(checkpoint, fmt::format("{}.{}", result.architecture, name));
    };
    result.layers = number("block_count");
    result.hidden = number("embedding_length");
    result.heads = number("attention.head_count");
    result.kvHeads = number("attention.head_count_kv");
    result.headDim = number("attention.key_length");
    result.feedForward = number("feed_forward_length");
    result.context = number("context_length");
    result.vocabulary = number("vocab_size");
    if (result.kvHeads <= 0) {
        result.kvHeads = result.heads;
    }
    if (result.headDim <= 0 && result.heads > 0) {
        result.headDim = result.hidden / result.heads;
    }
    if (result.vocabulary <= 0) {
        const auto* const tokens = checkpoint.strings("tokenizer.ggml.tokens");
        result.vocabulary = tokens == nullptr ? 0 : std::ssize(*tokens);
    }
}

// Bytes of keys and values that one token takes in all layers; 0 where the numbers make no sense.
std::uint64_t kvBytesPerToken(const Checkpoint& checkpoint, const ModelInspection& model) {
    constexpr std::int64_t kMostLayers = 4096;
    constexpr std::int64_t kWidest = std::int64_t{1} << 24;
    const auto number = [&](std::string_view name) {
        return integerOrLargest(checkpoint, fmt::format("{}.{}", model.architecture, name));
    };
    const std::int64_t latent = number("attention.kv_lora_rank");
    const std::int64_t valueDim = number("attention.value_length");
    if (model.kvHeads < 0 || model.kvHeads > kWidest || model.headDim < 0 ||
        model.headDim > kWidest || latent < 0 || latent > kWidest || valueDim > kWidest ||
        model.layers < 0 || model.layers > kMostLayers) {
        return 0;
    }
    const std::int64_t row =
        latent > 0 ? latent + std::clamp<std::int64_t>(number("rope.dimension_count"), 0, kWidest)
                   : model.kvHeads * (model.headDim + (valueDim > 0 ? valueDim : model.headDim));
    return static_cast<std::uint64_t>(row) * static_cast<std::uint64_t>(model.layers) *
           kKvElementBytes;
}

void addMemory(const Checkpoint& checkpoint, std::uint64_t weightsBytes, ModelInspection& result) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 24;
    const std::uint64_t perToken = kvBytesPerToken(checkpoint, result);
    if (result.context < 1 || result.context > kLongest || perToken == 0) {
        return;
    }
    for (const std::int64_t context : {std::int64_t{2048}, std::int64_t{8192}, result.context}) {
        const bool isTold = !result.memory.empty() && result.memory.back().contextTokens >= context;
        if (context <= result.context && !isTold) {
            result.memory.push_back(
                MemoryNeed{.contextTokens = context,
                           .weightsBytes = weightsBytes,
                           .kvBytes = perToken * static_cast<std::uint64_t>(context)});
        }
    }
}

// Groups in the order of the roles; parameters and bytes of all tensors on the way.
std::uint64_t addTensors(const std::vector<gguf::Part>& parts, ModelInspection& result) {
    std::array<std::vector<FormatGroup>, kRoles.size()> byRole;
    std::uint64_t bytes = 0;
    result.tiedEmbedding = true;
    for (const gguf::Part& part : parts) {
        for (const gguf::TensorRecord& tensor : part.layout.tensors) {
            auto& groups = byRole[roleOf(tensor.name)];
            auto group = std::ranges::find(groups, tensor.type.name, &FormatGroup::format);
            if (group == groups.end()) {
                groups.push_back(FormatGroup{.role = std::string(kRoles[roleOf(tensor.name)].name),
                                             .format = std::string(tensor.type.name)});
                group = groups.end() - 1;
            }
            ++group->tensors;
            group->bytes += tensor.bytes;
            bytes += tensor.bytes;
            if (tensor.name != "rope_freqs.weight") { // constants, not parameters
                result.parameters += static_cast<std::uint64_t>(tensor.shape.elements());
            }
            result.tiedEmbedding = result.tiedEmbedding && tensor.name != "output.weight";
        }
    }
    for (auto& groups : byRole) {
        result.groups.insert(result.groups.end(), std::make_move_iterator(groups.begin()),
                             std::make_move_iterator(groups.end()));
    }
    return bytes;
}

std::optional<std::string> uncomputableTensor(const std::vector<gguf::Part>& parts) {
    for (const gguf::Part& part : parts) {
        for (const gguf::TensorRecord& tensor : part.layout.tensors) {
            const bool isMatrix = tensor.shape.rank() > 1;
            const bool isComputed =
                tensor.type.format && (!isMatrix || kernels::traits(*tensor.type.format).isWeight);
            if (!isComputed) {
                return fmt::format("format {} of {} is not supported", tensor.type.name,
                                   displayText(tensor.name));
            }
        }
    }
    return std::nullopt;
}

std::optional<std::string> whyUnsupported(const Checkpoint& checkpoint,
                                          const ModelInspection& model,
                                          std::optional<std::string> uncomputable) {
    if (model.architecture.empty()) {
        return "the file names no architecture (general.architecture)";
    }
    if (checkpoint.text("general.type") == "adapter") {
        return "this is an adapter, to be used with a model, not a model itself";
    }
    if (!isSupportedArchitecture(model.architecture)) {
        return refusalOfArchitecture(model.architecture);
    }
    if (uncomputable) {
        return uncomputable;
    }
    if (model.parameters == 0) {
        return "the file holds a vocabulary only, no weights";
    }
    const auto tokenizer = makeTokenizer(checkpoint);
    return tokenizer ? std::nullopt : std::optional(tokenizer.error().message);
}

bool isGguf(const std::filesystem::path& file) {
    std::array<char, 4> magic{};
    std::error_code isUnreadable;
    if (!std::filesystem::is_regular_file(file, isUnreadable)) {
        return false;
    }
    std::ifstream(file, std::ios::binary).read(magic.data(), magic.size());
    return std::string_view(magic.data(), magic.size()) == "GGUF";
}

ModelInspection inspect(const std::filesystem::path& file) {
    if (!isGguf(file)) { // refused by name
        const auto opened = openCheckpoint(file);
        throw Failure(opened ? ErrorCode::Unsupported : opened.error().code,
                      opened ? "This kind of model file can't be inspected."
                             : opened.error().message);
    }
    std::vector<gguf::Part> parts = gguf::openParts(file, LoadMode::Mmap, {});
    ModelInspection result;
    result.fileBytes = gguf::totalBytes(parts);
    const std::uint64_t weightsBytes = addTensors(parts, result);
    auto uncomputable = uncomputableTensor(parts);
    const auto checkpoint = gguf::makeCheckpoint(std::move(parts), gguf::Uncomputable::LeaveOut);
    const auto shown = [&](std::string_view key, std::string_view otherwise) {
        return displayText(checkpoint->text(key).value_or(otherwise), kShownBytes);
    };
    result.architecture = shown("general.architecture", "");
    result.name = shown("general.name", displayText(file.filename().string()));
    result.license = shown("general.license", "");
    result.tokenizerModel = shown("tokenizer.ggml.model", kNone);
    result.preTokenizer = shown("tokenizer.ggml.pre", kNone);
    const auto chat = makeChatFormat(*checkpoint);
    const bool hasTemplate = checkpoint->text("tokenizer.chat_template").has_value();
    result.chatFormat = chat ? std::string(chat->name()) : hasTemplate ? "not known" : kNone;
    readNumbers(*checkpoint, result);
    addMemory(*checkpoint, weightsBytes, result);
    for (const std::string& key : checkpoint->metadataKeys()) {
        result.metadata.emplace_back(displayText(key),
                                     std::visit(ShortText{}, *checkpoint->metadata(key)));
    }
    result.unsupported = whyUnsupported(*checkpoint, result, std::move(uncomputable));
    return result;
}

} // namespace

Result<ModelInspection> inspectModel(const std::filesystem::path& file) {
    return atTheDoor([&] { return inspect(file); });
}

} // namespace engine
