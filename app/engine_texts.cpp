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
    // Settings: choices and switches.
    QT_TRANSLATE_NOOP("labels", "single"),
    QT_TRANSLATE_NOOP("labels", "continuous"),
    QT_TRANSLATE_NOOP("labels", "mmap"),
    QT_TRANSLATE_NOOP("labels", "read"),
    QT_TRANSLATE_NOOP("labels", "packed"),
    QT_TRANSLATE_NOOP("labels", "file"),
    QT_TRANSLATE_NOOP("labels", "on"),
    QT_TRANSLATE_NOOP("labels", "off"),
    // Numbers of weights.
    QT_TRANSLATE_NOOP("labels", "Precision"),
    QT_TRANSLATE_NOOP("labels", "Numbers that weights are kept in. They are converted while "
                                "requests go on, and changed for all between two steps."),
    QT_TRANSLATE_NOOP("labels", "bf16"),
    QT_TRANSLATE_NOOP("labels", "attention"),
    QT_TRANSLATE_NOOP("labels", "feed-forward"),
    QT_TRANSLATE_NOOP("labels", "The choice of experts stays as the file has it."),
    QT_TRANSLATE_NOOP("labels", "They are held in INT8: an error there is one in every token."),
    QT_TRANSLATE_NOOP("labels", "experts"),
    QT_TRANSLATE_NOOP("labels", "router"),
    QT_TRANSLATE_NOOP("labels", "embedding"),
    QT_TRANSLATE_NOOP("labels", "output"),
    QT_TRANSLATE_NOOP("labels", "fp8"),
    // Attention.
    QT_TRANSLATE_NOOP("labels", "Attention"),
    QT_TRANSLATE_NOOP("labels",
                      "Full: a token sees all before it. Sparse: the first ones, a window "
                      "before it, and of what lies between the blocks whose keys may matter most "
                      "to it. Running requests keep theirs."),
    QT_TRANSLATE_NOOP("labels", "First tokens"),
    QT_TRANSLATE_NOOP("labels", "Tokens from the beginning that sparse attention sees in full."),
    QT_TRANSLATE_NOOP("labels", "Window"),
    QT_TRANSLATE_NOOP("labels",
                      "Tokens before its own block that a token sees in full under sparse "
                      "attention."),
    QT_TRANSLATE_NOOP("labels", "Layers of this model have a longer window, and see all of it."),
    QT_TRANSLATE_NOOP("labels", "Sampled share"),
    QT_TRANSLATE_NOOP("labels", "Share of the blocks between first tokens and window that sparse "
                                "attention sees."),
    QT_TRANSLATE_NOOP("labels", "Used by sparse attention only"),
    QT_TRANSLATE_NOOP("labels", "full"),
    QT_TRANSLATE_NOOP("labels", "sparse"),
    // Quality checks.
    QT_TRANSLATE_NOOP("labels", "Quality check"),
    QT_TRANSLATE_NOOP("labels", "After a change of precision, compare what the model predicts over "
                                "a sample text with the file's own precision, at low priority and "
                                "within five minutes."),
    QT_TRANSLATE_NOOP("labels", "Sample length"),
    QT_TRANSLATE_NOOP("labels", "Tokens of the sample that a quality check computes: more of them "
                                "narrow its intervals."),
    QT_TRANSLATE_NOOP("labels", "Quality checks are off"),
    // Numbers of keys and values.
    QT_TRANSLATE_NOOP("labels", "KV precision"),
    QT_TRANSLATE_NOOP("labels", "Key precision"),
    QT_TRANSLATE_NOOP("labels", "Value precision"),
    QT_TRANSLATE_NOOP("labels",
                      "Numbers that keys and values are kept in: fewer bits hold more tokens and "
                      "are read faster. Running requests keep what they began with."),
    QT_TRANSLATE_NOOP("labels", "Keys apart: INT4 codes them by channel in groups of 32 tokens and "
                                "keeps the last 128 in full."),
    QT_TRANSLATE_NOOP("labels", "Values apart: INT4 codes them a token at a time in groups of 16."),
    QT_TRANSLATE_NOOP("labels", "FP32 for a file of F32 weights, else FP16"),
    QT_TRANSLATE_NOOP("labels", "as KV precision"),
    QT_TRANSLATE_NOOP("labels", "auto"),
    QT_TRANSLATE_NOOP("labels", "same"),
    QT_TRANSLATE_NOOP("labels", "fp32"),
    QT_TRANSLATE_NOOP("labels", "fp16"),
    QT_TRANSLATE_NOOP("labels", "int8"),
    QT_TRANSLATE_NOOP("labels", "int4"),
    // Cold blocks.
    QT_TRANSLATE_NOOP("labels", "Pack cold blocks"),
    QT_TRANSLATE_NOOP("labels",
                      "Pack kept blocks that nobody has used for a while, without loss and in the "
                      "background; they leave the pool and are unpacked when a prompt begins "
                      "alike."),
    QT_TRANSLATE_NOOP("labels", "Cold after"),
    QT_TRANSLATE_NOOP("labels", "How long a block lies unused, or an open prompt gets no new "
                                "piece, before it is packed."),
    QT_TRANSLATE_NOOP("labels", "at once"),
    QT_TRANSLATE_NOOP("labels", "Packed limit"),
    QT_TRANSLATE_NOOP("labels", "Most memory that packed blocks take beside the pool; the oldest "
                                "go first."),
    QT_TRANSLATE_NOOP("labels", "as much as the pool"),
    QT_TRANSLATE_NOOP("labels", "Cold blocks are not packed"),
    QT_TRANSLATE_NOOP("labels", "Blocks are packed where the processor computes: those of a GPU "
                                "stay there."),
    QT_TRANSLATE_NOOP("labels", "KV blocks packed"),
    QT_TRANSLATE_NOOP("labels", "Packed KV memory"),
    QT_TRANSLATE_NOOP("labels", "Packed KV before packing"),
    QT_TRANSLATE_NOOP("labels", "KV blocks unpacked"),
    QT_TRANSLATE_NOOP("labels", "Weights made in advance"),
    QT_TRANSLATE_NOOP("labels", "Adapters"),
    QT_TRANSLATE_NOOP("labels", "Adapters memory"),
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
    // Batching, lanes, prefixes, streamed prompts.
    QT_TRANSLATE_NOOP("labels", "Token gap target"),
    QT_TRANSLATE_NOOP("labels", "Batch window"),
    QT_TRANSLATE_NOOP("labels", "Class width"),
    QT_TRANSLATE_NOOP("labels", "Class lead"),
    QT_TRANSLATE_NOOP("labels", "Lane priority"),
    QT_TRANSLATE_NOOP("labels", "Ageing"),
    QT_TRANSLATE_NOOP("labels", "Batch lane share"),
    QT_TRANSLATE_NOOP("labels", "Realtime deadline"),
    QT_TRANSLATE_NOOP("labels", "Batch deadline"),
    QT_TRANSLATE_NOOP("labels", "Prefix cache"),
    QT_TRANSLATE_NOOP("labels", "Prefix lifetime"),
    QT_TRANSLATE_NOOP("labels", "Stream lifetime"),
    QT_TRANSLATE_NOOP("labels", "Stream cores"),
    QT_TRANSLATE_NOOP("labels",
                      "How requests share steps: one at a time; in closed batches; joining and "
                      "leaving at every step; or that with prompts of similar length together."),
    QT_TRANSLATE_NOOP("labels", "Longest gap between two tokens of an answer that prompts in the "
                                "same step may cause; their chunks are cut to fit it."),
    QT_TRANSLATE_NOOP("labels",
                      "Longest time that a batch collects requests before it runs to its end."),
    QT_TRANSLATE_NOOP(
        "labels", "Prompts whose lengths fall into the same step of so many tokens share a step."),
    QT_TRANSLATE_NOOP("labels", "How much longer than a class of shorter prompts the next longer "
                                "one may wait for its turn."),
    QT_TRANSLATE_NOOP("labels", "Requests of the realtime lane go before those of the batch lane."),
    QT_TRANSLATE_NOOP(
        "labels",
        "After waiting this long a request of the batch lane counts as one of the realtime lane."),
    QT_TRANSLATE_NOOP(
        "labels", "Most of a step's token budget that the batch lane has beside realtime work."),
    QT_TRANSLATE_NOOP(
        "labels",
        "Realtime requests that bring no deadline of their own end unfinished after this time."),
    QT_TRANSLATE_NOOP(
        "labels",
        "Batch requests that bring no deadline of their own end unfinished after this time."),
    QT_TRANSLATE_NOOP("labels", "Keep the keys and values of prompts that ended, so that a prompt "
                                "that begins alike starts behind them."),
    QT_TRANSLATE_NOOP("labels", "How long a kept block may lie unused before it is given back."),
    QT_TRANSLATE_NOOP("labels",
                      "How long a prompt that is still being written is kept without a new piece."),
    QT_TRANSLATE_NOOP("labels", "Share of the threads that computes prompts which are still being "
                                "written, while nothing else runs; of few threads as a share "
                                "of their time."),
    QT_TRANSLATE_NOOP("labels", "The prompt is empty: this model needs at least one token to "
                                "begin with."),
    QT_TRANSLATE_NOOP("labels", "The request was cancelled."),
    QT_TRANSLATE_NOOP("labels", "The engine was closed."),
    QT_TRANSLATE_NOOP("labels", "no target"),
    QT_TRANSLATE_NOOP("labels", "no lead"),
    QT_TRANSLATE_NOOP("labels", "never"),
    QT_TRANSLATE_NOOP("labels", "until the place is needed"),
    QT_TRANSLATE_NOOP("labels", "The single policy runs one request at a time"),
    QT_TRANSLATE_NOOP("labels", "Used by the dynamic policy only"),
    QT_TRANSLATE_NOOP("labels", "Used by the selective policy only"),
    QT_TRANSLATE_NOOP("labels", "Used with lane priority only"),
    QT_TRANSLATE_NOOP("labels", "The prefix cache is off"),
    QT_TRANSLATE_NOOP("labels", "dynamic"),
    QT_TRANSLATE_NOOP("labels", "selective"),
    QT_TRANSLATE_NOOP("labels", "ms"),
    QT_TRANSLATE_NOOP("labels", "%"),
    QT_TRANSLATE_NOOP("labels", "KV blocks kept"),
    QT_TRANSLATE_NOOP("labels", "Prefix queries"),
    QT_TRANSLATE_NOOP("labels", "Prefix hits"),
    QT_TRANSLATE_NOOP("labels", "Blocked by a batch"),
    QT_TRANSLATE_NOOP("labels", "Batch deadlines met"),
    QT_TRANSLATE_NOOP("labels", "Batch deadlines missed"),
    // Phases of loading.
    QT_TRANSLATE_NOOP("labels", "open"),
    QT_TRANSLATE_NOOP("labels", "map"),
    QT_TRANSLATE_NOOP("labels", "convert"),
    QT_TRANSLATE_NOOP("labels", "upload"),
    QT_TRANSLATE_NOOP("labels", "tokenizer"),
    QT_TRANSLATE_NOOP("labels", "kernels"),
    QT_TRANSLATE_NOOP("labels", "warm-up"),
    // Degradation, light model, stored answers.
    QT_TRANSLATE_NOOP("labels", "Degradation"),
    QT_TRANSLATE_NOOP("labels", "Whether settings give way when first tokens take too long: never, "
                                "by the measured latency, or held at a level."),
    QT_TRANSLATE_NOOP("labels", "Level 1 above"),
    QT_TRANSLATE_NOOP(
        "labels",
        "90th percentile of the time to first token, from received, above which level 1 begins."),
    QT_TRANSLATE_NOOP("labels", "Level 2 above"),
    QT_TRANSLATE_NOOP("labels", "The same percentile above which level 2 begins."),
    QT_TRANSLATE_NOOP("labels", "Healthy below"),
    QT_TRANSLATE_NOOP("labels", "The same percentile below which the time of recovery runs."),
    QT_TRANSLATE_NOOP("labels", "Watched window"),
    QT_TRANSLATE_NOOP("labels", "First tokens of this last time are judged, once a second."),
    QT_TRANSLATE_NOOP("labels", "Least first tokens"),
    QT_TRANSLATE_NOOP("labels", "Fewer of them in the window never begin a level."),
    QT_TRANSLATE_NOOP("labels", "Held for"),
    QT_TRANSLATE_NOOP("labels",
                      "How long the percentile must surely be above the limit without a break."),
    QT_TRANSLATE_NOOP("labels", "at once"),
    QT_TRANSLATE_NOOP("labels", "Least stay"),
    QT_TRANSLATE_NOOP("labels", "Shortest time between two changes of the level."),
    QT_TRANSLATE_NOOP("labels", "Recovery"),
    QT_TRANSLATE_NOOP(
        "labels", "Healthy time after which the level below is tried; doubles with each relapse."),
    QT_TRANSLATE_NOOP("labels", "Longest recovery"),
    QT_TRANSLATE_NOOP("labels", "What doubling after relapses ends at."),
    QT_TRANSLATE_NOOP("labels", "Trial requests"),
    QT_TRANSLATE_NOOP("labels", "First tokens by which the level below is judged before it stays."),
    QT_TRANSLATE_NOOP("labels", "Trial time"),
    QT_TRANSLATE_NOOP("labels", "Longest time that the level below is tried."),
    QT_TRANSLATE_NOOP("labels", "Level 1: batching"),
    QT_TRANSLATE_NOOP("labels", "What level 1 makes of the dynamic policy, whose requests wait for "
                                "a window; other policies stay."),
    QT_TRANSLATE_NOOP("labels", "Level 1: weights"),
    QT_TRANSLATE_NOOP(
        "labels",
        "What level 1 computes with, where the weights in use are not that light already."),
    QT_TRANSLATE_NOOP("labels", "Level 2: stored answers"),
    QT_TRANSLATE_NOOP("labels", "Whether level 2 answers a known prompt from the store."),
    QT_TRANSLATE_NOOP("labels", "Level 2: light model"),
    QT_TRANSLATE_NOOP("labels",
                      "Whether level 2 hands new requests to the light model, where one is ready."),
    QT_TRANSLATE_NOOP("labels", "Light model"),
    QT_TRANSLATE_NOOP(
        "labels",
        "What level 2 answers with: nothing, the same file as it is, or a file of its own."),
    QT_TRANSLATE_NOOP("labels", "Stored answers always"),
    QT_TRANSLATE_NOOP("labels", "Answer a known prompt from the store at every level."),
    QT_TRANSLATE_NOOP("labels", "Answers on disk"),
    QT_TRANSLATE_NOOP("labels",
                      "Keep stored answers, with the prompts they belong to, in a file beside the "
                      "run log: they are there again after a restart."),
    QT_TRANSLATE_NOOP("labels", "Store sampled answers"),
    QT_TRANSLATE_NOOP("labels", "Keep also answers that were drawn with a temperature; the same "
                                "seed asks for the same one."),
    QT_TRANSLATE_NOOP("labels", "Answer memory"),
    QT_TRANSLATE_NOOP("labels", "What stored answers may hold; the least used go first."),
    QT_TRANSLATE_NOOP("labels", "MiB"),
    QT_TRANSLATE_NOOP("labels", "Answer lifetime"),
    QT_TRANSLATE_NOOP("labels", "How long an answer may be given again."),
    QT_TRANSLATE_NOOP("labels", "Used by automatic degradation only"),
    QT_TRANSLATE_NOOP("labels", "Degradation is off"),
    QT_TRANSLATE_NOOP("labels", "No stored answers are used"),
    QT_TRANSLATE_NOOP("labels", "An attached server keeps its own settings."),
    QT_TRANSLATE_NOOP("labels", "auto"),
    QT_TRANSLATE_NOOP("labels", "keep"),
    QT_TRANSLATE_NOOP("labels", "int8"),
    QT_TRANSLATE_NOOP("labels", "int4"),
    QT_TRANSLATE_NOOP("labels", "same"),
    QT_TRANSLATE_NOOP("labels", "chosen"),
    QT_TRANSLATE_NOOP("labels", "ready"),
    QT_TRANSLATE_NOOP("labels", "preparing"),
    QT_TRANSLATE_NOOP("labels", "in force"),
    QT_TRANSLATE_NOOP("labels", "skipped"),
    QT_TRANSLATE_NOOP("labels", "unavailable"),
    QT_TRANSLATE_NOOP("labels", "The setting says to keep it."),
    QT_TRANSLATE_NOOP("labels", "Only the dynamic policy lets requests wait for a window."),
    QT_TRANSLATE_NOOP("labels", "Weights are computed with as the file has them."),
    QT_TRANSLATE_NOOP("labels", "The weights in use are that light already."),
    QT_TRANSLATE_NOOP("labels", "They are converted when the level begins."),
    QT_TRANSLATE_NOOP("labels", "They are being converted in advance."),
    QT_TRANSLATE_NOOP("labels", "They are ready."),
    QT_TRANSLATE_NOOP("labels", "The setting says not to."),
    QT_TRANSLATE_NOOP("labels", "No light model is chosen (setting light.model)."),
    QT_TRANSLATE_NOOP("labels", "It is being loaded."),
    QT_TRANSLATE_NOOP("labels", "Held by level 1."),
    QT_TRANSLATE_NOOP("labels", "Held by level 2."),
    QT_TRANSLATE_NOOP("labels", "Cached answers"),
    QT_TRANSLATE_NOOP("labels", "Light model requests"),
    QT_TRANSLATE_NOOP("labels", "Degradation level"),
};

} // namespace

std::span<const char* const> engineTexts() {
    return kEngineTexts;
}

} // namespace app
