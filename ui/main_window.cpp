#include "ui/main_window.h"

#include "app/api/api_server.h"
#include "app/observe/machine.h"
#include "ui/command_palette.h"
#include "ui/dropped_file.h"
#include "ui/frame/adapters_card.h"
#include "ui/frame/attach_card.h"
#include "ui/frame/banner_stack.h"
#include "ui/frame/corner_message.h"
#include "ui/frame/model_menu.h"
#include "ui/frame/rail.h"
#include "ui/frame/session_banners.h"
#include "ui/frame/side_panel.h"
#include "ui/frame/top_strip.h"
#include "ui/language.h"
#include "ui/pages/live_page.h"
#include "ui/pages/settings_page.h"
#include "ui/panels/config_form.h"
#include "ui/theme.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QFile>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMimeData>
#include <QShortcut>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <array>

namespace ui {

namespace {

constexpr QSize kMinimumSize(1120, 700);
constexpr QSize kFirstSize(1440, 900);
constexpr int kPanelBesideFrom = 1280; // narrower windows open the panel as a drawer

// Names of what the window keeps in its settings.
constexpr QLatin1String kGeometry("window");
constexpr QLatin1String kPanel("panel");
constexpr QLatin1String kPage("page");
constexpr QLatin1String kHidden("hidden");

std::filesystem::path pathOf(const QString& file) {
    return QFile::encodeName(file).toStdString();
}

QString droppedFile(const QMimeData* data) {
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile()) {
            return url.toLocalFile();
        }
    }
    return {};
}

} // namespace

MainWindow::MainWindow(app::Session& session, app::Preferences& preferences, Language& language,
                       QWidget* parent)
    : QMainWindow(parent),
      m_session(session),
      m_preferences(preferences),
      m_language(language) {
    setWindowTitle(QStringLiteral("Headway"));
    const app::Machine machine = app::readMachine();
    m_machineText = deviceText(QStringLiteral("CPU"), machine.threads,
                               QString::fromStdString(machine.instructionSets));
    setMinimumSize(kMinimumSize);
    setAcceptDrops(true);
    resize(kFirstSize);
    restoreGeometry(m_preferences.layout(kGeometry));
    m_isPanelShown = m_preferences.layout(kPanel) != kHidden.data();
    buildFrame();
    buildPages();
    buildAlarms();
    buildServing();
    buildApi();
    buildKeys();
    connectSession();
    retranslate();
    const QString kept = QString::fromUtf8(m_preferences.layout(kPage));
    const QString first = page(kept) != nullptr ? kept : m_pages.front().key;
    showPage(first);
    followSession();
    m_stack->setFocus(); // the first Tab goes on from here; no ring before
}

// Pages put back what they changed, which the session tells everybody: it is told to nobody here,
// while the window is still whole.
MainWindow::~MainWindow() {
    m_session.disconnect(this);
    m_api->disconnect(this); // it stops later, when there is no page to say so
    for (const Entry& entry : m_pages) {
        delete entry.page;
    }
}

