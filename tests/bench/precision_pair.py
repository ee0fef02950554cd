#!/usr/bin/env python3
"""Speeds of one model in several precisions, alternated in one run, as ratios to the first.

  precision_pair.py --probe build/release/bin/headway-probe MODEL --precision fp16 int8 fp8 int4
  precision_pair.py --probe ... MODEL --flag --kv-precision --precision fp16 int8 int4 -d 2048

A round measures every precision once, in turn, so that a machine that slows down slows all. A ratio
is the median over rounds of a precision's speed by the first one's of the same round; its lowest and
highest round are told with it.
"""
import argparse
import json
import statistics
import subprocess


def measure(args, precision, kind):
    lengths = {"prefill": ["-p", args.p, "-n", "0"], "decode": ["-p", "0", "-n", args.n]}[kind]
    command = [args.probe, "bench", args.model, "--json", *lengths, "-r", "1", "-d", args.d, "-t",
               str(args.threads), args.flag, precision]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    document = json.loads(done.stdout)
    return document, document["results"][0]["tokens_per_s"]["median"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--probe", required=True)
    parser.add_argument("--flag", default="--precision")
    parser.add_argument("--precision", nargs="+", default=["fp16", "int8", "fp8", "int4"])
    parser.add_argument("-p", default="512")
    parser.add_argument("-n", default="64")
    parser.add_argument("-d", default="0")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--out")
    args = parser.parse_args()
    speeds = {}
    document = {}
    for _ in range(args.rounds):
        for kind in ("prefill", "decode"):
            for precision in args.precision:
                document, speed = measure(args, precision, kind)
                speeds.setdefault(kind, {}).setdefault(precision, []).append(speed)
    base = args.precision[0]
    result = {"model": document["model"], "machine": document["machine"], "flag": args.flag,
              "prompt": args.p, "output": args.n, "depth": args.d, "rounds": args.rounds,
              "cases": []}
    for kind, of_kind in speeds.items():
        for precision, values in of_kind.items():
            ratios = sorted(v / b for v, b in zip(values, of_kind[base]))
            case = {"kind": kind, "precision": precision,
                    "tokens_per_s": round(statistics.median(values), 1),
                    f"by_{base}": round(statistics.median(ratios), 3),
                    "lowest": round(ratios[0], 3), "highest": round(ratios[-1], 3)}
            result["cases"].append(case)
            print(f"{kind:8} {precision:6} {case['tokens_per_s']:9.1f} tok/s  "
                  f"x{case[f'by_{base}']:.2f} ({case['lowest']:.2f} to {case['highest']:.2f})")
    if args.out:
        with open(args.out, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
