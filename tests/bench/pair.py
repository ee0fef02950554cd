#!/usr/bin/env python3
"""Speeds of bench_engine and of peers on the same files, alternated in one run, as ratios.

  pair.py --headway build/release/bin/bench_engine --python /path/to/python MODEL...
  pair.py --headway ... --llama-bench /path/to/llama-bench --llama-batched-bench ... MODEL...

A round measures every case once on each side, ours and the peer's in turn, so that a machine that
slows down slows both. The ratio of a case is the median of its rounds; the spread is told with it.
Peers: a Python interpreter with llama-cpp-python (prefill, decode, batches, depths), or the
binaries of llama.cpp or ik_llama.cpp (prefill and decode by llama-bench; batches by
llama-batched-bench).
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n"
                         f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def speeds(document):
    return {(r["kind"], r["tokens"], r["batch"], r["depth"]): r["tokens_per_s"]["median"]
            for r in document["results"]}


def cases_of(kind, args):
    """Argument lists that measure one kind at a time: alternation stays fine-grained."""
    lengths = {"prefill": ["-p", args.p, "-n", "0"], "decode": ["-p", "0", "-n", args.n]}[kind]
    return lengths + ["-b", args.b, "-d", args.d, "-r", str(args.repetitions), "-t",
                      str(args.threads)]


def ours(args, model, kind):
    extra = ["--isa", args.isa] if args.isa else []
    document = json.loads(output([args.headway, model, "--json", *cases_of(kind, args), *extra]))[0]
    return document, speeds(document)


def by_python(args, model, kind):
    command = [args.python, os.path.join(HERE, "peer_llama_cpp.py"), model]
    return speeds(json.loads(output(command + cases_of(kind, args)))[0])


def by_binaries(args, model, kind):
    found = {}
    threads = ["-t", str(args.threads), "-r", str(args.repetitions), "-o", "json"]
    if args.llama_bench:
        lengths = ["-p", args.p, "-n", "0"] if kind == "prefill" else ["-p", "0", "-n", args.n]
        depths = [] if args.d == "0" else ["-d", args.d]
        for row in json.loads(output([args.llama_bench, "-m", model, *lengths, *depths, *threads])):
            tokens = row["n_prompt"] or row["n_gen"]
            found[(kind, tokens, 1, row.get("n_depth", 0))] = row["avg_ts"]
    if args.llama_batched_bench and kind == "decode":
        for tokens in args.n.split(","):
            text = output([args.llama_batched_bench, "-m", model, "-npp", "16", "-ntg", tokens,
                           "-npl", args.b, "-c", str(32 * (16 + int(tokens))), "-t",
                           str(args.threads), "-tb", str(args.threads)])
            for row in re.findall(r"^\|(?:\s*[\d.]+\s*\|)+$", text, re.MULTILINE):
                cells = [float(cell) for cell in row.strip("|").split("|")]
                if cells[2] > 1:
                    found[("decode", int(tokens), int(cells[2]), 0)] = cells[7]
    return found


def measure(args, model):
    rounds, described = {}, None
    peer = by_python if args.python else by_binaries
    for number in range(args.rounds):
        for kind in ("prefill", "decode"):
            if (args.p if kind == "prefill" else args.n) == "0":
                continue
            # The side that goes first changes, too.
            if number % 2 == 0:
                described, mine = ours(args, model, kind)
                theirs = peer(args, model, kind)
            else:
                theirs = peer(args, model, kind)
                described, mine = ours(args, model, kind)
            for case in mine.keys() & theirs.keys():
                rounds.setdefault(case, []).append((mine[case], theirs[case]))
    return described, rounds


def summary(rounds):
    rows = []
    for (kind, tokens, batch, depth), pairs in sorted(rounds.items()):
        ratios = [a / b for a, b in pairs]
        rows.append({"kind": kind, "tokens": tokens, "batch": batch, "depth": depth,
                     "headway": statistics.median(a for a, _ in pairs),
                     "peer": statistics.median(b for _, b in pairs),
                     "ratio": {"median": statistics.median(ratios), "min": min(ratios),
                               "max": max(ratios)}, "rounds": len(pairs)})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--headway", required=True, help="bench_engine")
    parser.add_argument("--python", help="interpreter that imports llama_cpp")
    parser.add_argument("--llama-bench")
    parser.add_argument("--llama-batched-bench")
    parser.add_argument("--peer-name", default="llama.cpp")
    parser.add_argument("-p", default="512", help="prompt lengths, 0 for none")
    parser.add_argument("-n", default="64", help="answer lengths, 0 for none")
    parser.add_argument("-b", default="1,8,16", help="sequences decoded together")
    parser.add_argument("-d", default="0", help="tokens cached before")
    parser.add_argument("-t", "--threads", type=int, default=os.cpu_count())
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--repetitions", type=int, default=2, help="of a case in a round")
    parser.add_argument("--isa", help="instruction set of our side")
    parser.add_argument("--out", help="JSON file for the results")
    args = parser.parse_args()
    if not (args.python or args.llama_bench or args.llama_batched_bench):
        parser.error("a peer is needed: --python, --llama-bench or --llama-batched-bench")
    documents = []
    for model in args.models:
        described, rounds = measure(args, model)
        rows = summary(rounds)
        documents.append({"file": os.path.basename(model), "peer": args.peer_name,
                          **{key: described[key] for key in ("model", "format", "computing",
                                                             "machine")}, "results": rows})
        print(f"{described['model']} {described['format']}, {described['machine']['isa']}, "
              f"{args.threads} threads, {args.rounds} rounds against {args.peer_name}")
        for row in rows:
            ratio = row["ratio"]
            print(f"  {row['kind']:8}{row['tokens']:6} tokens, batch {row['batch']:3}, depth "
                  f"{row['depth']:5}: {row['headway']:8.1f} against {row['peer']:8.1f} tok/s, "
                  f"{ratio['median']:5.2f} x ({ratio['min']:.2f}-{ratio['max']:.2f})")
        sys.stdout.flush()
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            json.dump(documents, file, indent=1)
            file.write("\n")


main()
