// Everything by keyboard: Tab reaches every control of every page, and all that takes the focus has
// a name for those who don't see it.
#include "app/preferences.h"
#include "app/session.h"
#include "tests/support/fake_backend.h"
#include "tests/support/scripted_run.h"
#include "ui/charts/chart_view.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/panels/comparison_view.h"
#include "ui/panels/run_view.h"
#include "ui/theme.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

namespace {

constexpr int kMostStops = 400; // of a page; more is a ring that never closes

QString nameOf(const QWidget& widget) {
    QStringList path;
    for (const QWidget* each = &widget; each != nullptr && path.size() < 4;
         each = each->parentWidget()) {
        path.prepend(QString::fromLatin1(each->metaObject()->className()));
    }
    const auto* button = qobject_cast<const QAbstractButton*>(&widget);
    return path.join(QLatin1Char('/')) +
           QStringLiteral(" “%1”").arg(button != nullptr && !button->text().isEmpty()
                                           ? button->text()
                                           : widget.accessibleName());
}

bool isControl(const QWidget& widget) {
    if (qobject_cast<const QScrollBar*>(&widget) != nullptr ||
        qobject_cast<const QHeaderView*>(&widget) != nullptr) {
        return false; // parts of a view, which has their keys
    }
    if (qobject_cast<const QLineEdit*>(widget.parentWidget()) != nullptr) {
        return false; // what clears it, as Ctrl+A and Delete do
    }
    // The field inside a spin box or a combo box.
    const QWidget* parent = widget.parentWidget();
    if (qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
        qobject_cast<const QComboBox*>(parent) != nullptr) {
        return false;
    }
    return (widget.focusPolicy() & Qt::TabFocus) != 0 ||
           qobject_cast<const QAbstractButton*>(&widget) != nullptr ||
           qobject_cast<const QLineEdit*>(&widget) != nullptr ||
           qobject_cast<const QComboBox*>(&widget) != nullptr ||
           qobject_cast<const QAbstractSpinBox*>(&widget) != nullptr ||
           qobject_cast<const QPlainTextEdit*>(&widget) != nullptr ||
           qobject_cast<const QAbstractItemView*>(&widget) != nullptr ||
           qobject_cast<const ui::ChartView*>(&widget) != nullptr;
}

QString spokenName(QWidget* widget) {
    const QAccessibleInterface* access = QAccessible::queryAccessibleInterface(widget);
    return access != nullptr ? access->text(QAccessible::Name) : QString();
}

// Where Tab leads from the first stop until it comes back, or until it stays.
QList<QWidget*> walk(QWidget& window, QStringList& problems) {
    QList<QWidget*> stops;
    QSet<QWidget*> known;
    // From the first stop: what had the focus may have been given it by a click.
    QWidget* before = QApplication::focusWidget();
    QTest::keyClick(before != nullptr ? before : &window, Qt::Key_Tab);
    while (QApplication::focusWidget() != nullptr && stops.size() < kMostStops) {
        QWidget* at = QApplication::focusWidget();
        if (known.contains(at)) {
            if (at != stops.front()) {
                problems << QStringLiteral("Tab doesn't come round, it stays at ") + nameOf(*at);
            }
            break;
        }
        known.insert(at);
        stops << at;
        // Of buttons that exclude each other Tab reaches one, the arrows reach the others.
        const auto* button = qobject_cast<const QAbstractButton*>(at);
        while (button != nullptr && button->autoExclusive()) {
            QTest::keyClick(at, Qt::Key_Right);
            at = QApplication::focusWidget();
            button = known.contains(at) ? nullptr : qobject_cast<const QAbstractButton*>(at);
            if (button != nullptr) {
                known.insert(at);
                stops << at;
            }
        }
        QTest::keyClick(at, Qt::Key_Tab);
    }
    return stops;
}

} // namespace

class TstKeyboardWalk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCoreApplication::setApplicationName(QStringLiteral("headway")); }
    void init();
    void cleanup();
    void theWalkSeesWhatTabDoesNotReach();
    void tabReachesEveryControl_data();
    void tabReachesEveryControl();

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<ui::MainWindow> m_window;
};

