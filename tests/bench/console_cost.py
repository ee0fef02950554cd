#!/usr/bin/env python3
"""Throughput of the engine with the window open against without it, alternated.

usage: console_cost.py BENCH_CONSOLE MODEL [--pairs 8] [--seconds 20] [--threads 0 ...] [--json FILE]

Each pair runs both in an order that changes from pair to pair, so that drift of a shared machine
hits both alike. Prints every pair, the median ratio and a 95 % interval of the median (order
statistics: exact, without a distribution). Needs a display: DISPLAY, or Xvfb, which it starts.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time


def cpu():
    model, flags = platform.machine(), ""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                model = value.strip()
            if key.strip() == "flags":
                wanted = ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "avx_vnni", "amx_int8")
                flags = " ".join(flag for flag in wanted if flag in value.split())
                break
    return {"model": model, "flags": flags, "cores": os.cpu_count()}


def median_interval(values):
    """Exact distribution-free interval of the median with at least 95 % confidence, or None."""
    ordered, n = sorted(values), len(values)
    best = None
    for lower in range(n // 2):
        outside = 2 * sum(math.comb(n, k) for k in range(lower + 1)) / 2**n
        if outside <= 0.05:
            best = (ordered[lower], ordered[n - 1 - lower])
    return best


def measure(options, mode, threads, environment):
    command = [options.bench, mode, options.model, "--seconds", str(options.seconds),
               "--threads", str(threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout.splitlines()[-1])


def compare(options, threads, environment):
    pairs = []
    for index in range(options.pairs):
        order = ("headless", "window") if index % 2 == 0 else ("window", "headless")
        pair = {mode: measure(options, mode, threads, environment) for mode in order}
        pair["ratio"] = pair["window"]["output_per_s"] / pair["headless"]["output_per_s"]
        pairs.append(pair)
        print(f"threads {threads}  pair {index + 1}: "
              f"headless {pair['headless']['output_per_s']:.0f} tok/s, "
              f"window {pair['window']['output_per_s']:.0f} tok/s, ratio {pair['ratio']:.3f}, "
              f"UI turns p95 {pair['window']['turns']['p95_ms']:.1f} ms, "
              f"main thread {100 * pair['window']['main_thread_share']:.1f} % of a core", flush=True)
    ratios = [pair["ratio"] for pair in pairs]
    interval = median_interval(ratios)
    shown = f"[{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "too few pairs for an interval"
    print(f"threads {threads}: median ratio {statistics.median(ratios):.3f} {shown}, n {len(pairs)}")
    return {"threads": threads, "median": statistics.median(ratios), "interval": interval,
            "pairs": pairs}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("model")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--threads", type=int, nargs="+", default=[0])
    parser.add_argument("--json")
    options = parser.parse_args()

    environment = dict(os.environ)
    server = None
    if not environment.get("DISPLAY"):
        environment["DISPLAY"] = ":97"
        environment["QT_QPA_PLATFORM"] = "xcb"
        server = subprocess.Popen(["Xvfb", ":97", "-screen", "0", "1600x1000x24"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(2)
    try:
        results = [compare(options, threads, environment) for threads in options.threads]
    finally:
        if server:
            server.terminate()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"cpu": cpu(), "seconds": options.seconds, "results": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
