#include "engine/checkpoint/hf_config.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/hf_config_values.h"
#include "engine/checkpoint/hf_rope.h"
#include "engine/checkpoint/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace engine::hf {

namespace {

using nlohmann::json;

constexpr double kEpsilon = 1e-6; // of every family here, where the config has none

// What all decoders say, under the name of the architecture.
void tellCommon(const Values& values, Config& config) {
    const auto tell = [&](std::string_view name, std::string_view key) {
        if (const auto value = values.integer(name)) {
            config.metadata.set(config.architecture + "." + std::string(key), *value);
        }
    };
    tell("num_hidden_layers", "block_count");
    tell("hidden_size", "embedding_length");
    tell("intermediate_size", "feed_forward_length");
    tell("num_attention_heads", "attention.head_count");
    tell("max_position_embeddings", "context_length");
    tell("vocab_size", "vocab_size");
    config.metadata.set(config.architecture + ".attention.layer_norm_rms_epsilon",
                        values.number("rms_norm_eps").value_or(kEpsilon));
}

class Teller {
public:
    Teller(const Values& values, Config& config) : m_values(values), m_config(config) {}

    const Values& values() const { return m_values; }
    void set(std::string_view key, MetadataValue value) const {
        m_config.metadata.set(fmt::format("{}.{}", m_config.architecture, key), std::move(value));
    }

    // Heads of their own width, keys and values alike. `headDim`: of configs that have none.
    std::int64_t tellHeads(std::optional<std::int64_t> headDim = {}) const {
        const std::int64_t heads = m_values.needed("num_attention_heads", 1, 1 << 16);
        set("attention.head_count_kv", m_values.integer("num_key_value_heads").value_or(heads));
        const std::int64_t hidden = m_values.needed("hidden_size", 1, 1 << 20);
        const std::int64_t width =
            m_values.integer("head_dim").value_or(headDim.value_or(hidden / heads));
        if (width < 1 || width > (1 << 16)) {
            m_values.refuse("head_dim", fmt::format("{} can't be", width));
        }
        set("attention.key_length", width);
        set("attention.value_length", width);
        return width;
    }

    void tellRope(const json& rope, std::int64_t width) const {
        set("rope.dimension_count", width);
        m_config.ropeDivisors = hf::tellRope(
            Values(rope, m_values.what()),
            {.width = width,
             .contextTokens = m_values.integer("max_position_embeddings").value_or(0),
             .originalTokens = m_values.integer("original_max_position_embeddings")},
            [this](std::string_view key, MetadataValue value) { set(key, std::move(value)); });
    }

    // Layers that see a window only: as layer_types lists them, else by `isLocal`.
    template <class IsLocal>
    void tellWindow(IsLocal isLocal) const {
        const auto window = m_values.integer("sliding_window");
        if (!window || *window < 1) {
            return;
        }
        std::vector<bool> locals;
        if (const auto types = m_values.texts("layer_types")) {
            for (const std::string& type : *types) {
                if (type != "sliding_attention" && type != "full_attention") {
                    m_values.refuse("layer_types", fmt::format("layers of \"{}\" are not supported",
                                                               displayText(type)));
                }
                locals.push_back(type == "sliding_attention");
            }
        } else {
            for (std::int64_t i = 0; i < m_config.layers; ++i) {
                locals.push_back(isLocal(i));
            }
        }
        if (std::ranges::find(locals, true) != locals.end()) {
            set("attention.sliding_window", *window);
            set("attention.sliding_window_pattern", MetadataArray(std::move(locals)));
        }
    }

