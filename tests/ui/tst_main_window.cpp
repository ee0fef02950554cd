// The window over a session with scripted backends: loading, failing, recording, pages, keys,
// language, theme, and a setting changed under traffic with its marker.
#include "app/definitions.h"
#include "app/experiment/experiment_draft.h"
#include "app/preferences.h"
#include "app/session.h"
#include "app/store/run_store.h"
#include "tests/support/fake_backend.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/command_palette.h"
#include "ui/frame/attach_card.h"
#include "ui/frame/banner_stack.h"
#include "ui/frame/key_list.h"
#include "ui/frame/rail.h"
#include "ui/frame/side_panel.h"
#include "ui/frame/strip_buttons.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/pages/experiments_page.h"
#include "ui/pages/first_start_page.h"
#include "ui/pages/help_page.h"
#include "ui/pages/live_page.h"
#include "ui/pages/live_tiles.h"
#include "ui/pages/settings_page.h"
#include "ui/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <condition_variable>
#include <mutex>

using namespace std::chrono_literals;

namespace {

// Lets a test hold a load until it has looked at the window.
class Gate {
public:
    void open() {
        const std::lock_guard lock(m_mutex);
        m_isOpen = true;
        m_opened.notify_all();
    }
    void wait(std::stop_token stop) {
        std::unique_lock lock(m_mutex);
        const std::stop_callback wake(stop, [this] { m_opened.notify_all(); });
        m_opened.wait(lock, [&] { return m_isOpen || stop.stop_requested(); });
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_opened;
    bool m_isOpen = false;
};

} // namespace

class TstMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void withoutAModelTheWindowWaits();
    void loadingShowsPhasesAndCancels();
    void aFailedLoadSaysWhyAndTheWindowLives();
    void aStoppedEngineIsABanner();
    void closingWhileAnExperimentRunsIsQuiet();
    void garbledAnswersAreABannerWithTheWayBack();
    void recordingTogglesByKey();
    void aChangedSettingIsAMarkerOnEveryChart();
    void controlDigitsShowPages();
    void hiddenLivePageIsNotFed();
    void paletteFindsAndRuns();
    void questionMarkListsKeys();
    void f1OpensTheDefinitionOfWhatHasFocus();
    void aServerIsAttachedByItsAddress();
    void letterKeysStayInTextFields();
    void languageSwitchesLive();
    void themeSwitchesLiveAndIsKept();
    void narrowWindowsOpenThePanelAsADrawer();
    void everyControlHasAName();
    void choicesAreKept();

private:
    void makeWindow();
    void load();
    ui::LivePage* live() const {
        return qobject_cast<ui::LivePage*>(m_window->page(QStringLiteral("live")));
    }
    QString bannerTexts() const;
    QString file(const char* name) const { return m_folder->filePath(QString::fromLatin1(name)); }
    std::filesystem::path path(const char* name) const { return file(name).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<ui::MainWindow> m_window;
    app::BackendMaker m_maker;
    tests::FakeBackend* m_backend = nullptr; // the session's
};

void TstMainWindow::initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("headway"));
}

void TstMainWindow::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    qputenv("XDG_CACHE_HOME", m_folder->path().toUtf8());
    m_maker = [this](const std::filesystem::path&, const engine::EngineConfig& config,
                     const std::function<void(const engine::LoadProgress&)>&,
                     std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
        auto backend = std::make_unique<tests::FakeBackend>(config);
        m_backend = backend.get();
        return backend;
    };
    makeWindow();
}

