#include "ui/panels/config_presets.h"

#include "app/experiment/tuner.h"

#include <QCoreApplication>

namespace ui {

namespace {

QString say(const char* english) {
    return QCoreApplication::translate("ConfigForm", english);
}

} // namespace

std::vector<ConfigPreset> configPresets() {
    ConfigPreset standard{
        .name = say(QT_TRANSLATE_NOOP("ConfigForm", "Default")),
        .note = say(QT_TRANSLATE_NOOP("ConfigForm", "Every setting that takes no reload")),
        .settings = {}};
    engine::EngineConfig byDefault;
    for (const engine::Field& field : engine::fieldTable()) {
        if (field.takesEffect != engine::TakesEffect::Reload) {
            field.set(byDefault, field.defaultValue);
            standard.settings.emplace_back(std::string(field.key),
                                           engine::valueText(field, byDefault));
        }
    }
    const app::ServiceLimits tight{.ttftP99Ms = app::kRealtimeBelowMs - 1.0, .tpotP99Ms = {}};
    return {{.name = say(QT_TRANSLATE_NOOP("ConfigForm", "Realtime first")),
             .note = say(QT_TRANSLATE_NOOP("ConfigForm", "One request at a time, INT8")),
             .settings = app::ruleFor(tight).settings},
            {.name = say(QT_TRANSLATE_NOOP("ConfigForm", "Throughput first")),
             .note = say(QT_TRANSLATE_NOOP("ConfigForm", "Dynamic batches, FP16")),
             .settings = app::ruleFor({}).settings},
            std::move(standard)};
}

} // namespace ui
