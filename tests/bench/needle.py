#!/usr/bin/env python3
"""Needle in a haystack: a number hidden at several depths of a long text, asked for at its end, under
full and sparse attention; found or not, and the time to the first token.

  needle.py --probe build/release/bin/headway-probe MODEL --characters 14000 [--out FILE]

A mode is "name: flags". Modes take turns within a round, which is one depth and one number. Answers
that a file of --out has already are not asked for again, so that a long list can be made in pieces;
numbers are the same each time.
"""
import argparse
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

TEXT = pathlib.Path(__file__).resolve().parents[2] / "resources" / "quality" / "english.txt"
SPARSE = "--attention sparse --attention-first 128 --attention-window 256 --attention-share"
MODES = ["full: --attention full", f"sparse 30 %: {SPARSE} 30", f"sparse 10 %: {SPARSE} 10",
         f"window only: {SPARSE} 0"]
FLAGS = ["avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni"]
FACT = "The secret number of the old harbour is"


def haystack(characters, depth, number):
    lines = TEXT.read_text().splitlines()
    text = "\n".join(lines)[:characters]
    at = text.rfind(". ", 0, max(3, int(len(text) * depth))) + 2
    return f"{text[:at]}{FACT} {number}. {text[at:]}\n\n{FACT}"


def cpu_info(key):
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith(key):
                return line.split(":", 1)[1].strip()
    return ""


def summarize(result, modes):
    result["modes"] = []
    for name, flags in modes:
        answers = [a for a in result["answers"] if a["mode"] == name]
        found = {}
        for depth in sorted({a["depth"] for a in answers}):
            of_depth = [a["found"] for a in answers if a["depth"] == depth]
            found[str(depth)] = f"{sum(of_depth)}/{len(of_depth)}"
        gaps = [a["tpot_ms"] for a in answers if a["tpot_ms"] is not None]
        if answers:
            result["modes"].append(
                {"name": name, "flags": flags.strip(), "found": found,
                 "ttft_ms_median": round(statistics.median(a["ttft_ms"] for a in answers), 1),
                 "tpot_ms_median": round(statistics.median(gaps), 3) if gaps else None})


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
    modes = [mode.split(":", 1) for mode in args.modes or MODES]
    result = {"model": pathlib.Path(args.model).name, "cpu": cpu_info("model name"),
              "flags": " ".join(f for f in FLAGS if f in cpu_info("flags").split()),
              "characters": args.characters, "prompt_tokens": 0, "modes": [], "answers": []}
    if args.out and os.path.exists(args.out):
        with open(args.out) as file:
            result = json.load(file)
        if result["characters"] != args.characters:
            raise SystemExit(f"{args.out} is of another length: give another file.")
    known = {(a["mode"], a["depth"], a["number"]) for a in result["answers"]}
    for turn in range(args.numbers):
        for depth in args.depths:
            number = random.Random(f"{turn} {depth}").randint(1000, 9999)
            prompt = haystack(args.characters, depth, number)
            for name, flags in modes:
                if (name, depth, number) in known:
                    continue
                answer = ask(args, prompt, flags.split())
                result["prompt_tokens"] = answer["prompt_tokens"]
                result["answers"].append({"mode": name, "depth": depth, "number": number,
                                          "found": str(number) in answer["text"],
                                          "ttft_ms": round(answer["ttft_ms"], 1),
                                          "tpot_ms": answer.get("tpot_ms")})
                summarize(result, modes)
                if args.out:
                    with open(args.out, "w") as file:
                        json.dump(result, file, indent=1)
                        file.write("\n")
    summarize(result, modes)
    for mode in result["modes"]:
        shown = " ".join(f"{float(d):.0%}:{n}" for d, n in mode["found"].items())
        print(f"{mode['name']:12} found {shown}   TTFT {mode['ttft_ms_median']:.0f} ms, "
              f"TPOT {mode['tpot_ms_median']} ms")


if __name__ == "__main__":
    main()
