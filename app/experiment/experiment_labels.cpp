#include "app/experiment/experiment_labels.h"

#include "app/labels.h"
#include "app/value_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("experiments", english);
}

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

[[maybe_unused]] constexpr std::array kMeasureTexts = {
    QT_TRANSLATE_NOOP("measures", "TTFT mean"),
    QT_TRANSLATE_NOOP("measures", "Queue p99"),
    QT_TRANSLATE_NOOP("measures", "Prefill p99"),
    QT_TRANSLATE_NOOP("measures", "Queue p99 over prefill p99"),
    QT_TRANSLATE_NOOP("measures", "First token: KV"),
    QT_TRANSLATE_NOOP("measures", "First token: reading weights"),
    QT_TRANSLATE_NOOP("measures", "First token: arithmetic"),
    QT_TRANSLATE_NOOP("measures", "Waiting for a closed batch"),
    QT_TRANSLATE_NOOP("measures", "Prompt length"),
    QT_TRANSLATE_NOOP("measures", "Load time"),
    QT_TRANSLATE_NOOP("measures", "First request's TTFT"),
    QT_TRANSLATE_NOOP("measures", "Tokenizing"),
    QT_TRANSLATE_NOOP("measures", "Kept KV, of its unpacked size"),
    QT_TRANSLATE_NOOP("measures", "Tokenizing, memory"),
    QT_TRANSLATE_NOOP("measures", "Two tenants, memory"),
};

int decimalsOf(double size) {
    return size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
}

QString spacedUnit(const Experiment& experiment) {
    const std::string unit = claimUnit(experiment);
    return unit.empty() ? QString() : QLatin1Char(' ') + unitText(unit);
}

bool isSigned(const Experiment& experiment) {
    return experiment.statistic == Statistic::Change ||
           experiment.statistic == Statistic::Difference;
}

QString figure(const Experiment& experiment, double value, int decimals) {
    const QString number = numberText(value, decimals);
    return isSigned(experiment) && value > 0 ? QLatin1Char('+') + number : number;
}

// The claim's number as it was written, without zeros that nobody claimed.
QString claimNumber(const Experiment& experiment, double value) {
    int decimals = 0;
    while (decimals < 3 && std::abs(value * std::pow(10, decimals) -
                                    std::round(value * std::pow(10, decimals))) > 1e-6) {
        ++decimals;
    }
    return figure(experiment, value, decimals);
}

QString valueName(const std::string& key, const std::string& value) {
    const engine::Field* field = engine::findField(key);
    if (field == nullptr) {
        return plain(value);
    }
    const QString unit = unitLabel(*field);
    return choiceLabel(*field, value) + (unit.isEmpty() ? QString() : QLatin1Char(' ') + unit);
}

// Settings that are the same on both sides do not tell them apart.
SettingTexts tellingSettings(const Experiment& experiment, std::size_t side) {
    SettingTexts telling;
    for (const auto& setting : experiment.sides[side].settings) {
        const bool isShared = std::ranges::all_of(experiment.sides, [&](const Side& other) {
            return std::ranges::find(other.settings, setting) != other.settings.end();
        });
        if (!isShared || experiment.sides.size() == 1) {
            telling.push_back(setting);
        }
    }
    return telling;
}

} // namespace

QString settingName(const std::string& key) {
    constexpr std::array<std::pair<std::string_view, const char*>, 8> kWorkload = {
        {{"workload.prompt", QT_TRANSLATE_NOOP("experiments", "Prompt length")},
         {"workload.output", QT_TRANSLATE_NOOP("experiments", "Answer length")},
         {"workload.users", QT_TRANSLATE_NOOP("experiments", "Users")},
         {"workload.rate", QT_TRANSLATE_NOOP("experiments", "Arrival rate")},
         {"workload.batch_share", QT_TRANSLATE_NOOP("experiments", "Share of the batch lane")},
         {"workload.set", QT_TRANSLATE_NOOP("experiments", "Texts")},
         {"workload.typed", QT_TRANSLATE_NOOP("experiments", "Fed while typing")},
         {"workload.tenants", QT_TRANSLATE_NOOP("experiments", "Tenants")}}};
    const auto* row = std::ranges::find(kWorkload, key, &decltype(kWorkload)::value_type::first);
    if (row != kWorkload.end()) {
        return say(row->second);
    }
    const engine::Field* field = engine::findField(key);
    return field != nullptr ? fieldLabel(*field) : plain(key);
}

QString experimentTitle(const Experiment& experiment) {
    return say(experiment.title.c_str());
}

QString experimentNote(const Experiment& experiment) {
    return experiment.note.empty() ? QString() : say(experiment.note.c_str());
}

