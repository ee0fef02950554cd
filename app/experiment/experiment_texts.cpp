// The texts of the experiments that are built in, so that translations find them.
#include "app/experiment/experiment_labels.h"

#include <QCoreApplication>

#include <array>

namespace app {

namespace {

constexpr std::array kTexts = {
    QT_TRANSLATE_NOOP("experiments", "Continuous batching, best number of slots"),
    QT_TRANSLATE_NOOP(
        "experiments",
        "A closed loop of 32 users; which values can't be told from the best is the interval."),
    QT_TRANSLATE_NOOP("experiments", "Cold blocks, zig-zag, further memory"),
    QT_TRANSLATE_NOOP("experiments", "Continuous batching against single requests"),
    QT_TRANSLATE_NOOP("experiments", "A closed loop of eight users."),
    QT_TRANSLATE_NOOP("experiments", "CUDA graphs, TTFT"),
    QT_TRANSLATE_NOOP("experiments", "Degradation level 1, TTFT p90 past saturation"),
    QT_TRANSLATE_NOOP("experiments", "Dynamic batching's long tail, TTFT p99 against continuous"),
    QT_TRANSLATE_NOOP("experiments", "In a closed batch short answers wait for the longest one; "
                                     "answers of 4 to 128 tokens show it."),
    QT_TRANSLATE_NOOP("experiments", "Dynamic batching, time-out 100 ms against 50 ms"),
    QT_TRANSLATE_NOOP("experiments", "Poisson arrivals at half of what the engine can do; the "
                                     "longer window fills batches and waits."),
    QT_TRANSLATE_NOOP("experiments", "FP8 E4M3 weight-only, output throughput"),
    QT_TRANSLATE_NOOP("experiments", "INT8 W8A8, output throughput"),
    QT_TRANSLATE_NOOP("experiments", "Kernels compiled ahead of time, first TTFT"),
    QT_TRANSLATE_NOOP("experiments", "KV at INT4, output throughput"),
    QT_TRANSLATE_NOOP("experiments", "Ledger share of arithmetic"),
    QT_TRANSLATE_NOOP("experiments", "Share of the time to the first token, of requests one after "
                                     "the other with prompts of about 500 tokens."),
    QT_TRANSLATE_NOOP("experiments", "Ledger share of KV initialisation"),
    QT_TRANSLATE_NOOP("experiments", "Ledger share of reading weights"),
    QT_TRANSLATE_NOOP("experiments", "Prompts above 8k, share of latency at 16k"),
    QT_TRANSLATE_NOOP("experiments",
                      "How much of the TTFT of a 16k prompt comes after its first 8k tokens."),
    QT_TRANSLATE_NOOP("experiments", "Map instead of read, load time"),
    QT_TRANSLATE_NOOP("experiments", "Loads the model by reading the file and by mapping it, in "
                                     "turn. The file is in the page cache on both sides."),
    QT_TRANSLATE_NOOP("experiments", "Priority lane, TTFT p99 at 1.2× saturation"),
    QT_TRANSLATE_NOOP(
        "experiments",
        "Four of ten requests are realtime. Only these are measured, with and without priority."),
    QT_TRANSLATE_NOOP("experiments", "Prompt-length slope, per 1k tokens"),
    QT_TRANSLATE_NOOP("experiments", "One request at a time with prompts of growing length; the "
                                     "slope of TTFT over the prompt's tokens."),
    QT_TRANSLATE_NOOP("experiments", "Queue p99 exceeds compute above"),
    QT_TRANSLATE_NOOP("experiments", "Open-loop load at growing rates: where the p99 of queueing "
                                     "passes the p99 of the prefill."),
    QT_TRANSLATE_NOOP("experiments", "Selective batching by prompt length, throughput"),
    QT_TRANSLATE_NOOP("experiments",
                      "Prompts of 16 to 1,500 tokens under a closed loop of 16 users. Steps here "
                      "carry tokens and no padding, so similar lengths save no work."),
    QT_TRANSLATE_NOOP("experiments",
                      "Selective batching by prompt length, TTFT p50 against continuous"),
    QT_TRANSLATE_NOOP("experiments",
                      "Most prompts are short, some take many steps; at 0.8 of what the engine can "
                      "do. Shows what short prompts gain and what it costs long ones."),
    QT_TRANSLATE_NOOP("experiments", "Tiered sparse attention, TTFT of long prompts"),
    QT_TRANSLATE_NOOP("experiments", "Streaming prefill, TTFT after Send"),
    QT_TRANSLATE_NOOP("experiments", "A prompt of about 600 tokens written over two seconds; on "
                                     "side B it is fed meanwhile. Claimed: 320 to 250 ms."),
    QT_TRANSLATE_NOOP("experiments", "Tenants over one base, memory"),
    QT_TRANSLATE_NOOP("experiments",
                      "How far the process grew above where it stood, for two tenants with an "
                      "adapter of rank 16 each: over a copy of the model of their own, and over "
                      "one."),
    QT_TRANSLATE_NOOP("experiments", "Tokenizing 16k tokens of Chinese"),
    QT_TRANSLATE_NOOP("experiments", "Texts that were not seen before, encoded by the model's own "
                                     "tokenizer; nothing else runs."),
    QT_TRANSLATE_NOOP("experiments", "Tokenizing 16k tokens of mixed code"),
    QT_TRANSLATE_NOOP("experiments", "Tokenizing 16k tokens of English"),
    QT_TRANSLATE_NOOP("experiments", "Tokenizing 16k tokens of English, memory"),
    QT_TRANSLATE_NOOP("experiments", "How far the process grew above where it stood."),
    QT_TRANSLATE_NOOP("experiments", "Warm-up of 4 blank requests, first TTFT"),
    QT_TRANSLATE_NOOP("experiments", "Loads the model without and with four warm-up requests, and "
                                     "times the first token of the first real request.")};

} // namespace

std::span<const char* const> experimentTexts() {
    return kTexts;
}

} // namespace app
