#include "app/definitions.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace app {

namespace {

constexpr std::array kDefinitions = {
    Definition{
        "ttft", QT_TRANSLATE_NOOP("definitions", "Time to first token (TTFT)"),
        "firstVisible − scheduled",
        QT_TRANSLATE_NOOP(
            "definitions",
            "From the moment the workload wanted the request to its first visible text, so that "
            "waiting counts. Live can begin at received or admitted instead, and says so. Latency "
            "samples only: completed, neither cold nor after an idle engine nor warm-up. A value "
            "is grey until its 95 % interval exists: n ≥ 6, 29, 59, 299 for p50, p90, p95, p99."),
        QT_TRANSLATE_NOOP("definitions",
                          "vLLM’s benchmark counts from sending; its server’s histogram from "
                          "arrival, queue included; its figure of a request leaves the queue "
                          "out.")},
    Definition{"gap", QT_TRANSLATE_NOOP("definitions", "TTFT gap"),
               QT_TRANSLATE_NOOP("definitions", "p99 − p50 of TTFT"),
               QT_TRANSLATE_NOOP("definitions",
                                 "How far the slow requests lie from the usual ones. Above the "
                                 "limit (100 ms unless set otherwise) it is an alarm."),
               ""},
    Definition{"tpot", QT_TRANSLATE_NOOP("definitions", "Time per output token (TPOT)"),
               "(lastToken − firstVisible) ÷ (tokens − 1)",
               QT_TRANSLATE_NOOP("definitions",
                                 "The pace of an answer after its first text. Empty for answers "
                                 "of one token, and then not held against a limit."),
               QT_TRANSLATE_NOOP("definitions", "AIPerf calls this inter-token latency. "
                                                "GuideLLM’s TPOT includes the first token.")},
    Definition{"itl", QT_TRANSLATE_NOOP("definitions", "Inter-token latency (ITL)"),
               QT_TRANSLATE_NOOP("definitions",
                                 "time of a step − time of the step before, of one request"),
               QT_TRANSLATE_NOOP("definitions",
                                 "Gaps between the engine’s steps that gave visible tokens, of "
                                 "all completed, warm requests together. A step may give more "
                                 "than one token."),
               QT_TRANSLATE_NOOP("definitions", "vLLM: gaps between the chunks that a client "
                                                "received, pooled.")},
    Definition{"e2e", QT_TRANSLATE_NOOP("definitions", "End-to-end latency (E2EL)"),
               "lastToken − scheduled",
               QT_TRANSLATE_NOOP("definitions",
                                 "The whole answer, waiting included. A trailing usage frame "
                                 "does not lengthen it."),
               QT_TRANSLATE_NOOP("definitions", "AIPerf and GuideLLM: request latency.")},
    Definition{"lag", QT_TRANSLATE_NOOP("definitions", "Schedule lag"), "received − scheduled",
               QT_TRANSLATE_NOOP("definitions",
                                 "How late the load generator was. A median above 10 ms means "
                                 "that the generator, not the engine, is the bottleneck."),
               QT_TRANSLATE_NOOP("definitions", "Tools that count from sending hide it: the "
                                                "slower the engine, the fewer requests they "
                                                "send (coordinated omission).")},
    Definition{"achieved", QT_TRANSLATE_NOOP("definitions", "Achieved rate"),
               QT_TRANSLATE_NOOP("definitions", "(arrivals − 1) ÷ (last − first arrival)"),
               QT_TRANSLATE_NOOP("definitions",
                                 "Requests a second that arrived. It stands beside the wanted "
                                 "rate of the workload; a closed loop wants none."),
               ""},
    Definition{"output", QT_TRANSLATE_NOOP("definitions", "Output throughput"),
               QT_TRANSLATE_NOOP("definitions", "visible tokens ÷ seconds"),
               QT_TRANSLATE_NOOP("definitions",
                                 "Tokens made a second: of the whole run, of a selected span, or "
                                 "live over the last 5 s. Output and prompt are never added."),
               QT_TRANSLATE_NOOP("definitions",
                                 "vLLM’s benchmark also gives a total that adds prompt and "
                                 "output.")},
    Definition{"prompt", QT_TRANSLATE_NOOP("definitions", "Prompt throughput"),
               QT_TRANSLATE_NOOP("definitions", "computed prompt tokens ÷ seconds"),
               QT_TRANSLATE_NOOP("definitions", "Prompt tokens a second whose prefill ended, "
                                                "without those that the prefix cache held."),
               ""},
    Definition{"throughput", QT_TRANSLATE_NOOP("definitions", "Throughput"),
               QT_TRANSLATE_NOOP("definitions", "tokens ÷ seconds, output and prompt apart"),
               QT_TRANSLATE_NOOP("definitions", "Means over whole seconds, or over columns of the "
                                                "picture where these are wider."),
               ""},
    Definition{"requests", QT_TRANSLATE_NOOP("definitions", "Requests a second"),
               QT_TRANSLATE_NOOP("definitions", "completed requests ÷ seconds"),
               QT_TRANSLATE_NOOP("definitions", "Requests that ended as wanted within the run. "
                                                "Cancelled, failed and rejected ones are counted "
                                                "apart; the four add up to all."),
               ""},
    Definition{"goodput", QT_TRANSLATE_NOOP("definitions", "Goodput"),
               QT_TRANSLATE_NOOP("definitions", "completed within every limit ÷ seconds"),
               QT_TRANSLATE_NOOP("definitions",
                                 "Requests a second that met the service target (TTFT from "
                                 "scheduled, TPOT). Cached, light-model, rejected and failed "
                                 "answers never count. The limits in force are kept with each "
                                 "run."),
               QT_TRANSLATE_NOOP("definitions", "vLLM’s benchmark: request goodput.")},
    Definition{
        "batch", QT_TRANSLATE_NOOP("definitions", "Running, waiting, slots"),
        QT_TRANSLATE_NOOP("definitions",
                          "sequences in the batch; requests in the queue; batch limit in effect"),
        QT_TRANSLATE_NOOP("definitions", "As the engine counts them at a step. Tiles show "
                                         "means of the last 5 s."),
        QT_TRANSLATE_NOOP("definitions", "vLLM: num_requests_running, "
                                         "num_requests_waiting.")},
    Definition{"ledger", QT_TRANSLATE_NOOP("definitions", "Where the first token’s time goes"),
               QT_TRANSLATE_NOOP(
                   "definitions",
                   "lag + admission + queue + KV + prefill + sample + delivery + remainder = TTFT"),
               QT_TRANSLATE_NOOP("definitions",
                                 "The stages of a request add up to its TTFT; what no stage "
                                 "explains is shown as the remainder. Batch mates: the part of "
                                 "its own prefill steps that went to other requests. Prefill’s "
                                 "split into weights and arithmetic is modelled from measured "
                                 "bandwidth; it is drawn hatched and is part of no verdict."),
               ""},
    Definition{"kv", QT_TRANSLATE_NOOP("definitions", "KV blocks in use"),
               QT_TRANSLATE_NOOP("definitions", "blocks referred to ÷ all blocks"),
               QT_TRANSLATE_NOOP("definitions", "Blocks of the KV cache that sequences refer to. "
                                                "Blocks kept only for prefixes count as free."),
               QT_TRANSLATE_NOOP("definitions", "vLLM: kv_cache_usage_perc, which goes from 0 to "
                                                "1.")},
    Definition{
        "hits", QT_TRANSLATE_NOOP("definitions", "Prefix hits"),
        QT_TRANSLATE_NOOP("definitions", "prompt tokens found in the prefix cache ÷ prompt tokens"),
        QT_TRANSLATE_NOOP("definitions",
                          "Of the requests behind the latencies shown. From 1 % on a "
                          "comparison is marked: a hit makes a first token look fast."),
        ""},
    Definition{"memory", QT_TRANSLATE_NOOP("definitions", "Memory of the machine"),
               QT_TRANSLATE_NOOP("definitions", "1 − available ÷ total"),
               QT_TRANSLATE_NOOP("definitions", "Memory in use by all programs, with the alarm’s "
                                                "limit (85 % unless set otherwise)."),
               ""},
    Definition{"process", QT_TRANSLATE_NOOP("definitions", "Memory of this process"),
               QT_TRANSLATE_NOOP("definitions", "resident bytes"),
               QT_TRANSLATE_NOOP("definitions", "What this program holds in memory. Pages of a "
                                                "mapped model file count where they were read."),
               ""},
    Definition{"busy", QT_TRANSLATE_NOOP("definitions", "Device busy"),
               QT_TRANSLATE_NOOP("definitions", "busy thread time ÷ (threads × time)"),
               QT_TRANSLATE_NOOP("definitions", "Share of the engine’s threads that computed. "
                                                "From 60 to 80 % is the healthy range: below it "
                                                "the machine idles, above it queues form."),
               QT_TRANSLATE_NOOP("definitions",
                                 "A GPU’s utilisation says that some kernel ran, not that the "
                                 "device was full.")},
    Definition{"warm", QT_TRANSLATE_NOOP("definitions", "Warm samples"),
               QT_TRANSLATE_NOOP("definitions", "completed ∧ ¬cold ∧ ¬idle start ∧ ¬warm-up"),
               QT_TRANSLATE_NOOP("definitions", "Samples that say how the engine runs, not how it "
                                                "starts. The others are kept and shown apart, "
                                                "never dropped."),
               ""},
    Definition{"quantiles", QT_TRANSLATE_NOOP("definitions", "Quantiles"),
               QT_TRANSLATE_NOOP("definitions", "linear between order statistics"),
               QT_TRANSLATE_NOOP("definitions", "Exact, of all values of the span shown; always "
                                                "with n. Values of two runs are never averaged."),
               ""},
    Definition{
        "interval", QT_TRANSLATE_NOOP("definitions", "95 % interval"),
        QT_TRANSLATE_NOOP("definitions",
                          "experiments: paired t over blocks, Holm; runs: bootstrap over requests"),
        QT_TRANSLATE_NOOP("definitions",
                          "Where the true difference lies in 95 of 100 such measurements. "
                          "An experiment takes turns (A-B-A-B), so drift falls out; two "
                          "runs in sequence, or two parts of one, do not exclude it, and "
                          "each interval stands for itself."),
        ""},
    Definition{
        "verdict", QT_TRANSLATE_NOOP("definitions", "Verdict"),
        QT_TRANSLATE_NOOP("definitions",
                          "better, worse: the interval excludes 0; same: it lies within ±1 %"),
        QT_TRANSLATE_NOOP("definitions", "Not resolved means that the interval holds 0 or "
                                         "that there are too few values; the table says "
                                         "about how many more it would take."),
        ""},
    Definition{
        "effect", QT_TRANSLATE_NOOP("definitions", "Effect of an event"),
        QT_TRANSLATE_NOOP("definitions", "median TTFT of up to 60 s after − of up to 60 s before"),
        QT_TRANSLATE_NOOP("definitions", "Not across another event, without the first two "
                                         "seconds, and only with 30 requests on each "
                                         "side. Drift is not excluded."),
        ""},
    Definition{
        "split", QT_TRANSLATE_NOOP("definitions", "Before and after"),
        QT_TRANSLATE_NOOP("definitions",
                          "requests that arrived and ended before the cut | from 2 s after it"),
        QT_TRANSLATE_NOOP("definitions",
                          "A run cut at an event or at the crosshair. Requests that the "
                          "cut parts are in no side’s latencies; their number is shown. "
                          "Tokens count by their own time."),
        ""},
    Definition{
        "level", QT_TRANSLATE_NOOP("definitions", "Degradation level"),
        QT_TRANSLATE_NOOP("definitions",
                          "lower 95 % bound of TTFT p90 > 800 ms (level 1), > 1.5 s (level 2)"),
        QT_TRANSLATE_NOOP("definitions",
                          "Over 30 s with at least 30 requests, three times running; back "
                          "after five healthy minutes below 600 ms, tried on a few "
                          "requests first. Limits can be set."),
        ""},
};

struct Alias {
    std::string_view begin; // of a chart's or a measure's key
    std::string_view key;
};
constexpr std::array kAliases = {
    Alias{"ttft_gap", "gap"},
    Alias{"ttft_", "ttft"},
    Alias{"tpot_", "tpot"},
    Alias{"itl_", "itl"},
    Alias{"e2e_", "e2e"},
    Alias{"lag_", "lag"},
    Alias{"achieved_", "achieved"},
    Alias{"output_tokens", "output"},
    Alias{"prompt_tokens", "prompt"},
    Alias{"requests_per", "requests"},
    Alias{"goodput_", "goodput"},
    Alias{"prefix_hit", "hits"},
    Alias{"kv_", "kv"},
    Alias{"busy_", "busy"},
    Alias{"memory_peak", "process"},
    Alias{"overlay_", "ttft"},
};

QString translated(const char* english) {
    return *english == '\0' ? QString() : QCoreApplication::translate("definitions", english);
}

} // namespace

