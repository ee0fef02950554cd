#!/usr/bin/env python3
"""What the open window costs the engine's throughput.

usage: console_cost.py BENCH_CONSOLE MODEL [--seconds 240] [--threads 0 ...] [--json FILE]

In one run the window is shown and hidden in turn (A-B-B-A, 2.5 s each, the first 0.5 s left out);
hidden, the program is what a headless run is. Prints the median of the paired ratios with a 95 %
interval (order statistics: exact, without a distribution), and the turns of the UI thread. Needs a
display: DISPLAY, or Xvfb, which it starts.
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


def measure(options, threads, environment):
    command = [options.bench, "alternate", options.model, "--seconds", str(options.seconds),
               "--threads", str(threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout.splitlines()[-1])
    ratios = [shown / hidden for shown, hidden in result["shown_hidden_per_s"] if hidden > 0]
    interval = median_interval(ratios)
    result["median_ratio"] = statistics.median(ratios)
    result["interval"] = interval
    shown = f"[{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "too few for an interval"
    print(f"threads {threads}: shown / hidden {result['median_ratio']:.3f} {shown}, "
          f"n {len(ratios)} pairs; UI turns p95 {result['turns']['p95_ms']:.1f} ms, main thread "
          f"{100 * result['main_thread_share']:.1f} % of a core over the run", flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("model")
    parser.add_argument("--seconds", type=float, default=240.0)
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
        results = [measure(options, threads, environment) for threads in options.threads]
    finally:
        if server:
            server.terminate()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"cpu": cpu(), "results": results}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
