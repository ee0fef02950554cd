#!/usr/bin/env python3
"""Headway's tokenizer and HF `tokenizers`, one thread each, on the same texts in one run.

Usage: tokenizer_pair.py PROBE MODEL TOKENIZER_JSON FOLDER [ROUNDS]
PROBE is headway-probe; MODEL what it opens (the vocabulary of TOKENIZER_JSON); FOLDER holds .txt
files. Both sides encode each text once a round, in prompts of 64 KiB, with a vocabulary that was
loaded for it: nothing of the text was met before. Sides alternate from round to round; medians are
printed, then one JSON line. Ids are compared first, all of them.
"""
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers  # noqa: E402

PROMPT = 64 * 1024


def prompts(text):
    data = text.encode()
    begin = 0
    while begin < len(data):
        end = min(begin + PROMPT, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[begin:end].decode()
        begin = end


def reference_seconds(path, pieces):
    tokenizer = tokenizers.Tokenizer.from_file(path)
    begin = time.perf_counter()
    for piece in pieces:
        # The library's quickest way: no offsets. A batch of one keeps it on one thread.
        tokenizer.encode_batch_fast([piece], add_special_tokens=False)
    return time.perf_counter() - begin


def load_ms(path):
    begin = time.perf_counter()
    tokenizers.Tokenizer.from_file(path)
    return (time.perf_counter() - begin) * 1e3


def different(probe, model, path, pieces):
    lines = "".join(json.dumps(piece) + "\n" for piece in pieces)
    ours = subprocess.run([probe, "tokenize", model, "--stdin-jsonl", "--special"], check=True,
                          input=lines.encode(), stdout=subprocess.PIPE).stdout.splitlines()
    tokenizer = tokenizers.Tokenizer.from_file(path)
    return sum(json.loads(line) != tokenizer.encode(piece, add_special_tokens=False).ids
               for line, piece in zip(ours, pieces, strict=True))


def main():
    probe, model, path, folder = sys.argv[1:5]
    rounds = int(sys.argv[5]) if len(sys.argv) > 5 else 5
    texts = {file.stem: list(prompts(file.read_text())) for file in sorted(Path(folder).glob("*.txt"))}
    for name, pieces in texts.items():
        print(f"{name}: {different(probe, model, path, pieces)} of {len(pieces)} prompts differ")
    ours, theirs, ours_load, theirs_load = {}, {}, [], []
    cpu = ""
    for _ in range(rounds):
        theirs_load.append(load_ms(path))
        for name, pieces in texts.items():
            size = sum(len(piece.encode()) for piece in pieces)
            theirs.setdefault(name, []).append(size / reference_seconds(path, pieces) / 1e6)
        document = json.loads(subprocess.run(
            [probe, "tokenize-bench", model, "--texts", folder, "--json", "-r", "3"], check=True,
            stdout=subprocess.PIPE).stdout)
        cpu = document["machine"]["cpu"]
        ours_load.append(document["vocabulary"]["load_ms"]["median"])
        for whole in document["whole_texts"]:
            ours.setdefault(whole["text"], []).append(whole["bytes_per_s"] / 1e6)
    result = {"cpu": cpu, "python": platform.python_version(), "tokenizers": tokenizers.__version__,
              "rounds": rounds, "prompt_bytes": PROMPT, "texts": {}}
    for name in texts:
        us, them = statistics.median(ours[name]), statistics.median(theirs[name])
        ratios = [a / b for a, b in zip(ours[name], theirs[name])]
        print(f"{name}: Headway {us:.1f} MB/s, tokenizers {them:.2f} MB/s, "
              f"{us / them:.1f} times (rounds {min(ratios):.1f} to {max(ratios):.1f})")
        result["texts"][name] = {"headway_mb_per_s": us, "tokenizers_mb_per_s": them,
                                 "ratio": us / them, "ratios": ratios}
    result["load_ms"] = {"headway": statistics.median(ours_load),
                         "tokenizers": statistics.median(theirs_load)}
    print(f"vocabulary: Headway {result['load_ms']['headway']:.0f} ms, "
          f"tokenizers {result['load_ms']['tokenizers']:.0f} ms")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
