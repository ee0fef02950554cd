// Turns what the session reports into banners: loading with its phases, a model that failed, a
// stopped engine, a run log that can't record, runs that were cut off. UI thread.
#pragma once

#include "app/store/spare_logs.h"
#include "engine/events.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <vector>

namespace app {
class Session;
}

namespace ui {

class BannerStack;

class SessionBanners final : public QObject {
    Q_OBJECT

public:
    SessionBanners(app::Session& session, BannerStack& banners, QObject* parent);
    // Tells which file is being opened; call before Session::openModel().
    void beginLoading(const QString& file);
    // "convert, 2 of 5" while loading, else empty.
    QString loadingDetail() const;
    void retranslate();

Q_SIGNALS:
    void reloadRequested();
    void openRequested();
    void runRequested(std::int64_t run);

private:
    struct Phase {
        QString key;
        qint64 begunMs = 0;
        qint64 endedMs = -1; // still running
        qint64 done = 0, total = 0;
    };

    void showProgress(const QString& phase, qint64 done, qint64 total);
    void showLoading();
    void endLoading();
    void showLoadFailed(const QString& message);
    void showEvent(const engine::Event& event);
    void showQuality(const engine::Notice& notice);
    void undo(const std::vector<engine::FieldChange>& changes);
    void showRecordingProblem();
    void showInterrupted();
    void lookForSpares();
    void showSpares();

    app::Session& m_session;
    BannerStack& m_banners;
    QString m_file;
    QElapsedTimer m_clock;
    std::vector<Phase> m_phases;
    std::vector<app::SpareLog> m_spares; // written beside the log, not imported yet
};

} // namespace ui
