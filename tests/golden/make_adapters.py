#!/usr/bin/env python3
"""Makes tests/golden/adapters: low-rank adapters over the models of tests/golden/safetensors, with the logits of the
models whose weights they were added to.

    python3 tests/golden/make_adapters.py

Needs (Python index): torch, transformers 5.24, safetensors, numpy, gguf. A folder holds an adapter as PEFT saves it
(PEFT itself is not needed) and logits.f32: a row a position of the base's ids.json, computed by transformers in double
precision on W + scale * B * A (its norms and rotations round to F32 on the way). llama holds the same adapter and the
same base as GGUF files too, whose rows of q and k lie in pairs.
"""
import json
import os

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM

HERE = os.path.dirname(os.path.abspath(__file__))

ADAPTERS = {
    "llama": dict(r=3, lora_alpha=5, use_rslora=True, dtype=torch.float32, modules=(
        "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")),
    "qwen2": dict(r=8, lora_alpha=16, dtype=torch.float16, modules=("k_proj", "v_proj", "up_proj")),
    "gemma3": dict(r=4, lora_alpha=4, dtype=torch.bfloat16, alpha_pattern={"0.self_attn.o_proj": 2.5, "o_proj": 7},
                   modules=("q_proj", "o_proj", "gate_proj", "down_proj")),
    "v3": dict(r=2, lora_alpha=3, dtype=torch.float32, rank_pattern={"q_b_proj": 5}, modules=(
        "q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "o_proj", "gate_proj", "up_proj", "down_proj")),
}


def is_target(name, modules):
    return name.split(".")[-1] in modules and ".experts." not in name


def value_for(pattern, name, default):
    matches = [key for key in pattern or {} if name == key or name.endswith("." + key)]
    return pattern[max(matches, key=len)] if matches else default


def make(name, spec):
    torch.manual_seed(len(name) * 7919)
    base = os.path.join(HERE, "safetensors", name)
    folder = os.path.join(HERE, "adapters", name)
    os.makedirs(folder, exist_ok=True)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float64, attn_implementation="eager",
                                                 experts_implementation="eager").eval()
    pairs, tensors = {}, {}
    for module_name, module in model.named_modules():
        if not isinstance(module, torch.nn.Linear) or not is_target(module_name, spec["modules"]):
            continue
        rank = value_for(spec.get("rank_pattern"), module_name, spec["r"])
        alpha = value_for(spec.get("alpha_pattern"), module_name, spec["lora_alpha"])
        rows, columns = module.weight.shape
        a = (torch.randn(rank, columns) / columns**0.5).to(spec["dtype"])
        b = (torch.randn(rows, rank) / rank**0.5).to(spec["dtype"])
        scale = alpha / (rank**0.5 if spec.get("use_rslora") else rank)
        with torch.no_grad():
            module.weight += scale * (b.double() @ a.double())
        tensors[f"base_model.model.{module_name}.lora_A.weight"] = a.contiguous()
        tensors[f"base_model.model.{module_name}.lora_B.weight"] = b.contiguous()
        pairs[module_name] = (a, b)
    save_file(tensors, os.path.join(folder, "adapter_model.safetensors"))
    config = dict(peft_type="LORA", task_type="CAUSAL_LM", base_model_name_or_path=name, bias="none", r=spec["r"],
                  lora_alpha=spec["lora_alpha"], use_rslora=bool(spec.get("use_rslora")), lora_dropout=0.0,
                  fan_in_fan_out=False, inference_mode=True, init_lora_weights=True, modules_to_save=None,
                  target_modules=list(spec["modules"]), rank_pattern=spec.get("rank_pattern", {}),
                  alpha_pattern=spec.get("alpha_pattern", {}), use_dora=False)
    with open(os.path.join(folder, "adapter_config.json"), "w") as out:
        json.dump(config, out, indent=1)
    with open(os.path.join(base, "ids.json")) as text:
        ids = json.load(text)
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].float().numpy()
    logits.astype("<f4").tofile(os.path.join(folder, "logits.f32"))
    plain = np.fromfile(os.path.join(base, "logits.f32"), dtype="<f4").reshape(logits.shape)
    print(f"{name}: {len(pairs)} projections, range {np.ptp(logits):.2f}, changed by {np.abs(logits - plain).max():.2f}")
    return pairs


def permute(rows, heads):
    """As llama.cpp's converter does: from halves to pairs."""
    return rows.reshape(heads, 2, rows.shape[0] // heads // 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)


NAMES = {"self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
         "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
         "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm"}


def llama_files(pairs, spec):
    base = os.path.join(HERE, "safetensors", "llama")
    folder = os.path.join(HERE, "adapters", "llama")
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    config = model.config
    heads = {"attn_q": config.num_attention_heads, "attn_k": config.num_key_value_heads}

    writer = gguf.GGUFWriter(os.path.join(folder, "base.gguf"), "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_key_length(config.head_dim)
    writer.add_value_length(config.head_dim)
    writer.add_rope_dimension_count(config.head_dim)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    rope = config.rope_parameters
    writer.add_rope_freq_base(rope["rope_theta"])
    low = rope["original_max_position_embeddings"] / rope["low_freq_factor"]
    high = rope["original_max_position_embeddings"] / rope["high_freq_factor"]
    factors = []
    for i in range(0, config.head_dim, 2):
        wavelength = 2 * np.pi * rope["rope_theta"] ** (i / config.head_dim)
        smooth = (rope["original_max_position_embeddings"] / wavelength - rope["low_freq_factor"]) / (
            rope["high_freq_factor"] - rope["low_freq_factor"])
        factors.append(1.0 if wavelength < high else rope["factor"] if wavelength > low
                       else 1.0 / ((1 - smooth) / rope["factor"] + smooth))
    writer.add_tensor("rope_freqs.weight", np.array(factors, dtype=np.float32))
    state = model.state_dict()
    writer.add_tensor("token_embd.weight", state["model.embed_tokens.weight"].numpy())
    writer.add_tensor("output_norm.weight", state["model.norm.weight"].numpy())
    for key, tensor in state.items():
        parts = key.split(".")
        if parts[1] != "layers":
            continue
        stem, kind = ".".join(parts[3:-1]), parts[-1]
        values = tensor.numpy()
        if NAMES[stem] in heads:
            values = permute(values, heads[NAMES[stem]])
        writer.add_tensor(f"blk.{parts[2]}.{NAMES[stem]}.{kind}", np.ascontiguousarray(values))
    finish(writer)

    # GGUF knows one rule, alpha / rank: the root of rsLoRA goes into its alpha.
    writer = gguf.GGUFWriter(os.path.join(folder, "adapter.gguf"), "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", spec["lora_alpha"] * spec["r"] ** 0.5)
    for module, (a, b) in pairs.items():
        parts = module.split(".")
        name = NAMES[".".join(parts[3:])]
        b = b.numpy()
        b = permute(b, heads[name]) if name in heads else b
        writer.add_tensor(f"blk.{parts[2]}.{name}.weight.lora_a", a.numpy())
        writer.add_tensor(f"blk.{parts[2]}.{name}.weight.lora_b", np.ascontiguousarray(b))
    finish(writer)


def finish(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    for adapter, how in ADAPTERS.items():
        made = make(adapter, how)
        if adapter == "llama":
            llama_files(made, how)