    void tellExperts(std::string_view countName) const {
        set("expert_count", m_values.needed(countName, 1, 1 << 16));
        set("expert_used_count", m_values.needed("num_experts_per_tok", 1, 1 << 16));
        set("expert_feed_forward_length", m_values.needed("moe_intermediate_size", 1, 1 << 20));
    }

private:
    const Values& m_values;
    Config& m_config;
};

constexpr std::int64_t kSoftmax = 1; // expert_gating_func
constexpr std::int64_t kSigmoid = 2;

void refuseOtherActivation(const Values& values, std::string_view name,
                           std::initializer_list<std::string_view> allowed) {
    const std::string activation = values.text(name).value_or(std::string(*allowed.begin()));
    if (std::ranges::find(allowed, activation) == allowed.end()) {
        values.refuse(name, fmt::format("\"{}\" is not supported", displayText(activation)));
    }
}

void tellLlama(const Values& values, Config& config) {
    const Teller teller(values, config);
    refuseOtherActivation(values, "hidden_act", {"silu", "swish"});
    const std::int64_t width = teller.tellHeads();
    const double share = values.number("partial_rotary_factor").value_or(1.0);
    if (!(share > 0.0 && share <= 1.0)) {
        values.refuse("partial_rotary_factor", fmt::format("{} can't be", share));
    }
    teller.tellRope(ropeOf(values.document()),
                    static_cast<std::int64_t>(static_cast<double>(width) * share));
    // Rows of q and k lie as transformers has them; GGUF files have them in pairs.
    teller.set("rope.pairing", std::string("half"));
}

void tellQwen2(const Values& values, Config& config) {
    const Teller teller(values, config);
    refuseOtherActivation(values, "hidden_act", {"silu", "swish"});
    teller.tellRope(ropeOf(values.document()), teller.tellHeads());
    // Files name a window that is switched off.
    if (values.boolean("use_sliding_window").value_or(false)) {
        const std::int64_t first = values.integer("max_window_layers").value_or(28);
        teller.tellWindow([first](std::int64_t layer) { return layer >= first; });
    }
}

void tellQwen3(const Values& values, Config& config) {
    constexpr std::int64_t kHeadDim = 128;
    const Teller teller(values, config);
    refuseOtherActivation(values, "hidden_act", {"silu", "swish"});
    teller.tellRope(ropeOf(values.document()), teller.tellHeads(kHeadDim));
    if (values.boolean("use_sliding_window").value_or(false)) {
        const std::int64_t first = values.integer("max_window_layers").value_or(28);
        teller.tellWindow([first](std::int64_t layer) { return layer >= first; });
    }
}

void tellQwen3Moe(const Values& values, Config& config) {
    const Teller teller(values, config);
    refuseOtherActivation(values, "hidden_act", {"silu", "swish"});
    teller.tellRope(ropeOf(values.document()), teller.tellHeads());
    teller.tellExperts(values.has("num_experts") ? "num_experts" : "num_local_experts");
    teller.set("expert_gating_func", kSoftmax);
    teller.set("expert_weights_norm", values.boolean("norm_topk_prob").value_or(false));
    // Layers that decoder_sparse_step and mlp_only_layers keep dense are those without a router.
    if (values.boolean("use_sliding_window").value_or(false)) {
        values.refuse("use_sliding_window", "windows are not supported with experts");
    }
}

void tellGemma3(const Values& values, Config& config) {
    constexpr std::int64_t kHeadDim = 256;
    constexpr std::int64_t kContext = 131072;
    constexpr std::int64_t kPeriod = 6;
    constexpr double kGlobalBase = 1e6;
    constexpr double kLocalBase = 1e4;
    const Teller teller(values, config);
    refuseOtherActivation(values, "hidden_activation", {"gelu_pytorch_tanh"});
    if (values.boolean("use_bidirectional_attention").value_or(false)) {
        values.refuse("use_bidirectional_attention", "the model is no decoder");
    }
    if (!values.has("max_position_embeddings")) {
        teller.set("context_length", kContext);
    }
    const std::int64_t width = teller.tellHeads(kHeadDim);
    teller.set("attention.scale",
               1.0 / std::sqrt(values.number("query_pre_attn_scalar").value_or(256.0)));
    if (const auto cap = values.number("attn_logit_softcapping")) {
        teller.set("attn_logit_softcapping", *cap);
    }
    if (const auto cap = values.number("final_logit_softcapping")) {
        teller.set("final_logit_softcapping", *cap);
    }
    const std::int64_t period =
        values.integer("sliding_window_pattern")
            .value_or(values.integer("_sliding_window_pattern").value_or(kPeriod));
    teller.tellWindow(
        [period](std::int64_t layer) { return period < 1 || (layer + 1) % period != 0; });
    // One rope for the layers that see everything, a plain one for the others.
    json global = ropeOf(values.document());
    double localBase = values.number("rope_local_base_freq").value_or(kLocalBase);
    if (const json& parameters = values.child("rope_parameters");
        parameters.is_object() && parameters.contains("full_attention")) {
        global = parameters["full_attention"];
        const json local = jsonChild(parameters, "sliding_attention");
        const Values localValues(local, values.what());
        localBase = localValues.number("rope_theta").value_or(kLocalBase);
        if (const auto type = localValues.text("rope_type"); type && *type != "default") {
            values.refuse("rope_parameters", "a stretched rope of local layers is not supported");
        }
    }
    if (global.is_object() && !global.contains("rope_theta")) {
        global["rope_theta"] = kGlobalBase;
    }
    teller.tellRope(global, width);
    teller.set("rope.freq_base_swa", localBase);
}

// The latent attention of DeepSeek V2 and V3, in the absorbed form of GGUF files.
std::int64_t tellLatentAttention(const Teller& teller) {
    const Values& values = teller.values();
    const std::int64_t latent = values.needed("kv_lora_rank", 1, 1 << 16);
    const std::int64_t rotated = values.needed("qk_rope_head_dim", 1, 1 << 16);
    const std::int64_t plain = values.needed("qk_nope_head_dim", 1, 1 << 16);
    teller.set("attention.head_count_kv", std::int64_t{1});
    teller.set("attention.kv_lora_rank", latent);
    if (const auto rank = values.integer("q_lora_rank")) {
        teller.set("attention.q_lora_rank", *rank);
    }
    teller.set("attention.key_length", latent + rotated);
    teller.set("attention.value_length", latent);
    teller.set("attention.key_length_mla", plain + rotated);
    teller.set("attention.value_length_mla", values.needed("v_head_dim", 1, 1 << 16));
    // transformers has this number in the code, whatever the config says of other norms.
    teller.set("attention.latent_norm_rms_epsilon", kEpsilon);
    return rotated;
}

void tellDeepseek(const Values& values, Config& config) {
    const Teller teller(values, config);
    const bool isThird = config.modelType != "deepseek_v2";
    refuseOtherActivation(values, "hidden_act", {"silu", "swish"});
    const std::int64_t rotated = tellLatentAttention(teller);
    teller.tellRope(ropeOf(values.document()), rotated);
    if (!values.boolean("rope_interleave").value_or(true)) {
        teller.set("rope.pairing", std::string("half"));
    }
    if (values.integer("moe_layer_freq").value_or(1) != 1) {
        values.refuse("moe_layer_freq", "dense layers between sparse ones are not supported");
    }
    teller.tellExperts("n_routed_experts");
    teller.set("expert_shared_count", values.integer("n_shared_experts").value_or(0));
    teller.set("leading_dense_block_count",
               values.integer("first_k_dense_replace").value_or(isThird ? 3 : 0));
    teller.set("expert_gating_func", isThird ? kSigmoid : kSoftmax);
    teller.set("expert_weights_norm", isThird && values.boolean("norm_topk_prob").value_or(true));
    teller.set("expert_weights_scale",
               values.number("routed_scaling_factor").value_or(isThird ? 2.5 : 1.0));
    const auto method = values.text("topk_method");
    if (!isThird && method && *method != "greedy" && *method != "group_limited_greedy") {
        values.refuse("topk_method", fmt::format("\"{}\" is not supported", displayText(*method)));
    }
    if (isThird || method == "group_limited_greedy") {
        const auto groups = values.integer("n_group");
        const auto used = values.integer("topk_group");
        teller.set("expert_group_count", groups.value_or(isThird ? 8 : 1));
        teller.set("expert_group_used_count", used.value_or(isThird ? 4 : 1));
    }
}

// One row a family of models; several model types may be of one.
struct Family {
    std::string_view modelType;
    std::string_view architecture; // as GGUF files call it
    void (*tell)(const Values& values, Config& config);
};

constexpr std::array kFamilies = {
    Family{"llama", "llama", tellLlama},
    Family{"qwen2", "qwen2", tellQwen2},
    Family{"qwen3", "qwen3", tellQwen3},
    Family{"qwen3_moe", "qwen3moe", tellQwen3Moe},
    Family{"gemma3_text", "gemma3", tellGemma3},
    Family{"deepseek_v2", "deepseek2", tellDeepseek},
    Family{"deepseek_v3", "deepseek2", tellDeepseek},
    Family{"kimi_k2", "deepseek2", tellDeepseek},
};

// FP8 weights and the blocks that share a scale; other kinds of quantisation are refused by name.
void readQuantisation(const Values& values, Config& config) {
    const json& quantisation = values.child("quantization_config");
    if (!quantisation.is_object()) {
        return;
    }
    const Values inner(quantisation, values.what());
    const std::string method = inner.text("quant_method").value_or("");
    const json& block = inner.child("weight_block_size");
    const bool isBlock = block.is_array() && block.size() == 2 && block[0].is_number_integer() &&
                         block[1].is_number_integer();
    if (method != "fp8" || !isBlock) {
        values.refuse("quantization_config",
                      fmt::format("the method \"{}\" is not supported, only fp8 with a scale for "
                                  "blocks (weight_block_size)",
                                  displayText(method)));
    }
    config.blockRows = block[0].get<std::int64_t>();
    config.blockColumns = block[1].get<std::int64_t>();
    if (config.blockRows < 1 || config.blockColumns < 1) {
        values.refuse("quantization_config", "blocks have at least one row and column");
    }
}

} // namespace

