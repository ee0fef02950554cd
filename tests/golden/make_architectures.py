#!/usr/bin/env python3
"""Makes the golden data of the architectures: logits of tiny models by Hugging Face transformers.

    python3 tests/golden/make_architectures.py [NAME...]              writes architectures/NAME.json beside this script
    python3 tests/golden/make_architectures.py --safetensors DIR NAME a checkpoint folder of the same model
    python3 tests/golden/make_architectures.py --gguf DIR NAME        a GGUF file of the same model

Needs (Python index): torch transformers numpy; gguf for --gguf. The models are in tiny_models.py; their weights are a
hash that the test computes too, so only keys, prompts, logits and greedy continuations are stored.

Prompts are grown token by token so that nothing stored hangs on a near tie: every choice of experts and groups has a
margin, and every largest logit leads the next by more than the bound of the test.
"""
import argparse
import base64
import json
import os

import numpy as np
import torch
import transformers

from tiny_models import MODELS, VOCABULARY, hf_state

HERE = os.path.dirname(os.path.abspath(__file__))
LENGTHS = (90, 41, 12)  # of the prompts: past every window and every original context
STORED = 12             # last positions of a prompt whose logits are stored
GREEDY = 12             # tokens of the continuation
DISTINCT = 5            # different tokens of it at least
LEAD = 0.005            # of the range of the logits, between the largest and the next
MARGIN = 1e-3           # between scores of the last expert (or group) taken and the first that is not


