#!/usr/bin/env python3
"""What precisions of one model cost, each against FP16, over the sample texts of the quality check.

  precision_quality.py --probe build/release/bin/headway-probe MODEL [CASE ...] --out FILE

A case is "name: flags of headway-probe quality"; without any, the weights' and the caches' own are
measured. Cases that a file of --out has already are not measured again, so that a long list can be
made in pieces.
"""
import argparse
import json
import os
import pathlib
import subprocess

TEXTS = pathlib.Path(__file__).resolve().parents[2] / "resources" / "quality"
CASES = ["weights int8: --precision int8", "weights fp8: --precision fp8",
         "weights int4: --precision int4", "KV int8: --precision fp16 --kv-precision int8",
         "KV int4: --precision fp16 --kv-precision int4"]


def cpu_model():
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return ""


def measure(args, flags):
    command = [args.probe, "quality", args.model, "--json", "--passage", str(args.passage),
               "--tokens", str(args.tokens), "--reference-precision", "fp16",
               "--reference-kv-precision", "fp16", *flags, "--text",
               *(str(TEXTS / name) for name in ("english.txt", "chinese.txt", "code.txt"))]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("cases", nargs="*", default=CASES)
    parser.add_argument("--probe", required=True)
    parser.add_argument("--passage", type=int, default=1024)
    parser.add_argument("--tokens", type=int, default=0, help="0: all of the texts")
    parser.add_argument("--out")
    args = parser.parse_args()
    result = {"model": pathlib.Path(args.model).name, "cpu": cpu_model(),
              "reference": "--precision fp16 --kv-precision fp16", "passage": args.passage,
              "cases": []}
    if args.out and os.path.exists(args.out):
        with open(args.out) as file:
            result = json.load(file)
    for case in args.cases or CASES:
        name, flags = case.split(":", 1)
        if any(done["name"] == name for done in result["cases"]):
            continue
        figures = measure(args, flags.split())
        result["cases"].append({"name": name, "flags": flags.strip(), **figures})
        change = figures["perplexity_change"]
        print(f"{name:14} perplexity {100 * change['value']:+.2f} % "
              f"({100 * change['low']:+.2f} to {100 * change['high']:+.2f}), "
              f"KL {figures['mean_kl']['value']:.5f}, "
              f"same token {100 * figures['top_agreement']['value']:.1f} %, "
              f"{figures['tokens']} tokens", flush=True)
        if args.out:
            with open(args.out, "w") as file:
                json.dump(result, file, indent=1)
                file.write("\n")


if __name__ == "__main__":
    main()
