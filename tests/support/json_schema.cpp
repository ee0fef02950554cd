#include "tests/support/json_schema.h"

#include <algorithm>

namespace tests {

namespace {

using nlohmann::json;

bool isOfType(const json& value, const std::string& type) {
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "boolean" ? value.is_boolean()
           : type == "null"    ? value.is_null()
           : type == "integer" ? value.is_number_integer()
                               : type == "number" && value.is_number();
}

bool hasType(const json& value, const json& types) {
    return types.is_array()
               ? std::ranges::any_of(
                     types,
                     [&](const json& type) { return isOfType(value, type.get<std::string>()); })
               : isOfType(value, types.get<std::string>());
}

std::string membersProblem(const json& document, const json& schema, const json& root,
                           const std::string& place) {
    for (const json& key : schema.value("required", json::array())) {
        if (!document.contains(key.get<std::string>())) {
            return place + ": " + key.dump() + " is missing";
        }
    }
    const json known = schema.value("properties", json::object());
    const json others = schema.value("additionalProperties", json(true));
    for (const auto& [key, value] : document.items()) {
        const json& rule = known.contains(key) ? known[key] : others;
        if (rule.is_boolean() && !rule.get<bool>()) {
            return place + ": \"" + key + "\" is not in the schema";
        }
        if (rule.is_object()) {
            if (auto problem = schemaProblem(value, rule, root, place + "." + key);
                !problem.empty()) {
                return problem;
            }
        }
    }
    return {};
}

} // namespace

std::string schemaProblem(const json& document, const json& schema, const json& root,
                          const std::string& place) {
    if (const auto ref = schema.find("$ref"); ref != schema.end()) {
        const std::string name = ref->get<std::string>().substr(std::string("#/$defs/").size());
        return schemaProblem(document, root.at("$defs").at(name), root, place);
    }
    if (const auto choices = schema.find("anyOf"); choices != schema.end()) {
        std::string problem = place + ": no choice";
        for (const json& choice : *choices) {
            problem = schemaProblem(document, choice, root, place);
            if (problem.empty()) {
                break;
            }
        }
        return problem;
    }
    if (schema.contains("type") && !hasType(document, schema["type"])) {
        return place + ": " + document.dump().substr(0, 80) + " is not " + schema["type"].dump();
    }
    if (schema.contains("enum") &&
        std::ranges::find(schema["enum"], document) == schema["enum"].end()) {
        return place + ": " + document.dump() + " is not one of " + schema["enum"].dump();
    }
    if (document.is_object()) {
        return membersProblem(document, schema, root, place);
    }
    if (document.is_array() && schema.contains("items")) {
        for (std::size_t i = 0; i < document.size(); ++i) {
            if (auto problem = schemaProblem(document[i], schema["items"], root,
                                             place + "[" + std::to_string(i) + "]");
                !problem.empty()) {
                return problem;
            }
        }
    }
    return {};
}

} // namespace tests
