#!/usr/bin/env python3
"""Tokens a second of llama.cpp through llama-cpp-python, as bench_engine's JSON.

Runs under an interpreter that has the module; pair.py starts it. Sequences share one unified cache,
as llama-batched-bench does; no sampling is counted, which favours this side.
"""
import argparse
import ctypes
import json
import random
import statistics
import time

import llama_cpp as lc


def context(model, tokens, sequences, threads):
    params = lc.llama_context_default_params()
    params.n_ctx = tokens
    params.n_batch = 512
    params.n_ubatch = 512
    params.n_seq_max = sequences
    params.n_threads = params.n_threads_batch = threads
    params.kv_unified = True
    made = lc.llama_init_from_model(model, params)
    if not made:
        raise SystemExit(f"llama.cpp makes no context of {tokens} tokens")
    return made


def decode(ctx, batch, rows):
    """rows: (token, position, sequence, wants logits)"""
    batch.n_tokens = len(rows)
    for i, (token, position, sequence, wanted) in enumerate(rows):
        batch.token[i] = token
        batch.pos[i] = position
        batch.n_seq_id[i] = 1
        batch.seq_id[i][0] = sequence
        batch.logits[i] = 1 if wanted else 0
    if lc.llama_decode(ctx, batch) != 0:
        raise SystemExit("llama_decode failed")
    lc.llama_synchronize(ctx)


def fill(ctx, batch, ids, start, tokens, sequence):
    for at in range(start, start + tokens, 512):
        end = min(at + 512, start + tokens)
        decode(ctx, batch, [(ids[p % len(ids)], p, sequence, p + 1 == start + tokens)
                            for p in range(at, end)])


def timed(repetitions, run):
    run()
    seconds = []
    for _ in range(repetitions):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    numbers = lambda text: [int(x) for x in text.split(",")]
    parser.add_argument("-p", type=numbers, default=[512])
    parser.add_argument("-n", type=numbers, default=[64])
    parser.add_argument("-b", type=numbers, default=[1])
    parser.add_argument("-d", type=numbers, default=[0])
    parser.add_argument("-r", type=int, default=3)
    parser.add_argument("-t", type=int, default=2)
    args = parser.parse_args()
    quiet = lc.llama_log_callback(lambda level, text, data: None)
    lc.llama_log_set(quiet, ctypes.c_void_p(0))
    lc.llama_backend_init()
    model = lc.llama_model_load_from_file(args.model.encode(), lc.llama_model_default_params())
    if not model:
        raise SystemExit(f"llama.cpp does not open {args.model}")
    vocabulary = lc.llama_vocab_n_tokens(lc.llama_model_get_vocab(model))
    draw = random.Random(1)
    ids = [draw.randrange(vocabulary) for _ in range(512)]
    batch = lc.llama_batch_init(512, 0, 1)
    results = []

    def add(kind, tokens, sequences, depth, seconds):
        speeds = sorted(tokens * sequences / s for s in seconds)
        results.append({"kind": kind, "tokens": tokens, "batch": sequences, "depth": depth,
                        "tokens_per_s": {"median": statistics.median(speeds), "min": speeds[0],
                                         "max": speeds[-1]}, "n": len(speeds)})

    for depth in args.d:
        for tokens in filter(None, args.p):
            ctx = context(model, depth + tokens, 1, args.t)
            memory = lc.llama_get_memory(ctx)
            fill(ctx, batch, ids, 0, depth, 0)

            def prefill():
                lc.llama_memory_seq_rm(memory, 0, depth, -1)
                fill(ctx, batch, ids, depth, tokens, 0)
            add("prefill", tokens, 1, depth, timed(args.r, prefill))
            lc.llama_free(ctx)
        for tokens in filter(None, args.n):
            for sequences in args.b:
                ctx = context(model, (depth + tokens) * sequences, sequences, args.t)
                memory = lc.llama_get_memory(ctx)
                for s in range(sequences):
                    fill(ctx, batch, ids, 0, depth, s)

                def generate():
                    for s in range(sequences):
                        lc.llama_memory_seq_rm(memory, s, depth, -1)
                    for p in range(depth, depth + tokens):
                        decode(ctx, batch, [(ids[(p + s) % 512], p, s, True)
                                            for s in range(sequences)])
                add("decode", tokens, sequences, depth, timed(args.r, generate))
                lc.llama_free(ctx)
    print(json.dumps([{"model": args.model, "results": results}]))


main()
