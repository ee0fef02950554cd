// The switch of the local API in the settings: what it starts answers who has the token, and is
// gone when it is off.
#include "app/api/http_server.h"
#include "app/preferences.h"
#include "tests/support/fake_session.h"
#include "tests/support/http_client.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QTest>

using tests::HttpClient;

class TstApiSwitch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();

    void itStartsAndStopsTheApi();
    void aTakenPortIsNoReasonNotTo();

private:
    QPushButton* button(const char* accessibleName) const;
    std::uint16_t port() const; // that the page tells; 0 where it serves none
    static int ask(std::uint16_t port, const char* path, const std::string& token = {}) {
        return tests::ask(port, HttpClient::request("GET", path, token)).status;
    }

    std::unique_ptr<tests::FakeSession> m_fake;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<ui::MainWindow> m_window;
};

void TstApiSwitch::init() {
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    m_fake = std::make_unique<tests::FakeSession>();
    m_preferences = std::make_unique<app::Preferences>(
        std::filesystem::path(m_fake->folder.path().toStdString()) / "headway.ini");
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    m_window = std::make_unique<ui::MainWindow>(m_fake->session, *m_preferences, *m_language);
    m_window->resize(1440, 900);
    m_window->show();
    m_fake->load();
    m_window->showPage(QStringLiteral("settings"));
}

void TstApiSwitch::cleanup() {
    m_window.reset();
    m_language.reset();
    m_preferences.reset();
    m_fake.reset();
}

QPushButton* TstApiSwitch::button(const char* accessibleName) const {
    for (QPushButton* each : m_window->findChildren<QPushButton*>()) {
        if (each->accessibleName() == QLatin1String(accessibleName)) {
            return each;
        }
    }
    return nullptr;
}

std::uint16_t TstApiSwitch::port() const {
    static const QRegularExpression serving(
        QStringLiteral("^Serving at http://127\\.0\\.0\\.1:(\\d+)/v1$"));
    for (const QLabel* label : m_window->findChildren<QLabel*>()) {
        const auto match = serving.match(label->text());
        if (match.hasMatch()) {
            return match.captured(1).toUShort();
        }
    }
    return 0;
}

void TstApiSwitch::itStartsAndStopsTheApi() {
    QCOMPARE(port(), std::uint16_t{0}); // off whenever the window opens
    QPushButton* copy = button("Copy the token");
    QVERIFY(copy != nullptr && !copy->isEnabled());
    std::string before;
    for (int round = 0; round < 2; ++round) {
        QPushButton* start = button("Start the local API");
        QVERIFY(start != nullptr && start->isVisible());
        QTest::mouseClick(start, Qt::LeftButton);
        QTRY_VERIFY(port() != 0);
        QVERIFY(copy->isEnabled());
        QTest::mouseClick(copy, Qt::LeftButton);
        const std::string token = QGuiApplication::clipboard()->text().toStdString();
        QVERIFY(token.size() >= 32 && token != before); // a new one each time
        const std::uint16_t used = port();
        QCOMPARE(ask(used, "/health", token), 200);
        QCOMPARE(ask(used, "/v1/models", token), 200);
        QCOMPARE(ask(used, "/v1/models"), 401);
        QCOMPARE(ask(used, "/v1/models", before.empty() ? "wrong" : before), 401);
        before = token;
        QPushButton* stop = button("Stop the local API");
        QVERIFY(stop != nullptr);
        QTest::mouseClick(stop, Qt::LeftButton);
        QTRY_COMPARE(port(), std::uint16_t{0});
        QVERIFY(!copy->isEnabled());
        QVERIFY(!HttpClient(used).isConnected());
    }
}

void TstApiSwitch::aTakenPortIsNoReasonNotTo() {
    app::HttpServer other([](const std::shared_ptr<app::HttpExchange>&) {});
    const auto taken = other.start(8100); // or somebody else has it
    QTest::mouseClick(button("Start the local API"), Qt::LeftButton);
    QTRY_VERIFY(port() != 0);
    QVERIFY(port() != 8100 || !taken);
    QCOMPARE(ask(port(), "/health"), 200);
}

QTEST_MAIN(TstApiSwitch)
#include "tst_api_switch.moc"
