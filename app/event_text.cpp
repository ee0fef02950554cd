// Sentences about events: templates by kind, filled from the payload.
#include "app/labels.h"
#include "app/observe/alarms.h"
#include "app/observe/bookmark.h"
#include "app/observe/quiet_markers.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

QString translated(const char* english) {
    return QCoreApplication::translate("labels", english);
}

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString valueLabel(const engine::FieldChange& change, const std::string& value) {
    const engine::Field* field = engine::findField(change.key);
    return field != nullptr ? choiceLabel(*field, value) : text(value);
}

// "Token budget 512 → 1,024 tok"; a word, as 0 often is one, has no unit.
QString changeText(const engine::FieldChange& change) {
    const engine::Field* field = engine::findField(change.key);
    const QString line =
        translated(QT_TRANSLATE_NOOP("labels", "%1 %2 → %3"))
            .arg(field != nullptr ? fieldLabel(*field) : text(change.key),
                 valueLabel(change, change.before), valueLabel(change, change.after));
    const bool isWord = change.after == "0" && field != nullptr && !field->zeroMeans.empty();
    const QString unit = field != nullptr && !isWord ? unitLabel(*field) : QString();
    return unit.isEmpty() ? line : line + QLatin1Char(' ') + unit;
}

QString sentence(const engine::ConfigApplied& applied) {
    QStringList parts;
    for (const auto& change : applied.changes) {
        parts << changeText(change);
    }
    return translated(QT_TRANSLATE_NOOP("labels", "%1, from step %2"))
        .arg(parts.join(QStringLiteral("; ")), numberText(static_cast<double>(applied.fromStep)));
}

QString sentence(const engine::FirstToken& /*its request's end has the sentence*/) {
    return {};
}

QString sentence(const engine::RequestFinished& finished) {
    if (!finished.record) {
        return {};
    }
    const auto& record = *finished.record;
    QString line = translated(QT_TRANSLATE_NOOP("labels", "Request %1: %2, %3 tokens"))
                       .arg(numberText(static_cast<double>(record.id)), finishLabel(record.reason),
                            numberText(static_cast<double>(record.outputTokens)));
    return record.message.empty() ? line : line + QStringLiteral(" · ") + text(record.message);
}

QString sentence(const engine::PhaseTimed& phase) {
    const double milliseconds = std::chrono::duration<double, std::milli>(phase.duration).count();
    QString line = translated(QT_TRANSLATE_NOOP("labels", "%1 took %2 ms"))
                       .arg(engineText(phase.phase), millisecondsText(milliseconds));
    return phase.bytes > 0 ? line + QStringLiteral(" · ") + bytesText(phase.bytes) : line;
}

QString sentence(const engine::Preempted& preempted) {
    return translated(
               QT_TRANSLATE_NOOP(
                   "labels", "Request %1 gave its KV blocks back; %2 tokens are computed again"))
        .arg(numberText(static_cast<double>(preempted.id)),
             numberText(static_cast<double>(preempted.tokens)));
}

QString sentence(const engine::BatchEnded& batch) {
    const auto milliseconds = [](engine::Nanoseconds time) {
        return millisecondsText(std::chrono::duration<double, std::milli>(time).count());
    };
    const QString line =
        translated(QT_TRANSLATE_NOOP("labels", "Batch %1: %2 requests in %3 ms"))
            .arg(numberText(static_cast<double>(batch.batch)),
                 numberText(static_cast<double>(batch.requests)), milliseconds(batch.duration));
    if (batch.waiting == 0) {
        return line;
    }
    return line + QStringLiteral(" · ") +
           translated(QT_TRANSLATE_NOOP(
                          "labels", "%1 waited for request %2 while places were free for %3 ms"))
               .arg(numberText(static_cast<double>(batch.waiting)),
                    numberText(static_cast<double>(batch.last)), milliseconds(batch.tail));
}

QString sentence(const engine::StateChanged& changed) {
    return translated(QT_TRANSLATE_NOOP("labels", "Engine: %1")).arg(stateLabel(changed.state));
}