void Metadata::set(const std::string& key, MetadataValue value) {
    if (values.insert_or_assign(key, std::move(value)).second) {
        keys.push_back(key);
    }
}

Config readConfig(const json& document, const std::string& what) {
    Config config;
    config.model = document;
    const Values outer(document, what);
    config.modelType = outer.text("model_type").value_or("");
    // Wrappers with eyes and ears keep the text model inside.
    if (const json& text = outer.child("text_config"); text.is_object()) {
        config.model = text;
        for (const std::string_view key : {"quantization_config", "tie_word_embeddings"}) {
            if (!text.contains(key) && document.contains(key)) {
                config.model[std::string(key)] = document[std::string(key)];
            }
        }
        const Values inner(text, what);
        config.modelType = inner.text("model_type").value_or(config.modelType + "_text");
    }
    const Values values(config.model, what);
    if (config.modelType.empty()) {
        values.refuse("model_type", "it is missing; without it nobody knows what model this is");
    }
    const auto* const family = std::ranges::find(kFamilies, config.modelType, &Family::modelType);
    config.architecture = family == kFamilies.end() ? displayText(config.modelType, 60)
                                                    : std::string(family->architecture);
    config.metadata.set("general.architecture", config.architecture);
    config.isTied = values.boolean("tie_word_embeddings");
    config.layers = values.integer("num_hidden_layers").value_or(0);
    if (family != kFamilies.end()) {
        config.layers = values.needed("num_hidden_layers", 1, 4096);
        tellCommon(values, config);
        family->tell(values, config);
        readQuantisation(values, config);
    } else {
        tellCommon(values, config);
        if (const auto heads = values.integer("num_key_value_heads")) {
            config.metadata.set(config.architecture + ".attention.head_count_kv", *heads);
        }
    }
    return config;
}

} // namespace engine::hf
