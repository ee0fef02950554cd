#include "app/labels.h"

#include "app/observe/alarms.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

QString translated(const char* english) {
    return QCoreApplication::translate("labels", english);
}

QString text(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QLocale numberLocale() {
    const QLocale locale;
    // The C locale has no thousands separator.
    return locale.language() == QLocale::C ? QLocale(QLocale::English) : locale;
}

} // namespace

QString engineText(std::string_view english) {
    return english.empty() ? QString()
                           : QCoreApplication::translate("labels", std::string(english).c_str());
}

QString fieldLabel(const engine::Field& field) {
    return engineText(field.label);
}

QString fieldHelp(const engine::Field& field) {
    return engineText(field.help);
}

QString fieldGroupLabel(std::string_view group) {
    constexpr std::array<std::pair<std::string_view, const char*>, 11> kGroups = {{
        {"batching", QT_TRANSLATE_NOOP("labels", "Batching")},
        {"lanes", QT_TRANSLATE_NOOP("labels", "Lanes")},
        {"streams", QT_TRANSLATE_NOOP("labels", "Streamed prompts")},
        {"weights", QT_TRANSLATE_NOOP("labels", "Weights")},
        {"kv", QT_TRANSLATE_NOOP("labels", "KV cache")},
        {"attention", QT_TRANSLATE_NOOP("labels", "Attention")},
        {"threads", QT_TRANSLATE_NOOP("labels", "Threads")},
        {"load", QT_TRANSLATE_NOOP("labels", "Loading")},
        {"degradation", QT_TRANSLATE_NOOP("labels", "Degradation")},
        {"light", QT_TRANSLATE_NOOP("labels", "Light model")},
        {"answers", QT_TRANSLATE_NOOP("labels", "Stored answers")},
    }};
    const auto* row = std::ranges::find(kGroups, group, &decltype(kGroups)::value_type::first);
    return row != kGroups.end() ? translated(row->second) : text(group);
}

QString zeroLabel(const engine::Field& field) {
    return engineText(field.zeroMeans);
}

QString unitLabel(const engine::Field& field) {
    return engineText(field.unit);
}

QString choiceLabel(const engine::Field& field, std::string_view choice) {
    if (field.type == engine::FieldType::Integer) {
        if (choice == "0" && !field.zeroMeans.empty()) {
            return zeroLabel(field);
        }
        bool isNumber = false;
        const qlonglong value = text(choice).toLongLong(&isNumber);
        return isNumber ? numberText(static_cast<double>(value)) : text(choice);
    }
    return engineText(choice);
}

QString metricLabel(const engine::Metric& metric) {
    return engineText(metric.label);
}

QString stageLabel(engine::Stage stage) {
    constexpr std::array<const char*, engine::kStages> kLabels = {
        QT_TRANSLATE_NOOP("labels", "Schedule lag"),
        QT_TRANSLATE_NOOP("labels", "Chat format"),
        QT_TRANSLATE_NOOP("labels", "Tokenize"),
        QT_TRANSLATE_NOOP("labels", "Admission"),
        QT_TRANSLATE_NOOP("labels", "Queue"),
        QT_TRANSLATE_NOOP("labels", "KV blocks"),
        QT_TRANSLATE_NOOP("labels", "Cold load"),
        QT_TRANSLATE_NOOP("labels", "Batch mates"),
        QT_TRANSLATE_NOOP("labels", "Prefill weights"),
        QT_TRANSLATE_NOOP("labels", "Prefill arithmetic"),
        QT_TRANSLATE_NOOP("labels", "Sample"),
        QT_TRANSLATE_NOOP("labels", "Detokenize"),
        QT_TRANSLATE_NOOP("labels", "Deliver"),
        QT_TRANSLATE_NOOP("labels", "Remainder"),
    };
    return translated(kLabels[static_cast<std::size_t>(stage)]);
}

QString outcomeLabel(engine::Outcome outcome) {
    constexpr std::array<const char*, 4> kLabels = {
        QT_TRANSLATE_NOOP("labels", "Completed"), QT_TRANSLATE_NOOP("labels", "Cancelled"),
        QT_TRANSLATE_NOOP("labels", "Failed"), QT_TRANSLATE_NOOP("labels", "Rejected")};
    return translated(kLabels[static_cast<std::size_t>(outcome)]);
}

QString finishLabel(engine::FinishReason reason) {
    constexpr std::array<const char*, 8> kLabels = {
        QT_TRANSLATE_NOOP("labels", "Ended by the model"),
        QT_TRANSLATE_NOOP("labels", "Length limit reached"),
        QT_TRANSLATE_NOOP("labels", "Cancelled"),
        QT_TRANSLATE_NOOP("labels", "Rejected"),
        QT_TRANSLATE_NOOP("labels", "Prompt too long"),
        QT_TRANSLATE_NOOP("labels", "Too many waiting"),
        QT_TRANSLATE_NOOP("labels", "Deadline missed"),
        QT_TRANSLATE_NOOP("labels", "Failed")};
    return translated(kLabels[static_cast<std::size_t>(reason)]);
}

QString stateLabel(engine::EngineState state) {
    constexpr std::array<const char*, 6> kLabels = {
        QT_TRANSLATE_NOOP("labels", "No model"), QT_TRANSLATE_NOOP("labels", "Loading"),
        QT_TRANSLATE_NOOP("labels", "Idle"),     QT_TRANSLATE_NOOP("labels", "Running"),
        QT_TRANSLATE_NOOP("labels", "Draining"), QT_TRANSLATE_NOOP("labels", "Failed")};
    return translated(kLabels[static_cast<std::size_t>(state)]);
}

QString laneLabel(engine::Lane lane) {
    return lane == engine::Lane::Realtime ? translated(QT_TRANSLATE_NOOP("labels", "Realtime"))
                                          : translated(QT_TRANSLATE_NOOP("labels", "Batch"));
}

QString sourceLabel(engine::EventSource source) {
    constexpr std::array<const char*, 4> kLabels = {
        QT_TRANSLATE_NOOP("labels", "engine"), QT_TRANSLATE_NOOP("labels", "serving"),
        QT_TRANSLATE_NOOP("labels", "workload"), QT_TRANSLATE_NOOP("labels", "operator")};
    return translated(kLabels[static_cast<std::size_t>(source)]);
}

QString alarmLabel(std::string_view key) {
    const AlarmRule* rule = findAlarm(key);
    return rule != nullptr ? engineText(rule->label) : text(key);
}

QString numberText(double value, int decimals) {
    if (!std::isfinite(value)) {
        return QStringLiteral("\u2014");
    }
    QString digits = numberLocale().toString(std::abs(value), 'f', decimals);
    const bool isZero =
        std::ranges::none_of(digits, [](QChar c) { return c.isDigit() && c.digitValue() != 0; });
    // Qt writes U+002D in every language.
    return value < 0 && !isZero ? QStringLiteral("\u2212") + digits : digits;
}

QString numberText(std::optional<double> value, int decimals) {
    return value ? numberText(*value, decimals) : QStringLiteral("\u2014");
}

QString bytesText(std::uint64_t bytes) {
    constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1023.5 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    const int decimals = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return numberText(value, decimals) + QLatin1Char(' ') + QLatin1String(kUnits[unit]);
}

QString millisecondsText(std::optional<double> milliseconds) {
    if (!milliseconds || !std::isfinite(*milliseconds)) {
        return QStringLiteral("\u2014");
    }
    const double size = std::abs(*milliseconds);
    return numberText(*milliseconds, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

} // namespace app
