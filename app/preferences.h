// What the operator chose for this account: language, theme, layout, recent models. An ini file
// that survives versions: unknown keys stay, unreadable values count as not set. Main thread.
#pragma once

#include "app/observe/alarms.h"

#include <QByteArray>
#include <QString>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

class QSettings;

namespace app {

enum class ThemeChoice : std::uint8_t { System, Dark, Light };

class Preferences {
public:
    explicit Preferences(const std::filesystem::path& file);
    ~Preferences();

    QString language() const; // "en", "zh_CN"; empty: the system's
    void setLanguage(const QString& language);
    ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    // Limits of goodput: time to first token, time per output token.
    double serviceTtftMs() const;
    double serviceTpotMs() const;
    void setServiceTarget(double ttftMs, double tpotMs);
    // A row a rule of the alarm table; a limit that is not set or not allowed: the rule's own.
    std::vector<AlarmSetting> alarms() const;
    void setAlarms(const std::vector<AlarmSetting>& settings);
    // Whether a raised alarm is a message of the desktop as well; off at first.
    bool notifiesDesktop() const;
    void setNotifiesDesktop(bool isOn);
    // Window geometry, splitters, column widths: opaque to us, by a name of the owner's choice.
    QByteArray layout(const QString& owner) const;
    void setLayout(const QString& owner, const QByteArray& state);
    std::filesystem::path lightModel() const; // for level 2; empty: none was chosen
    void setLightModel(const std::filesystem::path& file);
    // Newest first, files that are gone left out.
    std::vector<std::filesystem::path> recentModels() const;
    void addRecentModel(const std::filesystem::path& model);

private:
    std::unique_ptr<QSettings> m_settings;
};

// $XDG_CONFIG_HOME/headway/headway.ini
std::filesystem::path defaultPreferencesFile();

} // namespace app
