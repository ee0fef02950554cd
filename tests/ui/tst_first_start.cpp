#include "app/observe/model_facts.h"
#include "tests/support/fake_session.h"
#include "tests/support/tiny_model.h"
#include "ui/pages/first_start_page.h"
#include "ui/pages/log_page.h"
#include "ui/panels/model_dialog.h"
#include "ui/theme.h"
#include "ui/widgets/choice_field.h"
#include "ui/widgets/segmented.h"

#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include <filesystem>

class TstFirstStart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void aMissingModelSaysHowToGetIt();
    void aDamagedModelIsNotOffered();
    void aShapeIsWrittenThenOpened();
    void aShapeCanBeCancelled();
    void dialogShowsWhatAFileHolds();
    void dialogRefusesWhatIsNoModel();
    void factsNameFormatsAndMemory();
    void logShowsEventsNewestFirst();
    void logFiltersAndCopies();
    void logFiltersByKindWhoAndSeverityWithKeys();
};

void TstFirstStart::aMissingModelSaysHowToGetIt() {
    tests::FakeSession fake;
    ui::FirstStartPage page(fake.session, fake.folder.path().toStdString());
    page.show();
    QSignalSpy checked(&page, &ui::FirstStartPage::checked);
    QTRY_VERIFY(checked.count() > 0);
    QCOMPARE(page.presence(), app::ModelPresence::Missing);
    bool isSaid = false;
    for (const QLabel* label : page.findChildren<QLabel*>()) {
        isSaid = isSaid || label->text().contains(QStringLiteral("packaging/model"));
    }
    QVERIFY(isSaid);
    QSignalSpy asked(&page, &ui::Page::modelRequested);
    page.startDefault();
    QCOMPARE(asked.count(), 0);
}

