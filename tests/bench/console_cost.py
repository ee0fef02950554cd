#!/usr/bin/env python3
"""What the open window costs the engine's throughput.

usage: console_cost.py BENCH_CONSOLE MODEL [--seconds 240] [--threads 0 ...] [--json FILE]

In one run the window is shown and hidden in turn (A-B-B-A, 2.5 s each, the first 0.5 s left out);
hidden, the program is what a headless run is. A machine whose speed wanders favours whichever half
of a pair came at the better moment, and the pair after it the other way round: one A-B-B-A is one
observation, the geometric mean of its two ratios. Prints the Hodges-Lehmann estimate of them with
its 95 % interval (Wilcoxon signed ranks: Walsh averages in order), and the turns of the UI thread.
Needs a display: DISPLAY, or Xvfb, which it starts.
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


def blocks_of(pairs):
    """Logarithms of shown / hidden, one an A-B-B-A block of two pairs."""
    logs = [math.log(shown / hidden) for shown, hidden in pairs if min(shown, hidden) > 0]
    return [(first + second) / 2 for first, second in zip(logs[::2], logs[1::2])]


def centre_and_interval(values):
    """Median of the Walsh averages and its 95 % interval (normal approximation of the signed-rank
    sum, good from ten values on), or None for the interval below that."""
    n = len(values)
    walsh = sorted((values[i] + values[j]) / 2 for i in range(n) for j in range(i, n))
    centre = statistics.median(walsh)
    if n < 10:
        return centre, None
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    outside = max(int(n * (n + 1) / 4 - 1.96 * spread), 0)
    return centre, (walsh[outside], walsh[-1 - outside])


def measure(options, threads, environment):
    command = [options.bench, "alternate", options.model, "--seconds", str(options.seconds),
               "--threads", str(threads)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    result = json.loads(done.stdout.splitlines()[-1])
    blocks = blocks_of(result["shown_hidden_per_s"])
    if not blocks:
        sys.exit("no whole A-B-B-A block: let it run longer (--seconds 20 and more)")
    centre, interval = centre_and_interval(blocks)
    interval = [math.exp(end) for end in interval] if interval else None
    result["ratio"] = math.exp(centre)
    result["interval_95"] = interval
    result["blocks"] = len(blocks)
    shown = f"[{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "too few for an interval"
    print(f"threads {threads}: shown / hidden {result['ratio']:.3f} {shown}, "
          f"n {len(blocks)} blocks; UI turns p95 {result['turns']['p95_ms']:.1f} ms, main thread "
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
