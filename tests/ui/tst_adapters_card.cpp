// The window's adapters over a real engine: loaded and unloaded with the mouse and the keyboard,
// what they take of memory, refusals in words, and the playground's choice of one.
#include "app/session.h"
#include "tests/support/adapter_files.h"
#include "tests/support/tiny_model.h"
#include "ui/frame/adapters_card.h"
#include "ui/pages/requests_page.h"
#include "ui/panels/playground.h"
#include "ui/panels/sampling_form.h"
#include "ui/theme.h"
#include "ui/widgets/prompt_edit.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

namespace {

constexpr int kLong = 20'000;

template <class W>
W* named(const QWidget& in, const QString& accessibleName) {
    for (W* widget : in.findChildren<W*>()) {
        if (widget->accessibleName() == accessibleName) {
            return widget;
        }
    }
    return nullptr;
}

} // namespace

class TstAdaptersCard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void cleanup();
    void loadsTellsMemoryAndUnloads();
    void refusalsAreSaid();
    void thePlaygroundAsksTheChosenOne();

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_one, m_two;
    std::unique_ptr<app::Session> m_session;
    std::unique_ptr<QWidget> m_window;
    ui::AdaptersCard* m_card = nullptr;
};

void TstAdaptersCard::initTestCase() {
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);
    const std::filesystem::path folder = m_folder.path().toStdString();
    tests::writeTinyModel(folder / "tiny.gguf");
    m_one = tests::writeAdapter(folder / "one", 1);
    m_two = tests::writeAdapter(folder / "two", 2);
}

void TstAdaptersCard::init() {
    const std::filesystem::path folder = m_folder.path().toStdString();
    m_session = std::make_unique<app::Session>(folder / "runs.db");
    engine::EngineConfig config;
    config.kvBlocks = 64;
    config.threads = 1;
    m_session->openModel(folder / "tiny.gguf", config);
    QTRY_VERIFY_WITH_TIMEOUT(m_session->hasModel(), kLong);
    m_window = std::make_unique<QWidget>();
    m_window->resize(1120, 700);
    m_window->show();
    m_card = new ui::AdaptersCard(*m_session, m_window.get());
    m_card->open();
}

void TstAdaptersCard::cleanup() {
    m_window.reset();
    m_session.reset();
}

void TstAdaptersCard::loadsTellsMemoryAndUnloads() {
    const auto* memory = m_card->findChild<QLabel*>(QStringLiteral("adapterMemory"));
    QVERIFY(!memory->isVisible());
    m_card->load(m_one);
    QTRY_VERIFY_WITH_TIMEOUT(named<QPushButton>(*m_card, QStringLiteral("Unload one")), kLong);
    QTest::keyClicks(m_card->nameField(), QStringLiteral("legal"));
    m_card->load(m_two);
    QTRY_VERIFY_WITH_TIMEOUT(named<QPushButton>(*m_card, QStringLiteral("Unload legal")), kLong);
    QTRY_VERIFY(m_card->nameField()->text().isEmpty());
    const engine::AdapterStatus status = m_session->backend()->adapters()->adapterStatus();
    QCOMPARE(status.loaded.size(), std::size_t(2));
    const double saved = 100.0 * (1.0 - static_cast<double>(status.sharedBytes()) /
                                            static_cast<double>(*status.separateBytes()));
    QVERIFY(memory->isVisible());
    QVERIFY2(memory->text().contains(QStringLiteral("%1 % less").arg(qRound(saved))),
             qPrintable(memory->text()));
    auto* unload = named<QPushButton>(*m_card, QStringLiteral("Unload one"));
    unload->setFocus();
    QTest::keyClick(unload, Qt::Key_Space);
    QTRY_VERIFY(!named<QPushButton>(*m_card, QStringLiteral("Unload one")));
    QVERIFY(named<QPushButton>(*m_card, QStringLiteral("Unload legal")));
    QVERIFY(m_card->nameField()->hasFocus()); // not nowhere, for who uses keys
    QCOMPARE(m_session->backend()->adapters()->adapterStatus().loaded.size(), std::size_t(1));
}

void TstAdaptersCard::refusalsAreSaid() {
    const auto* problem = m_card->findChild<QLabel*>(QStringLiteral("adapterProblem"));
    m_card->load(m_folder.path().toStdString() + "/nowhere");
    QTRY_VERIFY_WITH_TIMEOUT(problem->isVisible(), kLong);
    QVERIFY2(problem->text().contains(QStringLiteral("nowhere")), qPrintable(problem->text()));
    m_card->load(m_folder.path().toStdString() + "/tiny.gguf"); // a model
    QTRY_VERIFY_WITH_TIMEOUT(problem->text().contains(QStringLiteral("tiny.gguf")), kLong);
    QTest::keyClicks(m_card->nameField(), QStringLiteral("a"));
    QVERIFY(!problem->isVisible());
    QVERIFY(m_session->backend()->adapters()->adapterStatus().loaded.empty());
}

void TstAdaptersCard::thePlaygroundAsksTheChosenOne() {
    ui::RequestsPage page(*m_session);
    page.resize(1300, 800);
    page.show();
    auto* playground = page.findChild<ui::Playground*>();
    auto* form = playground->findChild<ui::SamplingForm*>();
    auto* choice = form->findChild<QComboBox*>();
    for (QPushButton* button : playground->findChildren<QPushButton*>()) {
        if (button->isCheckable() && button->text() == QStringLiteral("Sampling")) {
            button->click();
        }
    }
    QVERIFY(!choice->isVisible());
    const auto ask = [&] {
        playground->startAnew();
        playground->prompt()->setPlainText(QStringLiteral("abcdefgh"));
        playground->send();
        [&] { QTRY_VERIFY_WITH_TIMEOUT(!playground->isStreaming(), kLong); }();
        return playground->lastAnswer();
    };
    const QString plain = ask();
    m_card->load(m_one);
    QTRY_VERIFY_WITH_TIMEOUT(choice->isVisible(), kLong);
    QCOMPARE(ask(), plain); // loaded, but not asked for
    choice->setCurrentIndex(1);
    QCOMPARE(form->adapter(), QStringLiteral("one"));
    QVERIFY(form->summary().contains(QStringLiteral("one")));
    QVERIFY(ask() != plain);
    QVERIFY(m_session->backend()->adapters()->unloadAdapter("one"));
    QTRY_VERIFY_WITH_TIMEOUT(!choice->isVisible(), kLong);
    QCOMPARE(form->adapter(), QString());
    QCOMPARE(ask(), plain);
}

QTEST_MAIN(TstAdaptersCard)
#include "tst_adapters_card.moc"