void MainWindow::buildFrame() {
    auto* root = new QWidget(this);
    setSurface(root, Surface::Window);
    auto* row = new QHBoxLayout(root);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_rail = new Rail(root);
    row->addWidget(m_rail);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    m_strip = new TopStrip(root);
    column->addWidget(m_strip);
    m_bannerStack = new BannerStack(root);
    column->addWidget(m_bannerStack);
    m_area = new QWidget(root);
    m_areaRow = new QHBoxLayout(m_area);
    m_areaRow->setContentsMargins(0, 0, 0, 0);
    m_areaRow->setSpacing(0);
    m_stack = new QStackedWidget(m_area);
    m_stack->setFocusPolicy(Qt::ClickFocus);
    m_areaRow->addWidget(m_stack, 1);
    column->addWidget(m_area, 1);
    row->addLayout(column, 1);
    setCentralWidget(root);

    m_banners = new SessionBanners(m_session, *m_bannerStack, this);
    m_modelMenu = new ModelMenu(this);
    m_palette = new CommandPalette(this, [this] { return commands(); });
    m_keyList = new KeyList(this, [this] { return keyGroups(); });
    m_message = new CornerMessage(m_area);
    m_form = new ConfigForm(m_session, m_area);
    m_panel = new SidePanel(m_form, m_area, m_areaRow);
    connect(m_form, &ConfigForm::closeRequested, this, &MainWindow::togglePanel);
    connect(m_panel, &SidePanel::closeRequested, this, &MainWindow::togglePanel);

    connect(m_rail, &Rail::chosen, this, [this](const QString& key) { showPage(key); });
    connect(m_strip, &TopStrip::modelMenuRequested, this, [this] {
        QStringList recent;
        for (const std::filesystem::path& file : m_preferences.recentModels()) {
            recent << QFile::decodeName(file.c_str());
        }
        m_modelMenu->open(m_strip->modelMenuPosition(), m_modelFile, recent);
    });
    connect(m_strip, &TopStrip::paletteRequested, m_palette, &OverlayCard::open);
    connect(m_strip, &TopStrip::recordRequested, this, &MainWindow::toggleRecording);
    connect(m_strip, &TopStrip::languageRequested, this, &MainWindow::toggleLanguage);
    connect(m_strip, &TopStrip::themeRequested, this, &MainWindow::toggleTheme);
    connect(m_modelMenu, &ModelMenu::chosen, this,
            [this](const QString& file) { openModel(file); });
    m_attachCard = new AttachCard(this);
    connect(m_modelMenu, &ModelMenu::attachRequested, m_attachCard, &OverlayCard::open);
    connect(m_attachCard, &AttachCard::attachRequested, this,
            qOverload<const QString&>(&MainWindow::openModel));
    m_adaptersCard = new AdaptersCard(m_session, this);
    connect(m_modelMenu, &ModelMenu::adaptersRequested, m_adaptersCard, &OverlayCard::open);
    connect(m_modelMenu, &ModelMenu::reloadRequested, this, &MainWindow::reloadModel);
    connect(m_banners, &SessionBanners::reloadRequested, this, &MainWindow::reloadModel);
    connect(m_banners, &SessionBanners::openRequested, this, &MainWindow::chooseModel);
    connect(m_banners, &SessionBanners::runRequested, this,
            [this](std::int64_t run) { showPage(QStringLiteral("runs"), QString::number(run)); });
}

void MainWindow::connectSession() {
    connect(&m_session, &app::Session::ticked, this, &MainWindow::followSession);
    connect(&m_session, &app::Session::loadProgressed, this, &MainWindow::followSession);
    connect(&m_session, &app::Session::modelChanged, this, &MainWindow::followSession);
    connect(&m_session, &app::Session::loadFailed, this, &MainWindow::followSession);
    connect(&m_session, &app::Session::runChanged, this, &MainWindow::followSession);
    connect(&m_session, &app::Session::recordingProblemChanged, this, &MainWindow::followSession);
}

void MainWindow::openModel(const QString& file, const engine::EngineConfig& config) {
    m_modelFile = file;
    m_firstConfig = config;
    m_banners->beginLoading(file);
    m_preferences.addRecentModel(pathOf(file));
    m_session.openModel(pathOf(file), config);
    followSession();
}

void MainWindow::openModel(const QString& file) {
    openModel(file, configuration());
}

engine::EngineConfig MainWindow::configuration() const {
    return m_session.hasModel() ? m_session.config().requested : m_firstConfig;
}

void MainWindow::chooseModel() {
    m_modelMenu->chooseFile(QFileInfo(m_modelFile).path());
}

void MainWindow::reloadModel() {
    if (!m_modelFile.isEmpty()) {
        openModel(m_modelFile);
    }
}

void MainWindow::startWorkload(const std::string& nameOrPath) {
    const auto workload = app::loadWorkload(nameOrPath);
    const auto started = workload ? m_session.startLoad(*workload)
                                  : engine::Result<void>(std::unexpected(workload.error()));
    if (!started) {
        m_bannerStack->show(
            {.key = QStringLiteral("workload"),
             .tone = BannerTone::Bad,
             .iconName = QStringLiteral("warning"),
             .title = tr("The workload was not started"),
             .detail = QString::fromStdString(started.error().message).toHtmlEscaped(),
             .canClose = true});
    }
}

QString MainWindow::deviceText(const QString& device, int threads, const QString& isa) {
    return QStringList{device, tr("%n thread(s)", nullptr, threads), isa}.join(
        QStringLiteral(" · "));
}

