#!/usr/bin/env python3
"""Makes tests/golden/safetensors: tiny models as transformers saves them, with the logits that transformers computes.

    python3 tests/golden/make_safetensors.py

Needs (Python index): torch, transformers 5.24, safetensors, numpy. Weights are random BF16; logits are F32 on the same
weights. A folder holds what a model's folder holds, ids.json (a prompt that passes the original context of YaRN and the
sliding window) and logits.f32 (a row a position, little endian). Beside families as they are saved:
  llama_old   the same llama with its config.json in the dialect of transformers 4
  v3_fp8      DeepSeek V3 in two shards: FP8 in blocks of 16 by 16, a layer that predicts further tokens at the end;
              its logits are those of the weights that FP8 stands for
"""
import json
import os
import shutil

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import (AutoModelForCausalLM, DeepseekV2Config, DeepseekV3Config, Gemma3TextConfig, LlamaConfig,
                          Qwen2Config, Qwen3Config, Qwen3MoeConfig)

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "safetensors")
VOCABULARY = 48
IDS = [(5 * i * i + 3 * i + 7) % VOCABULARY for i in range(40)]
BLOCK = 16

COMMON = dict(vocab_size=VOCABULARY, hidden_size=32, intermediate_size=40, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=64)
LATENT = {**COMMON, "num_key_value_heads": 4, "kv_lora_rank": 16, "qk_nope_head_dim": 8, "qk_rope_head_dim": 8,
          "v_head_dim": 12, "moe_intermediate_size": 12, "first_k_dense_replace": 1}
YARN = {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0, "original_max_position_embeddings": 16}
DEEPSEEK_YARN = {**YARN, "beta_fast": 32, "beta_slow": 1, "mscale": 0.707, "mscale_all_dim": 0.707}

