// Where an alarm is seen: tiles over and back in virtual time; in a window the tile, a pin on every
// chart, the log, and the desktop where that is wanted.
#include "app/preferences.h"
#include "tests/support/alarm_drive.h"
#include "tests/support/fake_session.h"
#include "ui/charts/chart_view.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/live_page.h"
#include "ui/pages/live_tiles.h"
#include "ui/pages/log_page.h"
#include "ui/theme.h"
#include "ui/widgets/segmented.h"

#include <QApplication>
#include <QComboBox>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <algorithm>

using namespace std::chrono_literals;
using tests::indexOf;

class TstAlarmsSeen : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();

    void tilesShowTheirAlarms_data();
    void tilesShowTheirAlarms();
    void aRaisedAlarmIsSeenInTheWindow();
    void theDesktopIsToldWhereThatIsWanted();

private:
    void setUpAlarms(bool isMuted);
    // Another model, of which nothing is known, on a machine whose memory is used up.
    void raise();
    void tell();        // as where one is raised
    int raised() const; // alarms that have been told of
    template <class T>
    T* page(const char* key) const {
        return qobject_cast<T*>(m_window->page(QLatin1String(key)));
    }

    std::unique_ptr<tests::FakeSession> m_fake;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<ui::MainWindow> m_window;
    QTimer m_pulse; // an engine's figures move on
    std::unique_ptr<QSignalSpy> m_events;
};

void TstAlarmsSeen::initTestCase() {
    qputenv("DBUS_SESSION_BUS_ADDRESS",
            "unix:path=/nowhere"); // the desktop of who runs this is not ours
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    connect(&m_pulse, &QTimer::timeout, this, [this] {
        m_fake->backend->setSnapshot([](engine::Snapshot& snapshot) {
            snapshot.machineTotalBytes = 1000;
            snapshot.machineAvailableBytes = 50;
        });
    });
}

void TstAlarmsSeen::init() {
    m_fake = std::make_unique<tests::FakeSession>();
    m_preferences = std::make_unique<app::Preferences>(
        std::filesystem::path(m_fake->folder.path().toStdString()) / "headway.ini");
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    m_window = std::make_unique<ui::MainWindow>(m_fake->session, *m_preferences, *m_language);
    m_window->resize(1440, 900);
    m_window->show();
    m_events = std::make_unique<QSignalSpy>(&m_fake->session, &app::Session::eventHappened);
}

void TstAlarmsSeen::cleanup() {
    m_pulse.stop();
    m_events.reset();
    m_window.reset();
    m_language.reset();
    m_preferences.reset();
    m_fake.reset();
}

void TstAlarmsSeen::tilesShowTheirAlarms_data() {
    QTest::addColumn<int>("row");
    for (std::size_t row = 0; row < tests::alarmCases().size(); ++row) {
        QTest::newRow(tests::alarmCases()[row].key) << static_cast<int>(row);
    }
}

void TstAlarmsSeen::tilesShowTheirAlarms() {
    QFETCH(int, row);
    const tests::AlarmCase& given = tests::alarmCases()[static_cast<std::size_t>(row)];
    const app::AlarmRule& rule = *app::findAlarm(given.key);
    tests::AlarmDrive drive;
    ui::TileStrip strip;
    const app::LiveFigures figures;
    // Which tiles are in the state of an alarm, and say so.
    const auto marked = [&] {
        strip.setContext(
            {.figures = figures, .snapshot = {}, .target = {}, .alarms = drive.alarms});
        std::vector<app::AlarmTile> tiles;
        for (std::size_t index = 0; index < ui::tileTable().size(); ++index) {
            const bool says = strip.tile(index)->asText().contains(QStringLiteral("alarm"));
            if (says != strip.tile(index)->content().isAlarm) {
                qWarning() << "a tile's state has no word:" << strip.tile(index)->asText();
                tiles.push_back(app::AlarmTile::None);
            } else if (says) {
                tiles.push_back(ui::tileTable()[index].alarm);
            }
        }
        return tiles;
    };
    using Tiles = std::vector<app::AlarmTile>;
    const Tiles expected = rule.tile == app::AlarmTile::None ? Tiles{} : Tiles{rule.tile};
    given.makeGood(drive);
    drive.run(70.0);
    QVERIFY(marked() == Tiles{});
    given.makeBad(drive);
    drive.run(60.0 + rule.holdSeconds);
    QVERIFY(marked() == expected);
    drive.alarms.acknowledge(indexOf(given.key)); // it is still so
    QVERIFY(marked() == expected);
    auto settings = app::defaultAlarmSettings();
    for (const app::AlarmRule& each : app::alarmTable()) { // another may be raised with it
        settings[indexOf(each.key)].isMuted = each.tile == rule.tile;
    }
    drive.alarms.setSettings(settings);
    QVERIFY(marked() == Tiles{});
    drive.alarms.setSettings(app::defaultAlarmSettings());
    QVERIFY(marked() == expected);
    given.makeGood(drive);
    drive.run(65.0 + rule.clearSeconds);
    QVERIFY(marked() == Tiles{});
}

