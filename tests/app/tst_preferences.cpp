// Preferences survive programs, odd values and missing files.
#include "app/preferences.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace app;

class TstPreferences : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void freshOnesAreTheDefaults();
    void valuesSurvive();
    void unreadableValuesCountAsNotSet();
    void unknownKeysStay();
    void recentModelsAreNewestFirstAndExist();

private:
    std::filesystem::path file() const {
        return std::filesystem::path(m_folder.path().toStdString()) /
               (std::string(QTest::currentTestFunction()) + ".ini");
    }
    QTemporaryDir m_folder;
};

void TstPreferences::freshOnesAreTheDefaults() {
    const Preferences preferences(file());
    QVERIFY(preferences.language().isEmpty());
    QCOMPARE(preferences.theme(), ThemeChoice::System);
    QVERIFY(preferences.layout(QStringLiteral("window")).isEmpty());
    QVERIFY(preferences.recentModels().empty());
}

void TstPreferences::valuesSurvive() {
    const QByteArray state("\0\x01\xFFstate", 8);
    {
        Preferences preferences(file());
        preferences.setLanguage(QStringLiteral("zh_CN"));
        preferences.setTheme(ThemeChoice::Light);
        preferences.setLayout(QStringLiteral("window"), state);
    }
    const Preferences preferences(file());
    QCOMPARE(preferences.language(), QStringLiteral("zh_CN"));
    QCOMPARE(preferences.theme(), ThemeChoice::Light);
    QCOMPARE(preferences.layout(QStringLiteral("window")), state);
}

void TstPreferences::unreadableValuesCountAsNotSet() {
    QFile ini(QString::fromStdString(file().string()));
    QVERIFY(ini.open(QIODevice::WriteOnly));
    ini.write("[window]\ntheme=purple\nlanguage=\x01\n\xFF\xFE[broken\n=\n[models]\nrecent=7\n");
    ini.close();
    const Preferences preferences(file());
    QCOMPARE(preferences.theme(), ThemeChoice::System);
    QVERIFY(preferences.recentModels().empty());
}

void TstPreferences::unknownKeysStay() {
    QFile ini(QString::fromStdString(file().string()));
    QVERIFY(ini.open(QIODevice::WriteOnly));
    ini.write("[later]\nshape=round\n");
    ini.close();
    { Preferences(file()).setTheme(ThemeChoice::Dark); }
    QVERIFY(ini.open(QIODevice::ReadOnly));
    QVERIFY(ini.readAll().contains("shape=round"));
}

void TstPreferences::recentModelsAreNewestFirstAndExist() {
    Preferences preferences(file());
    std::vector<std::filesystem::path> models;
    for (int at = 0; at < 12; ++at) {
        const QString name = m_folder.filePath(QStringLiteral("\u6a21\u578b %1.gguf").arg(at));
        QFile model(name);
        QVERIFY(model.open(QIODevice::WriteOnly));
        models.emplace_back(QFile::encodeName(name).toStdString());
        preferences.addRecentModel(models.back());
    }
    preferences.addRecentModel(models[10]); // again: moves to the front, once
    std::filesystem::remove(models[9]);
    const auto recent = preferences.recentModels();
    QCOMPARE(recent.size(), std::size_t(7));
    QCOMPARE(recent[0], models[10]);
    QCOMPARE(recent[1], models[11]);
    QCOMPARE(recent[2], models[8]);
}

QTEST_GUILESS_MAIN(TstPreferences)
#include "tst_preferences.moc"
