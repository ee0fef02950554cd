// Texts that the engine's tables hold in English, listed here so that the translation tools find
// them: the engine has no Qt. A test fails when a table has a text that is missing here.
#include "app/labels.h"

#include <QCoreApplication>

namespace app {

namespace {

constexpr const char* kEngineTexts[] = {
    // Settings: names.
    QT_TRANSLATE_NOOP("labels", "Batching"),
    QT_TRANSLATE_NOOP("labels", "Max batch"),
    QT_TRANSLATE_NOOP("labels", "Token budget"),
    QT_TRANSLATE_NOOP("labels", "Prefill chunk"),
    QT_TRANSLATE_NOOP("labels", "Max waiting"),
    QT_TRANSLATE_NOOP("labels", "KV blocks"),
    QT_TRANSLATE_NOOP("labels", "Block size"),
    QT_TRANSLATE_NOOP("labels", "Max context"),
    QT_TRANSLATE_NOOP("labels", "Threads"),
    QT_TRANSLATE_NOOP("labels", "Load mode"),
    QT_TRANSLATE_NOOP("labels", "Weights layout"),
    QT_TRANSLATE_NOOP("labels", "Warm-up requests"),
    // Settings: what they do.
    QT_TRANSLATE_NOOP("labels", "How requests share a step: one at a time, or all that fit, "
                                "joining and leaving at every step."),
    QT_TRANSLATE_NOOP("labels", "Requests that may run at once; more wait in the queue."),
    QT_TRANSLATE_NOOP("labels", "Most tokens one step computes; a lower budget keeps steps, and so "
                                "the gaps between tokens, short."),
    QT_TRANSLATE_NOOP("labels", "Most tokens of one prompt in one step, so that a long prompt does "
                                "not hold up the others."),
    QT_TRANSLATE_NOOP("labels",
                      "Requests that may wait in the queue; further ones are rejected at once."),
    QT_TRANSLATE_NOOP("labels", "Blocks of the key-value cache, shared by all requests."),
    QT_TRANSLATE_NOOP("labels", "Tokens in one block of the key-value cache: small blocks waste "
                                "less, large ones cost less to manage."),
    QT_TRANSLATE_NOOP("labels", "Longest prompt and answer together; longer requests are refused."),
    QT_TRANSLATE_NOOP("labels", "Processor threads that compute."),
    QT_TRANSLATE_NOOP("labels", "Map the model file into memory, or read it whole first."),
    QT_TRANSLATE_NOOP(
        "labels",
        "Repack weights for this processor at load, or compute on them as the file has them."),
    QT_TRANSLATE_NOOP(
        "labels",
        "Short requests run after loading, so that the first real one is not a cold one."),
    // Settings: what zero means.
    QT_TRANSLATE_NOOP("labels", "from memory"),
    QT_TRANSLATE_NOOP("labels", "the model's own"),
    QT_TRANSLATE_NOOP("labels", "every core"),
    QT_TRANSLATE_NOOP("labels", "none"),
    // Settings: why one has no bearing.
    QT_TRANSLATE_NOOP("labels", "Used by the continuous policy only"),
    // Settings: choices and switches.
    QT_TRANSLATE_NOOP("labels", "single"),
    QT_TRANSLATE_NOOP("labels", "continuous"),
    QT_TRANSLATE_NOOP("labels", "mmap"),
    QT_TRANSLATE_NOOP("labels", "read"),
    QT_TRANSLATE_NOOP("labels", "packed"),
    QT_TRANSLATE_NOOP("labels", "file"),
    QT_TRANSLATE_NOOP("labels", "on"),
    QT_TRANSLATE_NOOP("labels", "off"),
    // Units.
    QT_TRANSLATE_NOOP("labels", "req"),
    QT_TRANSLATE_NOOP("labels", "tok"),
    QT_TRANSLATE_NOOP("labels", "blocks"),
    // Metrics.
    QT_TRANSLATE_NOOP("labels", "Running"),
    QT_TRANSLATE_NOOP("labels", "Waiting"),
    QT_TRANSLATE_NOOP("labels", "Slots"),
    QT_TRANSLATE_NOOP("labels", "Step sequences"),
    QT_TRANSLATE_NOOP("labels", "Step tokens"),
    QT_TRANSLATE_NOOP("labels", "KV blocks used"),
    QT_TRANSLATE_NOOP("labels", "KV tokens"),
    QT_TRANSLATE_NOOP("labels", "Steps"),
    QT_TRANSLATE_NOOP("labels", "Prompt tokens"),
    QT_TRANSLATE_NOOP("labels", "Output tokens"),
    QT_TRANSLATE_NOOP("labels", "Received"),
    QT_TRANSLATE_NOOP("labels", "Completed"),
    QT_TRANSLATE_NOOP("labels", "Cancelled"),
    QT_TRANSLATE_NOOP("labels", "Failed"),
    QT_TRANSLATE_NOOP("labels", "Rejected"),
    QT_TRANSLATE_NOOP("labels", "Preemptions"),
    QT_TRANSLATE_NOOP("labels", "Pool busy time"),
    QT_TRANSLATE_NOOP("labels", "Weights memory"),
    QT_TRANSLATE_NOOP("labels", "KV memory"),
    QT_TRANSLATE_NOOP("labels", "Process memory"),
    QT_TRANSLATE_NOOP("labels", "Machine memory"),
    QT_TRANSLATE_NOOP("labels", "Machine memory available"),
    // Phases of loading.
    QT_TRANSLATE_NOOP("labels", "open"),
    QT_TRANSLATE_NOOP("labels", "map"),
    QT_TRANSLATE_NOOP("labels", "convert"),
    QT_TRANSLATE_NOOP("labels", "upload"),
    QT_TRANSLATE_NOOP("labels", "tokenizer"),
    QT_TRANSLATE_NOOP("labels", "kernels"),
    QT_TRANSLATE_NOOP("labels", "warm-up"),
};

} // namespace

std::span<const char* const> engineTexts() {
    return kEngineTexts;
}

} // namespace app
