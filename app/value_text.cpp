#include "app/value_text.h"

#include "app/labels.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <array>

namespace app {

namespace {

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// Units that are not those of a field of the engine, which have their own list.
[[maybe_unused]] constexpr std::array kUnits = {QT_TRANSLATE_NOOP("labels", "tok/s"),
                                                QT_TRANSLATE_NOOP("labels", "req/s"),
                                                QT_TRANSLATE_NOOP("labels", "ms per 1k tok")};

QString choiceOf(const Side& side, std::string_view key) {
    const auto found = std::ranges::find(side.settings, key, &SettingTexts::value_type::first);
    const engine::Field* field = engine::findField(key);
    return found != side.settings.end() && field != nullptr ? choiceLabel(*field, found->second)
                                                            : QString();
}

} // namespace

QString unitText(std::string_view unit) {
    return engineText(unit);
}

QString promptSetLabel(std::string_view name) {
    constexpr std::array<std::pair<std::string_view, const char*>, 3> kSets = {
        {{"english", QT_TRANSLATE_NOOP("labels", "English")},
         {"chinese", QT_TRANSLATE_NOOP("labels", "Chinese")},
         {"code", QT_TRANSLATE_NOOP("labels", "Code")}}};
    const auto* row = std::ranges::find(kSets, name, &decltype(kSets)::value_type::first);
    return row != kSets.end() ? QCoreApplication::translate("labels", row->second) : plain(name);
}

QString requestLabelText(std::string_view label) {
    return label == "playground"
               ? QCoreApplication::translate("labels", QT_TRANSLATE_NOOP("labels", "playground"))
               : promptSetLabel(label);
}

QString configurationText(const Side& side) {
    QStringList parts{choiceOf(side, "weights.precision"), choiceOf(side, "batching.policy")};
    QStringList sizes{choiceOf(side, "batching.max_batch"),
                      choiceOf(side, "batching.token_budget")};
    sizes.removeAll(QString());
    if (sizes.size() == 2) {
        parts << sizes.join(QStringLiteral(" / "));
    }
    parts.removeAll(QString());
    return parts.isEmpty() ? plain(side.label) : parts.join(QStringLiteral(", "));
}

} // namespace app
