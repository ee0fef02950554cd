// Holds a JSON document against a JSON Schema: as much of draft 2020-12 as the program's own uses.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace tests {

// What does not fit and where, or empty. `root` has the $defs that `schema` refers to.
std::string schemaProblem(const nlohmann::json& document, const nlohmann::json& schema,
                          const nlohmann::json& root, const std::string& place = "document");

} // namespace tests
