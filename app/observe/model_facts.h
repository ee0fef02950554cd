// What a model file holds and needs, as lines for people. Main thread (translations).
#pragma once

#include "engine/model_file.h"

#include <QString>

#include <utility>
#include <vector>

namespace app {

// Name and value, in the order to show them.
std::vector<std::pair<QString, QString>> modelFacts(const engine::ModelInspection& model);
// "135 M", "1.24 B"
QString parametersText(std::uint64_t parameters);
// Empty while the model and one sequence of its context fit into what is free; else what is
// missing.
QString memoryWarning(const engine::ModelInspection& model, std::uint64_t availableBytes);

} // namespace app
