// Guards against JSON that is nested so deep that copying or printing it would overflow the stack.
// Pure.
#pragma once

#include <string_view>

namespace app {

inline constexpr int kDeepestJson = 64;

// Whether arrays and objects of a text are nested deeper; texts that are no JSON have some depth
// too.
bool isDeeperThan(std::string_view json, int depth);

// The document of a text that a foreign file may hold, or null where it is none or too deep.
template <class Json>
Json parseBounded(std::string_view text) {
    Json json = isDeeperThan(text, kDeepestJson) ? Json() : Json::parse(text, nullptr, false);
    return json.is_discarded() ? Json() : json;
}

} // namespace app