FAMILIES = {
    "llama": LlamaConfig(**COMMON, head_dim=16, attention_bias=True, tie_word_embeddings=True, rope_parameters={
        "rope_type": "llama3", "rope_theta": 10000.0, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 16}),
    "qwen2": Qwen2Config(**COMMON, rope_parameters=YARN),
    "qwen3": Qwen3Config(**COMMON, head_dim=12, tie_word_embeddings=True),
    "qwen3moe": Qwen3MoeConfig(**COMMON, head_dim=12, num_experts=5, num_experts_per_tok=2, moe_intermediate_size=12,
                               norm_topk_prob=True),
    "gemma3": Gemma3TextConfig(**COMMON, head_dim=16, sliding_window=8, query_pre_attn_scalar=20,
                               layer_types=["sliding_attention", "full_attention"], rope_parameters={
                                   "full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1e6},
                                   "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}),
    "v2_lite": DeepseekV2Config(**LATENT, q_lora_rank=None, n_routed_experts=6, n_shared_experts=2,
                                num_experts_per_tok=3, topk_method="greedy", n_group=1, topk_group=1,
                                rope_parameters=DEEPSEEK_YARN),
    "v3": DeepseekV3Config(**LATENT, q_lora_rank=24, n_routed_experts=8, n_shared_experts=1, num_experts_per_tok=3,
                           n_group=4, topk_group=2, rope_parameters=DEEPSEEK_YARN),
}


def fill(model, is_gemma):
    with torch.no_grad():
        for name, tensor in [*model.named_parameters(), *model.named_buffers()]:
            if tensor.dim() == 0 or "inv_freq" in name:
                continue
            if "norm" in name:
                tensor.copy_(0.1 * torch.randn_like(tensor) + (0 if is_gemma else 1))
            elif tensor.dim() == 1:
                tensor.copy_(0.1 * torch.randn_like(tensor))
            else:
                tensor.copy_(torch.randn_like(tensor) * 1.2 / tensor.shape[-1] ** 0.5)
            tensor.copy_(tensor.bfloat16().float())


def write_logits(folder, model):
    with torch.no_grad():
        logits = model(torch.tensor([IDS])).logits[0].float().numpy()
    logits.astype("<f4").tofile(os.path.join(folder, "logits.f32"))
    with open(os.path.join(folder, "ids.json"), "w") as out:
        json.dump(IDS, out)
    gaps = np.sort(logits, axis=-1)
    print(f"{os.path.basename(folder)}: range {np.ptp(logits):.2f}, least gap {(gaps[:, -1] - gaps[:, -2]).min():.4f}")


def make(name, config):
    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    model = AutoModelForCausalLM.from_config(config).eval().float()
    fill(model, name == "gemma3")
    folder = os.path.join(HERE, name)
    model.save_pretrained(folder)
    path = os.path.join(folder, "model.safetensors")
    state = {key: value.bfloat16() for key, value in load_file(path).items()}
    save_file(state, path, metadata={"format": "pt"})
    config = os.path.join(folder, "config.json")
    text = json.load(open(config))
    text["dtype"] = "bfloat16"
    json.dump(text, open(config, "w"), indent=1)
    write_logits(folder, model)


def old_dialect():
    folder = os.path.join(HERE, "llama_old")
    shutil.copytree(os.path.join(HERE, "llama"), folder, dirs_exist_ok=True)
    path = os.path.join(folder, "config.json")
    config = json.load(open(path))
    rope = config.pop("rope_parameters")
    config["rope_theta"] = rope.pop("rope_theta")
    config["rope_scaling"] = rope
    config["torch_dtype"] = config.pop("dtype")
    json.dump(config, open(path, "w"), indent=1)


def to_float8(weight):
    """Codes, scales of blocks, and the weights that they stand for."""
    rows, columns = (-(-size // BLOCK) for size in weight.shape)
    codes, scales, meant = torch.empty_like(weight, dtype=torch.float8_e4m3fn), torch.empty(rows, columns), weight.clone()
    for r in range(rows):
        for c in range(columns):
            at = (slice(r * BLOCK, (r + 1) * BLOCK), slice(c * BLOCK, (c + 1) * BLOCK))
            scale = weight[at].abs().max() / 448.0
            codes[at] = (weight[at] / scale).to(torch.float8_e4m3fn)
            scales[r, c] = scale
            meant[at] = codes[at].float() * scale
    return codes, scales, meant


def float8():
    source, folder = os.path.join(HERE, "v3"), os.path.join(HERE, "v3_fp8")
    os.makedirs(folder, exist_ok=True)
    state, meant = {}, {}
    for name, tensor in load_file(os.path.join(source, "model.safetensors")).items():
        if name.endswith("proj.weight") or "proj_with_mqa" in name:
            codes, scales, values = to_float8(tensor.float())
            state[name], state[name + "_scale_inv"], meant[name] = codes, scales, values
        else:
            state[name] = tensor
            meant[name] = tensor.float()
    state["model.layers.2.eh_proj.weight"] = torch.ones(4, 8, dtype=torch.bfloat16)
    state["model.layers.2.mlp.gate.weight"] = torch.ones(4, 8, dtype=torch.bfloat16)
    config = json.load(open(os.path.join(source, "config.json")))
    plain = os.path.join(HERE, "meant")
    os.makedirs(plain, exist_ok=True)
    save_file(meant, os.path.join(plain, "model.safetensors"), metadata={"format": "pt"})
    json.dump({**config, "dtype": "float32"}, open(os.path.join(plain, "config.json"), "w"))
    model = AutoModelForCausalLM.from_pretrained(plain, dtype=torch.float32, attn_implementation="eager",
                                                 experts_implementation="eager").eval()
    shutil.rmtree(plain)
    config["quantization_config"] = {"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic",
                                     "weight_block_size": [BLOCK, BLOCK]}
    config["num_nextn_predict_layers"] = 1
    json.dump(config, open(os.path.join(folder, "config.json"), "w"), indent=1)
    names, shards = sorted(state), {}
    for number in (1, 2):
        file = f"model-0000{number}-of-00002.safetensors"
        part = names[number - 1::2]
        save_file({name: state[name].contiguous() for name in part}, os.path.join(folder, file))
        shards.update({name: file for name in part})
    json.dump({"metadata": {}, "weight_map": shards}, open(os.path.join(folder, "model.safetensors.index.json"), "w"))
    write_logits(folder, model)


if __name__ == "__main__":
    shutil.rmtree(HERE, ignore_errors=True)
    torch.manual_seed(7)
    for family, configuration in FAMILIES.items():
        make(family, configuration)
    old_dialect()
    float8()
    for folder, _, files in os.walk(HERE):
        for file in files:
            if file == "generation_config.json":
                os.remove(os.path.join(folder, file))
