#include "app/preferences.h"

#include <QFile>
#include <QSettings>
#include <QStandardPaths>
#include <QStringList>
#include <QVariant>

#include <algorithm>
#include <array>
#include <cmath>

namespace app {

namespace {

constexpr qsizetype kRecentModels = 8;
constexpr std::array<QLatin1String, 3> kThemes = {QLatin1String("system"), QLatin1String("dark"),
                                                  QLatin1String("light")};

QString key(const char* name) {
    return QString::fromLatin1(name);
}

QString layoutKey(const QString& owner) {
    return QStringLiteral("layout/") + owner;
}

std::filesystem::path pathOf(const QString& text) {
    return {QFile::encodeName(text).toStdString()};
}

QString textOf(const std::filesystem::path& path) {
    return QFile::decodeName(path.c_str());
}

QString alarmKey(const AlarmRule& rule, const char* name) {
    return QStringLiteral("alarms/%1_%2")
        .arg(QString::fromLatin1(rule.key.data(), static_cast<qsizetype>(rule.key.size())),
             QString::fromLatin1(name));
}

double positiveOr(const QVariant& value, double fallback) {
    bool isNumber = false;
    const double number = value.toDouble(&isNumber);
    return isNumber && std::isfinite(number) && number > 0.0 ? number : fallback;
}

} // namespace

Preferences::Preferences(const std::filesystem::path& file)
    : m_settings(std::make_unique<QSettings>(textOf(file), QSettings::IniFormat)) {}

Preferences::~Preferences() = default;

QString Preferences::language() const {
    return m_settings->value(key("window/language")).toString();
}

void Preferences::setLanguage(const QString& language) {
    m_settings->setValue(key("window/language"), language);
}

ThemeChoice Preferences::theme() const {
    const QString text = m_settings->value(key("window/theme")).toString();
    const auto* const found = std::find(kThemes.begin(), kThemes.end(), text);
    return found == kThemes.end() ? ThemeChoice::System
                                  : static_cast<ThemeChoice>(found - kThemes.begin());
}

void Preferences::setTheme(ThemeChoice theme) {
    m_settings->setValue(key("window/theme"), QString(kThemes[static_cast<std::size_t>(theme)]));
}

double Preferences::serviceTtftMs() const {
    return positiveOr(m_settings->value(key("service/ttft_ms")), 800.0);
}

double Preferences::serviceTpotMs() const {
    return positiveOr(m_settings->value(key("service/tpot_ms")), 100.0);
}

void Preferences::setServiceTarget(double ttftMs, double tpotMs) {
    m_settings->setValue(key("service/ttft_ms"), ttftMs);
    m_settings->setValue(key("service/tpot_ms"), tpotMs);
}

std::vector<AlarmSetting> Preferences::alarms() const {
    std::vector<AlarmSetting> settings = defaultAlarmSettings();
    for (std::size_t index = 0; index < settings.size(); ++index) {
        const AlarmRule& rule = alarmTable()[index];
        settings[index].limit = std::min(
            positiveOr(m_settings->value(alarmKey(rule, "limit")), rule.limit), rule.maximum);
        settings[index].holdSeconds = std::min(
            positiveOr(m_settings->value(alarmKey(rule, "hold_s")), rule.holdSeconds), 3600.0);
        settings[index].isMuted = m_settings->value(alarmKey(rule, "muted")).toBool();
    }
    return settings;
}

void Preferences::setAlarms(const std::vector<AlarmSetting>& settings) {
    for (std::size_t index = 0; index < settings.size(); ++index) {
        const AlarmRule& rule = alarmTable()[index];
        m_settings->setValue(alarmKey(rule, "limit"), settings[index].limit);
        m_settings->setValue(alarmKey(rule, "hold_s"), settings[index].holdSeconds);
        m_settings->setValue(alarmKey(rule, "muted"), settings[index].isMuted);
    }
}

bool Preferences::notifiesDesktop() const {
    return m_settings->value(key("alarms/desktop")).toBool();
}

void Preferences::setNotifiesDesktop(bool isOn) {
    m_settings->setValue(key("alarms/desktop"), isOn);
}

QByteArray Preferences::layout(const QString& owner) const {
    return m_settings->value(layoutKey(owner)).toByteArray();
}

void Preferences::setLayout(const QString& owner, const QByteArray& state) {
    m_settings->setValue(layoutKey(owner), state);
}

std::vector<std::filesystem::path> Preferences::recentModels() const {
    std::vector<std::filesystem::path> models;
    const QStringList texts = m_settings->value(key("models/recent")).toStringList();
    for (const QString& text : texts) {
        std::error_code ignored;
        if (std::filesystem::exists(pathOf(text), ignored)) { // a file or a model's folder
            models.push_back(pathOf(text));
        }
    }
    return models;
}

void Preferences::addRecentModel(const std::filesystem::path& model) {
    QStringList texts = m_settings->value(key("models/recent")).toStringList();
    std::error_code ignored;
    const QString text = textOf(std::filesystem::absolute(model, ignored));
    texts.removeAll(text);
    texts.prepend(text);
    m_settings->setValue(key("models/recent"), texts.mid(0, kRecentModels));
}

std::filesystem::path Preferences::lightModel() const {
    return pathOf(m_settings->value(key("models/light")).toString());
}

void Preferences::setLightModel(const std::filesystem::path& file) {
    m_settings->setValue(key("models/light"), textOf(file));
}

std::filesystem::path defaultPreferencesFile() {
    return pathOf(QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)) /
           "headway" / "headway.ini";
}

} // namespace app
