// Words for values that tables, files and labels hold in English: units, prompt sets, the
// configurations of a search. Main thread (translations).
#pragma once

#include "app/experiment/experiment.h"

#include <QString>

#include <string_view>

namespace app {

QString unitText(std::string_view unit);          // "tok/s"; empty for an empty one
QString promptSetLabel(std::string_view name);    // "English"; the name itself of an unknown set
QString configurationText(const Side& side);      // "FP16, continuous, 8 / 192"
QString requestLabelText(std::string_view label); // a prompt set, "playground", or as it was sent

} // namespace app
