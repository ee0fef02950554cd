// Degradation as the operator sees it: a load that becomes too slow and well again, in scaled time,
// with badge, card, held settings, markers and the log.
#include "app/preferences.h"
#include "app/session.h"
#include "engine/serving.h"
#include "tests/support/fake_backend.h"
#include "ui/frame/level_card.h"
#include "ui/frame/strip_buttons.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>

using namespace std::chrono_literals;

class TstLevels : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void aSlowLoadGoesUpAndComesBack();
    void theOperatorForcesALevel();
    void theCardShowsAndEditsTheList();
    void aStepThatMadeItWorseOffersTheWayBack();

private:
    // Seconds of the backend's clock, each with so many first tokens.
    void run(int seconds, int perSecond, std::chrono::milliseconds ttft);
    QString badge() const { return m_window->findChild<ui::LevelButton*>()->text(); }
    std::vector<std::pair<std::string, std::string>> levelMarkers() const; // cause, after
    static QString textsOf(const QWidget& card);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<app::Preferences> m_preferences;
    std::unique_ptr<ui::Language> m_language;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<ui::MainWindow> m_window;
    tests::FakeBackend* m_backend = nullptr; // behind the levels
    std::atomic<engine::TimePoint> m_now{engine::TimePoint{}};
};

namespace {

// Minutes of the rule become seconds.
engine::EngineConfig scaled() {
    engine::EngineConfig config;
    config.batching = engine::Batching::Dynamic;
    config.serving.degradation = engine::DegradationMode::Auto;
    config.serving.windowMs = 5000;
    config.serving.holdMs = 1000;
    config.serving.dwellMs = 3000;
    config.serving.recoveryMs = 6000;
    config.serving.trialMs = 3000;
    return config;
}

} // namespace

