// The window's degradation badge and its card, and its local API.
#include "app/api/api_server.h"
#include "ui/frame/banner_stack.h"
#include "ui/frame/level_card.h"
#include "ui/frame/top_strip.h"
#include "ui/main_window.h"
#include "ui/pages/settings_page.h"
#include "ui/widgets/banner.h"

#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>

namespace ui {

void MainWindow::buildServing() {
    m_levelCard = new LevelCard(this);
    connect(m_strip, &TopStrip::levelsRequested, m_levelCard, [this] {
        followLevels();
        m_levelCard->open();
    });
    connect(m_levelCard, &LevelCard::limitsRequested, this, [this] {
        if (!m_isPanelShown || !m_isDrawerOpen) {
            m_isPanelShown = true;
            m_isDrawerOpen = true;
            placePanel();
        }
    });
    connect(m_levelCard, &LevelCard::lightModelRequested, this, &MainWindow::chooseLightModel);
    m_session.setLightModel(m_preferences.lightModel());
    connect(m_levelCard, &LevelCard::chosen, this,
            [this](const QString& field, const QString& value) {
                const auto set = m_session.setField(field.toStdString(), value.toStdString());
                if (!set) {
                    m_bannerStack->show(
                        {.key = QStringLiteral("level"),
                         .tone = BannerTone::Bad,
                         .iconName = QStringLiteral("warning"),
                         .title = tr("The setting was refused"),
                         .detail = QString::fromStdString(set.error().message).toHtmlEscaped(),
                         .canClose = true});
                }
                followServing();
            });
    // Ten times a second would be drawn for nobody.
    connect(&m_session, &app::Session::ticked, this, [this] {
        if (m_levelCard->isVisible() || ++m_servingTicks % 5 == 0) {
            followServing();
        }
    });
    connect(&m_session, &app::Session::configChanged, this, &MainWindow::followServing);
    followServing();
}

void MainWindow::chooseLightModel() {
    auto* dialog = new QFileDialog(this, tr("Light model"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setNameFilter(tr("Models (*.gguf *.safetensors)"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
        const std::filesystem::path path = QFile::encodeName(file).toStdString();
        m_preferences.setLightModel(path);
        m_session.setLightModel(path);
        Q_EMIT m_levelCard->chosen(QStringLiteral("light.model"), QStringLiteral("chosen"));
    });
    dialog->open();
}

void MainWindow::followServing() {
    const auto status = m_session.servingStatus();
    m_strip->setLevel(status ? std::optional(LevelView{.mode = status->mode,
                                                       .level = status->level,
                                                       .isTrying = status->isTrying})
                             : std::nullopt);
    if (m_levelCard->isVisible()) { // texts that nobody sees would be laid out all the same
        followLevels();
    }
}

void MainWindow::followLevels() {
    if (const auto status = m_session.servingStatus()) {
        m_levelCard->follow(*status, m_session.config().requested);
    }
}

void MainWindow::buildApi() {
    m_api = new app::ApiServer(m_session, this);
    connect(m_settings, &SettingsPage::apiToggled, this, [this](bool isWanted) {
        if (!isWanted) {
            m_api->stop();
            return;
        }
        auto started = m_api->start({});
        if (!started && started.error().code == engine::ErrorCode::Busy) {
            started = m_api->start({.port = 0}); // another console has the usual one
        }
        showApi(started ? QString() : QString::fromStdString(started.error().message));
    });
    connect(m_settings, &SettingsPage::tokenRequested, this, [this] {
        QGuiApplication::clipboard()->setText(QString::fromStdString(m_api->token()));
    });
    connect(m_api, &app::ApiServer::runningChanged, this, [this] { showApi(); });
    showApi();
}

void MainWindow::showApi(const QString& problem) {
    m_settings->setApi({.isRunning = m_api->isRunning(),
                        .address = QStringLiteral("http://127.0.0.1:%1/v1").arg(m_api->port()),
                        .problem = problem});
}

} // namespace ui
