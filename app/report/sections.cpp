#include "app/report/sections.h"

#include "app/report/report_text.h"

#include <QCoreApplication>

#include <array>

namespace app::report {

QString runName(const RunInfo& run) {
    return run.name.empty() ? translated(QT_TRANSLATE_NOOP("report", "Run %1")).arg(run.id)
                            : text(run.name);
}

namespace {

constexpr std::array kRunSections = {
    RunSection{"result", resultSection},
    RunSection{"charts", chartsSection},
    RunSection{"phases", phasesSection},
    RunSection{"events", eventsSection},
    RunSection{"facts", factsSection},
    RunSection{"settings", settingsSection},
    RunSection{"changes", changesSection},
    RunSection{"ledger", ledgerSection},
    RunSection{"outcomes", outcomesSection},
    RunSection{"distributions", distributionsSection},
    RunSection{"more_charts", moreChartsSection},
    RunSection{"methods", methodsSection},
};

} // namespace

std::span<const RunSection> runSections() {
    return kRunSections;
}

Section methodsSection(const RunData&) {
    Bullets bullets;
    const auto add = [&](const char* sentence) {
        bullets.items.emplace_back(translated(sentence));
    };
    add(QT_TRANSLATE_NOOP("report", "TTFT: first visible text minus the time the workload wanted "
                                    "the request (scheduled), so that a late generator can't hide "
                                    "waiting. From received it is the server's view, from admitted "
                                    "the engine's."));
    add(QT_TRANSLATE_NOOP("report", "TPOT: last token minus first visible text, divided by the "
                                    "tokens after the first; absent for answers of one token. ITL: "
                                    "gaps between steps that made visible tokens. E2EL: last token "
                                    "minus scheduled."));
    add(QT_TRANSLATE_NOOP("report", "Throughput: output tokens, prompt tokens and completed "
                                    "requests whose time lies in the run, each divided by its "
                                    "length; three numbers, never added. Goodput: completed "
                                    "requests within both limits."));
    add(QT_TRANSLATE_NOOP("report", "Latencies are of warm, completed requests: cold and idle "
                                    "starts and warm-up requests are counted apart, never "
                                    "dropped."));
    add(QT_TRANSLATE_NOOP("report", "Quantiles are exact over all requests. Their 95 % intervals "
                                    "come from order statistics and suppose no distribution; they "
                                    "need 6 values for p50, 29 for p90, 59 for p95, 299 for p99."));
    add(QT_TRANSLATE_NOOP("report", "The first token’s time is a sum of consecutive stages; what "
                                    "no stage explains is the remainder. The split of prefill into "
                                    "weight traffic and arithmetic is modelled from measured "
                                    "bandwidth and takes part in no verdict."));
    add(QT_TRANSLATE_NOOP("report", "The effect of a change compares up to a minute before and "
                                    "after it by a bootstrap over requests; other things may have "
                                    "changed in that time. An interleaved experiment settles "
                                    "it."));
    return {.title = translated(QT_TRANSLATE_NOOP("report", "Methods and definitions")),
            .note = {},
            .blocks = {std::move(bullets)}};
}

Document runDocument(const RunData& run) {
    const RunInfo& info = run.summary.run;
    Document document;
    document.kind = translated(QT_TRANSLATE_NOOP("report", "run report"));
    document.headline = translated(QT_TRANSLATE_NOOP("report", "Run %1")).arg(info.id) +
                        QStringLiteral(" · ") + utcText(info.startedUtc) + QStringLiteral(" · ") +
                        runTimeText(info.seconds);
    document.title = runName(info);
    for (const RunSection& row : runSections()) {
        Section section = row.make(run);
        if (!section.blocks.empty()) {
            document.sections.push_back(std::move(section));
        }
    }
    document.footer = translated(QT_TRANSLATE_NOOP("report", "Raw data %1 · Headway %2 · opens in "
                                                             "the console by its run id"))
                          .arg(shortDigest(run.digest), QStringLiteral(HEADWAY_VERSION));
    return document;
}

Document comparisonDocument(const RunPair& pair) {
    const RunInfo &a = pair.a->summary.run, &b = pair.b->summary.run;
    Document document;
    document.kind = translated(QT_TRANSLATE_NOOP("report", "comparison"));
    if (pair.split) {
        document.headline = translated(QT_TRANSLATE_NOOP("report", "Run %1, before and after %2"))
                                .arg(a.id)
                                .arg(runTimeText(pair.split->at));
        document.title = runName(a);
    } else {
        document.headline =
            translated(QT_TRANSLATE_NOOP("report", "Run %1 against run %2")).arg(b.id).arg(a.id);
        document.title =
            translated(QT_TRANSLATE_NOOP("report", "%1 against %2")).arg(runName(b), runName(a));
    }
    for (const ComparisonSection& row : comparisonSections()) {
        Section section = row.make(pair);
        if (!section.blocks.empty()) {
            document.sections.push_back(std::move(section));
        }
    }
    document.footer = translated(QT_TRANSLATE_NOOP("report", "Raw data %1 and %2 · Headway %3"))
                          .arg(shortDigest(pair.a->digest), shortDigest(pair.b->digest),
                               QStringLiteral(HEADWAY_VERSION));
    return document;
}

} // namespace app::report