void TstLevels::initTestCase() {
    QCoreApplication::setApplicationName(QStringLiteral("headway"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
}

void TstLevels::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    const std::filesystem::path folder = m_folder->path().toStdString();
    m_preferences = std::make_unique<app::Preferences>(folder / "headway.ini");
    m_language = std::make_unique<ui::Language>();
    m_session = std::make_unique<app::Session>(
        folder / "runs.db",
        [this](const std::filesystem::path&, const engine::EngineConfig& config,
               const std::function<void(const engine::LoadProgress&)>&,
               std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
            auto made = std::make_unique<tests::FakeBackend>(config);
            m_backend = made.get();
            return engine::withServing(
                {.main = std::move(made), .now = [this] { return m_now.load(); }});
        });
    m_window = std::make_unique<ui::MainWindow>(*m_session, *m_preferences, *m_language);
    m_window->show();
    m_session->openModel(folder / "fake.gguf", scaled());
    QTRY_VERIFY(m_session->hasModel());
    m_now = engine::Clock::now();
}

void TstLevels::cleanup() {
    m_window.reset();
    m_session.reset();
    m_language.reset();
    m_preferences.reset();
    m_folder.reset();
}

void TstLevels::run(int seconds, int perSecond, std::chrono::milliseconds ttft) {
    for (int second = 0; second < seconds; ++second) {
        const engine::TimePoint now = m_now.load() + 1s;
        for (int i = 0; i < perSecond; ++i) {
            engine::RequestRecord record;
            record.reason = engine::FinishReason::Stop;
            record.outputTokens = 1;
            record.stamps.received = now - ttft;
            record.stamps.firstVisible = record.stamps.lastToken = record.stamps.finished = now;
            m_backend->push(std::move(record));
        }
        m_now = now;
        QTest::qWait(60); // the recorder takes events twenty times a second
    }
}

std::vector<std::pair<std::string, std::string>> TstLevels::levelMarkers() const {
    std::vector<std::pair<std::string, std::string>> found;
    for (const app::HistoryMarker& marker : m_session->history().markers()) {
        const auto* notice = std::get_if<engine::Notice>(&marker.event.body);
        if (notice != nullptr && notice->kind == "degradation_changed") {
            const auto value = [notice](std::string_view key) {
                const auto pair = std::ranges::find(notice->values, key,
                                                    &std::pair<std::string, std::string>::first);
                return pair->second;
            };
            found.emplace_back(value("cause"), value("after"));
        }
    }
    return found;
}

QString TstLevels::textsOf(const QWidget& card) {
    QStringList texts;
    for (const QLabel* label : card.findChildren<QLabel*>()) {
        texts << label->text();
    }
    return texts.join(QLatin1Char('|'));
}

void TstLevels::aSlowLoadGoesUpAndComesBack() {
    const auto run = m_session->startRecording(QStringLiteral("levels"));
    QVERIFY(run.has_value());
    this->run(3, 10, 100ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 0 \u00b7 auto"));
    this->run(6, 20, 1200ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 1 \u00b7 auto"));
    QCOMPARE(m_session->config().effective.batching, engine::Batching::Continuous);
    QCOMPARE(m_session->config().requested.batching, engine::Batching::Dynamic);
    this->run(5, 20, 4000ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 2 \u00b7 auto"));
    this->run(32, 4, 100ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 0 \u00b7 auto"));
    QCOMPARE(m_session->config().effective.batching, engine::Batching::Dynamic);
    using Markers = std::vector<std::pair<std::string, std::string>>;
    QCOMPARE(levelMarkers(), (Markers{{"limit", "1"},
                                      {"limit", "2"},
                                      {"trial_began", "1"},
                                      {"trial_passed", "1"},
                                      {"trial_began", "0"},
                                      {"trial_passed", "0"}}));
    m_session->stopRecording();
    auto store = app::RunStore::open(m_session->runLog(), app::StoreMode::ReadOnly);
    const auto data = (*store)->load(*run);
    QVERIFY(data.has_value());
    const auto changes = std::ranges::count(data->events, std::string("degradation_changed"),
                                            &app::StoredEvent::kind);
    QCOMPARE(changes, std::ptrdiff_t{6});
}

void TstLevels::theOperatorForcesALevel() {
    QVERIFY(m_session->setField("degradation.mode", "2").has_value());
    run(1, 0, 0ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 2 \u00b7 forced"));
    QVERIFY(m_session->setField("degradation.mode", "off").has_value());
    run(1, 0, 0ms);
    QTRY_COMPARE(badge(), QStringLiteral("Level 0 \u00b7 off"));
    QCOMPARE(m_session->config().effective.batching, engine::Batching::Dynamic);
}

void TstLevels::theCardShowsAndEditsTheList() {
    auto* button = m_window->findChild<ui::LevelButton*>();
    auto* card = m_window->findChild<ui::LevelCard*>();
    QVERIFY(button != nullptr && card != nullptr);
    QTRY_VERIFY(button->isVisible());
    button->click();
    QVERIFY(card->isVisible());
    QTRY_VERIFY(textsOf(*card).contains(QStringLiteral("dynamic → continuous")));
    QVERIFY(textsOf(*card).contains(QStringLiteral("No light model is chosen")));
    QComboBox* batching = nullptr;
    for (QComboBox* combo : card->findChildren<QComboBox*>()) {
        batching =
            combo->accessibleName() == QStringLiteral("Level 1: batching") ? combo : batching;
    }
    QVERIFY(batching != nullptr);
    QCOMPARE(batching->currentText(), QStringLiteral("continuous"));
    Q_EMIT batching->activated(0);
    QTRY_COMPARE(m_session->config().requested.serving.level1Batching, engine::LevelBatching::Keep);
    QTRY_VERIFY(textsOf(*card).contains(QStringLiteral("The setting says to keep it.")));
    QTest::keyClick(card, Qt::Key_Escape);
    QVERIFY(!card->isVisible());
}

void TstLevels::aStepThatMadeItWorseOffersTheWayBack() {
    auto* card = m_window->findChild<ui::LevelCard*>();
    run(5, 10, 100ms);
    QVERIFY(m_session->setField("degradation.mode", "1").has_value());
    run(8, 10, 900ms);
    QTRY_VERIFY(m_session->servingStatus()->effect.has_value());
    QCOMPARE(m_session->servingStatus()->effect->verdict, engine::EffectVerdict::Worse);
    m_window->findChild<ui::LevelButton*>()->click();
    QPushButton* undo = nullptr;
    for (QPushButton* button : card->findChildren<QPushButton*>()) {
        undo = button->text() == QStringLiteral("Back to level 0") ? button : undo;
    }
    QVERIFY(undo != nullptr && undo->isVisible());
    QVERIFY(textsOf(*card).contains(QStringLiteral("worse")));
    undo->click();
    run(1, 0, 0ms);
    QTRY_COMPARE(m_session->servingStatus()->level, 0);
    QCOMPARE(m_session->config().requested.serving.degradation, engine::DegradationMode::Level0);
}

QTEST_MAIN(TstLevels)
#include "tst_levels.moc"
