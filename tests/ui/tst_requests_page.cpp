#include "app/answer_stream.h"
#include "tests/support/fake_session.h"
#include "tests/support/scripted_run.h"
#include "ui/pages/requests_page.h"
#include "ui/panels/playground.h"
#include "ui/panels/request_card.h"
#include "ui/theme.h"
#include "ui/widgets/prompt_edit.h"
#include "ui/widgets/table_view.h"

#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

namespace {

// `count` completed requests, every tenth refused, the first one cold.
void finishRequests(tests::FakeBackend& backend, engine::TimePoint start, int count) {
    for (int i = 0; i < count; ++i) {
        engine::RequestRecord record = tests::makeRecord(start, 100.0 * i, 20.0 + i, 5.0, 8);
        record.id = engine::RequestId{static_cast<std::uint64_t>(1000 + i)};
        record.tags = i == 0 ? static_cast<std::uint32_t>(engine::SampleTag::Cold) : 0;
        if (i % 10 == 9) {
            record.reason = engine::FinishReason::TooLong;
            record.message = "over the 2,048 tokens of the context";
            record.ledgerNs.reset();
            record.stamps.firstVisible.reset();
            record.stamps.lastToken.reset();
            record.steps.clear();
            record.outputTokens = 0;
        }
        backend.push(std::move(record));
    }
}

struct Fixture {
    Fixture() {
        fake.load();
        page = std::make_unique<ui::RequestsPage>(fake.session);
        page->resize(1300, 800);
        page->show();
        page->setShown(true);
    }
    ui::TableView& table() { return *page->findChild<ui::TableView*>(); }

    tests::FakeSession fake;
    std::unique_ptr<ui::RequestsPage> page;
};

} // namespace

class TstRequestsPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void finishedRequestsAppearNewestFirst();
    void filterAndChipsNarrowTheTable();
    void aBadFilterKeepsTheRowsAndSaysWhy();
    void selectionOpensTheWaterfallAndHoldsItsPlace();
    void keysWalkCopyAndOpenTheTimeline();
    void hiddenPageCatchesUpWhenShown();
    void anotherRunStartsAnew();
    void csvHasTheRowsShown();
    void answerStreamsAndKeepsItsFigures();
    void escapeStopsTheAnswer();
    void refusedAnswerSaysWhy();
    void longPromptsAreShownInPart();
    void pasteOfMegabytesIsRefusedAtOnce();
    void conversationGoesOn();
    void everyPartHasAName();
};

void TstRequestsPage::finishedRequestsAppearNewestFirst() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 30);
    QTRY_COMPARE(at.page->model().rowCount(), 30);
    QCOMPARE(at.page->model().rowAt(0).id, std::uint64_t{1029});
    QCOMPARE(at.page->model().rowAt(29).id, std::uint64_t{1000});
    finishRequests(*at.fake.backend, at.fake.session.history().start() + std::chrono::seconds(60),
                   1);
    QTRY_COMPARE(at.page->model().rowCount(), 31);
}

void TstRequestsPage::filterAndChipsNarrowTheTable() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 30);
    QTRY_COMPARE(at.page->model().rowCount(), 30);
    at.page->openArgument(QStringLiteral("tag:cold"));
    QCOMPARE(at.page->model().rowCount(), 1);
    at.page->openArgument(QStringLiteral("ttft>40"));
    QCOMPARE(at.page->model().rowCount(), 8); // 41..49 ms without the refused one
    at.page->openArgument({});
    for (ui::Chip* chip : at.page->findChildren<ui::Chip*>()) {
        if (chip->text() == QStringLiteral("Rejected")) {
            chip->click();
        }
    }
    QCOMPARE(at.page->model().rowCount(), 3);
    // New rows are filtered as well.
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 10);
    QTRY_COMPARE(at.page->model().rows().size(), std::size_t{40});
    QCOMPARE(at.page->model().rowCount(), 4);
}

void TstRequestsPage::aBadFilterKeepsTheRowsAndSaysWhy() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 5);
    QTRY_COMPARE(at.page->model().rowCount(), 5);
    at.page->openArgument(QStringLiteral("colour:red"));
    QCOMPARE(at.page->model().rowCount(), 5);
    QVERIFY(at.page->filterField()->accessibleDescription().contains(QStringLiteral("colour")));
    QCOMPARE(at.page->filterField()->property("state").toString(), QStringLiteral("bad"));
    at.page->openArgument({});
    QCOMPARE(at.page->filterField()->property("state").toString(), QString());
}

