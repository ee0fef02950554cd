// Adapters as PEFT saves them: adapter_config.json says how, adapter_model.safetensors holds the
// matrices under the names that transformers has for the model's modules.
#include "engine/base/display_text.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/hf_names.h"
#include "engine/checkpoint/json_input.h"
#include "engine/checkpoint/safetensors_layout.h"
#include "engine/model/adapter_source.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace engine {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::string_view kConfig = "adapter_config.json";
constexpr std::string_view kWeights = "adapter_model.safetensors";
constexpr double kLargestAlpha = 1e6;

struct PeftConfig {
    std::optional<std::int64_t> rank; // empty where modules differ
    double alpha = 0.0;
    std::vector<std::pair<std::string, double>> alphas; // of modules whose names end so
    AlphaRule rule = AlphaRule::ByRank;
};

bool isSet(const json& value) {
    return !value.is_null() && value != json(false) && !(value.is_structured() && value.empty());
}

// What PEFT knows and this program can't compute: a sentence each, never a silent difference.
void refuseFeatures(const std::string& what, const json& config) {
    struct Feature {
        const char* key;
        const char* sentence;
    };
    constexpr std::array kFeatures = {
        Feature{"modules_to_save", "it brings whole modules of its own (modules_to_save); only "
                                   "low-rank matrices are supported"},
        Feature{"use_dora", "DoRA (use_dora) is not supported; plain LoRA is"},
        Feature{"fan_in_fan_out", "weights that lie turned (fan_in_fan_out) are not supported"},
        Feature{"lora_bias", "biases of the adapter's own (lora_bias) are not supported"},
        Feature{"use_qalora", "QALoRA (use_qalora) is not supported"},
        Feature{"trainable_token_indices", "new token embeddings are not supported"},
        Feature{"target_parameters", "adapters of parameters (target_parameters), such as experts, "
                                     "are not supported"},
        Feature{"layer_replication", "repeated layers (layer_replication) are not supported"},
        Feature{"alora_invocation_tokens", "adapters that wait for an invocation are not "
                                           "supported"},
    };
    for (const Feature& feature : kFeatures) {
        if (isSet(jsonChild(config, feature.key))) {
            refuseAdapter(what, feature.sentence);
        }
    }
    if (const std::string bias = jsonText(config, "bias").value_or("none"); bias != "none") {
        refuseAdapter(what, fmt::format("trained biases (bias: \"{}\") are not supported",
                                        displayText(bias)));
    }
    // These begin with another base than the model's file.
    const std::string start = jsonText(config, "init_lora_weights").value_or("");
    for (const std::string_view other : {"pissa", "olora", "corda", "loftq"}) {
        if (start.starts_with(other)) {
            refuseAdapter(what, fmt::format("an adapter that began with {} changes the base's "
                                            "weights too; save it converted to plain LoRA",
                                            displayText(start)));
        }
    }
}

double alphaOf(const std::string& what, const json& value, std::string_view key) {
    const double alpha = value.is_number() ? value.get<double>() : 0.0;
    if (!std::isfinite(alpha) || alpha == 0.0 || std::abs(alpha) > kLargestAlpha) {
        refuseAdapter(what,
                      fmt::format("{} must be a number other than 0, of at most {}",
                                  displayText(key), kLargestAlpha),
                      ErrorCode::Invalid);
    }
    return alpha;
}

PeftConfig readConfig(const std::string& what, const fs::path& file) {
    const json config = readJsonObject(file);
    if (config.is_null()) {
        refuseAdapter(
            what,
            fmt::format("{} is missing beside it; without it nobody knows its scale", kConfig),
            ErrorCode::NotFound);
    }
    if (const std::string type = jsonText(config, "peft_type").value_or(""); type != "LORA") {
        refuseAdapter(what,
                      fmt::format("adapters of the type \"{}\" (peft_type) are not supported; "
                                  "LORA is",
                                  displayText(type)));
    }
    refuseFeatures(what, config);
    PeftConfig result;
    const json rank = jsonChild(config, "r");
    if (!rank.is_number_integer() || rank < 1 || rank > kMostAdapterRank) {
        refuseAdapter(what, fmt::format("r must be a whole number from 1 to {}", kMostAdapterRank),
                      ErrorCode::Invalid);
    }
    if (!isSet(jsonChild(config, "rank_pattern"))) {
        result.rank = rank.get<std::int64_t>();
    }
    result.alpha = alphaOf(what, jsonChild(config, "lora_alpha"), "lora_alpha");
    result.rule = jsonFlag(config, "use_rslora", false) ? AlphaRule::ByRoot : AlphaRule::ByRank;
    const json alphas = jsonChild(config, "alpha_pattern");
    const json none = json::object();
    for (const auto& [key, value] : (alphas.is_object() ? alphas : none).items()) {
        constexpr std::string_view kNameLetters =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
        if (key.empty() || key.find_first_not_of(kNameLetters) != std::string::npos) {
            refuseAdapter(what, fmt::format("the pattern \"{}\" of alpha_pattern is not supported; "
                                            "names of modules are",
                                            displayText(key)));
        }
        result.alphas.emplace_back(key, alphaOf(what, value, "alpha_pattern"));
    }
    return result;
}

