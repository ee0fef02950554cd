#include "app/display.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QLibraryInfo>
#include <QPluginLoader>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <string_view>
#include <vector>

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

bool reachesWayland() {
    const std::string name = variable("WAYLAND_DISPLAY");
    const std::string path =
        name.starts_with('/') ? name : variable("XDG_RUNTIME_DIR") + "/" + name;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (name.empty() || path.size() >= sizeof(address.sun_path)) {
        return false;
    }
    path.copy(address.sun_path, path.size());
    const int end = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool isReached = end >= 0 && ::connect(end, reinterpret_cast<const sockaddr*>(&address),
                                                 sizeof(address)) == 0;
    ::close(end);
    return isReached;
}

// The names that QT_QPA_PLATFORM may have here: keys of the plug-ins that are installed.
std::vector<std::string> installedPlatforms() {
    QStringList folders = QString::fromStdString(variable("QT_QPA_PLATFORM_PLUGIN_PATH"))
                              .split(QLatin1Char(':'), Qt::SkipEmptyParts);
    const QStringList roots = QString::fromStdString(variable("QT_PLUGIN_PATH"))
                                  .split(QLatin1Char(':'), Qt::SkipEmptyParts)
                              << QLibraryInfo::path(QLibraryInfo::PluginsPath);
    for (const QString& root : roots) {
        folders << root + QStringLiteral("/platforms");
    }
    std::vector<std::string> names;
    for (const QString& folder : folders) {
        for (const QFileInfo& file : QDir(folder).entryInfoList(QDir::Files)) {
            const QJsonObject data = QPluginLoader(file.filePath()).metaData();
            for (const auto& key : data[u"MetaData"].toObject()[u"Keys"].toArray()) {
                names.push_back(key.toString().toLower().toStdString());
            }
        }
    }
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

bool isInstalled(const std::string& platform) {
    return std::ranges::binary_search(installedPlatforms(), platform);
}

std::optional<std::string> problemOfX() {
    const std::string display = variable("DISPLAY");
    if (display.empty()) {
        return "There is no display for a window";
    }
    if (!reachesXServer()) {
        return "The display " + display + " can't be reached, so no window can open";
    }
    return std::nullopt;
}

std::optional<std::string> problemOfWayland() {
    if (!reachesWayland()) {
        return "The Wayland display " + variable("WAYLAND_DISPLAY") +
               " can't be reached, so no window can open";
    }
    if (!isInstalled("wayland")) {
        return "This is a Wayland session without X, and Qt's part for it is missing; install "
               "qt6-wayland";
    }
    return std::nullopt;
}

// "xcb;wayland" is tried in order; "xcb:option" has options.
std::optional<std::string> problemOfNamed(const std::string& platforms) {
    std::optional<std::string> problem;
    for (const QString& each :
         QString::fromStdString(platforms).split(QLatin1Char(';'), Qt::SkipEmptyParts)) {
        const std::string name = each.section(QLatin1Char(':'), 0, 0).toLower().toStdString();
        std::optional<std::string> one;
        if (!isInstalled(name)) {
            one = fmt::format("QT_QPA_PLATFORM names \"{}\", which is not installed (there are: "
                              "{})",
                              name, fmt::join(installedPlatforms(), ", "));
        } else if (name == "xcb") {
            one = problemOfX();
        } else if (name.starts_with("wayland")) {
            one = problemOfWayland();
        }
        if (!one) {
            return std::nullopt;
        }
        problem = problem ? problem : one;
    }
    return problem;
}

} // namespace

std::optional<std::string> displayProblem() {
    if (const std::string named = variable("QT_QPA_PLATFORM"); !named.empty()) {
        return problemOfNamed(named);
    }
    const auto problem = problemOfX();
    if (!problem || variable("WAYLAND_DISPLAY").empty()) {
        return problem;
    }
    if (auto other = problemOfWayland()) {
        return other;
    }
    ::setenv("QT_QPA_PLATFORM", "wayland", 1); // by itself Qt would try X first
    return std::nullopt;
}

} // namespace app