void TstRequestsPage::selectionOpensTheWaterfallAndHoldsItsPlace() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 60);
    QTRY_COMPARE(at.page->model().rowCount(), 60);
    at.table().selectRow(20);
    const std::uint64_t chosen = at.page->model().rowAt(20).id;
    const auto* card = at.page->findChild<ui::RequestCard*>();
    QVERIFY(card->asText().contains(QString::number(chosen % 1000)));
    const int before = at.table().visualRect(at.table().currentIndex()).top();
    finishRequests(*at.fake.backend, at.fake.session.history().start() + std::chrono::seconds(60),
                   7);
    QTRY_COMPARE(at.page->model().rowCount(), 67);
    QCOMPARE(at.page->model().rowAt(at.table().currentRow()).id, chosen);
    QCOMPARE(at.table().visualRect(at.table().selectionModel()->selectedRows().first()).top(),
             before);
}

void TstRequestsPage::keysWalkCopyAndOpenTheTimeline() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 10);
    QTRY_COMPARE(at.page->model().rowCount(), 10);
    at.table().selectRow(2);
    at.table().setFocus();
    QTest::keyClick(&at.table(), Qt::Key_Down);
    QCOMPARE(at.table().currentRow(), 3);
    QTest::keyClick(&at.table(), Qt::Key_C, Qt::ControlModifier);
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("1,006\t")));
    QSignalSpy asked(at.page.get(), &ui::Page::pageRequested);
    QTest::keyClick(&at.table(), Qt::Key_Return);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QStringLiteral("live"));
    QVERIFY(asked[0][1].toString().toDouble() > 0.5);
}

void TstRequestsPage::hiddenPageCatchesUpWhenShown() {
    Fixture at;
    at.page->setShown(false);
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 20);
    QSignalSpy ticked(&at.fake.session, &app::Session::ticked);
    QTRY_VERIFY(ticked.count() >= 3);
    QCOMPARE(at.page->model().rowCount(), 0);
    at.page->setShown(true);
    QCOMPARE(at.page->model().rowCount(), 20);
}

void TstRequestsPage::anotherRunStartsAnew() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 5);
    QTRY_COMPARE(at.page->model().rowCount(), 5);
    QVERIFY(at.fake.session.startRecording(QStringLiteral("next")));
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 2);
    QTRY_COMPARE(at.page->model().rowCount(), 2);
    at.fake.session.stopRecording();
}

void TstRequestsPage::csvHasTheRowsShown() {
    Fixture at;
    finishRequests(*at.fake.backend, at.fake.session.history().start(), 20);
    QTRY_COMPARE(at.page->model().rowCount(), 20);
    at.page->openArgument(QStringLiteral("outcome:rejected"));
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("requests.csv"));
    QSignalSpy said(at.page.get(), &ui::Page::messageRaised);
    at.page->exportTo(path);
    QTRY_COMPARE(said.count(), 1);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString csv = QString::fromUtf8(file.readAll());
    QCOMPARE(csv.count(QStringLiteral("\r\n")), 3);
    QVERIFY(csv.contains(QStringLiteral("\"over the 2,048 tokens of the context\"")));
}

