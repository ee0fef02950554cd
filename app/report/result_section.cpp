// The top of a run's report: two sentences of result, seven figures, the charts.
#include "app/labels.h"
#include "app/plot/charts.h"
#include "app/report/phases.h"
#include "app/report/report_text.h"
#include "app/report/sections.h"
#include "app/run_labels.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace app::report {

namespace {

const Measure& measure(std::string_view key) {
    return *findMeasure(key);
}

// "[33.0, 35.4]", or how many values there are and how many more it takes.
Text intervalOrCount(std::string_view key, const RunData& run) {
    const MeasureValues values = valuesOf(measure(key), run);
    if (const auto interval = intervalOf(measure(key), values)) {
        return intervalText(*interval);
    }
    const std::int64_t more = measure(key).leastCount() - values.n;
    if (values.n == 0 || more <= 0) {
        return translated(QT_TRANSLATE_NOOP("report", "n %1")).arg(countText(values.n));
    }
    return {translated(QT_TRANSLATE_NOOP("report", "n %1, %2 more needed"))
                .arg(countText(values.n), countText(more)),
            Tone::Warn};
}

// What a change did to the median TTFT, if the run tells.
QString changeSentence(const RunData& run) {
    const auto& markers = run.history.markers();
    for (std::size_t i = 0; i < markers.size(); ++i) {
        const auto effect = effectOf(run, i);
        if (!effect || !effect->interval ||
            (effect->verdict != Verdict::Better && effect->verdict != Verdict::Worse)) {
            continue;
        }
        const char* sentence =
            effect->verdict == Verdict::Better
                ? QT_TRANSLATE_NOOP("report", "After %1 at %2 the median TTFT fell from %3 to %4 "
                                              "ms %5.")
                : QT_TRANSLATE_NOOP("report", "After %1 at %2 the median TTFT rose from %3 to %4 "
                                              "ms %5.");
        return translated(sentence).arg(
            markerText(markers[i].event), runTimeText(markers[i].seconds),
            millisecondsText(effect->before), millisecondsText(effect->after),
            intervalText(*effect->interval, Signs::Always));
    }
    return {};
}

QString latencySentence(const RunData& run) {
    const Quantiles& ttft = run.summary.ttftMs;
    const Measure& median = measure("ttft_p50_ms");
    const Measure& tail = measure("ttft_p99_ms");
    const auto interval = [&](const Measure& of) {
        const auto found = intervalOf(of, valuesOf(of, run));
        return found ? QLatin1Char(' ') + intervalText(*found) : QString();
    };
    if (ttft.n == 0) {
        return translated(QT_TRANSLATE_NOOP("report", "No warm request had a first token."));
    }
    const auto sentence =
        translated(QT_TRANSLATE_NOOP(
                       "report", "Half of %1 warm requests had their first text within %2 ms%3, "
                                 "99 % of them within %4 ms%5."))
            .arg(countText(ttft.n), millisecondsText(ttft.p50), interval(median),
                 millisecondsText(ttft.p99), interval(tail));
    return run.summary.hitShare.value_or(0) > 0
               ? sentence + QLatin1Char(' ') +
                     translated(QT_TRANSLATE_NOOP("report", "Of their prompts, %1 % of the tokens "
                                                            "were found in the prefix cache."))
                         .arg(numberText(100 * *run.summary.hitShare, 1))
               : sentence;
}

QString trafficSentence(const RunData& run) {
    const RunSummary& summary = run.summary;
    QString sentence = translated(QT_TRANSLATE_NOOP("report", "%1 of %2 requests completed"))
                           .arg(countText(summary.completed), countText(summary.requests));
    if (summary.wantedRate && summary.achievedRate) {
        sentence +=
            translated(QT_TRANSLATE_NOOP("report", "; they arrived at %1 of %2 wanted a second"))
                .arg(rateText(summary.achievedRate), rateText(summary.wantedRate));
    } else if (summary.achievedRate) {
        sentence += translated(QT_TRANSLATE_NOOP("report", "; they arrived at %1 a second"))
                        .arg(rateText(summary.achievedRate));
    }
    return sentence + (summary.goodputPerSecond
                           ? translated(QT_TRANSLATE_NOOP(
                                            "report", ", and %1 a second were within the limits."))
                                 .arg(rateText(summary.goodputPerSecond))
                           : translated(QT_TRANSLATE_NOOP(
                                 "report", "; the run has no length, so that it has no rates.")));
}

Figure quantileFigure(std::string_view key, const RunData& run) {
    return {.label = measureLabel(measure(key)),
            .value = valueText(measure(key), valuesOf(measure(key), run).value),
            .unit = QStringLiteral("ms"),
            .detail = intervalOrCount(key, run)};
}

Figures figures(const RunData& run) {
    const RunSummary& summary = run.summary;
    return {
        {quantileFigure("ttft_p50_ms", run),
         quantileFigure("ttft_p90_ms", run),
         quantileFigure("ttft_p99_ms", run),
         quantileFigure("tpot_p50_ms", run),
         {.label = measureLabel(measure("output_tokens_per_s")),
          .value = rateText(summary.outputPerSecond),
          .unit = QStringLiteral("tok/s"),
          .detail = translated(QT_TRANSLATE_NOOP("report", "prompt %1"))
                        .arg(rateText(summary.promptPerSecond))},
         {.label = measureLabel(measure("goodput_per_s")),
          .value = rateText(summary.goodputPerSecond),
          .unit = QStringLiteral("req/s"),
          .detail = targetText(summary.run)},
         {.label = outcomeLabel(engine::Outcome::Completed),
          .value = countText(summary.completed),
          .unit = {},
          .detail =
              translated(QT_TRANSLATE_NOOP("report", "of %1")).arg(countText(summary.requests))}}};
}

QString stateNote(const RunInfo& run) {
    switch (run.state) {
    case RunState::Finished:
        return run.isIncomplete
                   ? translated(QT_TRANSLATE_NOOP("report", "Some events were lost: the log could "
                                                            "not be written for too long."))
                   : QString();
    case RunState::Recording:
        return translated(QT_TRANSLATE_NOOP("report", "This run is still being recorded."));
    case RunState::Interrupted:
        return translated(QT_TRANSLATE_NOOP(
            "report", "This run was interrupted: it ends where the recording broke off."));
    case RunState::Failed:
        break;
    }
    return translated(QT_TRANSLATE_NOOP("report", "This run failed before its end."));
}

Plot chart(std::string_view key, const RunData& run, int points) {
    ChartRange range;
    range.to = std::max({1.0, run.summary.run.seconds, run.history.endSeconds()});
    range.maxPoints = points;
    return findChart(key)->make(run.history, range);
}

} // namespace

Section resultSection(const RunData& run) {
    Section section;
    const QString change = changeSentence(run);
    section.blocks.push_back(Paragraph{.text = (change.isEmpty() ? latencySentence(run) : change) +
                                               QLatin1Char(' ') + trafficSentence(run),
                                       .isLead = true});
    if (const QString note = stateNote(run.summary.run); !note.isEmpty()) {
        section.blocks.push_back(Paragraph{.text = Text(note, Tone::Warn)});
    }
    section.blocks.push_back(figures(run));
    return section;
}

Section chartsSection(const RunData& run) {
    Section section;
    Plot ttft = chart("ttft", run, 900);
    ttft.unit = translated(QT_TRANSLATE_NOOP(
        "report", "ms, scheduled → first visible text, rolling 30 s")); // with its edges
    section.blocks.push_back(Chart{std::move(ttft)});
    section.blocks.push_back(
        ChartRowOf2{{chart("ledger", run, 450), chart("throughput", run, 450)}});
    return section;
}

} // namespace app::report