QString experimentGroupLabel(std::string_view group) {
    constexpr std::array<std::pair<std::string_view, const char*>, 7> kGroups = {
        {{"cold", QT_TRANSLATE_NOOP("experiments", "Cold start")},
         {"first-token", QT_TRANSLATE_NOOP("experiments", "First token")},
         {"precision", QT_TRANSLATE_NOOP("experiments", "Precision")},
         {"batching", QT_TRANSLATE_NOOP("experiments", "Batching")},
         {"attention", QT_TRANSLATE_NOOP("experiments", "Attention and KV")},
         {"streaming", QT_TRANSLATE_NOOP("experiments", "Streaming prefill")},
         {"degradation", QT_TRANSLATE_NOOP("experiments", "Degradation")}}};
    const auto* row = std::ranges::find(kGroups, group, &decltype(kGroups)::value_type::first);
    return row != kGroups.end() ? say(row->second) : plain(group);
}

QString claimVerdictLabel(ClaimVerdict verdict) {
    constexpr std::array<const char*, 7> kWords = {
        QT_TRANSLATE_NOOP("experiments", "holds"),
        QT_TRANSLATE_NOOP("experiments", "does not hold"),
        QT_TRANSLATE_NOOP("experiments", "not resolved"),
        QT_TRANSLATE_NOOP("experiments", "measured"),
        QT_TRANSLATE_NOOP("experiments", "modelled"),
        QT_TRANSLATE_NOOP("experiments", "needs more"),
        QT_TRANSLATE_NOOP("experiments", "not run")};
    return say(kWords[static_cast<std::size_t>(verdict)]);
}

QString claimedLabel(const Experiment& experiment) {
    const Claim& claim = experiment.claim;
    const QString unit = spacedUnit(experiment);
    switch (claim.kind) {
    case ClaimKind::None:
        break;
    case ClaimKind::AtLeast:
        return QStringLiteral("≥ ") + claimNumber(experiment, claim.value) + unit;
    case ClaimKind::AtMost:
        return QStringLiteral("≤ ") + claimNumber(experiment, claim.value) + unit;
    case ClaimKind::About:
        return say(QT_TRANSLATE_NOOP("experiments", "about %1"))
            .arg(claimNumber(experiment, claim.value) + unit);
    case ClaimKind::Within:
        return claimNumber(experiment, claim.value) + QStringLiteral(" – ") +
               claimNumber(experiment, claim.high) + unit;
    }
    return say(QT_TRANSLATE_NOOP("experiments", "not stated"));
}

QString claimFigure(const Experiment& experiment, double value) {
    return figure(experiment, value, decimalsOf(std::abs(value))) + spacedUnit(experiment);
}

QString claimInterval(const Experiment& experiment, const Interval& interval) {
    const int decimals = decimalsOf(std::max(std::abs(interval.low), std::abs(interval.high)));
    return QStringLiteral("[%1, %2]")
        .arg(figure(experiment, interval.low, decimals),
             figure(experiment, interval.high, decimals));
}

QString needLabel(const std::string& need) {
    constexpr std::string_view kContext = "context:";
    if (need == "cuda" || need == "cuda.graphs") {
        return say(QT_TRANSLATE_NOOP("experiments", "a CUDA device"));
    }
    if (need.starts_with(kContext)) {
        const QString tokens = plain(std::string_view(need).substr(kContext.size()));
        return say(QT_TRANSLATE_NOOP("experiments", "a model with %1 tokens of context"))
            .arg(numberText(tokens.toDouble()));
    }
    return say(QT_TRANSLATE_NOOP("experiments", "a build with the setting %1")).arg(plain(need));
}

QString contaminationLabel(const Contamination& entry) {
    const auto count = [&](const char* english) {
        return QCoreApplication::translate("experiments", english, nullptr,
                                           static_cast<int>(entry.value));
    };
    const QString percent = numberText(entry.value, 1);
    if (entry.kind == "preemption") {
        return count(QT_TRANSLATE_N_NOOP("experiments", "%n request(s) preempted"));
    }
    if (entry.kind == "cold") {
        return count(QT_TRANSLATE_N_NOOP("experiments", "%n cold request(s)"));
    }
    if (entry.kind == "unfinished") {
        return count(QT_TRANSLATE_N_NOOP("experiments", "%n answer(s) cut at the end of drain"));
    }
    if (entry.kind == "failed") {
        return count(QT_TRANSLATE_N_NOOP("experiments", "%n request(s) failed or refused"));
    }
    if (entry.kind == "other_requests") {
        return count(QT_TRANSLATE_N_NOOP("experiments", "%n request(s) of others"));
    }
    if (entry.kind == "prefix_hits") {
        return say(QT_TRANSLATE_NOOP("experiments", "%1 % prefix hits")).arg(percent);
    }
    if (entry.kind == "lag") {
        return say(QT_TRANSLATE_NOOP("experiments", "the generator was %1 ms late")).arg(percent);
    }
    if (entry.kind == "clock") {
        return say(QT_TRANSLATE_NOOP("experiments", "the clock moved by %1 %")).arg(percent);
    }
    if (entry.kind == "busy_elsewhere") {
        return say(QT_TRANSLATE_NOOP("experiments", "other programs took %1 % of the processor"))
            .arg(percent);
    }
    if (entry.kind == "edit") {
        return say(QT_TRANSLATE_NOOP("experiments", "%1 was changed"))
            .arg(settingName(entry.detail));
    }
    return plain(entry.kind);
}

