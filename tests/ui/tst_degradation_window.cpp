// The default model under a load that is too much for it and then is not, as the window shows it:
// badge, pins on every chart, the log.
#include "app/preferences.h"
#include "tests/support/default_model.h"
#include "tests/support/pressed_load.h"
#include "ui/charts/chart_view.h"
#include "ui/frame/strip_buttons.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/live_page.h"
#include "ui/pages/log_page.h"
#include "ui/theme.h"

#include <QApplication>
#include <QTemporaryDir>
#include <QTest>

class TstDegradationWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOverloadIsSeenGoingUpAndComingBack();
};

void TstDegradationWindow::anOverloadIsSeenGoingUpAndComingBack() {
    const std::filesystem::path model = tests::defaultModel();
    if (model.empty()) {
        QSKIP("The default model is not here.");
    }
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    const QTemporaryDir folder;
    const std::filesystem::path place = folder.path().toStdString();
    app::Preferences preferences(place / "headway.ini");
    ui::Language language;
    language.set(QStringLiteral("en"));
    app::Session session(place / "p.db");
    ui::MainWindow window(session, preferences, language);
    window.resize(1440, 900);
    window.show();
    window.openModel(QString::fromStdString(model.string()), tests::pressedConfig());
    QTRY_VERIFY_WITH_TIMEOUT(session.hasModel(), tests::kPatienceMs);
    QVERIFY(tests::applyPressedSettings(session));
    window.showPage(QStringLiteral("live"));
    const auto* badge = window.findChild<ui::LevelButton*>();
    QStringList badges; // as they follow one another
    QObject::connect(&session, &app::Session::ticked, badge, [&badges, badge] {
        if (badges.isEmpty() || badges.back() != badge->text()) {
            badges << badge->text();
        }
    });
    QVERIFY(tests::pressAndRecover(session));
    QTRY_VERIFY2(badges.endsWith(QStringLiteral("Level 0 \u00b7 auto")),
                 qPrintable(badges.join(u'|')));
    const auto first = badges.indexOf(QStringLiteral("Level 1 \u00b7 auto"));
    QVERIFY2(first > 0 && badges.indexOf(QStringLiteral("Level 2 \u00b7 auto")) > first,
             qPrintable(badges.join(u'|')));
    // As many pins on each chart as changes, those of level 2 as alarms.
    std::size_t changes = 0;
    for (const app::HistoryMarker& marker : session.history().markers()) {
        const auto* notice = std::get_if<engine::Notice>(&marker.event.body);
        changes += notice != nullptr && notice->kind == "degradation_changed" ? 1 : 0;
    }
    QVERIFY(changes >= 4);
    const auto* live = qobject_cast<ui::LivePage*>(window.page(QStringLiteral("live")));
    for (const char* key : {"ttft", "throughput", "batch", "ledger"}) {
        const auto* chart = live->chart(QLatin1String(key));
        QVERIFY2(chart != nullptr, key);
        const auto pins = [chart](app::MarkerKind kind) {
            return std::ranges::count(chart->plot().markers, kind, &app::Marker::kind);
        };
        QTRY_VERIFY2(pins(app::MarkerKind::Alarm) >= 1, key);
        QTRY_VERIFY2(static_cast<std::size_t>(pins(app::MarkerKind::Alarm) +
                                              pins(app::MarkerKind::Warning)) >= changes,
                     key);
    }
    window.showPage(QStringLiteral("log"));
    const auto* log = qobject_cast<ui::LogPage*>(window.page(QStringLiteral("log")));
    QTRY_VERIFY(log->shownText().contains(QStringLiteral("evel 2")));
}

QTEST_MAIN(TstDegradationWindow)
#include "tst_degradation_window.moc"
