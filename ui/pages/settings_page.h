// What the operator chooses about the console itself: language, theme, the service target, where
// things are. Every choice takes effect at once. UI thread.
#pragma once

#include "app/plot/palette.h"
#include "app/preferences.h"
#include "ui/pages/page.h"

class QComboBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace app {
class Session;
}

namespace ui {

// The local API as the page shows it.
struct ApiView {
    bool isRunning = false;
    QString address; // of a running one
    QString problem; // why it did not start
};

class SettingsPage final : public Page {
    Q_OBJECT

public:
    SettingsPage(app::Session& session, QWidget* parent);
    QString title() const override;
    QWidget* firstFocus() override;
    void setChoices(const app::Preferences& preferences, app::ThemeKind theme);
    void setApi(const ApiView& api);

Q_SIGNALS:
    void languageChosen(const QString& code); // empty: the system's
    void themeChosen(app::ThemeKind theme);
    void targetChosen(double ttftMs, double tpotMs);
    void notificationsChosen(bool isOn);
    void apiToggled(bool isWanted);
    void tokenRequested();                                 // on the clipboard
    void alarmLimitChosen(std::size_t rule, double limit); // a row of the alarm table

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        QLabel* label = nullptr;
        QLabel* note = nullptr;
    };

    void editTarget();
    void retranslate();
    void showApi();

    app::Session& m_session;
    QLabel* m_heading;
    QLabel* m_look;
    QComboBox* m_language;
    Row m_languageRow;
    QComboBox* m_theme;
    Row m_themeRow;
    QLabel* m_target;
    QDoubleSpinBox* m_ttft;
    Row m_ttftRow;
    QDoubleSpinBox* m_tpot;
    Row m_tpotRow;
    QLabel* m_alarms;
    QComboBox* m_notify;
    Row m_notifyRow;
    struct AlarmLimit {
        QDoubleSpinBox* box = nullptr;
        Row row;
    };
    std::vector<AlarmLimit> m_alarmLimits; // a row a rule
    QLabel* m_apiTitle;
    QPushButton* m_api;
    Row m_apiRow;
    QPushButton* m_token;
    Row m_tokenRow;
    ApiView m_apiView;
    QLabel* m_places;
    QLabel* m_runLog;
    Row m_runLogRow;
    QLabel* m_settingsFile;
    Row m_settingsFileRow;
    bool m_isFilling = false;
};

} // namespace ui
