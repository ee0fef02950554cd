// The console's window: rail, strip, banners, the pages of the page table, the configuration panel,
// keys, palette. Reads the session, calls it, computes nothing. UI thread.
#pragma once

#include "app/plot/palette.h"
#include "app/preferences.h"
#include "app/session.h"
#include "ui/frame/key_list.h"
#include "ui/pages/page.h"

#include <QMainWindow>

#include <vector>

class QHBoxLayout;
class QStackedWidget;

namespace app {
class ApiServer;
}

namespace ui {

class AlarmCard;
class AdaptersCard;
class AttachCard;
class BannerStack;
class CommandPalette;
class ConfigForm;
class CornerMessage;
class Language;
class LevelCard;
class ModelMenu;
class Rail;
class SessionBanners;
class SettingsPage;
class SidePanel;
class TopStrip;

class MainWindow final : public QMainWindow {
    Q_OBJECT

public:
    // `preferences` and `language` outlive the window; choices are written as they are made.
    MainWindow(app::Session& session, app::Preferences& preferences, Language& language,
               QWidget* parent = nullptr);
    ~MainWindow() override;

    void openModel(const QString& file, const engine::EngineConfig& config);
    void openModel(const QString& file); // with the configuration in force
    void showPage(const QString& key, const QString& argument = {});
    QString currentPage() const;
    Page* page(const QString& key) const;
    QStringList pageKeys() const;
    void setTheme(app::ThemeKind theme);
    void setLanguage(const QString& code); // empty: the system's
    // Starts a built-in workload or a file; a problem becomes a banner.
    void startWorkload(const std::string& nameOrPath);
    // Everything the palette offers now.
    std::vector<PageAction> commands();

Q_SIGNALS:
    // For the desktop to show: nobody looks at this window. Where that is wanted.
    void desktopMessage(const QString& title, const QString& text);

protected:
    void changeEvent(QEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Entry {
        QString key;
        Page* page = nullptr;
    };

    void buildFrame();
    void buildPages();
    void connectPage(Page* page);
    void bringToFront(); // the page of the rail, or the first page before there is a model
    void addPage(const QString& key, const QString& iconName, bool isBelow, Page* page);
    void buildKeys();
    void connectSession();
    void bindKey(const QKeySequence& keys, std::function<void()> run);

    void followSession(); // strip and record button, at every tick and change
    void toggleRecording();
    void toggleLanguage();
    void toggleTheme();
    void setServiceTarget(double ttftMs, double tpotMs);
    void buildAlarms();
    void openAlarms();
    void notifyOfAlarm(const engine::Event& event);
    void buildServing();
    void followServing();
    void followLevels();
    void chooseLightModel();
    void buildApi();
    void showApi(const QString& problem = {});
    void setAlarms(std::vector<app::AlarmSetting> settings); // and keeps them
    void placePanel();
    void togglePanel();
    void cycleFocus();
    void explainFocus();
    void goBack(int steps);
    void retranslate();
    static QString pageLayout(const QString& key); // its name in the settings
    static QString deviceText(const QString& device, int threads, const QString& isa);
    void chooseModel();
    void reloadModel();
    std::vector<KeyGroup> keyGroups();
    void addSettings(std::vector<PageAction>& commands); // every field with its value
    void showSetting(std::string_view key);              // its row, with the focus
    engine::EngineConfig configuration() const;

    app::Session& m_session;
    app::Preferences& m_preferences;
    Language& m_language;

    Rail* m_rail = nullptr;
    TopStrip* m_strip = nullptr;
    BannerStack* m_bannerStack = nullptr;
    SessionBanners* m_banners = nullptr;
    QWidget* m_area = nullptr; // pages and panel
    QHBoxLayout* m_areaRow = nullptr;
    QStackedWidget* m_stack = nullptr;
    SidePanel* m_panel = nullptr;
    ConfigForm* m_form = nullptr; // in the panel
    CommandPalette* m_palette = nullptr;
    KeyList* m_keyList = nullptr;
    AlarmCard* m_alarmCard = nullptr;
    AttachCard* m_attachCard = nullptr;
    AdaptersCard* m_adaptersCard = nullptr;
    LevelCard* m_levelCard = nullptr;
    app::ApiServer* m_api = nullptr;
    int m_servingTicks = 0;
    CornerMessage* m_message = nullptr;
    ModelMenu* m_modelMenu = nullptr;
    SettingsPage* m_settings = nullptr;
    Page* m_firstStart = nullptr;
    Page* m_front = nullptr; // on the screen

    std::vector<Entry> m_pages;
    QStringList m_visited; // for Alt+Left and Alt+Right
    qsizetype m_visit = -1;
    bool m_isPanelShown = true; // where there is room for it
    bool m_isDrawerOpen = false;
    QString m_machineText; // of the strip before a model is loaded
    QString m_modelFile;
    engine::EngineConfig m_firstConfig; // of the first model, from the command line
};

} // namespace ui
