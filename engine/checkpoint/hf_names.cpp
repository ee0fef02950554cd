#include "engine/checkpoint/hf_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace engine::hf {

namespace {

constexpr std::string_view kScaleEnding = "_scale_inv";

// Wrappers put the text model behind names of their own; the longest first.
constexpr std::array<std::string_view, 4> kPrefixes = {
    "model.language_model.", "language_model.model.", "language_model.", "model."};
constexpr std::array<std::string_view, 5> kSenses = {
    "vision_tower.", "model.vision_tower.", "multi_modal_projector.",
    "model.multi_modal_projector.", "vision_model."};

struct Name {
    std::string_view stored;
    std::string_view canonical;
};

constexpr std::array kModelNames = {
    Name{"embed_tokens.weight", "token_embd.weight"},
    Name{"norm.weight", "output_norm.weight"},
    Name{"lm_head.weight", "output.weight"},
};

// Behind "layers.N." and "blk.N."; weights and biases alike.
constexpr std::array kLayerNames = {
    Name{"input_layernorm", "attn_norm"},
    Name{"self_attn.q_proj", "attn_q"},
    Name{"self_attn.k_proj", "attn_k"},
    Name{"self_attn.v_proj", "attn_v"},
    Name{"self_attn.o_proj", "attn_output"},
    Name{"self_attn.q_norm", "attn_q_norm"},
    Name{"self_attn.k_norm", "attn_k_norm"},
    Name{"self_attn.q_a_proj", "attn_q_a"},
    Name{"self_attn.q_a_layernorm", "attn_q_a_norm"},
    Name{"self_attn.q_b_proj", "attn_q_b"},
    Name{"self_attn.kv_a_proj_with_mqa", "attn_kv_a_mqa"},
    Name{"self_attn.kv_a_layernorm", "attn_kv_a_norm"},
    Name{"mlp.gate_proj", "ffn_gate"},
    Name{"mlp.up_proj", "ffn_up"},
    Name{"mlp.down_proj", "ffn_down"},
    Name{"mlp.gate", "ffn_gate_inp"},
    Name{"mlp.shared_experts.gate_proj", "ffn_gate_shexp"},
    Name{"mlp.shared_experts.up_proj", "ffn_up_shexp"},
    Name{"mlp.shared_experts.down_proj", "ffn_down_shexp"},
};

// What llama calls the norm after attention stands before the feed-forward part; Gemma has both.
constexpr std::array kPlainNorms = {Name{"post_attention_layernorm", "ffn_norm"}};
constexpr std::array kGemmaNorms = {
    Name{"post_attention_layernorm", "post_attention_norm"},
    Name{"pre_feedforward_layernorm", "ffn_norm"},
    Name{"post_feedforward_layernorm", "post_ffw_norm"},
};

constexpr std::array kExpertNames = {
    Name{"gate_proj.weight", "ffn_gate_exps.weight"},
    Name{"up_proj.weight", "ffn_up_exps.weight"},
    Name{"down_proj.weight", "ffn_down_exps.weight"},
};

template <std::size_t kCount>
std::optional<std::string_view> find(const std::array<Name, kCount>& names,
                                     std::string_view stored) {
    const auto* const found = std::ranges::find(names, stored, &Name::stored);
    return found == names.end() ? std::nullopt : std::optional(found->canonical);
}

// Takes "12." from the front of the text.
std::optional<std::int64_t> takeNumber(std::string_view& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0 || end == text.data() + text.size() || *end != '.') {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
    return number;
}

// One of a layer's tensors by its name behind "layers.N.".
std::optional<Fate> fateInLayer(std::string_view name, std::int64_t layer, bool isGemma) {
    const auto full = [layer](std::string_view canonical) {
        return fmt::format("blk.{}.{}", layer, canonical);
    };
    constexpr std::string_view kExperts = "mlp.experts.";
    if (name == "self_attn.kv_b_proj.weight") {
        return KeysAndValues{.key = full("attn_k_b.weight"), .value = full("attn_v_b.weight")};
    }
    if (name == "mlp.gate.e_score_correction_bias") {
        return Kept{.name = full("exp_probs_b.bias")};
    }
    if (name == "self_attn.rotary_emb.inv_freq") {
        return Omitted{Omission::Computed};
    }
    if (name == "mlp.experts.gate_up_proj") {
        return FusedExperts{.gate = full("ffn_gate_exps.weight"), .up = full("ffn_up_exps.weight")};
    }
    if (name == "mlp.experts.down_proj") {
        return Kept{.name = full("ffn_down_exps.weight")};
    }
    if (name.starts_with(kExperts)) {
        std::string_view rest = name.substr(kExperts.size());
        const auto index = takeNumber(rest);
        const auto canonical = find(kExpertNames, rest);
        return index && canonical
                   ? std::optional<Fate>(Expert{.name = full(*canonical), .index = *index})
                   : std::nullopt;
    }
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view stem = name.substr(0, dot);
    const std::string_view kind = name.substr(dot); // ".weight" or ".bias"
    auto canonical = find(kLayerNames, stem);
    if (!canonical) {
        canonical = isGemma ? find(kGemmaNorms, stem) : find(kPlainNorms, stem);
    }
    if (!canonical || (kind != ".weight" && kind != ".bias")) {
        return std::nullopt;
    }
    return Kept{.name = full(*canonical) + std::string(kind),
                .addsOne = isGemma && canonical->ends_with("norm")};
}

} // namespace

Fate fateOf(std::string_view stored, std::string_view architecture, std::int64_t layers) {
    const bool isGemma = architecture == "gemma3";
    if (std::ranges::any_of(kSenses,
                            [&](std::string_view sign) { return stored.starts_with(sign); })) {
        return Omitted{Omission::Senses};
    }
    std::string_view name = stored;
    for (const std::string_view prefix : kPrefixes) {
        if (name.starts_with(prefix)) {
            name.remove_prefix(prefix.size());
            break;
        }
    }
    constexpr std::string_view kLayers = "layers.";
    if (name.starts_with(kLayers)) {
        std::string_view rest = name.substr(kLayers.size());
        const auto layer = takeNumber(rest);
        if (layer && *layer >= layers) {
            return Omitted{Omission::Prediction};
        }
        if (layer && stored.ends_with(kScaleEnding)) {
            return Scale{std::string(stored.substr(0, stored.size() - kScaleEnding.size()))};
        }
        if (auto fate = layer ? fateInLayer(rest, *layer, isGemma) : std::nullopt) {
            return *fate;
        }
    } else if (const auto canonical = find(kModelNames, name)) {
        return Kept{.name = std::string(*canonical),
                    .addsOne = isGemma && *canonical == "output_norm.weight"};
    } else if (stored.ends_with(kScaleEnding)) {
        return Scale{std::string(stored.substr(0, stored.size() - kScaleEnding.size()))};
    }
    return Kept{.name = std::string(stored)};
}

} // namespace engine::hf
