#include "ui/screenshots.h"

#include "app/experiment/experiment_run.h"
#include "app/session.h"
#include "ui/command_palette.h"
#include "ui/main_window.h"
#include "ui/pages/first_start_page.h"
#include "ui/theme.h"

#include <QApplication>
#include <QFile>
#include <QTimer>

#include <chrono>
#include <cstdio>

namespace ui {

namespace {

using namespace std::chrono_literals;

constexpr auto kTraffic = 50s; // of the demo before the first picture
constexpr auto kSwitch = 20s;  // a setting changes, so that there is a marker
constexpr auto kTurn = 600ms;  // a page needs a few ticks to fill
constexpr int kTurnsToSettle = 2;
constexpr double kBlockSeconds = 4.0;
constexpr double kShareOfBest = 0.35; // the demo's weights are heavier than the experiment's

// Not in the rail.
constexpr QLatin1String kFirst("first-start");
constexpr QLatin1String kPalette("palette");

// What a page shows for which argument; the first picture has its name alone.
QStringList viewsOf(const QString& page) {
    if (page == QStringLiteral("experiments")) {
        return {QStringLiteral("results"), QStringLiteral("claims"), QStringLiteral("tuner"),
                QStringLiteral("advisor"), QStringLiteral("replay:1")};
    }
    if (page == QStringLiteral("runs")) {
        return {QStringLiteral("1"), QStringLiteral("compare:1:2")};
    }
    return {QString()};
}

} // namespace

Screenshots::Screenshots(MainWindow& window, app::Session& session,
                         const std::filesystem::path& folder)
    : m_window(window),
      m_session(session),
      m_folder(QFile::decodeName(folder.c_str())),
      m_timer(new QTimer(this)) {
    for (const app::ThemeKind theme : {app::ThemeKind::Dark, app::ThemeKind::Light}) {
        for (const QString& language : {QStringLiteral("en"), QStringLiteral("zh_CN")}) {
            for (const QString& page : m_window.pageKeys()) {
                for (const QString& view : viewsOf(page)) {
                    m_shots.push_back({page, view, theme, language});
                }
            }
            m_shots.push_back({QString(kFirst), {}, theme, language});
            m_shots.push_back({QString(kPalette), {}, theme, language});
        }
    }
    m_timer->setInterval(kTurn);
    connect(m_timer, &QTimer::timeout, this, &Screenshots::advance);
}

void Screenshots::start() {
    m_window.resize(1440, 900);
    connect(&m_session, &app::Session::loadFailed, this, &Screenshots::fail);
    connect(&m_session, &app::Session::modelChanged, this, [this] {
        if (m_session.hasModel() && !m_session.isLoadRunning()) {
            beginExperiment();
        }
    });
}

Screenshots::~Screenshots() = default;

// Long enough for intervals, as short as they allow.
void Screenshots::beginExperiment() {
    auto experiment = app::loadExperiment("continuous-single");
    if (!experiment) {
        fail(QString::fromStdString(experiment.error().message));
        return;
    }
    experiment->measureSeconds = kBlockSeconds;
    experiment->warmupSeconds = 1.0;
    experiment->stopAt = 0.0;
    experiment->workload.stages.front().seconds = experiment->blockSeconds();
    m_experiment = std::make_unique<app::ExperimentRun>(m_session, std::move(*experiment));
    connect(m_experiment.get(), &app::ExperimentRun::finished, this, &Screenshots::beginRun,
            Qt::QueuedConnection);
    if (const auto started = m_experiment->start(); !started) {
        fail(QString::fromStdString(started.error().message));
    }
}

void Screenshots::beginRun() {
    auto workload = app::loadWorkload("demo");
    if (!workload) {
        fail(QString::fromStdString(workload.error().message));
        return;
    }
    // Well below what this machine can do, or every chart is a ramp.
    for (const app::MeasureVerdict& row : m_experiment->verdict().measures) {
        if (row.metric == "requests_per_s" && row.b > 0.0) {
            for (app::Stage& stage : workload->stages) {
                stage.ratePerSecond = stage.endRatePerSecond = kShareOfBest * row.b;
            }
        }
    }
    if (const auto started = m_session.startLoad(*workload); !started) {
        fail(QString::fromStdString(started.error().message));
        return;
    }
    QTimer::singleShot(kSwitch, this, [this] {
        if (const auto set = m_session.setField("--max-batch", "8"); !set) {
            fail(QString::fromStdString(set.error().message));
        }
    });
    QTimer::singleShot(kTraffic, m_timer, [this] { m_timer->start(); });
}

void Screenshots::advance() {
    if (m_next == m_shots.size()) {
        m_timer->stop();
        QApplication::exit(0);
        return;
    }
    const Shot& shot = m_shots[m_next];
    if (m_turns == 0) {
        m_window.setTheme(shot.theme);
        m_window.setLanguage(shot.language);
        if (shot.page == kFirst) {
            m_first = std::make_unique<FirstStartPage>(m_session);
            m_first->resize(m_window.width() - size::kRail, m_window.height() - size::kTopStrip);
            m_first->show();
            m_first->setShown(true);
        } else if (shot.page == kPalette) {
            if (auto* palette = m_window.findChild<CommandPalette*>()) {
                palette->open();
            }
        } else {
            m_window.showPage(shot.page, shot.view);
        }
        m_turns = 1;
        return;
    }
    // A switch of theme or language may take a whole turn on a busy machine; one more fills it.
    if (++m_turns <= kTurnsToSettle) {
        return;
    }
    const bool isMain = viewsOf(shot.page).first() == shot.view;
    const QString name = isMain ? shot.page : shot.page + u'-' + shot.view.section(u':', 0, 0);
    const QString file = QStringLiteral("%1/%2-%3-%4.png")
                             .arg(m_folder, name,
                                  shot.theme == app::ThemeKind::Dark ? QStringLiteral("dark")
                                                                     : QStringLiteral("light"),
                                  shot.language == QStringLiteral("en") ? QStringLiteral("en")
                                                                        : QStringLiteral("zh"));
    QWidget& shown = m_first != nullptr ? static_cast<QWidget&>(*m_first) : m_window;
    const bool isSaved = shown.grab().save(file);
    m_first.reset();
    if (auto* palette = m_window.findChild<CommandPalette*>(); palette->isVisible()) {
        palette->close();
    }
    if (!isSaved) {
        fail(QStringLiteral("%1 can't be written").arg(file));
        return;
    }
    m_turns = 0;
    ++m_next;
}

void Screenshots::fail(const QString& message) {
    std::fprintf(stderr, "headway: no pictures: %s\n", qPrintable(message));
    m_timer->stop();
    QApplication::exit(1);
}

} // namespace ui