def make_model(name):
    kind, architecture, n, keys, tensors, extra = MODELS[name]()
    config_class = getattr(transformers, f"{kind}Config")
    config = config_class(vocab_size=VOCABULARY, hidden_size=n["hidden"], num_hidden_layers=n["layers"],
                          intermediate_size=n["width"], num_attention_heads=n["heads"],
                          **{"num_key_value_heads": n["kv"], "rms_norm_eps": n["epsilon"],
                             "max_position_embeddings": n["context"], "bos_token_id": 1, "eos_token_id": 2,
                             "pad_token_id": 0, **extra})
    config._attn_implementation = "eager"
    model_class = getattr(transformers, ("Gemma3" if kind == "Gemma3Text" else kind) + "ForCausalLM")
    model = model_class(config).float().eval()
    if hasattr(model, "set_experts_implementation"):
        model.set_experts_implementation("eager")
    state = {key: torch.tensor(value) for key, value in hf_state(architecture, n, tensors).items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    missing = [key for key in missing if key != "lm_head.weight" or not config.tie_word_embeddings]
    assert not missing and not unexpected, (missing, unexpected)
    model.tie_weights()
    return model, architecture, keys, tensors, config


class Margins:
    """Watches the routers: the smallest margin of every position of the last forward pass."""

    def __init__(self, model):
        self.rows = []
        for module in model.modules():
            if type(module).__name__.endswith(("TopkRouter", "TopKRouter")):
                module.register_forward_hook(self.watch)
        self.config = model.config

    def watch(self, module, inputs, outputs):
        hidden = inputs[0].reshape(-1, inputs[0].shape[-1]).double()
        logits = hidden @ module.weight.double().T
        bias = getattr(module, "e_score_correction_bias", None)
        scores = logits.sigmoid() + bias.double() if bias is not None else logits.softmax(-1)
        margin = torch.full(scores.shape[:1], 1.0, dtype=torch.float64)
        groups = getattr(self.config, "n_group", None) or 1
        used = self.config.num_experts_per_tok
        if groups > 1:
            by_group = scores.view(scores.shape[0], groups, -1)
            best = by_group.topk(2, -1).values.sum(-1) if bias is not None else by_group.max(-1).values
            order = best.sort(-1, descending=True)
            kept = self.config.topk_group
            margin = torch.minimum(margin, order.values[:, kept - 1] - order.values[:, kept])
            mask = torch.zeros_like(best).scatter(1, order.indices[:, :kept], 1.0).bool()
            scores = by_group.masked_fill(~mask.unsqueeze(-1), -1e9).reshape(scores.shape)
        order = scores.sort(-1, descending=True).values
        self.rows.append(torch.minimum(margin, order[:, used - 1] - order[:, used]))

    def smallest(self, batch, tokens):
        rows = self.rows
        self.rows = []
        if not rows:
            return torch.ones(batch, tokens)
        return torch.stack(rows).min(0).values.view(batch, tokens)


@torch.no_grad()
def logits_of(model, ids):
    return model(torch.tensor(ids)).logits.float()


def lead(row):
    top = row.topk(2).values
    return ((top[0] - top[1]) / (row.max() - row.min())).item()


def grow_prompt(model, margins, ids, length, generator):
    while len(ids) < length:
        candidates = torch.randperm(VOCABULARY - 3, generator=generator)[:12] + 3
        batch = [ids + [int(c)] for c in candidates]
        rows = logits_of(model, batch)[:, -1]
        safe = margins.smallest(len(batch), len(ids) + 1)[:, -1]
        good = [i for i in range(len(batch)) if safe[i] > MARGIN and (len(ids) < length - STORED or lead(rows[i]) > LEAD)]
        if not good:
            ids = ids[: max(0, len(ids) - 3)]
            continue
        ids = batch[good[0]]
    return ids


def continuation(model, margins, ids):
    """Greedy tokens, or nothing where one is not sure."""
    answer = []
    for _ in range(GREEDY):
        row = logits_of(model, [ids + answer])[0, -1]
        margin = margins.smallest(1, len(ids) + len(answer))[0, -1]
        if lead(row) < LEAD or margin < MARGIN:
            return None
        answer.append(int(row.argmax()))
    return answer if len(set(answer)) >= DISTINCT else None


def make_golden(name):
    torch.manual_seed(0)
    model, architecture, keys, tensors, _ = make_model(name)
    margins = Margins(model)
    generator = torch.Generator().manual_seed(7)
    prompts = []
    for length in LENGTHS:
        ids = []
        for attempt in range(400):
            ids = grow_prompt(model, margins, ids[:-6], length, generator)
            answer = continuation(model, margins, ids)
            if answer is not None:
                break
        assert answer is not None, f"{name}: no prompt of {length} with a sure continuation"
        rows = logits_of(model, [ids])[0, -STORED:].numpy().astype("<f4")
        margins.smallest(1, length)
        prompts.append({"ids": ids, "greedy": answer, "logits": base64.b64encode(rows.tobytes()).decode()})
        print(f"{name}: {length} tokens, attempt {attempt}, range {np.ptp(rows):.2f}, answer {answer}")
    os.makedirs(os.path.join(HERE, "architectures"), exist_ok=True)
    with open(os.path.join(HERE, "architectures", name + ".json"), "w", encoding="utf-8") as out:
        json.dump({"keys": keys, "vocabulary": VOCABULARY, "stored_positions": STORED, "tensors": tensors.entries,
                   "prompts": prompts}, out, indent=0)
        out.write("\n")


def write_safetensors(name, folder):
    model, *_ = make_model(name)
    model.to(torch.bfloat16).save_pretrained(folder)


def write_gguf(name, folder):
    import gguf
    _, architecture, _, keys, tensors, _ = MODELS[name]()
    writer = gguf.GGUFWriter(os.path.join(folder, name + ".gguf"), architecture)
    for key, value in keys.items():
        if key == "general.architecture":
            continue
        {bool: writer.add_bool, int: writer.add_uint32, float: writer.add_float32, str: writer.add_string}[type(value)](key, value)
    for tensor, values in tensors.values.items():
        writer.add_tensor(tensor, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--safetensors")
    parser.add_argument("--gguf")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    for name in arguments.names or MODELS:
        if arguments.safetensors:
            write_safetensors(name, arguments.safetensors)
        elif arguments.gguf:
            write_gguf(name, arguments.gguf)
        else:
            make_golden(name)


if __name__ == "__main__":
    main()
