#include "ui/panels/field_view.h"

#include "app/labels.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("ConfigForm", english);
}

QString plain(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

// When a change that has to wait will come into force.
QString waitText(const engine::Field& field) {
    switch (field.takesEffect) {
    case engine::TakesEffect::NextStep:
        return say(QT_TRANSLATE_NOOP("ConfigForm", "next step"));
    case engine::TakesEffect::Drained:
        return say(QT_TRANSLATE_NOOP("ConfigForm", "when running requests have ended"));
    case engine::TakesEffect::Reload:
        return say(QT_TRANSLATE_NOOP("ConfigForm", "after a reload"));
    }
    return {};
}

QString reasonText(const engine::Field& field, const engine::FieldStatus& status) {
    QString reason = status.reason.empty() ? waitText(field) : app::sentenceLabel(status.reason);
    while (reason.endsWith(u'.') || reason.endsWith(QChar(0x3002))) {
        reason.chop(1); // it stands in a line, not in a paragraph
    }
    return reason;
}

QString effectiveText(const engine::Field& field, const engine::FieldStatus& status,
                      const QString& reason) {
    const QString text = say(QT_TRANSLATE_NOOP("ConfigForm", "Effective %1 · %2"));
    return text.arg(QStringLiteral("<b>") +
                        fieldValueText(field, status.effective).toHtmlEscaped() +
                        QStringLiteral("</b>"),
                    reason.toHtmlEscaped());
}

QString preparingText(const engine::FieldStatus& status) {
    const int percent = static_cast<int>(status.progress * 100.0F);
    return status.secondsLeft ? say(QT_TRANSLATE_NOOP("ConfigForm", "Preparing %1 %, %2 s left"))
                                    .arg(percent)
                                    .arg(std::max(1, static_cast<int>(*status.secondsLeft + 0.5)))
                              : say(QT_TRANSLATE_NOOP("ConfigForm", "Preparing %1 %")).arg(percent);
}

// An automatic value that the engine chose: quiet, but never hidden.
bool isChosenByEngine(const engine::Field& field, const engine::FieldStatus& status) {
    const std::string_view automatic =
        field.type == engine::FieldType::Choice ? field.choices.front() : "0";
    return field.type != engine::FieldType::Switch && !field.zeroMeans.empty() &&
           status.requested == automatic && status.effective != automatic &&
           !status.effective.empty();
}

} // namespace

QString fieldValueText(const engine::Field& field, std::string_view value) {
    const QString text = app::choiceLabel(field, value);
    const bool isAutomatic = value == "0" && !field.zeroMeans.empty();
    return field.type == engine::FieldType::Integer && !field.unit.empty() && !isAutomatic
               ? text + u' ' + app::unitLabel(field)
               : text;
}

FieldView describeField(const engine::Field& field, const engine::FieldStatus& status,
                        const engine::EngineConfig& requested, const Refusal* refusal) {
    if (refusal != nullptr) {
        return {.look = FieldLook::Refused,
                .message = refusal->reason.toHtmlEscaped(),
                .iconName = QStringLiteral("warning")};
    }
    const std::string_view idle = field.idleReason != nullptr ? field.idleReason(requested) : "";
    if (!idle.empty()) {
        return {.look = FieldLook::Disabled,
                .message = app::sentenceLabel(idle).toHtmlEscaped(),
                .iconName = {}};
    }
    switch (status.state) {
    case engine::FieldState::Pending:
        return {.look = FieldLook::Pending,
                .message = effectiveText(field, status, reasonText(field, status)),
                .iconName = QStringLiteral("clock")};
    case engine::FieldState::Preparing:
        return {.look = FieldLook::Preparing,
                .message = preparingText(status),
                .iconName = {},
                .percent = static_cast<int>(status.progress * 100.0F)};
    case engine::FieldState::Held:
        return {.look = FieldLook::Held,
                .message = effectiveText(field, status, reasonText(field, status)),
                .iconName = QStringLiteral("lock")};
    case engine::FieldState::Unavailable:
        return {.look = FieldLook::Differs,
                .message = effectiveText(field, status, reasonText(field, status)),
                .iconName = QStringLiteral("warning")};
    case engine::FieldState::InForce:
        break;
    }
    if (isChosenByEngine(field, status)) {
        return {.look = FieldLook::Normal,
                .message = say(QT_TRANSLATE_NOOP("ConfigForm", "chosen: %1"))
                               .arg(fieldValueText(field, status.effective).toHtmlEscaped()),
                .iconName = {}};
    }
    if (status.effective != status.requested && !status.effective.empty()) {
        return {.look = FieldLook::Differs,
                .message = effectiveText(field, status, reasonText(field, status)),
                .iconName = QStringLiteral("warning")};
    }
    if (!status.reason.empty()) { // in force, but not for everything
        return {.look = FieldLook::Normal,
                .message = reasonText(field, status).toHtmlEscaped(),
                .iconName = {}};
    }
    return {};
}

QString fieldToolTip(const engine::Field& field) {
    QStringList lines{app::fieldHelp(field)};
    if (field.type == engine::FieldType::Integer) {
        const QString unit = field.unit.empty() ? QString() : u' ' + app::unitLabel(field);
        lines << say(QT_TRANSLATE_NOOP("ConfigForm", "Range: %1 to %2%3"))
                     .arg(app::numberText(static_cast<double>(field.minimum)),
                          app::numberText(static_cast<double>(field.maximum)), unit);
    }
    engine::EngineConfig config;
    field.set(config, field.defaultValue);
    lines << say(QT_TRANSLATE_NOOP("ConfigForm", "Default: %1"))
                 .arg(fieldValueText(field, engine::valueText(field, config)))
          << say(QT_TRANSLATE_NOOP("ConfigForm", "Takes effect: %1")).arg(waitText(field))
          << say(QT_TRANSLATE_NOOP("ConfigForm", "Flag: %1")).arg(plain(field.flag));
    return lines.join(u'\n');
}

QString weightsText(const std::vector<engine::WeightGroupStatus>& groups) {
    QStringList lines;
    for (const engine::WeightGroupStatus& group : groups) {
        QString line =
            say(QT_TRANSLATE_NOOP("ConfigForm", "%1: %2, %3"))
                .arg(app::sentenceLabel(group.group), QString::fromStdString(group.effective),
                     app::bytesText(group.bytes));
        if (!group.reason.empty()) {
            line += QStringLiteral(" · ") + app::sentenceLabel(group.reason);
        }
        lines << line;
    }
    return lines.join(u'\n');
}

QString weightsReason(const std::vector<engine::WeightGroupStatus>& groups) {
    QStringList reasons;
    for (const engine::WeightGroupStatus& group : groups) {
        if (!group.reason.empty()) {
            reasons << say(QT_TRANSLATE_NOOP("ConfigForm", "%1: %2"))
                           .arg(app::sentenceLabel(group.group), app::sentenceLabel(group.reason));
        }
    }
    return reasons.join(u' ');
}

} // namespace ui
