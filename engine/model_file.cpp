#include "engine/model_file.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/listing.h"
#include "engine/checkpoint/memory_needs.h"
#include "engine/model/registry.h"
#include "engine/tokenizer/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace engine {

namespace {

constexpr std::size_t kShownBytes = 100; // of a metadata text
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
    result.experts = number("expert_count");
    result.activeExperts = number("expert_used_count");
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

// Groups in the order of the roles; parameters and bytes of all tensors on the way.
void addTensors(const std::vector<ListedTensor>& tensors, ModelInspection& result) {
    std::array<std::vector<FormatGroup>, kRoles.size()> byRole;
    result.tiedEmbedding = true;
    for (const ListedTensor& tensor : tensors) {
        auto& groups = byRole[roleOf(tensor.name)];
        auto group = std::ranges::find(groups, tensor.format, &FormatGroup::format);
        if (group == groups.end()) {
            groups.push_back(FormatGroup{.role = std::string(kRoles[roleOf(tensor.name)].name),
                                         .format = tensor.format});
            group = groups.end() - 1;
        }
        ++group->tensors;
        group->bytes += tensor.bytes;
        if (tensor.name != "rope_freqs.weight") { // constants, not parameters
            result.parameters += static_cast<std::uint64_t>(tensor.shape.elements());
        }
        result.tiedEmbedding = result.tiedEmbedding && tensor.name != "output.weight";
    }
    for (auto& groups : byRole) {
        result.groups.insert(result.groups.end(), std::make_move_iterator(groups.begin()),
                             std::make_move_iterator(groups.end()));
    }
}

std::optional<std::string> uncomputableTensor(const std::vector<ListedTensor>& tensors) {
    for (const ListedTensor& tensor : tensors) {
        const bool isMatrix = tensor.shape.rank() > 1;
        const bool isComputed =
            tensor.loaded && (!isMatrix || kernels::traits(*tensor.loaded).isWeight);
        if (!isComputed) {
            return fmt::format("format {} of {} is not supported", tensor.format,
                               displayText(tensor.name));
        }
    }
    return std::nullopt;
}

// Every reason, the most telling first.
std::vector<std::string> problemsOf(const Listing& listing, ModelInspection& model) {
    const Checkpoint& checkpoint = *listing.checkpoint;
    if (checkpoint.text("general.type") == "adapter") {
        return {"this is an adapter, to be used with a model, not a model itself"};
    }
    std::vector<std::string> problems;
    if (model.architecture.empty()) {
        problems.emplace_back("the file names no architecture (general.architecture)");
    } else if (!isSupportedArchitecture(model.architecture)) {
        problems.push_back(refusalOfArchitecture(model.architecture));
    }
    if (auto uncomputable = uncomputableTensor(listing.tensors)) {
        problems.push_back(std::move(*uncomputable));
    }
    if (model.parameters == 0) {
        problems.emplace_back("the file holds a vocabulary only, no weights");
    }
    // What the loader would say of keys and tensors.
    const auto refusal = problems.empty() ? refusalOfModel(checkpoint) : std::nullopt;
    const auto tokenizer = makeTokenizer(checkpoint);
    if (!tokenizer) {
        problems.push_back(tokenizer.error().message);
    } else if (model.preTokenizer == kNone) { // found out from the rules of tokenizer.json
        const std::string description = (*tokenizer)->description();
        const std::size_t slash = description.find(" / ");
        model.preTokenizer = slash == std::string::npos ? kNone : description.substr(slash + 3);
    }
    if (refusal) {
        problems.push_back(*refusal);
    }
    return problems;
}

// Of modules that GGUF files name as such; what is left out of other files is told by their reader.
void addPredictionNotice(const Listing& listing, ModelInspection& result) {
    const auto count = std::ranges::count_if(listing.tensors, [](const auto& tensor) {
        return tensor.name.find(".nextn.") != std::string::npos || tensor.name.starts_with("mtp.");
    });
    if (count > 0) {
        result.notices.push_back("The model has layers that predict further tokens (MTP): they are "
                                 "left out.");
    }
}

ModelInspection inspect(const std::filesystem::path& path) {
    const Listing listing = listModel(path);
    const Checkpoint& checkpoint = *listing.checkpoint;
    ModelInspection result;
    result.container = listing.container;
    result.files = listing.files;
    result.fileBytes = checkpoint.fileBytes();
    addTensors(listing.tensors, result);
    const auto shown = [&](std::string_view key, std::string_view otherwise) {
        return displayText(checkpoint.text(key).value_or(otherwise), kShownBytes);
    };
    result.architecture = shown("general.architecture", "");
    result.name = shown("general.name", displayText(path.filename().string()));
    result.license = shown("general.license", "");
    result.tokenizerModel = shown("tokenizer.ggml.model", kNone);
    result.preTokenizer = shown("tokenizer.ggml.pre", kNone);
    const auto chat = makeChatFormat(checkpoint);
    result.chatFormat = chat ? std::string(chat->name()) : kNone;
    readNumbers(checkpoint, result);
    addMemoryNeeds(checkpoint, result);
    for (const std::string& key : checkpoint.metadataKeys()) {
        result.metadata.emplace_back(displayText(key),
                                     std::visit(ShortText{}, *checkpoint.metadata(key)));
    }
    result.notices = checkpoint.notices();
    addPredictionNotice(listing, result);
    if (chat && chat->isGeneric()) {
        result.notices.emplace_back("The file's chat template is not known; conversations are sent "
                                    "as plain text: System, User, Assistant.");
    }
    result.problems = problemsOf(listing, result);
    if (!result.problems.empty()) {
        result.unsupported = result.problems.front();
    }
    return result;
}

} // namespace

Result<ModelInspection> inspectModel(const std::filesystem::path& path) {
    return atTheDoor([&] { return inspect(path); });
}

} // namespace engine