QString sentence(const engine::Failed& failed) {
    if (failed.requestsFailed == 0) {
        return text(failed.message);
    }
    return translated(QT_TRANSLATE_NOOP("labels", "%1 · requests lost: %2"))
        .arg(text(failed.message), numberText(static_cast<double>(failed.requestsFailed)));
}

QString value(const engine::Notice& notice, std::string_view key) {
    const auto pair =
        std::ranges::find(notice.values, key, &std::pair<std::string, std::string>::first);
    return pair != notice.values.end() ? text(pair->second) : QString();
}

// A number as people read it; what is none stays as it is.
QString number(const engine::Notice& notice, std::string_view key) {
    const QString plain = value(notice, key);
    bool isNumber = false;
    const double number = plain.toDouble(&isNumber);
    if (!isNumber) {
        return plain;
    }
    const double size = std::abs(number);
    return numberText(number, number == std::floor(number) || size >= 100.0 ? 0
                              : size >= 10.0                                ? 1
                                                                            : 2);
}

QString milliseconds(const engine::Notice& notice, std::string_view key) {
    const QString plain = value(notice, key);
    bool isNumber = false;
    const double number = plain.toDouble(&isNumber);
    return isNumber ? millisecondsText(number) : plain;
}

// What arrives in a stage of a workload: "16 → 40 req/s, Poisson", "8 users".
QString arrivals(const engine::Notice& notice) {
    if (const QString users = number(notice, "users"); !users.isEmpty()) {
        return translated(QT_TRANSLATE_NOOP("labels", "%1 users, closed loop")).arg(users);
    }
    QString rate = number(notice, "rate");
    if (const QString end = number(notice, "to_rate"); !end.isEmpty() && end != rate) {
        rate += QStringLiteral(" → ") + end;
    }
    return value(notice, "kind") == QLatin1String("gamma")
               ? translated(QT_TRANSLATE_NOOP("labels", "%1 req/s in bursts")).arg(rate)
               : translated(QT_TRANSLATE_NOOP("labels", "%1 req/s")).arg(rate);
}

QString fieldOf(const engine::Notice& notice) {
    const QString key = value(notice, "field");
    const engine::Field* field = engine::findField(key.toStdString());
    return field != nullptr ? fieldLabel(*field) : key;
}

QString unknownNotice(const engine::Notice& notice) {
    QStringList pairs;
    for (const auto& [key, content] : notice.values) {
        pairs << text(key) + QLatin1Char(' ') + text(content);
    }
    return pairs.isEmpty()
               ? text(notice.kind)
               : text(notice.kind) + QStringLiteral(": ") + pairs.join(QStringLiteral(", "));
}

// A figure of an alarm in its unit, "312 ms", and what it is compared with.
QString alarmSentence(const engine::Notice& notice) {
    const QString key = value(notice, "alarm");
    const AlarmRule* rule = findAlarm(key.toStdString());
    const QString unit = rule == nullptr ? QString() : QLatin1Char(' ') + text(rule->unit);
    const QString reading = value(notice, "value");
    const QString figure = reading.isEmpty() ? QStringLiteral("—") : reading + unit;
    const QString limit = value(notice, "limit") + unit;
    if (notice.kind == kAlarmCleared) {
        // It did not get better: what it judges by has become too little.
        const qlonglong n = value(notice, "n").toLongLong();
        if (reading.isEmpty() || (rule != nullptr && n < rule->leastCount)) {
            return translated(QT_TRANSLATE_NOOP("labels", "Alarm ended: too few samples to judge "
                                                          "%1 (n %2)"))
                .arg(alarmLabel(key.toStdString()), numberText(static_cast<double>(n)));
        }
        return translated(QT_TRANSLATE_NOOP("labels", "Alarm cleared: %1 is %2"))
            .arg(alarmLabel(key.toStdString()), figure);
    }
    return rule != nullptr && rule->side == AlarmSide::Below
               ? translated(QT_TRANSLATE_NOOP("labels", "Alarm: %1 is %2, below %3"))
                     .arg(alarmLabel(key.toStdString()), figure, limit)
               : translated(QT_TRANSLATE_NOOP("labels", "Alarm: %1 is %2, above %3"))
                     .arg(alarmLabel(key.toStdString()), figure, limit);
}