void TstKeyboardWalk::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_folder->path().toUtf8());
    const auto file = [this](const char* name) {
        return std::filesystem::path(m_folder->filePath(QLatin1String(name)).toStdString());
    };
    m_preferences = std::make_unique<app::Preferences>(file("headway.ini"));
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    for (const char* name : {"slow", "fast"}) { // for the page of runs
        auto store = app::RunStore::open(file("runs.db"), app::StoreMode::Write);
        QVERIFY(store.has_value());
        tests::writeScriptedRun(**store, {.name = name, .phases = {{20.0, 8.0, 8}}});
    }
    m_session = std::make_unique<app::Session>(
        file("runs.db"),
        [](const std::filesystem::path&, const engine::EngineConfig& config,
           const std::function<void(const engine::LoadProgress&)>&,
           std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
            return std::make_unique<tests::FakeBackend>(config);
        });
    m_window = std::make_unique<ui::MainWindow>(*m_session, *m_preferences, *m_language);
    m_window->show();
}

void TstKeyboardWalk::cleanup() {
    m_window.reset();
    m_session.reset();
    m_language.reset();
    m_preferences.reset();
}

void TstKeyboardWalk::theWalkSeesWhatTabDoesNotReach() {
    QWidget window;
    QPushButton first(QStringLiteral("first"), &window), second(QStringLiteral("second"), &window);
    window.show();
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    first.setFocus();
    QStringList problems;
    QCOMPARE(walk(window, problems).size(), 2);
    second.setFocusPolicy(Qt::ClickFocus);
    first.setFocus();
    QCOMPARE(walk(window, problems).size(), 1);
    QVERIFY(isControl(second));
    QVERIFY(problems.isEmpty());
}

void TstKeyboardWalk::tabReachesEveryControl_data() {
    QTest::addColumn<QString>("page");
    QTest::addColumn<QString>("view");
    const QList<std::pair<const char*, const char*>> places{
        {"live", ""},
        {"load", ""},
        {"requests", ""},
        {"experiments", ""},
        {"experiments", "claims"},
        {"experiments", "tuner"},
        {"experiments", "advisor"},
        {"experiments", "replay"},
        {"runs", "1"},
        {"runs", "compare:1:2"},
        {"log", ""},
        {"help", ""},
        {"settings", ""},
    };
    for (const auto& [page, view] : places) {
        QTest::addRow("%s %s", page, view)
            << QString::fromLatin1(page) << QString::fromLatin1(view);
    }
}

void TstKeyboardWalk::tabReachesEveryControl() {
    QFETCH(const QString, page);
    QFETCH(const QString, view);
    m_window->openModel(m_folder->filePath(QStringLiteral("model.gguf")));
    QTRY_VERIFY(m_session->hasModel());
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    QVERIFY(m_window->pageKeys().contains(page));
    m_window->showPage(page, view);
    if (page == QStringLiteral("runs")) { // read in the background
        const QWidget* shown = m_window->findChild<ui::RunView*>();
        if (view.startsWith(QStringLiteral("compare"))) {
            shown = m_window->findChild<ui::ComparisonView*>();
        }
        QVERIFY(shown != nullptr);
        QTRY_VERIFY_WITH_TIMEOUT(shown->isVisible(), 20'000);
    }
    QTest::qWait(50); // layouts and a tick
    QStringList problems;
    const QList<QWidget*> stops = walk(*m_window, problems);
    QVERIFY(stops.size() > 10);
    for (QWidget* stop : stops) {
        if (spokenName(stop).isEmpty()) {
            problems << QStringLiteral("no name: ") + nameOf(*stop);
        }
    }
    for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
        const bool isThere = widget->isVisible() && widget->isEnabled() &&
                             widget->window() == m_window.get() && isControl(*widget);
        const QWidget* taker = widget;
        while (taker->focusProxy() != nullptr) {
            taker = taker->focusProxy();
        }
        if (isThere && !stops.contains(taker)) {
            problems << QStringLiteral("not reached: ") + nameOf(*widget);
        }
    }
    QVERIFY2(problems.isEmpty(), qPrintable(problems.join(QLatin1Char('\n'))));
}

QTEST_MAIN(TstKeyboardWalk)
#include "tst_keyboard_walk.moc"