// The longest name that the module's ends with says most about it.
double alphaFor(const PeftConfig& config, std::string_view module) {
    std::size_t longest = 0;
    double alpha = config.alpha;
    for (const auto& [name, value] : config.alphas) {
        const bool isIts = module == name || module.ends_with("." + name);
        if (isIts && name.size() > longest) {
            longest = name.size();
            alpha = value;
        }
    }
    return alpha;
}

struct PartName {
    std::string module; // "model.layers.0.self_attn.q_proj"
    bool isA = false;
};

PartName partOf(const std::string& what, const std::string& name) {
    constexpr std::string_view kPrefix = "base_model.model.";
    struct Ending {
        std::string_view text;
        bool isA;
    };
    constexpr std::array kEndings = {
        Ending{".lora_A.weight", true}, Ending{".lora_B.weight", false},
        Ending{".lora_A.default.weight", true}, Ending{".lora_B.default.weight", false}};
    std::string_view module = name;
    if (module.starts_with(kPrefix)) {
        module.remove_prefix(kPrefix.size());
    }
    for (const Ending& ending : kEndings) {
        if (module.ends_with(ending.text)) {
            module.remove_suffix(ending.text.size());
            return {.module = std::string(module), .isA = ending.isA};
        }
    }
    refuseAdapter(what, name.find("lora_embedding") != std::string::npos
                            ? "adapters of the token embedding are not supported"
                        : name.find("lora_magnitude") != std::string::npos
                            ? "DoRA is not supported; plain LoRA is"
                            : fmt::format("the tensor \"{}\" is no part of a low-rank adapter",
                                          displayText(name)));
}

// The projection that a module is, as the model calls it.
std::string siteOf(const std::string& what, const std::string& module, const AdapterBase& base) {
    constexpr std::string_view kWeight = ".weight";
    const std::string stored = module + std::string(kWeight);
    const hf::Fate fate = hf::fateOf(stored, base.architecture, base.layers);
    if (const auto* omitted = std::get_if<hf::Omitted>(&fate)) {
        refuseAdapter(what,
                      fmt::format("it adds to {}, {}", displayText(module),
                                  omitted->reason == hf::Omission::Prediction
                                      ? fmt::format("but the model has {} layers", base.layers)
                                      : "which is not computed here"),
                      ErrorCode::Invalid);
    }
    const auto* kept = std::get_if<hf::Kept>(&fate);
    if (kept == nullptr || kept->name == stored || !kept->name.ends_with(kWeight)) {
        refuseAdapter(what, fmt::format("it adds to {}, which adapters can't change here",
                                        displayText(module)));
    }
    return kept->name.substr(0, kept->name.size() - kWeight.size());
}

fs::path weightsOf(const std::string& what, const fs::path& path) {
    std::error_code error;
    if (!fs::exists(path, error)) {
        refuseAdapter(what, "there is no such file or folder", ErrorCode::NotFound);
    }
    if (!fs::is_directory(path, error)) {
        if (path.extension() != ".safetensors") {
            refuseAdapter(what,
                          "this is no adapter: open a folder that PEFT saved, its "
                          "safetensors file, or a GGUF file",
                          ErrorCode::Invalid);
        }
        return path;
    }
    if (!fs::exists(path / kWeights, error)) {
        refuseAdapter(what,
                      fs::exists(path / "adapter_model.bin", error)
                          ? "its matrices are in adapter_model.bin, which could run code; save it "
                            "as safetensors"
                          : fmt::format("{} is missing in this folder", kWeights),
                      ErrorCode::NotFound);
    }
    return path / kWeights;
}

} // namespace

AdapterSource readPeftAdapter(const fs::path& path, const AdapterBase& base) {
    std::error_code error;
    const fs::path whole = fs::absolute(path, error).lexically_normal();
    AdapterSource source;
    source.what =
        displayText((whole.filename().empty() ? whole.parent_path() : whole).filename().string());
    const fs::path weights = weightsOf(source.what, whole);
    const auto file = std::make_shared<const MappedFile>(weights, LoadMode::Mmap);
    const PeftConfig config = readConfig(source.what, weights.parent_path() / kConfig);
    source.rule = config.rule;
    source.rank = config.rank;
    source.isWhole = [file] { return file->isWhole(); };
    source.memory = file;
    const safetensors::Layout layout = safetensors::parseLayout(file->bytes(), source.what);
    for (const safetensors::TensorRecord& tensor : layout.tensors) {
        const PartName part = partOf(source.what, tensor.name);
        const std::string site = siteOf(source.what, part.module, base);
        if (!tensor.dtype->format || tensor.shape.size() != 2) {
            refuseAdapter(source.what,
                          fmt::format("the tensor \"{}\" is no matrix of F32, F16 or BF16",
                                      displayText(tensor.name)));
        }
        const auto bytes = file->bytes().subspan(tensor.begin, tensor.bytes);
        addMatrix(source, site, part.isA,
                  {.name = tensor.name,
                   .view = {.data = const_cast<std::byte*>(bytes.data()),
                            .format = *tensor.dtype->format,
                            .shape = {tensor.shape[0], tensor.shape[1]}}});
        source.pairs[site].alpha = alphaFor(config, part.module);
    }
    return source;
}

} // namespace engine
