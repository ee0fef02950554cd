// Pictures of every page in both themes and languages, from a short experiment and a recorded run
// of the demo workload. Drives a main window by timers and ends the program. UI thread.
#pragma once

#include "app/plot/palette.h"

#include <QObject>
#include <QString>

#include <filesystem>
#include <memory>
#include <vector>

class QTimer;

namespace app {
class ExperimentRun;
class Session;
} // namespace app

namespace ui {

class FirstStartPage;
class MainWindow;

class Screenshots final : public QObject {
    Q_OBJECT

public:
    // `folder` gets <page>-<dark|light>-<en|zh>.png.
    Screenshots(MainWindow& window, app::Session& session, const std::filesystem::path& folder);
    ~Screenshots() override;
    // Waits for the model that is being opened, then runs, photographs and quits with 0, or 1
    // where a picture could not be written or the model was not loaded.
    void start();

private:
    struct Shot {
        QString page;
        QString view; // of the page; empty: its only one
        app::ThemeKind theme;
        QString language;
    };

    void beginExperiment();
    void beginRun();
    void advance();
    void fail(const QString& message);

    MainWindow& m_window;
    app::Session& m_session;
    const QString m_folder;
    std::vector<Shot> m_shots;
    std::size_t m_next = 0;
    int m_turns = 0; // of the timer since the present shot was set up; 0: it is not
    QTimer* m_timer;
    std::unique_ptr<app::ExperimentRun> m_experiment;
    std::unique_ptr<FirstStartPage> m_first; // while it is photographed
};

} // namespace ui
