#include "ui/console.h"

#include "app/preferences.h"
#include "app/session.h"
#include "engine/config.h"
#include "ui/frame/unwritten_box.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/screenshots.h"
#include "ui/theme.h"
#include "ui/widgets/paint.h"

#include <QApplication>
#include <QFile>
#include <QPainter>
#include <QPixmap>

#include <fmt/core.h>

#include <cstdio>
#include <optional>

namespace ui {

namespace {

QIcon windowIcon() {
    QIcon result;
    for (const int size : {16, 32, 48, 128}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paintMark(painter, QRectF(0, 0, size, size));
        painter.end();
        result.addPixmap(pixmap);
    }
    return result;
}

} // namespace

int runConsole(int argc, char** argv, const app::ConsoleOptions& options) {
    QGuiApplication::setHighDpiScaleFactorRoundingPolicy(
        Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication application(argc, argv);
    // No organisation: alike names would double the folder ("headway/headway").
    QCoreApplication::setApplicationName(QStringLiteral("headway"));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Headway"));
    QGuiApplication::setDesktopFileName(QStringLiteral("headway"));

    engine::EngineConfig config;
    for (const auto& [key, text] : options.settings) {
        const engine::Field* field = engine::findField(key);
        if (field == nullptr) {
            std::fputs(
                fmt::format("headway: there is no setting '{}'; see headway fields\n", key).c_str(),
                stderr);
            return 2;
        }
        if (const auto set = engine::setFromText(*field, config, text); !set) {
            std::fputs(fmt::format("headway: {}\n", set.error().message).c_str(), stderr);
            return 2;
        }
    }

    app::Preferences preferences(app::defaultPreferencesFile());
    Language language;
    language.set(Language::resolve(preferences.language()));
    applyTheme(application,
               preferences.theme() == app::ThemeChoice::Light ? ThemeKind::Light : ThemeKind::Dark);
    QGuiApplication::setWindowIcon(windowIcon());

    app::Session session(options.runLog.value_or(app::defaultRunLog()));
    MainWindow window(session, preferences, language);
    window.show();
    if (options.model) {
        window.openModel(QFile::decodeName(options.model->c_str()), config);
    }
    if (!options.workload.empty()) {
        // Once, with the first model; later ones are the operator's business.
        QObject::connect(&session, &app::Session::modelChanged, &window,
                         [&, isStarted = false]() mutable {
                             if (session.hasModel() && !isStarted) {
                                 isStarted = true;
                                 window.startWorkload(options.workload);
                             }
                         });
    }
    std::optional<Screenshots> screenshots;
    if (options.screenshots) {
        screenshots.emplace(window, session, *options.screenshots);
        screenshots->start();
    }
    const int status = QApplication::exec();
    session.finishRuns();
    waitUntilWritten(session);
    return status;
}

} // namespace ui