void TstRequestsPage::answerStreamsAndKeepsItsFigures() {
    Fixture at;
    std::shared_ptr<engine::TokenStream> stream;
    at.fake.backend->setAnswer([&stream](const engine::Request&, auto made) { stream = made; });
    ui::Playground* playground = at.page->playground();
    playground->prompt()->setPlainText(QStringLiteral("Why?"));
    QTest::keyClick(playground->prompt(), Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(stream != nullptr);
    QVERIFY(playground->isStreaming());
    QVERIFY(playground->prompt()->toPlainText().isEmpty());
    const engine::Request asked = at.fake.backend->submitted().back();
    QCOMPARE(asked.label, std::string("playground"));
    QVERIFY(asked.scheduled.has_value());
    stream->push("Because ", 1);
    stream->push("<b>so</b>.", 2);
    QTRY_COMPARE(playground->lastAnswer(), QStringLiteral("Because <b>so</b>."));
    auto record = std::make_shared<engine::RequestRecord>(
        tests::makeRecord(engine::Clock::now(), 0.0, 20.0, 5.0, 8));
    stream->finish(engine::FinishReason::Stop, {}, record);
    QTRY_VERIFY(!playground->isStreaming());
    bool hasLedger = false;
    for (const auto* waterfall : playground->findChildren<QWidget*>()) {
        hasLedger =
            hasLedger || (waterfall->isVisible() &&
                          waterfall->accessibleDescription().contains(QStringLiteral("Queue\t")));
    }
    QVERIFY(hasLedger);
}

void TstRequestsPage::escapeStopsTheAnswer() {
    Fixture at;
    at.fake.backend->setAnswer(
        [](const engine::Request&, auto stream) { stream->push("word ", 1); });
    ui::Playground* playground = at.page->playground();
    playground->prompt()->setPlainText(QStringLiteral("Go on for ever"));
    playground->send();
    QTRY_COMPARE(playground->lastAnswer(), QStringLiteral("word "));
    QTest::keyClick(playground->prompt(), Qt::Key_Escape);
    QCOMPARE(at.fake.backend->cancelled().size(), std::size_t{1}); // not a turn later
    QTRY_VERIFY(!playground->isStreaming());
    QCOMPARE(playground->lastAnswer(), QStringLiteral("word ")); // what came stays
}

void TstRequestsPage::refusedAnswerSaysWhy() {
    Fixture at;
    at.fake.backend->setAnswer([](const engine::Request&, auto stream) {
        stream->finish(engine::FinishReason::TooLong, "over the context", nullptr);
    });
    ui::Playground* playground = at.page->playground();
    playground->prompt()->setPlainText(QStringLiteral("A long one"));
    playground->send();
    QTRY_VERIFY(!playground->isStreaming());
    QTest::qWait(100); // pictures of a streaming answer are drawn every 33 ms
    bool isSaid = false;
    for (const QLabel* label : playground->findChildren<QLabel*>()) {
        isSaid = isSaid || label->text().contains(QStringLiteral("over the context"));
    }
    QVERIFY(isSaid);
    QCOMPARE(playground->prompt()->toPlainText(), QStringLiteral("A long one"));
    playground->prompt()->setPlainText(QStringLiteral("short"));
    playground->send();
    QTRY_VERIFY(!playground->isStreaming());
    const engine::Request next = at.fake.backend->submitted().back();
    if (const auto* messages = std::get_if<std::vector<engine::ChatMessage>>(&next.prompt)) {
        QCOMPARE(messages->size(), std::size_t{1}); // what was refused is not asked again
    }
}

void TstRequestsPage::pasteOfMegabytesIsRefusedAtOnce() {
    Fixture at;
    ui::Playground* playground = at.page->playground();
    auto* note = playground->findChild<QLabel*>(QStringLiteral("pasteNote"));
    QVERIFY(note != nullptr && note->isHidden());
    QGuiApplication::clipboard()->setText(QString(10'000'000, QLatin1Char('x')));
    playground->prompt()->paste();
    QVERIFY(playground->prompt()->toPlainText().isEmpty());
    QVERIFY(!note->isHidden());
    QVERIFY2(note->text().contains(QStringLiteral("--prompt-file")), qPrintable(note->text()));
    QGuiApplication::clipboard()->setText(QStringLiteral("short"));
    playground->prompt()->paste();
    QCOMPARE(playground->prompt()->toPlainText(), QStringLiteral("short"));
    QVERIFY(note->isHidden());
}

void TstRequestsPage::longPromptsAreShownInPart() {
    Fixture at;
    at.fake.backend->setAnswer([](const engine::Request&, auto stream) {
        stream->finish(engine::FinishReason::TooLong, "over the context", nullptr);
    });
    ui::Playground* playground = at.page->playground();
    const QString text = QStringLiteral("a line of words\n").repeated(20'000) + QLatin1Char('.');
    playground->prompt()->setPlainText(text);
    playground->send();
    QTRY_VERIFY(!playground->isStreaming());
    for (const QLabel* label : playground->findChildren<QLabel*>()) {
        QVERIFY(label->text().size() < 50'000);
    }
    const engine::Request asked = at.fake.backend->submitted().back();
    if (const auto* messages = std::get_if<std::vector<engine::ChatMessage>>(&asked.prompt)) {
        QCOMPARE(messages->back().content, text.toStdString());
    }
}

void TstRequestsPage::conversationGoesOn() {
    Fixture at;
    ui::Playground* playground = at.page->playground();
    for (const char* text : {"one", "two"}) {
        playground->prompt()->setPlainText(QString::fromLatin1(text));
        playground->send();
        QTRY_VERIFY(!playground->isStreaming());
    }
    const engine::Request second = at.fake.backend->submitted().back();
    if (const auto* messages = std::get_if<std::vector<engine::ChatMessage>>(&second.prompt)) {
        QCOMPARE(messages->size(), std::size_t{3});
        QCOMPARE((*messages)[1].role, std::string("assistant"));
    } else {
        QCOMPARE(std::get<std::string>(second.prompt), std::string("two"));
    }
    playground->startAnew();
    QVERIFY(playground->lastAnswer().isEmpty());
}

void TstRequestsPage::everyPartHasAName() {
    Fixture at;
    for (const QWidget* widget : at.page->findChildren<QWidget*>()) {
        const bool isControl = qobject_cast<const QAbstractButton*>(widget) != nullptr ||
                               qobject_cast<const QLineEdit*>(widget) != nullptr ||
                               qobject_cast<const ui::TableView*>(widget) != nullptr;
        const auto* button = qobject_cast<const QAbstractButton*>(widget);
        const bool isInner =
            widget->parent() != nullptr && (widget->parent()->inherits("QLineEdit") ||
                                            widget->parent()->inherits("QAbstractSpinBox") ||
                                            widget->parent()->inherits("QTableView"));
        if (isControl && !isInner) {
            const bool hasName = !widget->accessibleName().isEmpty() ||
                                 (button != nullptr && !button->text().isEmpty());
            QVERIFY2(hasName, widget->metaObject()->className());
        }
    }
}

QTEST_MAIN(TstRequestsPage)
#include "tst_requests_page.moc"
