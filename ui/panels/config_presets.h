// Sets of settings with a name, for the foot of the configuration panel. UI thread (translations).
#pragma once

#include "app/experiment/experiment.h"

#include <QString>

#include <vector>

namespace ui {

struct ConfigPreset {
    QString name, note;
    app::SettingTexts settings;
};
// What the rule says for a tight target and for none, and the defaults of all that can be switched
// without a reload.
std::vector<ConfigPreset> configPresets();

} // namespace ui
