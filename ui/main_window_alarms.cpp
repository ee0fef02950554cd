// The window's alarms: badge, card, limits that are kept.
#include "app/labels.h"
#include "ui/frame/alarm_card.h"
#include "ui/frame/top_strip.h"
#include "ui/main_window.h"
#include "ui/notifications.h"
#include "ui/pages/settings_page.h"
#include "ui/theme.h"

namespace ui {

void MainWindow::buildAlarms() {
    m_alarmCard = new AlarmCard(this);
    connect(m_strip, &TopStrip::alarmsRequested, this, &MainWindow::openAlarms);
    connect(m_alarmCard, &AlarmCard::acknowledged, &m_session, &app::Session::acknowledgeAlarm);
    connect(m_alarmCard, &AlarmCard::limitsRequested, this,
            [this] { showPage(QStringLiteral("settings")); });
    connect(m_alarmCard, &AlarmCard::muteChosen, this, [this](std::size_t rule, bool isMuted) {
        std::vector<app::AlarmSetting> settings = m_session.alarms().settings();
        settings.at(rule).isMuted = isMuted;
        setAlarms(std::move(settings));
    });
    connect(m_settings, &SettingsPage::alarmLimitChosen, this,
            [this](std::size_t rule, double limit) {
                std::vector<app::AlarmSetting> settings = m_session.alarms().settings();
                settings.at(rule).limit = limit;
                setAlarms(std::move(settings));
            });
    connect(&m_session, &app::Session::alarmsChanged, this, [this] {
        if (m_alarmCard->isVisible()) { // texts that nobody sees would be laid out all the same
            m_alarmCard->follow(m_session.alarms());
        }
        m_strip->setAlarms(m_session.alarms().raised(true), m_session.alarms().raised(false));
    });
    connect(m_settings, &SettingsPage::notificationsChosen, this, [this](bool isOn) {
        m_preferences.setNotifiesDesktop(isOn);
        m_settings->setChoices(m_preferences, themeKind());
    });
    connect(&m_session, &app::Session::eventHappened, this, &MainWindow::notifyOfAlarm);
    connect(this, &MainWindow::desktopMessage, this, &notifyDesktop);
    m_session.setAlarmSettings(m_preferences.alarms());
}

void MainWindow::openAlarms() {
    m_alarmCard->follow(m_session.alarms());
    m_alarmCard->open();
}

// Only where nobody looks: whoever has the window in front sees badge and pin.
void MainWindow::notifyOfAlarm(const engine::Event& event) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    if (notice == nullptr || notice->kind != app::kAlarmRaised || isActiveWindow() ||
        !m_preferences.notifiesDesktop() || notice->values.empty()) {
        return;
    }
    const app::AlarmRule* rule = app::findAlarm(notice->values.front().second);
    const auto& settings = m_session.alarms().settings();
    if (rule != nullptr &&
        !settings[static_cast<std::size_t>(rule - app::alarmTable().data())].isMuted) {
        Q_EMIT desktopMessage(QStringLiteral("Headway"), app::eventText(event));
    }
}

void MainWindow::setAlarms(std::vector<app::AlarmSetting> settings) {
    m_preferences.setAlarms(settings);
    m_session.setAlarmSettings(std::move(settings));
    m_settings->setChoices(m_preferences, themeKind());
}

} // namespace ui
