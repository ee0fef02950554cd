#include "app/run_labels.h"

#include "app/labels.h"
#include "app/store/summary.h"

#include <QCoreApplication>
#include <QLocale>
#include <QTimeZone>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("runs", english);
}

const SettingRow* findSetting(const RunSummary& run, std::string_view field) {
    const auto found = std::ranges::find(run.settings, field, &SettingRow::field);
    return found == run.settings.end() ? nullptr : &*found;
}

QString plain(const std::string& text) {
    return QString::fromStdString(text);
}

} // namespace

QString measureLabel(std::string_view key) {
    const Measure* measure = findMeasure(key);
    const std::string english(measure != nullptr ? measure->label : key);
    return QCoreApplication::translate("measures", english.c_str());
}

QString cautionText(std::string_view kind) {
    constexpr std::array<std::pair<std::string_view, const char*>, 12> kTexts = {{
        {"sequential",
         QT_TRANSLATE_NOOP("runs", "Two runs in sequence: drift between them is not excluded.")},
        {"request_list_differs",
         QT_TRANSLATE_NOOP("runs", "The runs did not send the same request list.")},
        {"machine_differs", QT_TRANSLATE_NOOP("runs", "The machines differ.")},
        {"model_differs", QT_TRANSLATE_NOOP("runs", "The models differ.")},
        {"length_differs", QT_TRANSLATE_NOOP("runs", "The runs differ in length.")},
        {"prefix_hits", QT_TRANSLATE_NOOP("runs", "Prompts were found in the prefix cache, which "
                                                  "makes first tokens look fast.")},
        {"limits_differ",
         QT_TRANSLATE_NOOP("runs", "Their service targets differ: the goodput of both is counted "
                                   "within that of the first.")},
        {"interrupted", QT_TRANSLATE_NOOP("runs", "A run did not end as planned.")},
        {"incomplete", QT_TRANSLATE_NOOP("runs", "Events of a run were lost.")},
        {"split", QT_TRANSLATE_NOOP("runs", "Two parts of one run, one after the other: drift "
                                            "between them is not excluded, and their arrivals "
                                            "differ.")},
        {"split_in_flight",
         QT_TRANSLATE_NOOP("runs", "Requests that the cut parts are in neither side’s latencies.")},
        {"split_changes",
         QT_TRANSLATE_NOOP("runs", "Other changes lie inside a side: select a span of the charts "
                                   "before splitting to leave them out.")},
    }};
    const auto* row = std::ranges::find(kTexts, kind, &decltype(kTexts)::value_type::first);
    return row != kTexts.end() ? say(row->second) : plain(std::string(kind));
}

QString limitText(double milliseconds) {
    if (!isLimit(milliseconds)) {
        return say(QT_TRANSLATE_NOOP("runs", "no limit"));
    }
    const int decimals = milliseconds == std::floor(milliseconds) ? 0 : 1;
    return QStringLiteral("\u2264 %1 ms").arg(numberText(milliseconds, decimals));
}

QString targetText(const RunInfo& run) {
    return limitText(run.sloTtftMs) + say(QT_TRANSLATE_NOOP("runs", ", ")) +
           limitText(run.sloTpotMs);
}

QString runStateLabel(RunState state) {
    constexpr std::array<const char*, 4> kTexts = {
        QT_TRANSLATE_NOOP("runs", "recording"), QT_TRANSLATE_NOOP("runs", "finished"),
        QT_TRANSLATE_NOOP("runs", "interrupted"), QT_TRANSLATE_NOOP("runs", "failed")};
    return say(kTexts[static_cast<std::size_t>(state)]);
}

QString settingsText(const RunSummary& run) {
    QStringList parts;
    const engine::Field* policy = engine::findField("batching.policy");
    const SettingRow* policyRow = findSetting(run, "batching.policy");
    const SettingRow* slots_ = findSetting(run, "batching.max_batch");
    if (policy != nullptr && policyRow != nullptr) {
        QString text = choiceLabel(*policy, policyRow->effective);
        if (slots_ != nullptr && policyRow->effective != "single") {
            text += u' ' + plain(slots_->effective);
        }
        parts << text;
    }
    for (const engine::Field& field : engine::fieldTable()) {
        const SettingRow* row = findSetting(run, field.key);
        engine::EngineConfig byDefault;
        field.set(byDefault, field.defaultValue);
        const bool isSaid = field.key == "batching.policy" || field.key == "batching.max_batch";
        if (row != nullptr && !isSaid && row->requested != engine::valueText(field, byDefault)) {
            parts << fieldLabel(field) + u' ' + choiceLabel(field, row->effective);
        }
    }
    return parts.join(QStringLiteral(", "));
}

QString startedText(const std::string& startedUtc, const QDateTime& now) {
    QDateTime started = QDateTime::fromString(plain(startedUtc), Qt::ISODate);
    if (!started.isValid()) {
        return plain(startedUtc);
    }
    started.setTimeSpec(Qt::UTC);
    started = started.toTimeZone(now.timeZone());
    const QString time = started.time().toString(QStringLiteral("HH:mm"));
    const qint64 days = started.date().daysTo(now.date());
    if (days == 0) {
        return say(QT_TRANSLATE_NOOP("runs", "today %1")).arg(time);
    }
    if (days == 1) {
        return say(QT_TRANSLATE_NOOP("runs", "yesterday %1")).arg(time);
    }
    // A day and month as the language writes them; the year where it is another.
    const QString format = started.date().year() == now.date().year()
                               ? say(QT_TRANSLATE_NOOP("runs", "d MMM"))
                               : say(QT_TRANSLATE_NOOP("runs", "d MMM yyyy"));
    return QLocale().toString(started.date(), format) + u' ' + time;
}

QString shortDigest(const std::string& digest) {
    const std::size_t colon = digest.find(':');
    const std::string hex = colon == std::string::npos ? digest : digest.substr(colon + 1);
    return hex.size() <= 9
               ? plain(hex)
               : plain(hex.substr(0, 4)) + QChar(0x2026) + plain(hex.substr(hex.size() - 4));
}

QStringList machineLines(const std::string& machineJson) {
    const auto json = nlohmann::json::parse(machineJson, nullptr, false);
    QStringList lines;
    if (!json.is_object()) {
        return lines;
    }
    for (const auto& [key, value] : json.items()) {
        const bool isBytes = key.ends_with("_bytes") && value.is_number_unsigned();
        const QString text = isBytes                ? bytesText(value.get<std::uint64_t>())
                             : value.is_string()    ? plain(value.get<std::string>())
                             : value.is_primitive() ? plain(value.dump())
                                                    : QString();
        if (!text.isEmpty()) {
            QString name = plain(key);
            name.remove(QStringLiteral("_bytes"));
            lines << name.replace(u'_', u' ') + QStringLiteral(": ") + text;
        }
    }
    return lines;
}

} // namespace app