void TstAlarmsSeen::setUpAlarms(bool isMuted) {
    auto settings = app::defaultAlarmSettings();
    settings[indexOf("memory")].holdSeconds = 0.1;
    settings[indexOf("memory")].isMuted = isMuted;
    m_fake->session.setAlarmSettings(settings);
}

int TstAlarmsSeen::raised() const {
    int count = 0;
    for (const auto& arguments : *m_events) {
        const auto event = arguments.front().value<engine::Event>();
        const auto* notice = std::get_if<engine::Notice>(&event.body);
        count += notice != nullptr && notice->kind == app::kAlarmRaised ? 1 : 0;
    }
    return count;
}

void TstAlarmsSeen::raise() {
    const int before = raised();
    m_pulse.stop();
    m_fake->load();
    m_pulse.start(50ms);
    QTRY_COMPARE_WITH_TIMEOUT(raised(), before + 1, 30'000);
}

void TstAlarmsSeen::tell() {
    const int before = raised();
    engine::Event event;
    event.source = engine::EventSource::Serving;
    event.body = engine::Notice{
        .kind = std::string(app::kAlarmRaised),
        .values = {{"alarm", "memory"}, {"value", "95.0"}, {"limit", "85.0"}, {"n", "1"}}};
    m_fake->backend->push(event);
    QTRY_COMPARE(raised(), before + 1);
}

void TstAlarmsSeen::aRaisedAlarmIsSeenInTheWindow() {
    setUpAlarms(false);
    m_fake->load();
    m_window->showPage(QStringLiteral("live"));
    auto* live = page<ui::LivePage>("live");
    ui::StatTile* tile = live->tiles()->tile(5);
    QVERIFY(ui::tileTable()[5].alarm == app::AlarmTile::Memory);
    QVERIFY(!tile->content().isAlarm);
    raise();
    QTRY_VERIFY(tile->content().isAlarm);
    const auto pinned = [live](const char* key) {
        const auto* chart = live->chart(QLatin1String(key));
        return chart != nullptr && std::ranges::any_of(chart->plot().markers, [](const auto& pin) {
                   return pin.kind == app::MarkerKind::Alarm;
               });
    };
    for (const char* key : {"ttft", "throughput", "batch", "ledger"}) {
        QTRY_VERIFY2(pinned(key), key);
    }
    m_window->showPage(QStringLiteral("log"));
    auto* log = page<ui::LogPage>("log");
    const QString sentence = QStringLiteral("Alarm: Memory of the machine is ");
    QTRY_VERIFY(log->shownText().contains(sentence));
    log->findChild<ui::Segmented*>()->setCurrentIndex(2); // problems only: it is one
    QTRY_VERIFY(log->shownText().contains(sentence));
}

void TstAlarmsSeen::theDesktopIsToldWhereThatIsWanted() {
    setUpAlarms(false);
    m_fake->load();
    const QSignalSpy told(m_window.get(), &ui::MainWindow::desktopMessage);
    QWidget other; // somebody looks at something else
    const auto look = [](QWidget& at) {
        at.show();
        at.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&at));
    };
    look(other);
    tell();
    QCOMPARE(told.count(), 0); // nobody asked for it
    QComboBox* wish = nullptr;
    for (QComboBox* combo : m_window->findChildren<QComboBox*>()) {
        wish = combo->accessibleName() == QStringLiteral("Desktop notifications") ? combo : wish;
    }
    QVERIFY(wish != nullptr);
    Q_EMIT wish->activated(1);
    QVERIFY(m_preferences->notifiesDesktop());
    tell();
    QCOMPARE(told.count(), 1);
    QCOMPARE(told.front().at(0).toString(), QStringLiteral("Headway"));
    QVERIFY(told.front().at(1).toString().startsWith(
        QStringLiteral("Alarm: Memory of the machine is ")));
    look(*m_window); // who looks at the window sees it there
    tell();
    QCOMPARE(told.count(), 1);
    look(other);
    setUpAlarms(true);
    tell();
    QCOMPARE(told.count(), 1); // muted
    setUpAlarms(false);
    Q_EMIT wish->activated(0);
    tell();
    QCOMPARE(told.count(), 1);
}

QTEST_MAIN(TstAlarmsSeen)
#include "tst_alarms_seen.moc"