void TstFirstStart::aDamagedModelIsNotOffered() {
    tests::FakeSession fake;
    QFile file(fake.folder.filePath(QStringLiteral("SmolLM2-135M-Instruct.Q4_1.gguf")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("GGUF");
    file.close();
    ui::FirstStartPage page(fake.session, fake.folder.path().toStdString());
    QCOMPARE(page.presence(), app::ModelPresence::Damaged);
    QSignalSpy asked(&page, &ui::Page::modelRequested);
    page.startDefault();
    QCOMPARE(asked.count(), 0);
}

void TstFirstStart::aShapeIsWrittenThenOpened() {
    tests::FakeSession fake;
    ui::FirstStartPage page(fake.session, fake.folder.path().toStdString());
    auto* shapes = page.findChild<QComboBox*>();
    QVERIFY(shapes->count() >= 4);
    shapes->setCurrentIndex(shapes->findData(QStringLiteral("smollm2-135m")));
    QSignalSpy made(&page, &ui::FirstStartPage::shapeMade);
    QSignalSpy asked(&page, &ui::Page::modelRequested);
    page.makeShape();
    QVERIFY(page.isMakingShape());
    page.makeShape(); // a second click starts nothing
    QTRY_COMPARE_WITH_TIMEOUT(made.count(), 1, 60'000);
    QVERIFY2(made[0][1].toString().isEmpty(), qPrintable(made[0][1].toString()));
    QCOMPARE(asked.count(), 1);
    QVERIFY(engine::inspectModel(asked[0][0].toString().toStdString()).has_value());
    QVERIFY(!page.isMakingShape());
}

void TstFirstStart::aShapeCanBeCancelled() {
    tests::FakeSession fake;
    const std::string folder = fake.folder.path().toStdString() + "/models";
    ui::FirstStartPage page(fake.session, folder);
    auto* shapes = page.findChild<QComboBox*>();
    shapes->setCurrentIndex(shapes->findData(QStringLiteral("llama-3.2-1b")));
    QSignalSpy made(&page, &ui::FirstStartPage::shapeMade);
    QSignalSpy asked(&page, &ui::Page::modelRequested);
    page.makeShape();
    QTest::qWait(50);
    page.cancelShape();
    QTRY_COMPARE_WITH_TIMEOUT(made.count(), 1, 20'000);
    QCOMPARE(asked.count(), 0);
    QVERIFY(std::filesystem::is_empty(folder)); // no half-written file stays
}

void TstFirstStart::dialogShowsWhatAFileHolds() {
    QTemporaryDir folder;
    const std::filesystem::path file = folder.path().toStdString() + "/tiny.gguf";
    tests::writeTinyModel(file);
    ui::ModelDialog dialog(file);
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QSignalSpy inspected(&dialog, &ui::ModelDialog::inspected);
    dialog.open();
    QTRY_COMPARE(inspected.count(), 1);
    QVERIFY(dialog.canLoad());
    QSignalSpy asked(&dialog, &ui::ModelDialog::loadRequested);
    QTest::keyClick(&dialog, Qt::Key_Return);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked[0][0].toString(), QString::fromStdString(file.string()));
}

void TstFirstStart::dialogRefusesWhatIsNoModel() {
    QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("not-a-model.gguf")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("plain text");
    file.close();
    ui::ModelDialog dialog(file.fileName().toStdString());
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    QSignalSpy inspected(&dialog, &ui::ModelDialog::inspected);
    QSignalSpy asked(&dialog, &ui::ModelDialog::loadRequested);
    dialog.open();
    QTRY_COMPARE(inspected.count(), 1);
    QVERIFY(!dialog.canLoad());
    QTest::keyClick(&dialog, Qt::Key_Return);
    QCOMPARE(asked.count(), 0);
}

void TstFirstStart::factsNameFormatsAndMemory() {
    engine::ModelInspection model;
    model.architecture = "llama";
    model.parameters = 134'515'008;
    model.groups = {{"attention", "Q4_1", 120, 60'000'000},
                    {"embedding", "Q8_0", 1, 30'000'000},
                    {"feed-forward", "Q4_1", 90, 6'000'000}};
    model.memory = {{2048, 92'000'000, 47'000'000}, {8192, 92'000'000, 188'000'000}};
    model.memory[1].kv = {{"fp16", 188'743'680.0, true}, {"int8", 99'614'720.0, false}};
    model.weights = {{"file", 92'274'688.0, true}, {"int4", 46'137'344.0, false}};
    model.experts = 64;
    model.activeExperts = 6;
    model.container = "safetensors";
    model.files = 4;
    model.notices = {"Something is left out."};
    QString text;
    for (const auto& [name, value] : app::modelFacts(model)) {
        QVERIFY(!name.isEmpty() && !value.isEmpty());
        text += name + u'=' + value + u'\n';
    }
    QVERIFY(text.contains(QStringLiteral("135 M")));
    QVERIFY(text.contains(QStringLiteral("Q4_1 62.9 MiB, Q8_0 28.6 MiB")));
    QVERIFY(text.contains(QStringLiteral("2,048")));
    QVERIFY2(text.contains(QStringLiteral("fp16 180 MiB, (int8 95.0 MiB)")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("file 88.0 MiB, (int4 44.0 MiB)")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("64, of which 6")));
    QVERIFY(text.contains(QStringLiteral("safetensors in 4 files")));
    QVERIFY(text.contains(QStringLiteral("Something is left out.")));
    QVERIFY(app::memoryWarning(model, 1'000'000'000).isEmpty());
    QVERIFY(!app::memoryWarning(model, 100'000'000).isEmpty());
    QCOMPARE(app::parametersText(1'235'814'400), QStringLiteral("1.24 B"));
}

void TstFirstStart::logShowsEventsNewestFirst() {
    tests::FakeSession fake;
    fake.load();
    ui::LogPage page(fake.session);
    page.show();
    page.setShown(true);
    QVERIFY(fake.session.setField("batching.max_batch", "12"));
    QVERIFY(!fake.session.setField("batching.max_batch", "9000"));
    engine::RequestRecord finished;
    finished.reason = engine::FinishReason::Stop; // has a page of its own
    fake.backend->push(finished);
    finished.reason = engine::FinishReason::TooLong;
    finished.message = "over the context";
    fake.backend->push(finished);
    QTRY_VERIFY(page.shownText().contains(QStringLiteral("over the context")));
    const QString text = page.shownText();
    QVERIFY(text.indexOf(QStringLiteral("over the context")) <
            text.indexOf(QStringLiteral("9000")));
    QVERIFY(text.indexOf(QStringLiteral("9000")) < text.indexOf(QStringLiteral("16 → 12")));
    int requests = 0;
    for (const ui::LogRow& row : page.model().rows()) {
        requests += std::holds_alternative<engine::RequestFinished>(row.event.body) ? 1 : 0;
    }
    QCOMPARE(requests, 1);
}

void TstFirstStart::logFiltersAndCopies() {
    tests::FakeSession fake;
    fake.load();
    ui::LogPage page(fake.session);
    page.show();
    page.setShown(true);
    QVERIFY(fake.session.setField("batching.max_batch", "12"));
    QVERIFY(fake.session.setField("batching.token_budget", "1024"));
    QTRY_VERIFY(page.shownText().contains(QStringLiteral("1024")) ||
                page.shownText().contains(QStringLiteral("1,024")));
    page.openArgument(QStringLiteral("budget"));
    QCOMPARE(page.model().rowCount(), 1);
    page.copyShown();
    QCOMPARE(QGuiApplication::clipboard()->text(), page.shownText());
    page.openArgument(QStringLiteral("nothing like it"));
    QCOMPARE(page.model().rowCount(), 0);
    page.openArgument({});
    QVERIFY(page.model().rowCount() >= 2);
}

void TstFirstStart::logFiltersByKindWhoAndSeverityWithKeys() {
    tests::FakeSession fake;
    fake.load();
    ui::LogPage page(fake.session);
    page.show();
    page.setShown(true);
    page.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    QVERIFY(fake.session.setField("batching.max_batch", "12"));
    QVERIFY(!fake.session.setField("batching.max_batch", "9000"));
    engine::RequestRecord refused;
    refused.reason = engine::FinishReason::TooLong;
    refused.message = "over the context";
    fake.backend->push(refused);
    QTRY_VERIFY(page.shownText().contains(QStringLiteral("over the context")));
    const int all = page.model().rowCount();
    const auto shows = [&page](const char* text) {
        return page.shownText().contains(QString::fromUtf8(text));
    };
    // What was refused by a rule is a warning, a setting that was refused a problem.
    auto* severity = page.findChild<ui::Segmented*>();
    severity->setFocus();
    QTest::keyClick(severity, Qt::Key_Right);
    QVERIFY(shows("9000") && shows("over the context") && !shows("16 → 12"));
    QTest::keyClick(severity, Qt::Key_Right);
    QVERIFY(shows("9000") && !shows("over the context"));
    QTest::keyClick(severity, Qt::Key_Left);
    QTest::keyClick(severity, Qt::Key_Left);
    QCOMPARE(page.model().rowCount(), all);
    const auto choices = page.findChildren<ui::ChoiceField*>();
    QCOMPARE(choices.size(), 2);
    for (ui::ChoiceField* choice : choices) {
        QVERIFY(!choice->accessibleName().isEmpty());
        QCOMPARE(choice->focusPolicy() & Qt::TabFocus, Qt::TabFocus);
    }
    choices[0]->setFocus();
    QTest::keyClick(choices[0], Qt::Key_Down); // settings
    QVERIFY(shows("16 → 12") && shows("9000") && !shows("over the context"));
    QTest::keyClick(choices[0], Qt::Key_End); // notes
    QCOMPARE(page.model().rowCount(), 0);
    QTest::keyClick(choices[0], Qt::Key_Home);
    QCOMPARE(page.model().rowCount(), all);
    QTest::keyClick(choices[1], Qt::Key_Down); // the operator
    QVERIFY(!shows("over the context"));
    QTest::keyClick(choices[1], Qt::Key_Home);
    // The filter is reached by its key, and what is typed narrows.
    QTest::keyClick(&page, Qt::Key_Slash);
    auto* filter = page.findChild<QLineEdit*>();
    QTRY_VERIFY(filter->hasFocus());
    QTest::keyClicks(filter, QStringLiteral("context"));
    QCOMPARE(page.model().rowCount(), 1);
}

QTEST_MAIN(TstFirstStart)
#include "tst_first_start.moc"
