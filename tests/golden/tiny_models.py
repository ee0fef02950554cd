"""Tiny models of every architecture for make_architectures.py: their keys as a GGUF file has them, their tensors, and
the same model as a Hugging Face configuration with its state.

Weights are not stored: element i of a tensor is a hash of its name and i, so that the test computes them too. Every
value is exact in BF16.
"""
import numpy as np

VOCABULARY = 97


def fnv(name):
    value = 0xCBF29CE484222325
    for byte in name.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def codes(name, count):
    """int64 in [-127, 127]: the top byte of SplitMix64 over (hash of the name + index)."""
    with np.errstate(over="ignore"):
        z = np.uint64(fnv(name)) + (np.arange(count, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
        z = z ^ z >> np.uint64(31)
    return np.maximum((z >> np.uint64(56)).astype(np.int64) - 128, -127)


class Tensors:
    """What a GGUF file would hold, in its names, shapes (outermost first) and conversions."""

    def __init__(self):
        self.entries = []  # name, shape, exponent; exponent None: gains; or explicit values
        self.values = {}

    def matrix(self, name, *shape, gain=1.0):
        self.add(name, shape, round(float(np.log2(73.0 * np.sqrt(shape[-1]) / gain))))

    def bias(self, name, length, exponent=9):
        self.add(name, (length,), exponent)

    def add(self, name, shape, exponent):
        q = codes(name, int(np.prod(shape))).reshape(shape)
        self.values[name] = (q * 2.0**-exponent).astype(np.float32)
        self.entries.append({"name": name, "shape": list(shape), "exponent": exponent})

    def gains(self, name, length):
        self.values[name] = (1.0 + (codes(name, length) >> 2) / 128.0).astype(np.float32)
        self.entries.append({"name": name, "shape": [length]})

    def given(self, name, values):
        self.values[name] = np.asarray(values, dtype=np.float32)
        self.entries.append({"name": name, "shape": [len(values)], "values": [float(v) for v in self.values[name]]})


def common_tensors(t, hidden, tied, gain=6.0):
    t.matrix("token_embd.weight", VOCABULARY, hidden, gain=gain)
    t.gains("output_norm.weight", hidden)
    if not tied:
        t.matrix("output.weight", VOCABULARY, hidden, gain=4.0)


def attention_tensors(t, layer, n, biases=(), norms=False):
    hidden, dim = n["hidden"], n["dim"]
    widths = {"q": n["heads"] * dim, "k": n["kv"] * dim, "v": n["kv"] * dim}
    for part, width in widths.items():
        t.matrix(f"{layer}attn_{part}.weight", width, hidden, gain=1.5)
        if part in biases:
            t.bias(f"{layer}attn_{part}.bias", width, 8)
    t.matrix(f"{layer}attn_output.weight", hidden, n["heads"] * dim, gain=1.5)
    if "o" in biases:
        t.bias(f"{layer}attn_output.bias", hidden)
    if norms:
        t.gains(f"{layer}attn_q_norm.weight", dim)
        t.gains(f"{layer}attn_k_norm.weight", dim)


def dense_tensors(t, layer, hidden, width, suffix="", biases=False):
    for part in ("gate", "up"):
        t.matrix(f"{layer}ffn_{part}{suffix}.weight", width, hidden, gain=1.5)
        if biases:
            t.bias(f"{layer}ffn_{part}{suffix}.bias", width)
    t.matrix(f"{layer}ffn_down{suffix}.weight", hidden, width, gain=1.5)
    if biases:
        t.bias(f"{layer}ffn_down{suffix}.bias", hidden)


def expert_tensors(t, layer, hidden, experts, width):
    t.matrix(f"{layer}ffn_gate_inp.weight", experts, hidden, gain=1.5)
    t.matrix(f"{layer}ffn_gate_exps.weight", experts, width, hidden, gain=1.5)
    t.matrix(f"{layer}ffn_up_exps.weight", experts, width, hidden, gain=1.5)
    t.matrix(f"{layer}ffn_down_exps.weight", experts, hidden, width, gain=1.5)


def keys_of(architecture, n, **more):
    keys = {"block_count": n["layers"], "context_length": n["context"], "embedding_length": n["hidden"],
            "feed_forward_length": n["width"], "attention.head_count": n["heads"], "attention.head_count_kv": n["kv"],
            "attention.layer_norm_rms_epsilon": n["epsilon"], "rope.freq_base": n["base"],
            "attention.key_length": n["dim"], "attention.value_length": n["dim"], "rope.dimension_count": n["dim"]}
    keys.update({key.replace("__", "."): value for key, value in more.items()})
    return {"general.architecture": architecture, **{f"{architecture}.{key}": value for key, value in keys.items()}}


# ------------------------------------------------------------------------------------------- Hugging Face states

HF_LAYER = {
    "attn_norm.weight": "input_layernorm.weight", "ffn_norm.weight": "post_attention_layernorm.weight",
    "attn_q_norm.weight": "self_attn.q_norm.weight", "attn_k_norm.weight": "self_attn.k_norm.weight",
    "attn_q_a.weight": "self_attn.q_a_proj.weight", "attn_q_a_norm.weight": "self_attn.q_a_layernorm.weight",
    "attn_q_b.weight": "self_attn.q_b_proj.weight", "attn_kv_a_mqa.weight": "self_attn.kv_a_proj_with_mqa.weight",
    "attn_kv_a_norm.weight": "self_attn.kv_a_layernorm.weight", "ffn_gate_inp.weight": "mlp.gate.weight",
    "exp_probs_b.bias": "mlp.gate.e_score_correction_bias", "ffn_down_exps.weight": "mlp.experts.down_proj",
}
HF_GEMMA = {"ffn_norm.weight": "pre_feedforward_layernorm.weight",
            "post_attention_norm.weight": "post_attention_layernorm.weight",
            "post_ffw_norm.weight": "post_feedforward_layernorm.weight"}
HF_TOP = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight",
          "output.weight": "lm_head.weight"}
HF_PARTS = {"q": "q_proj", "k": "k_proj", "v": "v_proj", "output": "o_proj"}


def unpermuted(rows, heads):
    """Pairs side by side become halves: the inverse of what the converter does to llama's q and k."""
    by_head = rows.reshape(heads, rows.shape[0] // heads // 2, 2, *rows.shape[1:])
    return np.swapaxes(by_head, 1, 2).reshape(rows.shape)


def hf_state(architecture, n, tensors):
    """The same weights under Hugging Face's names, with the converter's changes undone."""
    state = {}
    for name, value in tensors.values.items():
        if name == "rope_freqs.weight":
            continue  # computed from the configuration there
        if architecture == "gemma3" and name.endswith("norm.weight"):
            value = value - 1.0
        if name in HF_TOP:
            state[HF_TOP[name]] = value
            continue
        _, layer, leaf = name.split(".", 2)
        prefix = f"model.layers.{layer}."
        names = {**HF_LAYER, **(HF_GEMMA if architecture == "gemma3" else {})}
        stem, kind = leaf.rsplit(".", 1)
        if leaf in names:
            state[prefix + names[leaf]] = value
        elif stem in ("attn_q", "attn_k", "attn_v", "attn_output"):
            part = stem[5:]
            if architecture == "llama" and part in "qk":
                value = unpermuted(value, n["heads"] if part == "q" else n["kv"])
            state[f"{prefix}self_attn.{HF_PARTS[part]}.{kind}"] = value
        elif stem == "ffn_gate_exps":
            up = tensors.values[name.replace("gate", "up")]
            state[prefix + "mlp.experts.gate_up_proj"] = np.concatenate([value, up], axis=1)
        elif stem == "attn_k_b":  # keys of a head turned, before its values
            values = tensors.values[name.replace("attn_k_b", "attn_v_b")]
            both = np.concatenate([np.swapaxes(value, 1, 2), values], axis=1)
            state[prefix + "self_attn.kv_b_proj.weight"] = both.reshape(-1, both.shape[-1])
        elif stem in ("ffn_up_exps", "attn_v_b"):
            pass  # with their partners
        else:
            part = stem.removesuffix("_shexp").removeprefix("ffn_")
            shared = "shared_experts." if stem.endswith("_shexp") else ""
            state[f"{prefix}mlp.{shared}{part}_proj.{kind}"] = value
    return state


# ------------------------------------------------------------------------------------------- the models

def llama():
    n = dict(layers=3, hidden=54, heads=6, kv=2, dim=10, width=75, context=256, epsilon=1e-4, base=500.0)
    factor, low, high, original = 8.0, 1.0, 4.0, 32
    t = Tensors()
    common_tensors(t, n["hidden"], tied=False)
    frequencies = n["base"] ** (-2.0 * np.arange(n["dim"] // 2) / n["dim"])
    smooth = np.clip((original * frequencies / (2 * np.pi) - low) / (high - low), 0.0, 1.0)
    t.given("rope_freqs.weight", 1.0 / ((1.0 - smooth) / factor + smooth))
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        attention_tensors(t, layer, n, biases="qkvo")
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        dense_tensors(t, layer, n["hidden"], n["width"], biases=True)
    config = dict(attention_bias=True, mlp_bias=True, tie_word_embeddings=False, head_dim=n["dim"],
                  rope_parameters=dict(rope_type="llama3", rope_theta=n["base"], factor=factor, low_freq_factor=low,
                                       high_freq_factor=high, original_max_position_embeddings=original))
    return "Llama", "llama", n, keys_of("llama", n), t, config


def qwen2():
    n = dict(layers=3, hidden=60, heads=5, kv=1, dim=12, width=71, context=256, epsilon=1e-5, base=1000.0)
    t = Tensors()
    common_tensors(t, n["hidden"], tied=True, gain=1.5)
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        attention_tensors(t, layer, n, biases="qkv")
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        dense_tensors(t, layer, n["hidden"], n["width"])
    keys = keys_of("qwen2", n, rope__scaling__type="yarn", rope__scaling__factor=4.0,
                   rope__scaling__original_context_length=16, rope__scaling__yarn_beta_fast=0.7,
                   rope__scaling__yarn_beta_slow=0.2, attention__sliding_window=7)
    config = dict(tie_word_embeddings=True, use_sliding_window=False, sliding_window=7,
                  rope_parameters=dict(rope_type="yarn", rope_theta=n["base"], factor=4.0, beta_fast=0.7, beta_slow=0.2,
                                       original_max_position_embeddings=16))
    return "Qwen2", "qwen2", n, keys, t, config


def qwen3():
    n = dict(layers=3, hidden=44, heads=4, kv=2, dim=18, width=61, context=256, epsilon=1e-3, base=2000.0)
    t = Tensors()
    common_tensors(t, n["hidden"], tied=True, gain=1.5)
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        attention_tensors(t, layer, n, norms=True)
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        dense_tensors(t, layer, n["hidden"], n["width"])
    config = dict(tie_word_embeddings=True, head_dim=n["dim"],
                  rope_parameters=dict(rope_type="default", rope_theta=n["base"]))
    return "Qwen3", "qwen3", n, keys_of("qwen3", n), t, config


def qwen3moe():
    n = dict(layers=3, hidden=44, heads=4, kv=2, dim=14, width=61, context=256, epsilon=1e-3, base=2000.0)
    experts, used, width = 9, 3, 23
    t = Tensors()
    common_tensors(t, n["hidden"], tied=False)
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        attention_tensors(t, layer, n, norms=True)
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        if i == 1:
            dense_tensors(t, layer, n["hidden"], n["width"])
        else:
            expert_tensors(t, layer, n["hidden"], experts, width)
    keys = keys_of("qwen3moe", n, expert_count=experts, expert_used_count=used, expert_feed_forward_length=width)
    config = dict(tie_word_embeddings=False, head_dim=n["dim"], num_experts=experts, num_experts_per_tok=used,
                  moe_intermediate_size=width, norm_topk_prob=True, decoder_sparse_step=1, mlp_only_layers=[1],
                  rope_parameters=dict(rope_type="default", rope_theta=n["base"]))
    return "Qwen3Moe", "qwen3moe", n, keys, t, config


def gemma3():
    n = dict(layers=7, hidden=42, heads=3, kv=1, dim=16, width=53, context=256, epsilon=1e-4, base=5000.0)
    window = 9
    t = Tensors()
    common_tensors(t, n["hidden"], tied=True, gain=0.4)
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        attention_tensors(t, layer, n, norms=True)
        t.gains(layer + "post_attention_norm.weight", n["hidden"])
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        dense_tensors(t, layer, n["hidden"], n["width"])
        t.gains(layer + "post_ffw_norm.weight", n["hidden"])
    keys = keys_of("gemma3", n, attention__sliding_window=window, rope__freq_base_swa=100.0, attention__scale=24.0**-0.5,
                   rope__scaling__type="linear", rope__scaling__factor=4.0, attn_logit_softcapping=3.0,
                   final_logit_softcapping=2.0)
    types = ["full_attention" if i % 6 == 5 else "sliding_attention" for i in range(n["layers"])]
    config = dict(tie_word_embeddings=True, head_dim=n["dim"], sliding_window=window, layer_types=types,
                  query_pre_attn_scalar=24, attn_logit_softcapping=3.0, final_logit_softcapping=2.0,
                  rope_parameters=dict(full_attention=dict(rope_type="linear", factor=4.0, rope_theta=n["base"]),
                                       sliding_attention=dict(rope_type="default", rope_theta=100.0)))
    return "Gemma3Text", "gemma3", n, keys, t, config


def deepseek(version, query_rank, groups, kept, sigmoid, normalised, scale, dense):
    n = dict(layers=3, hidden=45, heads=3, kv=1, dim=26, width=63, context=256, epsilon=1e-3, base=400.0)
    rank, plain, rotary, value = 22, 14, 6, 10
    experts, used, shared, width = 12, 4, 2, 15
    factor, original, multiplier = 6.0, 20, 0.8
    t = Tensors()
    common_tensors(t, n["hidden"], tied=False)
    for i in range(n["layers"]):
        layer = f"blk.{i}."
        t.gains(layer + "attn_norm.weight", n["hidden"])
        rows = n["heads"] * (plain + rotary)
        if query_rank:
            t.matrix(layer + "attn_q_a.weight", query_rank, n["hidden"], gain=0.02)
            t.gains(layer + "attn_q_a_norm.weight", query_rank)
            t.matrix(layer + "attn_q_b.weight", rows, query_rank, gain=1.2)
        else:
            t.matrix(layer + "attn_q.weight", rows, n["hidden"], gain=1.2)
        t.matrix(layer + "attn_kv_a_mqa.weight", rank + rotary, n["hidden"], gain=1.0)
        t.gains(layer + "attn_kv_a_norm.weight", rank)
        t.matrix(layer + "attn_k_b.weight", n["heads"], rank, plain, gain=1.0)
        t.matrix(layer + "attn_v_b.weight", n["heads"], value, rank, gain=1.5)
        t.matrix(layer + "attn_output.weight", n["hidden"], n["heads"] * value, gain=1.5)
        t.gains(layer + "ffn_norm.weight", n["hidden"])
        if i < dense:
            dense_tensors(t, layer, n["hidden"], n["width"])
        else:
            expert_tensors(t, layer, n["hidden"], experts, width)
            if sigmoid:
                t.bias(layer + "exp_probs_b.bias", experts, 10)
            dense_tensors(t, layer, n["hidden"], shared * width, suffix="_shexp")
    more = {"attention.q_lora_rank": query_rank} if query_rank else {}
    if groups > 1:
        more |= {"expert_group_count": groups, "expert_group_used_count": kept}
    keys = keys_of("deepseek2", n, expert_count=experts, expert_used_count=used, expert_shared_count=shared,
                   expert_feed_forward_length=width, leading_dense_block_count=dense, expert_weights_scale=scale,
                   expert_gating_func=2 if sigmoid else 1, expert_weights_norm=normalised, attention__kv_lora_rank=rank,
                   attention__key_length=rank + rotary, attention__value_length=rank,
                   attention__key_length_mla=plain + rotary, attention__value_length_mla=value,
                   rope__dimension_count=rotary, rope__scaling__type="yarn", rope__scaling__factor=factor,
                   rope__scaling__original_context_length=original,
                   rope__scaling__yarn_log_multiplier=0.1 * multiplier, rope__scaling__yarn_beta_fast=0.4,
                   rope__scaling__yarn_beta_slow=0.15, **{key.replace(".", "__"): v for key, v in more.items()})
    config = dict(tie_word_embeddings=False, num_key_value_heads=n["heads"], kv_lora_rank=rank,
                  q_lora_rank=query_rank or None, qk_nope_head_dim=plain, qk_rope_head_dim=rotary, v_head_dim=value,
                  n_routed_experts=experts, num_experts_per_tok=used, n_shared_experts=shared,
                  moe_intermediate_size=width, first_k_dense_replace=dense, routed_scaling_factor=scale,
                  n_group=groups, topk_group=kept, norm_topk_prob=normalised,
                  rope_parameters=dict(rope_type="yarn", rope_theta=n["base"], factor=factor, beta_fast=0.4, beta_slow=0.15,
                                       mscale=multiplier, mscale_all_dim=multiplier,
                                       original_max_position_embeddings=original))
    if version == 2:
        config["topk_method"] = "group_limited_greedy" if groups > 1 else "greedy"
    return f"DeepseekV{version}", "deepseek2", n, keys, t, config


MODELS = {
    "llama": llama, "qwen2": qwen2, "qwen3": qwen3, "qwen3moe": qwen3moe, "gemma3": gemma3,
    "deepseek_v2_lite": lambda: deepseek(2, 0, 1, 1, False, False, 1.0, 1),
    "deepseek_v2": lambda: deepseek(2, 19, 4, 2, False, False, 4.0, 1),
    "deepseek_v3": lambda: deepseek(3, 19, 4, 2, True, True, 2.5, 1),
}