QString leftOutLabel(const Experiment& experiment, const LeftOutRounds& rounds) {
    const QString round = QString::number(rounds.first + 1);
    const QString block = plain(blockLabel(experiment, rounds));
    switch (rounds.reason) {
    case LeftOutReason::Cut:
        return say(QT_TRANSLATE_NOOP("experiments",
                                     "Round %1 is left out: block %2 was cut short."))
            .arg(round, block);
    case LeftOutReason::NotMeasured:
        return say(QT_TRANSLATE_NOOP("experiments",
                                     "Round %1 is left out: block %2 was not measured."))
            .arg(round, block);
    case LeftOutReason::NoFigure:
        return say(QT_TRANSLATE_NOOP("experiments", "Round %1 is left out: block %2 has no %3."))
            .arg(round, block, experimentMeasureLabel(*findExperimentMeasure(experiment.metric)));
    case LeftOutReason::NoStatistic:
        return say(QT_TRANSLATE_NOOP("experiments", "Round %1 is left out: its figures make no "
                                                    "number to claim."))
            .arg(round);
    case LeftOutReason::NotBegun:
        break;
    }
    return rounds.first == rounds.last
               ? say(QT_TRANSLATE_NOOP("experiments", "Round %1 was not begun: the experiment "
                                                      "ended before."))
                     .arg(round)
               : say(QT_TRANSLATE_NOOP("experiments", "Rounds %1 to %2 were not begun: the "
                                                      "experiment ended before."))
                     .arg(round, QString::number(rounds.last + 1));
}

QString experimentMeasureLabel(const Measure& measure) {
    return QCoreApplication::translate("measures", std::string(measure.label).c_str());
}

QString sideText(const Experiment& experiment, std::size_t side) {
    QStringList parts;
    for (const auto& [key, value] : tellingSettings(experiment, side)) {
        parts << valueName(key, value);
    }
    return parts.isEmpty() ? plain(experiment.sides[side].label) : parts.join(QStringLiteral(", "));
}

QString variesText(const Experiment& experiment) {
    if (!experiment.sweepKey.empty()) {
        return settingName(experiment.sweepKey) + QLatin1Char(' ') +
               plain(experiment.sides.front().label) + QStringLiteral(" … ") +
               plain(experiment.sides.back().label);
    }
    QStringList names;
    for (std::size_t side = 0; side < experiment.sides.size(); ++side) {
        for (const auto& [key, value] : tellingSettings(experiment, side)) {
            if (!names.contains(settingName(key))) {
                names << settingName(key);
            }
        }
    }
    return names.isEmpty() ? say(QT_TRANSLATE_NOOP("experiments", "nothing"))
                           : names.join(QStringLiteral(", "));
}

QString answerText(const Experiment& experiment, const ExperimentVerdict& verdict) {
    const ClaimResult& claim = verdict.claim;
    switch (claim.verdict) {
    case ClaimVerdict::Holds:
        return say(QT_TRANSLATE_NOOP("experiments", "Claim holds on this machine"));
    case ClaimVerdict::DoesNotHold:
        return say(QT_TRANSLATE_NOOP("experiments", "Claim does not hold on this machine"));
    case ClaimVerdict::NotResolved:
        return claim.interval
                   ? say(QT_TRANSLATE_NOOP("experiments", "The interval holds both"))
                   : say(QT_TRANSLATE_NOOP("experiments", "Too few rounds for an interval"));
    case ClaimVerdict::NotStated:
        return say(QT_TRANSLATE_NOOP("experiments", "Measured; no figure is claimed"));
    case ClaimVerdict::Modelled:
        return say(QT_TRANSLATE_NOOP("experiments", "A model's figure takes part in no verdict"));
    case ClaimVerdict::Needs:
        return say(QT_TRANSLATE_NOOP("experiments", "Needs %1")).arg(needLabel(claim.need));
    case ClaimVerdict::NotRun:
        break;
    }
    return missingNeed(experiment, nullptr) ? QString()
                                            : say(QT_TRANSLATE_NOOP("experiments", "Not run yet"));
}

} // namespace app
