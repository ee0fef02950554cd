#include "app/display.h"

#include <cstdlib>
#include <dlfcn.h>
#include <memory>

namespace app {

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

// Asks the X server itself, through the library that Qt's plug-in uses: a stale DISPLAY or a
// missing permission look like a display from the outside.
bool reachesXServer() {
    const std::unique_ptr<void, int (*)(void*)> library(dlopen("libxcb.so.1", RTLD_NOW), &dlclose);
    if (library == nullptr) {
        return true; // nothing to ask; Qt has its own way then
    }
    using Connect = void* (*)(const char*, int*);
    using HasError = int (*)(void*);
    using Disconnect = void (*)(void*);
    const auto connect = reinterpret_cast<Connect>(dlsym(library.get(), "xcb_connect"));
    const auto hasError =
        reinterpret_cast<HasError>(dlsym(library.get(), "xcb_connection_has_error"));
    const auto disconnect = reinterpret_cast<Disconnect>(dlsym(library.get(), "xcb_disconnect"));
    if (connect == nullptr || hasError == nullptr || disconnect == nullptr) {
        return true;
    }
    void* connection = connect(nullptr, nullptr);
    const bool isReached = hasError(connection) == 0;
    disconnect(connection);
    return isReached;
}

} // namespace

std::optional<std::string> displayProblem() {
    if (!variable("QT_QPA_PLATFORM").empty() || !variable("WAYLAND_DISPLAY").empty()) {
        return std::nullopt;
    }
    const std::string display = variable("DISPLAY");
    if (display.empty()) {
        return "There is no display for a window";
    }
    if (!reachesXServer()) {
        return "The display " + display + " can't be reached, so no window can open";
    }
    return std::nullopt;
}

} // namespace app