// Weights in another precision are in place: the memory of the old and the new ones.
QString weightsSentence(const engine::Notice& notice) {
    const engine::Field& field = *engine::findField("weights.precision");
    const auto bytes = [&](std::string_view key) {
        return bytesText(value(notice, key).toULongLong());
    };
    return translated(QT_TRANSLATE_NOOP("labels", "Weights %1 → %2: memory %3 → %4, made in %5 ms"))
        .arg(choiceLabel(field, value(notice, "from").toStdString()),
             choiceLabel(field, value(notice, "to").toStdString()), bytes("before_bytes"),
             bytes("after_bytes"), milliseconds(notice, "prepared_ms"));
}

// "Quality after …: perplexity +0.14 % (0.05 to 0.22), KL 0.0031, same likeliest token 97.2 %".
QString qualitySentence(const engine::Notice& notice) {
    if (value(notice, "garbled") == QLatin1String("yes")) {
        return translated(QT_TRANSLATE_NOOP("labels", "Quality check: answers are garbled (%1)"))
            .arg(value(notice, "change"));
    }
    const auto decimal = [&](std::string_view key, int digits) {
        return QLocale().toString(value(notice, key).toDouble(), 'f', digits);
    };
    QString change = decimal("perplexity_change_percent", 2) + QStringLiteral(" %");
    if (!value(notice, "perplexity_change_percent_low").isEmpty()) {
        change += translated(QT_TRANSLATE_NOOP("labels", " (%1 to %2)"))
                      .arg(decimal("perplexity_change_percent_low", 2),
                           decimal("perplexity_change_percent_high", 2));
    }
    return translated(QT_TRANSLATE_NOOP("labels", "Quality over %1 tokens: perplexity %2, mean KL "
                                                  "%3, same likeliest token %4 %"))
        .arg(value(notice, "tokens"), change, decimal("mean_kl", 4),
             decimal("top_agreement_percent", 1));
}

struct NoticeTemplate {
    std::string_view kind;
    const char* text;
    std::string_view first;  // value for %1
    std::string_view second; // value for %2
};
constexpr NoticeTemplate kNotices[] = {
    {"model_loaded", QT_TRANSLATE_NOOP("labels", "Model loaded: %1"), "model", ""},
    {"load_failed", QT_TRANSLATE_NOOP("labels", "Model not loaded: %1"), "message", ""},
    {"chat_format_generic",
     QT_TRANSLATE_NOOP("labels", "The file's chat template is not known; conversations are sent as "
                                 "plain text: %1"),
     "format", ""},
    {"remote_attached",
     QT_TRANSLATE_NOOP("labels", "Attached to %1: %2. Times are those of this side."), "address",
     "model"},
    {"remote_back", QT_TRANSLATE_NOOP("labels", "The server %1 is back"), "address", ""},
    {"run_started", QT_TRANSLATE_NOOP("labels", "Run %1 began: %2"), "run", "name"},
    {"run_finished", QT_TRANSLATE_NOOP("labels", "Run %1 ended"), "run", ""},
    {"workload_started", QT_TRANSLATE_NOOP("labels", "Workload %1 began"), "workload", ""},
    {"workload_finished", QT_TRANSLATE_NOOP("labels", "Workload %1 ended"), "workload", ""},
    {"workload_stopped", QT_TRANSLATE_NOOP("labels", "Workload %1 was stopped"), "workload", ""},
    {"prefix_reset", QT_TRANSLATE_NOOP("labels", "Prefix cache emptied: %1 blocks"), "blocks", ""},
    {"light_model_ready", QT_TRANSLATE_NOOP("labels", "Light model ready: %1"), "model", ""},
    {"light_model_failed", QT_TRANSLATE_NOOP("labels", "Light model %1 not loaded: %2"), "model",
     "reason"},
    {"adapter_loaded", QT_TRANSLATE_NOOP("labels", "Adapter %1 loaded: %2 MiB"), "name", "mib"},
    {"adapter_unloaded", QT_TRANSLATE_NOOP("labels", "Adapter %1 unloaded"), "name", ""},
    {"answers_unread", QT_TRANSLATE_NOOP("labels", "Stored answers were not read: %1"), "reason",
     ""},
    {"answers_unwritten", QT_TRANSLATE_NOOP("labels", "Stored answers are not on disk: %1"),
     "reason", ""},
    {"recording_problem", QT_TRANSLATE_NOOP("labels", "Not recording: %1"), "message", ""},
    {"degradation_refused", QT_TRANSLATE_NOOP("labels", "Level %1 can't change the settings: %2"),
     "level", "reason"},
    {kBookmark, QT_TRANSLATE_NOOP("labels", "Bookmark: %1"), "name", ""},
    {kBookmarkRemoved, QT_TRANSLATE_NOOP("labels", "Bookmark removed: %1"), "name", ""},
    {"marker", QT_TRANSLATE_NOOP("labels", "Note: %1"), "text", ""},
    {"preemption_burst",
     QT_TRANSLATE_NOOP("labels", "Preemptions: %1 within %2 s, the KV cache was full"), "count",
     "seconds"},
    {"cold_start",
     QT_TRANSLATE_NOOP("labels",
                       "Cold start: the first requests after loading are no warm samples"),
     "", ""},
    {"quality_unchecked", QT_TRANSLATE_NOOP("labels", "Quality was not checked: %1"), "reason", ""},
    {"model_notice", QT_TRANSLATE_NOOP("labels", "About the model: %1"), "text", ""},
};