std::span<const Definition> definitions() {
    return kDefinitions;
}

const Definition* findDefinition(std::string_view key) {
    const auto* found = std::ranges::find(kDefinitions, key, &Definition::key);
    if (found == kDefinitions.end()) {
        const auto* alias = std::ranges::find_if(
            kAliases, [key](const Alias& each) { return key.starts_with(each.begin); });
        if (alias != kAliases.end()) {
            found = std::ranges::find(kDefinitions, alias->key, &Definition::key);
        }
    }
    return found != kDefinitions.end() ? found : nullptr;
}

QString definitionName(const Definition& definition) {
    return translated(definition.name);
}

QString definitionFormula(const Definition& definition) {
    return translated(definition.formula);
}

QString definitionMeaning(const Definition& definition) {
    return translated(definition.meaning);
}

QString definitionElsewhere(const Definition& definition) {
    return translated(definition.elsewhere);
}

QString definitionTip(std::string_view key) {
    const Definition* definition = findDefinition(key);
    if (definition == nullptr) {
        return {};
    }
    QString tip = QStringLiteral("<b>%1</b><br>%2<br><br>%3")
                      .arg(definitionName(*definition).toHtmlEscaped(),
                           definitionFormula(*definition).toHtmlEscaped(),
                           definitionMeaning(*definition).toHtmlEscaped());
    if (const QString elsewhere = definitionElsewhere(*definition); !elsewhere.isEmpty()) {
        tip += QStringLiteral("<br><br>") + elsewhere.toHtmlEscaped();
    }
    return tip;
}

} // namespace app