void MainWindow::followSession() {
    bringToFront();
    const engine::Snapshot snapshot = m_session.snapshot();
    const bool hasModel = m_session.hasModel();
    if (hasModel) {
        const engine::Capabilities capabilities = m_session.capabilities();
        m_strip->setModel(&capabilities);
        m_strip->setDevice(deviceText(QString::fromStdString(capabilities.device),
                                      static_cast<int>(snapshot.threads),
                                      QString::fromStdString(capabilities.isa)));
    } else {
        m_strip->setModel(nullptr);
        m_strip->setDevice(m_machineText);
    }
    if (m_session.isLoading()) {
        m_strip->setEngineState(engine::EngineState::Loading, m_banners->loadingDetail());
    } else if (!hasModel) {
        m_strip->setEngineState(engine::EngineState::NoModel, {});
    } else if (snapshot.state == engine::EngineState::Draining) {
        m_strip->setEngineState(snapshot.state,
                                tr("%n left", nullptr, static_cast<int>(snapshot.running)));
    } else {
        m_strip->setEngineState(snapshot.state, {});
    }
    RecordingView recording;
    recording.reason = m_session.recordingProblem();
    if (m_session.currentRun()) {
        recording.state = RecordingView::State::Recording;
        recording.seconds = m_session.runSeconds();
    } else if (!recording.reason.isEmpty()) {
        recording.state = RecordingView::State::Blocked;
    } else if (hasModel) {
        recording.state = RecordingView::State::Idle;
    }
    m_strip->setRecording(recording);
}

void MainWindow::setTheme(app::ThemeKind theme) {
    m_preferences.setTheme(theme == ThemeKind::Light ? app::ThemeChoice::Light
                                                     : app::ThemeChoice::Dark);
    applyTheme(*qApp, theme);
    m_settings->setChoices(m_preferences, theme);
}

void MainWindow::setLanguage(const QString& code) {
    m_preferences.setLanguage(code);
    m_language.set(Language::resolve(code));
    m_settings->setChoices(m_preferences, themeKind());
}

void MainWindow::setServiceTarget(double ttftMs, double tpotMs) {
    m_preferences.setServiceTarget(ttftMs, tpotMs);
    m_session.setServiceTarget(ttftMs, tpotMs);
    m_settings->setChoices(m_preferences, themeKind());
    if (auto* live = qobject_cast<LivePage*>(page(QStringLiteral("live")))) {
        live->setServiceTarget(ttftMs, tpotMs);
    }
}

void MainWindow::placePanel() {
    const bool hasRoom =
        width() >= kPanelBesideFrom && m_front != nullptr && m_front->hasPanelBeside();
    if (hasRoom) {
        m_panel->setMode(m_isPanelShown ? SidePanel::Mode::Beside : SidePanel::Mode::Hidden);
    } else {
        m_panel->setMode(m_isDrawerOpen ? SidePanel::Mode::Drawer : SidePanel::Mode::Hidden);
    }
}

void MainWindow::togglePanel() {
    if (width() >= kPanelBesideFrom && m_front != nullptr && m_front->hasPanelBeside()) {
        m_isPanelShown = !m_isPanelShown;
        m_preferences.setLayout(kPanel,
                                m_isPanelShown ? QByteArray("shown") : QByteArray(kHidden.data()));
    } else {
        m_isDrawerOpen = !m_isDrawerOpen;
    }
    placePanel();
}

void MainWindow::retranslate() {
    m_banners->retranslate();
    followSession();
}

void MainWindow::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange && m_banners != nullptr) {
        retranslate();
    }
    QMainWindow::changeEvent(event);
}

void MainWindow::closeEvent(QCloseEvent* event) {
    m_preferences.setLayout(kGeometry, saveGeometry());
    m_preferences.setLayout(kPage, m_rail->current().toUtf8());
    for (const Entry& entry : m_pages) {
        m_preferences.setLayout(pageLayout(entry.key), entry.page->state());
    }
    event->accept();
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    if (m_panel != nullptr) {
        placePanel();
    }
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    const QString file = droppedFile(event->mimeData());
    if (isModelFile(file) || !pageOfFile(file).isEmpty() || QFileInfo(file).isDir()) {
        event->acceptProposedAction();
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    const QString file = droppedFile(event->mimeData());
    event->acceptProposedAction();
    const QString page = pageOfFile(file);
    if (!page.isEmpty()) {
        showPage(page, file);
    } else {
        openModel(file);
    }
}

} // namespace ui