QString causeText(const QString& cause) {
    constexpr std::pair<const char*, const char*> kCauses[] = {
        {"limit", QT_TRANSLATE_NOOP("labels", "too slow")},
        {"trial_began", QT_TRANSLATE_NOOP("labels", "healthy, tried")},
        {"trial_passed", QT_TRANSLATE_NOOP("labels", "trial passed")},
        {"trial_failed", QT_TRANSLATE_NOOP("labels", "trial failed")},
        {"forced", QT_TRANSLATE_NOOP("labels", "chosen by the operator")},
        {"switched", QT_TRANSLATE_NOOP("labels", "switched off")},
    };
    for (const auto& [key, words] : kCauses) {
        if (cause == QLatin1String(key)) {
            return translated(words);
        }
    }
    return cause;
}

// "Level 0 → 1: too slow · TTFT p90 1,204 ms, n 61, limit 800 ms".
QString levelSentence(const engine::Notice& notice) {
    const QString before = value(notice, "before");
    const QString after = value(notice, "after");
    const QString change =
        before == after
            ? translated(QT_TRANSLATE_NOOP("labels", "Level %1")).arg(after)
            : translated(QT_TRANSLATE_NOOP("labels", "Level %1 → %2")).arg(before, after);
    QString line = translated(QT_TRANSLATE_NOOP("labels", "%1: %2"))
                       .arg(change, causeText(value(notice, "cause")));
    if (const QString p90 = milliseconds(notice, "p90_ms"); !p90.isEmpty()) {
        line +=
            QStringLiteral(" · ") + translated(QT_TRANSLATE_NOOP("labels", "TTFT p90 %1 ms, n %2"))
                                        .arg(p90, value(notice, "n"));
    }
    if (const QString limit = milliseconds(notice, "limit_ms"); !limit.isEmpty()) {
        line += QStringLiteral(" · ") +
                translated(QT_TRANSLATE_NOOP("labels", "limit %1 ms")).arg(limit);
    }
    return line;
}

QString effectSentence(const engine::Notice& notice) {
    const QString verdict = value(notice, "verdict");
    const auto figure = [&](std::string_view key) {
        const QString text = milliseconds(notice, key);
        return text.isEmpty() ? QStringLiteral("—") : text;
    };
    const QString words = verdict == QLatin1String("better")
                              ? translated(QT_TRANSLATE_NOOP("labels", "better"))
                          : verdict == QLatin1String("worse")
                              ? translated(QT_TRANSLATE_NOOP("labels", "worse"))
                              : translated(QT_TRANSLATE_NOOP("labels", "not resolved"));
    return translated(QT_TRANSLATE_NOOP("labels", "Effect of level %1 → %2: %3"))
               .arg(value(notice, "before"), value(notice, "after"), words) +
           QStringLiteral(" · ") +
           translated(QT_TRANSLATE_NOOP("labels", "median TTFT %1 ms (n %2) → %3 ms (n %4)"))
               .arg(figure("before_ms"), value(notice, "n_before"), figure("after_ms"),
                    value(notice, "n_after"));
}

