// Checks of invariants in every build: a broken one is a fault of the program and is thrown, so
// that the thread's root can end its work with a reason.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace engine {

inline void ensure(bool condition, const char* reason,
                   std::source_location where = std::source_location::current()) {
    if (!condition) {
        throw std::logic_error(std::string("internal fault in ") + where.function_name() + ": " +
                               reason);
    }
}

} // namespace engine
