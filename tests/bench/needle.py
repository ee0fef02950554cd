#!/usr/bin/env python3
"""Needle in a haystack: a number hidden at several depths of a long text, asked for at its end, under
full and sparse attention; found or not, and the time to the first token.

  needle.py --probe build/release/bin/headway-probe MODEL --characters 14000 [--out FILE]

A mode is "name: flags". Modes take turns within a round, which is one depth and one number.
"""
import argparse
import json
import pathlib
import random
import statistics
import subprocess
import tempfile

TEXT = pathlib.Path(__file__).resolve().parents[2] / "resources" / "quality" / "english.txt"
SPARSE = "--attention sparse --attention-first 128 --attention-window 256 --attention-share"
MODES = ["full: --attention full", f"sparse 30 %: {SPARSE} 30", f"sparse 10 %: {SPARSE} 10",
         f"window only: {SPARSE} 0"]
FACT = "The secret number of the old harbour is"


def haystack(characters, depth, number):
    lines = TEXT.read_text().splitlines()
    text = "\n".join(lines)[:characters]
    at = text.rfind(". ", 0, max(3, int(len(text) * depth))) + 2
    return f"{text[:at]}{FACT} {number}. {text[at:]}\n\n{FACT}"


def ask(args, prompt, flags):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(prompt)
        file.flush()
        command = [args.probe, "generate", args.model, "--prompt-file", file.name, "--json",
                   "--max-tokens", "8", *flags]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("modes", nargs="*", default=MODES)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--characters", type=int, default=14000)
    parser.add_argument("--depths", type=float, nargs="+", default=[0.1, 0.3, 0.5, 0.7, 0.9])
    parser.add_argument("--numbers", type=int, default=1, help="a depth")
    parser.add_argument("--out")
    args = parser.parse_args()
    draw = random.Random(7)
    modes = [mode.split(":", 1) for mode in args.modes or MODES]
    found = {name: {depth: 0 for depth in args.depths} for name, _ in modes}
    waits = {name: [] for name, _ in modes}
    tokens = 0
    for depth in args.depths:
        for _ in range(args.numbers):
            number = draw.randint(1000, 9999)
            prompt = haystack(args.characters, depth, number)
            for name, flags in modes:
                answer = ask(args, prompt, flags.split())
                found[name][depth] += str(number) in answer["text"]
                tokens = answer.get("prompt_tokens", tokens)
                waits[name].append(answer["ttft_ms"])
    result = {"model": pathlib.Path(args.model).name, "characters": args.characters,
              "prompt_tokens": tokens, "numbers_a_depth": args.numbers, "modes": []}
    for name, flags in modes:
        wait = statistics.median(waits[name])
        result["modes"].append({"name": name, "flags": flags.strip(),
                                "found": {str(d): n for d, n in found[name].items()},
                                "ttft_ms_median": round(wait, 1)})
        shown = " ".join(f"{d:.0%}:{n}/{args.numbers}" for d, n in found[name].items())
        print(f"{name:12} found {shown}   TTFT {wait:.0f} ms")
    if args.out:
        with open(args.out, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