QString sentence(const engine::Notice& notice) {
    if (notice.kind == "degradation_changed") {
        return levelSentence(notice);
    }
    if (notice.kind == "degradation_effect") {
        return effectSentence(notice);
    }
    if (notice.kind == "stage") {
        return translated(QT_TRANSLATE_NOOP("labels", "Stage %1: %2"))
            .arg(value(notice, "stage"), arrivals(notice));
    }
    if (notice.kind == "quality_checked") {
        return qualitySentence(notice);
    }
    if (notice.kind == "weights_changed") {
        return weightsSentence(notice);
    }
    if (notice.kind == "edit_refused") {
        return translated(QT_TRANSLATE_NOOP("labels", "%1 %2 refused: %3"))
            .arg(fieldOf(notice), value(notice, "value"), value(notice, "reason"));
    }
    if (notice.kind == kAlarmRaised || notice.kind == kAlarmCleared) {
        return alarmSentence(notice);
    }
    const auto* row =
        std::ranges::find(kNotices, std::string_view(notice.kind), &NoticeTemplate::kind);
    if (row == std::end(kNotices)) {
        return unknownNotice(notice);
    }
    QString line = translated(row->text);
    if (row->first.empty()) {
        return line;
    }
    constexpr std::string_view kFigures[] = {"blocks", "mib", "count", "seconds"};
    const auto shown = [&notice, &kFigures](std::string_view key) {
        return std::ranges::find(kFigures, key) != std::end(kFigures) ? number(notice, key)
                                                                      : value(notice, key);
    };
    // One value at a time would take a "%2" inside the first for a place.
    return row->second.empty() ? line.arg(shown(row->first))
                               : line.arg(shown(row->first), shown(row->second));
}

} // namespace

bool isForPeople(const engine::Event& event) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    return !std::holds_alternative<engine::FirstToken>(event.body) &&
           (notice == nullptr || notice->kind != "step_cost");
}

QString eventText(const engine::Event& event) {
    return std::visit([](const auto& body) { return sentence(body); }, event.body);
}

QString markerText(const engine::Event& event) {
    if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body)) {
        if (applied->changes.empty()) {
            return {};
        }
        const auto& first = applied->changes.front();
        const engine::Field* field = engine::findField(first.key);
        QString line = valueLabel(first, first.before) + QStringLiteral(" → ") +
                       valueLabel(first, first.after);
        if (field != nullptr && field->type != engine::FieldType::Choice) {
            line = fieldLabel(*field) + QLatin1Char(' ') + line; // a bare number says little
        }
        const std::size_t more = applied->changes.size() - 1;
        return more == 0 ? line : line + QStringLiteral(" +%1").arg(more);
    }
    if (const auto* notice = std::get_if<engine::Notice>(&event.body)) {
        if (notice->kind == "degradation_changed") {
            return translated(QT_TRANSLATE_NOOP("labels", "level %1")).arg(value(*notice, "after"));
        }
        if (notice->kind == kBookmark) {
            return value(*notice, "name");
        }
        if (notice->kind == kPreemptionBurst) {
            return translated(QT_TRANSLATE_NOOP("labels", "preemptions %1"))
                .arg(value(*notice, "count"));
        }
        if (notice->kind == kColdStart) {
            return translated(QT_TRANSLATE_NOOP("labels", "cold start"));
        }
        return notice->kind == "stage" ? arrivals(*notice) : QString();
    }
    if (std::holds_alternative<engine::Failed>(event.body)) {
        return translated(QT_TRANSLATE_NOOP("labels", "failed"));
    }
    return {};
}

} // namespace app
