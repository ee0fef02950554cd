#include "ui/frame/session_banners.h"

#include "app/background.h"
#include "app/labels.h"
#include "app/observe/history.h"
#include "app/session.h"
#include "engine/quality.h"
#include "ui/frame/banner_stack.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <algorithm>
#include <array>

namespace ui {

namespace {

constexpr QLatin1String kLoading("loading");
constexpr QLatin1String kLoadFailed("load-failed");
constexpr QLatin1String kStopped("engine-stopped");
constexpr QLatin1String kRecording("recording");
constexpr QLatin1String kInterrupted("interrupted");
constexpr QLatin1String kSpares("spares");
constexpr QLatin1String kGarbled("garbled");

// The phases of makeEngine(), in order.
struct PhaseName {
    const char* key;
    const char* label;
};
constexpr std::array kPhases = {
    PhaseName{"open", QT_TRANSLATE_NOOP("LoadingPhase", "open")},
    PhaseName{"map", QT_TRANSLATE_NOOP("LoadingPhase", "map")},
    PhaseName{"convert", QT_TRANSLATE_NOOP("LoadingPhase", "convert")},
    PhaseName{"tokenizer", QT_TRANSLATE_NOOP("LoadingPhase", "tokenizer")},
    PhaseName{"warm-up", QT_TRANSLATE_NOOP("LoadingPhase", "warm-up")},
};

QString phaseLabel(const QString& key) {
    for (const PhaseName& phase : kPhases) {
        if (key == QString::fromLatin1(phase.key)) {
            return QCoreApplication::translate("LoadingPhase", phase.label);
        }
    }
    return key;
}

int phaseNumber(const QString& key) {
    const auto found = std::ranges::find_if(
        kPhases, [&](const PhaseName& phase) { return key == QString::fromLatin1(phase.key); });
    return static_cast<int>(found - kPhases.begin()) + 1;
}

} // namespace

SessionBanners::SessionBanners(app::Session& session, BannerStack& banners, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_banners(banners) {
    connect(&session, &app::Session::loadProgressed, this, &SessionBanners::showProgress);
    connect(&session, &app::Session::modelChanged, this, &SessionBanners::endLoading);
    connect(&session, &app::Session::loadFailed, this, &SessionBanners::showLoadFailed);
    connect(&session, &app::Session::eventHappened, this, &SessionBanners::showEvent);
    connect(&session, &app::Session::recordingProblemChanged, this,
            &SessionBanners::showRecordingProblem);
    connect(&session, &app::Session::runsImported, this, [this](int, qint64, const QString&) {
        if (!m_spares.empty()) {
            lookForSpares(); // the next one
        }
    });
    showRecordingProblem();
    showInterrupted();
    lookForSpares();
}

// Reads other logs: aside.
void SessionBanners::lookForSpares() {
    app::runInBackground(
        this, [log = m_session.runLog()] { return app::spareLogs(log); },
        [this](std::vector<app::SpareLog> spares) {
            m_spares = std::move(spares);
            showSpares();
        });
}

void SessionBanners::showSpares() {
    if (m_spares.empty()) {
        m_banners.remove(kSpares);
        return;
    }
    const app::SpareLog& spare = m_spares.front();
    m_banners.show(
        {.key = kSpares,
         .tone = BannerTone::Info,
         .iconName = QStringLiteral("info"),
         .title = tr("%n run(s) were recorded beside the run log", nullptr, spare.missing),
         .detail = tr("Another program held the log then, so they are in %1. Imported, they stand "
                      "among the others; the file stays.")
                       .arg(QString::fromStdString(spare.file.filename().string()).toHtmlEscaped()),
         .actions = {{tr("Import"),
                      [this, file = spare.file] {
                          m_banners.remove(kSpares);
                          m_session.importRuns(file);
                      },
                      true}},
         .canClose = true});
}

void SessionBanners::beginLoading(const QString& file) {
    m_file = file;
    m_phases.clear();
    m_clock.start();
    m_banners.remove(kLoadFailed);
    showLoading();
}

QString SessionBanners::loadingDetail() const {
    if (!m_session.isLoading() || m_phases.empty()) {
        return {};
    }
    const int number = phaseNumber(m_phases.back().key);
    const int count = static_cast<int>(kPhases.size());
    const QString label = phaseLabel(m_phases.back().key);
    return number > count ? label : tr("%1, %2 of %3").arg(label).arg(number).arg(count);
}

void SessionBanners::retranslate() {
    if (m_session.isLoading()) {
        showLoading();
    }
    showRecordingProblem();
    if (m_banners.contains(kInterrupted)) {
        showInterrupted();
    }
    if (m_banners.contains(kSpares)) {
        showSpares();
    }
}

void SessionBanners::showProgress(const QString& phase, qint64 done, qint64 total) {
    if (!m_clock.isValid()) {
        m_clock.start();
    }
    const qint64 now = m_clock.elapsed();
    if (m_phases.empty() || m_phases.back().key != phase) {
        if (!m_phases.empty()) {
            m_phases.back().endedMs = now;
        }
        m_phases.push_back({.key = phase, .begunMs = now});
    }
    m_phases.back().done = done;
    m_phases.back().total = total;
    showLoading();
}

void SessionBanners::showLoading() {
    QStringList parts;
    for (const Phase& phase : m_phases) {
        const QString label = phaseLabel(phase.key);
        if (phase.endedMs >= 0) {
            parts << tr("%1 %2 ms")
                         .arg(label,
                              app::numberText(static_cast<double>(phase.endedMs - phase.begunMs)));
        } else if (phase.total > 1) {
            parts << QStringLiteral("<b>%1</b>")
                         .arg(tr("%1 %2 of %3")
                                  .arg(label.toHtmlEscaped(),
                                       app::numberText(static_cast<double>(phase.done)),
                                       app::numberText(static_cast<double>(phase.total))));
        } else {
            parts << QStringLiteral("<b>%1</b>").arg(label.toHtmlEscaped());
        }
    }
    const bool hasOther = m_session.hasModel();
    if (hasOther) {
        parts << tr("the present model serves until then");
    }
    m_banners.show({.key = kLoading,
                    .tone = BannerTone::Info,
                    .iconName = QStringLiteral("download"),
                    .title = tr("Loading %1").arg(QFileInfo(m_file).completeBaseName()),
                    .detail = parts.join(QStringLiteral(" · ")),
                    .actions = {{tr("Cancel"), [this] { m_session.cancelLoading(); }}}});
}

void SessionBanners::endLoading() {
    if (!m_session.isLoading()) {
        m_banners.remove(kLoading);
    }
    if (m_session.hasModel()) {
        m_banners.remove(kLoadFailed);
        m_banners.remove(kStopped);
        m_banners.remove(kGarbled);
    }
}

void SessionBanners::showLoadFailed(const QString& message) {
    m_banners.remove(kLoading);
    m_banners.show({.key = kLoadFailed,
                    .tone = BannerTone::Bad,
                    .iconName = QStringLiteral("warning"),
                    .title = tr("%1 was not loaded").arg(QFileInfo(m_file).fileName()),
                    .detail = message.toHtmlEscaped(),
                    .actions = {{tr("Open another…"), [this] { Q_EMIT openRequested(); }}},
                    .canClose = true});
}

namespace {

std::string valueIn(const engine::Notice& notice, const std::string& key) {
    const auto found =
        std::ranges::find(notice.values, key, &std::pair<std::string, std::string>::first);
    return found == notice.values.end() ? std::string() : found->second;
}

// What changed since answers were known to be good, as far as this build has the settings.
std::vector<engine::FieldChange> changesIn(const engine::Notice& notice) {
    std::vector<engine::FieldChange> changes;
    for (std::string number; !valueIn(notice, "field" + number).empty();
         number = "_" + std::to_string(changes.size() + 1)) {
        changes.push_back({.key = valueIn(notice, "field" + number),
                           .before = valueIn(notice, "before" + number),
                           .after = valueIn(notice, "after" + number)});
    }
    std::erase_if(changes, [](const engine::FieldChange& change) {
        return engine::findField(change.key) == nullptr;
    });
    return changes;
}

} // namespace

// Changes that garble what the model says, with the way back. What follows from another setting, or
// is held by a level, was not asked for by the operator, and is not taken back.
void SessionBanners::showQuality(const engine::Notice& notice) {
    if (valueIn(notice, "garbled") != "yes") {
        m_banners.remove(kGarbled);
        return;
    }
    std::vector<engine::FieldChange> changes = changesIn(notice);
    const engine::EngineConfig requested = m_session.config().requested;
    std::vector<engine::FieldChange> undone = changes;
    std::erase_if(undone, [&](const engine::FieldChange& change) {
        return engine::valueText(*engine::findField(change.key), requested) != change.after;
    });
    std::vector<BannerAction> actions;
    if (!undone.empty()) {
        changes = undone;
        actions.push_back({tr("Undo"),
                           [this, undone] {
                               m_banners.remove(kGarbled);
                               undo(undone);
                           },
                           true});
    }
    QStringList settings;
    for (const engine::FieldChange& change : changes) {
        const engine::Field& field = *engine::findField(change.key);
        settings
            << tr("%1 is %2").arg(app::fieldLabel(field), app::choiceLabel(field, change.after));
    }
    const QString title = settings.isEmpty()
                              ? tr("Answers are garbled")
                              : tr("Answers are garbled since %1").arg(settings.join(tr(", ")));
    m_banners.show({.key = kGarbled,
                    .tone = BannerTone::Bad,
                    .iconName = QStringLiteral("warning"),
                    .title = title,
                    .detail = tr("The quality check compared the sample text and short prompts "
                                 "with the file's own precision."),
                    .actions = std::move(actions),
                    .canClose = true});
}

// One edit: rules across fields see all of it.
void SessionBanners::undo(const std::vector<engine::FieldChange>& changes) {
    static_cast<void>(m_session.edit([&changes](engine::EngineConfig& config) {
        for (const engine::FieldChange& change : changes) {
            static_cast<void>(
                engine::setFromText(*engine::findField(change.key), config, change.before));
        }
    }));
}

void SessionBanners::showEvent(const engine::Event& event) {
    if (const auto* notice = std::get_if<engine::Notice>(&event.body);
        notice != nullptr && notice->kind == "quality_checked") {
        showQuality(*notice);
        return;
    }
    if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body);
        applied != nullptr &&
        !engine::changesOfNumbers(applied->changes, m_session.config().effective.attention)
             .empty()) {
        m_banners.remove(kGarbled); // taken back, or to be checked anew
        return;
    }
    const auto* failed = std::get_if<engine::Failed>(&event.body);
    if (failed == nullptr) {
        return;
    }
    m_banners.show(
        {.key = kStopped,
         .tone = BannerTone::Bad,
         .iconName = QStringLiteral("warning"),
         .title = tr("The engine stopped: %1").arg(QString::fromStdString(failed->message)),
         .detail = tr("%n request(s) failed. Everything recorded is safe.", nullptr,
                      static_cast<int>(failed->requestsFailed)),
         .actions = {{tr("Reload"), [this] { Q_EMIT reloadRequested(); }, true}}});
}

void SessionBanners::showRecordingProblem() {
    const QString problem = m_session.recordingProblem();
    if (problem.isEmpty()) {
        m_banners.remove(kRecording);
        return;
    }
    m_banners.show({.key = kRecording,
                    .tone = BannerTone::Warn,
                    .iconName = QStringLiteral("lock"),
                    .title = tr("Nothing is recorded"),
                    .detail = problem.toHtmlEscaped(),
                    .canClose = true});
}

void SessionBanners::showInterrupted() {
    const std::vector<std::int64_t> runs = m_session.interruptedRuns();
    if (runs.empty()) {
        return;
    }
    const std::int64_t newest = *std::ranges::max_element(runs);
    m_banners.show(
        {.key = kInterrupted,
         .tone = BannerTone::Info,
         .iconName = QStringLiteral("info"),
         .title = tr("%n run(s) ended without a stop", nullptr, static_cast<int>(runs.size())),
         .detail = tr("The console was closed or killed while it recorded. What was "
                      "measured up to then is in the run log, marked as interrupted."),
         .actions = {{tr("Open"),
                      [this, newest] {
                          m_banners.remove(kInterrupted);
                          Q_EMIT runRequested(newest);
                      }}},
         .canClose = true});
}

} // namespace ui
