// Guards against JSON that is nested so deep that copying or printing it would overflow the stack.
// Pure.
#pragma once

#include <string_view>

namespace app {

inline constexpr int kDeepestJson = 64;

// Whether arrays and objects of a text are nested deeper; texts that are no JSON have some depth
// too.
bool isDeeperThan(std::string_view json, int depth);

} // namespace app
