#!/usr/bin/env python3
"""Loads served by the default or a given model, and the same loads simulated, for each policy.

usage: simulated_and_real.py HEADWAY [--model FILE] [--policy single ...] [--seconds 25]
                             [--loads 0.8 1.0] [--repeat 1] [--seed 11] [--apart] [--defaults]
                             [--out FILE]

A closed loop of 32 users finds what a policy can serve of this mix of lengths. Then Poisson arrivals
at shares of that rate are served and recorded, and `headway simulate` runs each recorded load with
the costs that were measured meanwhile; with --apart with those of another run at that rate, with
other requests. With --defaults the prefix cache is on, as it is by default. Policies that are in FILE
already stay there.
"""

import argparse
import json
import os
import subprocess
import tempfile

from console_cost import cpu

MIX = """
[lengths]
prompt = [16, 120]
output = [8, 40]
[prompts]
sets = ["english"]
"""
NO_HITS = """
[settings]
"kv.prefix_cache" = "off"
"""
POLICIES = ("single", "dynamic", "continuous", "selective")
FIGURES = ("output_tokens_per_s", "ttft_p50_ms", "ttft_p90_ms", "tpot_p50_ms")


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout)


def figures_of(summary):
    return {"output_tokens_per_s": summary["output_tokens_per_s"],
            "ttft_p50_ms": summary["ttft_ms"]["p50"], "ttft_p90_ms": summary["ttft_ms"]["p90"],
            "tpot_p50_ms": summary["tpot_ms"]["p50"]}


class Bench:
    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.log = os.path.join(folder, "runs.db")
        self.runs = 0

    def serve(self, policy, seed, stage):
        """One recorded run; returns its workload's file, number and summary."""
        workload = os.path.join(self.folder, f"{self.runs}.toml")
        with open(workload, "w", encoding="utf-8") as file:
            file.write(f"[workload]\nseed = {seed}\n[[stage]]\n{stage}\n{MIX}"
                       f"{'' if self.args.defaults else NO_HITS}")
        model = [self.args.model] if self.args.model else []
        summary = output_of([self.args.headway, "load", workload, *model, "--batching", policy,
                             "--record", self.log, "--json"])
        self.runs += 1
        return workload, self.runs, summary

    def capacity(self, policy):
        _, _, summary = self.serve(policy, 5, 'kind = "closed"\nusers = 32\nseconds = 12')
        return summary["requests_per_s"]

    def pair(self, policy, rate, seed):
        stage = f'kind = "poisson"\nrate = {rate:.3f}\nseconds = {self.args.seconds}'
        profile = self.serve(policy, seed + 1000, stage)[1] if self.args.apart else None
        workload, run, summary = self.serve(policy, seed, stage)
        both = output_of([self.args.headway, "simulate", workload, "--profile",
                          f"{self.log}:{profile or run}", "--json"])
        if both["is_same_workload"] == self.args.apart:
            raise SystemExit("the simulation had other requests than were meant")
        real, simulated = figures_of(summary), figures_of(both["simulated"])
        return {"requests": summary["requests"], "simulations": both["simulations"],
                "figures": {key: {"real": real[key], "simulated": simulated[key],
                                  "range": both["ranges"].get(key),
                                  "error_percent": round((simulated[key] / real[key] - 1) * 100, 1)}
                            for key in FIGURES}}


def told(policy, load, pair):
    figures = pair["figures"]
    rate, ttft = figures["output_tokens_per_s"], figures["ttft_p50_ms"]
    between = "–".join(f"{value:.0f}" for value in ttft["range"] or [])
    print(f"{policy:10} load {load:.2f}  output real {rate['real']:6.1f} simulated "
          f"{rate['simulated']:6.1f} ({rate['error_percent']:+5.1f} %)   TTFT p50 real "
          f"{ttft['real']:7.1f} simulated {ttft['simulated']:7.1f} ms "
          f"({ttft['error_percent']:+5.1f} %), range {between}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("headway")
    parser.add_argument("--model")
    parser.add_argument("--policy", nargs="+", choices=POLICIES, default=POLICIES)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--loads", nargs="+", type=float, default=[0.8, 1.0])
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--apart", action="store_true", help="costs of a run with other requests")
    parser.add_argument("--defaults", action="store_true", help="leave the prefix cache on")
    parser.add_argument("--out")
    args = parser.parse_args()
    document = {"what": "the same loads served and simulated; loads are shares of what a closed loop "
                        "of 32 users was served",
                "costs": "of another run, with other requests" if args.apart else "of that run",
                "prefix_cache": "on" if args.defaults else "off", "machine": cpu(), "results": []}
    if args.out and os.path.exists(args.out):
        with open(args.out, encoding="utf-8") as file:
            document = json.load(file)
    document["results"] = [row for row in document["results"] if row["policy"] not in args.policy]
    for policy in args.policy:
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(args, folder)
            capacity = bench.capacity(policy)
            for load in args.loads:
                for repeat in range(args.repeat):
                    pair = bench.pair(policy, load * capacity, args.seed + repeat)
                    told(policy, load, pair)
                    document["results"].append(
                        {"policy": policy, "load": load, "capacity_per_s": round(capacity, 2),
                         "seconds": args.seconds, "seed": args.seed + repeat, **pair})
        if args.out:
            with open(args.out, "w", encoding="utf-8") as file:
                json.dump(document, file, indent=1, ensure_ascii=False)
                file.write("\n")


if __name__ == "__main__":
    main()