void TstMainWindow::makeWindow() {
    m_preferences = std::make_unique<app::Preferences>(path("headway.ini"));
    m_language = std::make_unique<ui::Language>();
    m_language->set(QStringLiteral("en"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    m_session = std::make_unique<app::Session>(
        path("runs.db"), [this](const auto& model, const auto& config, const auto& progress,
                                auto stop) { return m_maker(model, config, progress, stop); });
    m_window = std::make_unique<ui::MainWindow>(*m_session, *m_preferences, *m_language);
    m_window->resize(1440, 900);
    m_window->show();
    m_window->activateWindow(); // shortcuts act in the active window
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void TstMainWindow::cleanup() {
    m_window.reset();
    m_session.reset();
    m_language.reset();
    m_preferences.reset();
}

void TstMainWindow::load() {
    m_window->openModel(file("model.gguf"));
    QTRY_VERIFY(m_session->hasModel());
    // An engine's figures move on.
    auto* pulse = new QTimer(m_window.get());
    connect(pulse, &QTimer::timeout, this, [this] {
        m_backend->setSnapshot([](engine::Snapshot& snapshot) {
            snapshot.state = engine::EngineState::Running;
            snapshot.running = 4;
        });
    });
    pulse->start(50ms);
}

QString TstMainWindow::bannerTexts() const {
    QStringList texts;
    for (const ui::Banner* banner : m_window->findChildren<ui::Banner*>()) {
        if (banner->isVisible()) {
            texts << banner->content().title << banner->content().detail;
        }
    }
    return texts.join(QLatin1Char('\n'));
}

void TstMainWindow::withoutAModelTheWindowWaits() {
    QVERIFY(!m_window->findChild<ui::RecordButton*>()->isVisible());
    QCOMPARE(m_window->findChild<ui::ModelButton*>()->accessibleName(), QStringLiteral("No model"));
    QVERIFY(bannerTexts().isEmpty());
    // The first page tells how to begin, and makes room once there is a model.
    QVERIFY(m_window->findChild<ui::FirstStartPage*>()->isVisible());
    QVERIFY(!live()->isVisible());
    load();
    QTRY_VERIFY(live()->isVisible());
}

void TstMainWindow::loadingShowsPhasesAndCancels() {
    Gate gate;
    m_maker = [&](const std::filesystem::path&, const engine::EngineConfig&,
                  const std::function<void(const engine::LoadProgress&)>& progress,
                  std::stop_token stop) -> engine::Result<std::unique_ptr<engine::Backend>> {
        progress({"open", 1, 1});
        progress({"convert", 180, 272});
        gate.wait(stop);
        return std::unexpected(engine::Error{engine::ErrorCode::Cancelled, "cancelled"});
    };
    m_window->openModel(file("big.gguf"));
    QTRY_VERIFY(bannerTexts().contains(QStringLiteral("180 of 272")));
    QVERIFY(bannerTexts().contains(QStringLiteral("Loading big")));
    const auto* banner = m_window->findChild<ui::Banner*>();
    auto* cancel = banner->findChild<QPushButton*>();
    QVERIFY(cancel != nullptr);
    QTest::mouseClick(cancel, Qt::LeftButton);
    QTRY_VERIFY(!m_session->isLoading());
    QTRY_VERIFY(bannerTexts().isEmpty());
}

void TstMainWindow::aFailedLoadSaysWhyAndTheWindowLives() {
    m_maker = [](const std::filesystem::path&, const engine::EngineConfig&,
                 const std::function<void(const engine::LoadProgress&)>&,
                 std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Corrupt, "The file ends inside tensor <blk.0>. Download it again."});
    };
    m_window->openModel(file("cut.gguf"));
    QTRY_VERIFY(bannerTexts().contains(QStringLiteral("cut.gguf was not loaded")));
    // The message is text, not markup.
    QVERIFY(bannerTexts().contains(QStringLiteral("&lt;blk.0&gt;")));
    const auto* banner = m_window->findChild<ui::Banner*>();
    QVERIFY(banner->accessibleDescription().contains(QStringLiteral("<blk.0>")));
    // As said, not guessed from the text: a label that guesses shows the entities.
    for (const QLabel* label : banner->findChildren<QLabel*>()) {
        QVERIFY(label->text().isEmpty() || label->textFormat() != Qt::AutoText);
    }
    m_window->showPage(QStringLiteral("settings"));
    QCOMPARE(m_window->currentPage(), QStringLiteral("settings"));
}

void TstMainWindow::aStoppedEngineIsABanner() {
    load();
    engine::Event event;
    event.body = engine::Failed{"out of memory in step 51,204", 4};
    m_backend->push(event);
    QTRY_VERIFY(bannerTexts().contains(QStringLiteral("out of memory in step 51,204")));
}

void TstMainWindow::closingWhileAnExperimentRunsIsQuiet() {
    load();
    auto* page = qobject_cast<ui::ExperimentsPage*>(m_window->page(QStringLiteral("experiments")));
    m_window->showPage(QStringLiteral("experiments"), QStringLiteral("tokenize-english"));
    auto experiment = *app::loadExperiment("tokenize-english");
    experiment.measureSeconds = 0.1;
    experiment.blocks = 100;
    experiment.workload.stages.front().seconds = experiment.blockSeconds();
    page->start(experiment);
    QVERIFY(page->run() != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(page->run()->blocks().size() >= 1, 20'000);
    const std::int64_t run = m_session->currentRun().value();
    m_window.reset();
    QVERIFY(!m_session->isExperimentRunning());
    m_session.reset();
    auto store = app::RunStore::open(path("runs.db"), app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    QCOMPARE((*store)->summary(run)->run.state, app::RunState::Interrupted);
}

void TstMainWindow::garbledAnswersAreABannerWithTheWayBack() {
    load();
    const auto garbled = [this] {
        engine::Event event;
        event.body = engine::Notice{.kind = "quality_checked",
                                    .values = {{"tokens", "16000"},
                                               {"garbled", "yes"},
                                               {"change", "weights.precision file -> int4"},
                                               {"field", "weights.precision"},
                                               {"before", "fp16"},
                                               {"after", "int4"},
                                               {"field_2", "kv.precision"},
                                               {"before_2", "int8"},
                                               {"after_2", "int4"},
                                               {"field_3", "kv.key_precision"},
                                               {"before_3", "int8"},
                                               {"after_3", "int4"}}};
        m_backend->push(event);
    };
    const auto undo = [this]() -> QPushButton* {
        for (QPushButton* button : m_window->findChildren<QPushButton*>()) {
            if (button->text() == QStringLiteral("Undo") && button->isVisible()) {
                return button;
            }
        }
        return nullptr;
    };
    // What nobody asked for, as by a level, is not taken back.
    garbled();
    QTRY_VERIFY(bannerTexts().contains(QStringLiteral("Answers are garbled")));
    QVERIFY(undo() == nullptr);
    QVERIFY(m_session->setField("weights.precision", "int4"));
    QVERIFY(m_session->setField("kv.precision", "int4"));
    garbled();
    QTRY_VERIFY(undo() != nullptr);
    QVERIFY(bannerTexts().contains(QStringLiteral("Answers are garbled since Precision is int4")));
    undo()->click();
    QTRY_COMPARE(m_session->config().requested.precision, engine::WeightPrecision::FP16);
    QCOMPARE(m_session->config().requested.kvPrecision, engine::KvPrecision::INT8);
    QCOMPARE(m_session->config().requested.keyPrecision, engine::KvPrecision::Auto); // follows
    QTRY_VERIFY(undo() == nullptr);
    QVERIFY(m_session->setField("weights.precision", "int4"));
    garbled();
    QTRY_VERIFY(undo() != nullptr);
    engine::Event event; // somebody takes it back elsewhere
    event.body =
        engine::ConfigApplied{.changes = {{"weights.precision", "int4", "file"}}, .fromStep = 9};
    m_backend->push(event);
    QTRY_VERIFY(undo() == nullptr);
    garbled();
    QTRY_VERIFY(undo() != nullptr);
    event.body = engine::ConfigApplied{.changes = {{"attention.share", "30", "40"}}, .fromStep = 9};
    const QSignalSpy seen(m_session.get(), &app::Session::eventHappened);
    m_backend->push(event); // no bearing where attention is full
    QTRY_VERIFY(seen.count() > 0);
    QVERIFY(undo() != nullptr);
    load(); // another model
    QTRY_VERIFY(undo() == nullptr);
}

void TstMainWindow::recordingTogglesByKey() {
    load();
    QTRY_VERIFY(m_window->findChild<ui::RecordButton*>()->isVisible());
    QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier);
    QTRY_VERIFY(m_session->currentRun().has_value());
    QTRY_COMPARE(m_window->findChild<ui::RecordButton*>()->text(), QStringLiteral("Recording"));
    QTest::keyClick(m_window.get(), Qt::Key_R, Qt::ControlModifier);
    QTRY_VERIFY(!m_session->currentRun().has_value());
}

void TstMainWindow::aChangedSettingIsAMarkerOnEveryChart() {
    load();
    QVERIFY(m_session->setField("batching.max_batch", "8").has_value());
    QTRY_VERIFY(!m_session->history().markers().empty());
    for (const char* key : {"ttft", "throughput", "batch", "ledger"}) {
        ui::ChartView* chart = live()->chart(QString::fromLatin1(key));
        QVERIFY2(chart != nullptr, key);
        QTRY_VERIFY2(!chart->plot().markers.empty(), key);
    }
    // The effective limit is in the tile.
    QTRY_VERIFY(live()->tiles()->tile(3)->asText().contains(QStringLiteral("16")));
}

void TstMainWindow::controlDigitsShowPages() {
    const QStringList keys = m_window->pageKeys();
    QVERIFY(keys.size() >= 3);
    QCOMPARE(keys.front(), QStringLiteral("live"));
    for (int index = static_cast<int>(keys.size()) - 1; index >= 0; --index) {
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(Qt::Key_1 + index),
                        Qt::ControlModifier);
        QCOMPARE(m_window->currentPage(), keys[index]);
    }
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(m_window->currentPage(), keys[1]);
    QTest::keyClick(m_window.get(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(m_window->currentPage(), keys[0]);
}

void TstMainWindow::hiddenLivePageIsNotFed() {
    load();
    QSignalSpy ticks(m_session.get(), &app::Session::ticked);
    QTRY_VERIFY(live()->chart(QStringLiteral("ttft"))->plot().xMax > 0);
    m_window->showPage(QStringLiteral("settings"));
    const double before = live()->group().view().end();
    ticks.clear();
    QTRY_VERIFY(ticks.count() >= 3);
    QCOMPARE(live()->group().view().end(), before);
    m_window->showPage(QStringLiteral("live"));
    QTRY_VERIFY(live()->group().view().end() > before);
}

void TstMainWindow::paletteFindsAndRuns() {
    QVERIFY(ui::matchScore(QStringLiteral("thm"), QStringLiteral("Theme")) > 0);
    QCOMPARE(ui::matchScore(QStringLiteral("xyz"), QStringLiteral("Theme")), 0);
    QVERIFY(ui::matchScore(QStringLiteral("set"), QStringLiteral("Show Settings")) >
            ui::matchScore(QStringLiteral("set"), QStringLiteral("Last minute")));
    QVERIFY(ui::matchScore(QString(), QStringLiteral("Anything")) > 0);
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    auto* palette = m_window->findChild<ui::CommandPalette*>();
    QVERIFY(palette->isVisible());
    auto* query = palette->findChild<QLineEdit*>();
    auto* list = palette->findChild<QListView*>();
    QVERIFY(list->model()->rowCount() > 8);
    QTest::keyClicks(query, QStringLiteral("show settings"));
    QVERIFY(list->model()->rowCount() >= 1);
    QTest::keyClick(query, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QCOMPARE(m_window->currentPage(), QStringLiteral("settings"));
    QTest::keyClick(m_window.get(), Qt::Key_K, Qt::ControlModifier);
    QTest::keyClick(query, Qt::Key_Escape);
    QVERIFY(!palette->isVisible());
}

void TstMainWindow::questionMarkListsKeys() {
    m_window->activateWindow();
    QTest::keyClick(m_window.get(), '?');
    auto* keys = m_window->findChild<ui::KeyList*>();
    QVERIFY(keys->isVisible());
    QVERIFY(keys->findChildren<QLabel*>().size() > 20);
    QTest::keyClick(keys, Qt::Key_Escape);
    QVERIFY(!keys->isVisible());
}

void TstMainWindow::f1OpensTheDefinitionOfWhatHasFocus() {
    load();
    auto* help = qobject_cast<ui::HelpPage*>(m_window->page(QStringLiteral("help")));
    ui::ChartView* chart = live()->chart(QString::fromLatin1("ledger"));
    QTRY_VERIFY(!chart->plot().key.isEmpty());
    chart->setFocus();
    QTest::keyClick(chart, Qt::Key_F1);
    QCOMPARE(m_window->currentPage(), QStringLiteral("help"));
    QCOMPARE(help->current(), QStringLiteral("ledger"));
    QTest::keyClick(m_window.get(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(m_window->currentPage(), QStringLiteral("live"));
    live()->tiles()->tile(2)->setFocus();
    QTest::keyClick(m_window.get(), Qt::Key_F1);
    QCOMPARE(help->current(), QStringLiteral("goodput"));
    // No text is cut, however wide the window.
    QTRY_VERIFY(std::ranges::all_of(help->findChildren<QLabel*>(), [](const QLabel* label) {
        return !label->isVisible() || !label->wordWrap() ||
               label->height() >= label->heightForWidth(label->width());
    }));
    // What other tools call a thing is found as well, and one filter hides the rest.
    auto* filter = help->findChild<QLineEdit*>();
    filter->setText(QStringLiteral("coordinated omission"));
    QCOMPARE(help->shown(), QStringList{QStringLiteral("lag")});
    filter->setText(QStringLiteral("no such thing"));
    QVERIFY(help->shown().isEmpty());
    filter->clear();
    QCOMPARE(help->shown().size(), static_cast<qsizetype>(app::definitions().size()));
}

void TstMainWindow::aServerIsAttachedByItsAddress() {
    QString opened;
    m_maker = [&](const std::filesystem::path& model, const auto& config, const auto&,
                  auto) -> engine::Result<std::unique_ptr<engine::Backend>> {
        opened = QString::fromStdString(model.string());
        return std::make_unique<tests::FakeBackend>(config);
    };
    const auto commands = m_window->commands();
    const auto attach =
        std::ranges::find(commands, QStringLiteral("Attach to a server…"), &ui::PageAction::text);
    QVERIFY(attach != commands.end());
    attach->run();
    auto* card = m_window->findChild<ui::AttachCard*>();
    QVERIFY(card->isVisible() && card->addressField()->hasFocus());
    QTest::keyClicks(card->addressField(), QStringLiteral("https://host"));
    QTest::keyClick(card->addressField(), Qt::Key_Return);
    QVERIFY(card->isVisible()); // says why, stays
    QVERIFY(card->addressField()->accessibleDescription().contains(QStringLiteral("http://")));
    card->addressField()->setText(QStringLiteral("127.0.0.1:9"));
    card->tokenField()->setText(file("no-such-file"));
    QTest::keyClick(card->addressField(), Qt::Key_Return);
    QVERIFY(card->isVisible());
    card->tokenField()->clear();
    QTest::keyClick(card->addressField(), Qt::Key_Return);
    QVERIFY(!card->isVisible());
    QTRY_VERIFY(m_session->hasModel());
    QVERIFY2(opened.contains(QStringLiteral("127.0.0.1:9")), qPrintable(opened));
}

void TstMainWindow::letterKeysStayInTextFields() {
    load();
    auto* filter = m_window->findChild<ui::SidePanel*>()->findChild<QLineEdit*>();
    QVERIFY(filter != nullptr);
    live()->group().setFollowing(true);
    filter->setFocus();
    QTest::keyClicks(filter, QStringLiteral("wasd?,. f"));
    QCOMPARE(filter->text(), QStringLiteral("wasd?,. f"));
    QVERIFY(live()->group().view().isFollowing());
    QVERIFY(!m_window->findChild<ui::KeyList*>()->isVisible());
    // From anywhere else they act.
    QTest::keyClick(m_window.get(), Qt::Key_A);
    QVERIFY(!live()->group().view().isFollowing());
}

void TstMainWindow::languageSwitchesLive() {
    auto* settings = qobject_cast<ui::SettingsPage*>(m_window->page(QStringLiteral("settings")));
    m_window->setLanguage(QStringLiteral("zh_CN"));
    QTRY_COMPARE(m_window->findChild<ui::Rail*>()->button(QStringLiteral("live"))->text(),
                 QStringLiteral("实时"));
    QTRY_COMPARE(settings->title(), QStringLiteral("设置"));
    m_window->setLanguage(QStringLiteral("en"));
    QTRY_COMPARE(m_window->findChild<ui::Rail*>()->button(QStringLiteral("live"))->text(),
                 QStringLiteral("Live"));
}

void TstMainWindow::themeSwitchesLiveAndIsKept() {
    const auto railColour = [this] {
        return m_window->findChild<ui::Rail*>()->grab().toImage().pixelColor(30, 400);
    };
    QCOMPARE(railColour(), app::color(app::ThemeKind::Dark, app::ColorRole::Panel));
    m_window->setTheme(app::ThemeKind::Light);
    QCOMPARE(railColour(), app::color(app::ThemeKind::Light, app::ColorRole::Panel));
    QCOMPARE(m_preferences->theme(), app::ThemeChoice::Light);
}

void TstMainWindow::narrowWindowsOpenThePanelAsADrawer() {
    load();
    auto* panel = m_window->findChild<ui::SidePanel*>();
    m_window->showPage(QStringLiteral("live"));
    QCOMPARE(panel->mode(), ui::SidePanel::Mode::Beside);
    QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(panel->mode(), ui::SidePanel::Mode::Hidden);
    QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier);
    m_window->resize(1200, 800);
    QTRY_COMPARE(panel->mode(), ui::SidePanel::Mode::Hidden);
    QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier);
    QCOMPARE(panel->mode(), ui::SidePanel::Mode::Drawer);
    QTest::keyClick(panel, Qt::Key_Escape);
    QCOMPARE(panel->mode(), ui::SidePanel::Mode::Hidden);
    m_window->resize(1440, 900);
    QTRY_COMPARE(panel->mode(), ui::SidePanel::Mode::Beside);
}

void TstMainWindow::everyControlHasAName() {
    load();
    QList<std::pair<QString, QString>> views;
    for (const QString& key : m_window->pageKeys()) {
        views.append({key, {}});
    }
    for (const char* view : {"claims", "tuner", "advisor", "replay"}) {
        views.append({QStringLiteral("experiments"), QLatin1String(view)});
    }
    for (const auto& [key, view] : views) {
        m_window->showPage(key, view);
        for (const QWidget* widget : m_window->findChildren<QWidget*>()) {
            const bool isControl = widget->isVisible() && widget->isEnabled() &&
                                   (widget->focusPolicy() & Qt::TabFocus) != 0 &&
                                   widget->focusProxy() == nullptr;
            if (!isControl) {
                continue;
            }
            const auto* button = qobject_cast<const QAbstractButton*>(widget);
            const bool hasName = !widget->accessibleName().isEmpty() ||
                                 (button != nullptr && !button->text().isEmpty());
            const QByteArray where = key.toUtf8() + view.toUtf8() + ": " +
                                     widget->metaObject()->className() + " in " +
                                     widget->parentWidget()->metaObject()->className();
            QVERIFY2(hasName, where.constData());
        }
    }
}

void TstMainWindow::choicesAreKept() {
    m_window->setTheme(app::ThemeKind::Light);
    m_window->showPage(QStringLiteral("settings"));
    QTest::keyClick(m_window.get(), Qt::Key_1, Qt::ControlModifier);
    QTest::keyClick(m_window.get(), Qt::Key_B, Qt::ControlModifier); // hides the panel
    m_window->showPage(QStringLiteral("settings"));
    m_window->close();
    cleanup();
    makeWindow();
    QCOMPARE(m_preferences->theme(), app::ThemeChoice::Light);
    QCOMPARE(m_window->currentPage(), QStringLiteral("settings"));
    m_window->showPage(QStringLiteral("live"));
    QCOMPARE(m_window->findChild<ui::SidePanel*>()->mode(), ui::SidePanel::Mode::Hidden);
}

QTEST_MAIN(TstMainWindow)
#include "tst_main_window.moc"
