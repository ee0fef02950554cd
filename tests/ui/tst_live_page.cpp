// The live page in its window: bookmarks, selected spans, charts in windows of their own. The model
// is scripted.
#include "app/preferences.h"
#include "tests/support/fake_session.h"
#include "ui/charts/bookmark_field.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/charts/chart_window.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/live_page.h"
#include "ui/pages/requests_page.h"
#include "ui/theme.h"
#include "ui/widgets/event_strip.h"

#include <QApplication>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <optional>

class TstLivePage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void bookmarksAreNamedShownAndRemovedByKeys();
    void aPoppedOutChartIsFedWhileThePageIsHidden();
    void aSelectedSpanFiltersTilesEventsAndRequests();

private:
    ui::LivePage* live() const {
        return qobject_cast<ui::LivePage*>(m_window->page(QStringLiteral("live")));
    }

    std::unique_ptr<tests::FakeSession> m_fake;
    app::Session* m_session = nullptr;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<ui::MainWindow> m_window;
};

void TstLivePage::init() {
    m_fake = std::make_unique<tests::FakeSession>();
    m_session = &m_fake->session;
    qputenv("XDG_CACHE_HOME", m_fake->folder.path().toUtf8());
    m_preferences = std::make_unique<app::Preferences>(
        m_fake->folder.filePath(QStringLiteral("headway.ini")).toStdString());
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    m_window = std::make_unique<ui::MainWindow>(*m_session, *m_preferences, *m_language);
    m_window->resize(1440, 900);
    m_window->show();
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_fake->load();
    // An engine's figures move on.
    auto* pulse = new QTimer(m_window.get());
    connect(pulse, &QTimer::timeout, this, [this] {
        m_fake->backend->setSnapshot([](engine::Snapshot& snapshot) {
            snapshot.state = engine::EngineState::Running;
            snapshot.running = 4;
        });
    });
    pulse->start(50);
    m_window->showPage(QStringLiteral("live"));
    QTRY_VERIFY(live()->group().view().end() > 0.2);
}

void TstLivePage::cleanup() {
    m_window.reset();
    m_language.reset();
    m_preferences.reset();
    m_fake.reset();
}

void TstLivePage::bookmarksAreNamedShownAndRemovedByKeys() {
    ui::ChartView* chart = live()->chart(QString::fromLatin1("batch"));
    QTRY_VERIFY(live()->group().view().end() > 0.2);
    chart->setFocus();
    live()->group().setCrosshair(0.1);
    QTest::keyClick(chart, Qt::Key_M);
    auto* field = live()->findChild<ui::BookmarkField*>();
    QVERIFY(field != nullptr && field->hasFocus());
    QTest::keyClicks(field, QStringLiteral("wasd mark")); // letters that are keys elsewhere
    QTest::keyClick(field, Qt::Key_Return);
    const auto bookmark = [this]() -> std::optional<app::HistoryMarker> {
        for (const app::HistoryMarker& marker : m_session->history().markers()) {
            if (app::bookmarkOf(marker.event)) {
                return marker;
            }
        }
        return std::nullopt;
    };
    QTRY_VERIFY(bookmark().has_value());
    QCOMPARE(bookmark()->seconds, 0.1);
    const auto isShown = [chart] {
        return std::ranges::any_of(chart->plot().markers, [](const app::Marker& marker) {
            return marker.text == QStringLiteral("wasd mark") && marker.x == 0.1;
        });
    };
    QTRY_VERIFY(isShown());
    QTRY_VERIFY(live()->findChild<ui::BookmarkField*>() == nullptr);
    // Esc keeps nothing.
    QTest::keyClick(chart, Qt::Key_M);
    QTest::keyClick(live()->findChild<ui::BookmarkField*>(), Qt::Key_Escape);
    QTRY_VERIFY(live()->findChild<ui::BookmarkField*>() == nullptr);
    auto* list = qobject_cast<QListView*>(live()->events()->list());
    const std::size_t before = m_session->history().markers().size();
    for (int row = 0; row < list->model()->rowCount(); ++row) {
        list->setCurrentIndex(list->model()->index(row, 0));
        if (list->currentIndex().data().toString().contains(QStringLiteral("wasd mark"))) {
            break;
        }
    }
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Delete);
    QTRY_COMPARE(m_session->history().markers().size(), before - 1);
}

void TstLivePage::aPoppedOutChartIsFedWhileThePageIsHidden() {
    ui::ChartView* chart = live()->chart(QString::fromLatin1("ttft"));
    QTest::keyClick(chart, Qt::Key_P);
    ui::ChartWindow* window = live()->popOut(QStringLiteral("ttft")); // the same, not a second
    QVERIFY(window != nullptr && window->isVisible());
    QCOMPARE(live()->findChildren<ui::ChartWindow*>().size(), 1);
    m_window->showPage(QStringLiteral("settings"));
    QTRY_VERIFY(live()->group().view().end() > 0.5);
    const double before = live()->group().view().end();
    QTRY_VERIFY(live()->group().view().end() > before);
    QTRY_VERIFY(!window->chart()->plot().title.isEmpty());
    window->close();
    QTRY_VERIFY(live()->findChildren<ui::ChartWindow*>().isEmpty());
    const double closedAt = live()->group().view().end();
    QSignalSpy ticks(m_session, &app::Session::ticked);
    QTRY_VERIFY(ticks.count() >= 3);
    QCOMPARE(live()->group().view().end(), closedAt);
}

void TstLivePage::aSelectedSpanFiltersTilesEventsAndRequests() {
    auto* requests = qobject_cast<ui::RequestsPage*>(m_window->page(QStringLiteral("requests")));
    const auto finish = [this] {
        engine::Request request;
        request.prompt = std::string("Hello");
        request.maxTokens = 2;
        m_session->submit(std::move(request));
    };
    finish();
    QTRY_COMPARE(m_session->history().requests().size(), 1U);
    const double first = m_session->history().requests().front().seconds;
    QTest::qWait(60); // the second lies apart in time
    finish();
    finish();
    QTRY_COMPARE(m_session->history().requests().size(), 3U);
    m_window->showPage(QStringLiteral("requests"));
    QTRY_COMPARE(requests->model().rowCount(), 3);
    m_window->showPage(QStringLiteral("live"));
    live()->group().select(std::pair(first - 0.01, first + 0.01));
    bool hasChip = false;
    for (const QPushButton* button : live()->findChildren<QPushButton*>()) {
        hasChip =
            hasChip || (button->isVisible() && button->text().endsWith(QString::fromLatin1("n 1")));
    }
    QVERIFY(hasChip);
    QTRY_COMPARE(requests->model().rowCount(), 1);
    QTest::keyClick(live()->chart(QString::fromLatin1("ttft")), Qt::Key_Escape);
    QTRY_COMPARE(requests->model().rowCount(), 3);
}

QTEST_MAIN(TstLivePage)
#include "tst_live_page.moc"
