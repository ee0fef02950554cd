#include "app/store/example_run.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>
#include <QStandardPaths>

#include <fmt/format.h>

namespace app {

engine::Result<std::filesystem::path> exampleLog() {
    QFile resource(QStringLiteral(":/headway/example/example.db"));
    if (!resource.open(QIODevice::ReadOnly)) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Internal,
                          "The example run is not part of this build; install the program again."});
    }
    const QByteArray content = resource.readAll();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
                           QStringLiteral("/headway");
    const QString file = folder + QStringLiteral("/example-" HEADWAY_VERSION ".db");
    if (QFile::exists(file) && QFile(file).size() == content.size()) {
        return std::filesystem::path(file.toStdString());
    }
    QDir().mkpath(folder);
    QSaveFile out(file);
    if (out.open(QIODevice::WriteOnly) && out.write(content) == content.size() && out.commit()) {
        return std::filesystem::path(file.toStdString());
    }
    return std::unexpected(engine::Error{engine::ErrorCode::Io,
                                         fmt::format("{} can't be written: {}.", file.toStdString(),
                                                     out.errorString().toStdString())});
}

} // namespace app
