#include "tests/support/fake_session.h"
#include "ui/pages/load_page.h"
#include "ui/panels/workload_form.h"
#include "ui/theme.h"
#include "ui/widgets/toml_edit.h"

#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

namespace {

app::Workload shortLoad() {
    app::Workload workload;
    workload.name = "short";
    workload.promptSets = {"english"};
    workload.stages = {{.ratePerSecond = 40.0, .endRatePerSecond = 40.0, .seconds = 1.0}};
    workload.outputTokens = {2, 4};
    return workload;
}

struct Fixture {
    Fixture() {
        page = std::make_unique<ui::LoadPage>(fake.session);
        page->resize(1100, 800);
        page->show();
        page->setShown(true);
    }
    tests::FakeSession fake;
    std::unique_ptr<ui::LoadPage> page;
};

} // namespace

class TstLoadPage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void formAndTextStayEqual();
    void badTextMarksItsLineAndKeepsTheForm();
    void builtInsCanBeChosenAndNameThemselves();
    void aFileKeepsItsComments();
    void arrivalsAreDrawnBeforeStarting();
    void startRunsAndRecords();
    void withoutAModelNothingStarts();
    void aWorkloadStartedElsewhereIsShown();
};

void TstLoadPage::formAndTextStayEqual() {
    Fixture at;
    at.page->setWorkload(shortLoad());
    QVERIFY(at.page->form()->workload() == shortLoad());
    QVERIFY(*app::parseWorkload(at.page->editor()->toPlainText().toStdString(), "x") ==
            shortLoad());
    // By the form.
    auto* seed = at.page->form()->findChildren<QLineEdit*>().at(1);
    seed->setText(QStringLiteral("99"));
    Q_EMIT seed->editingFinished();
    QVERIFY(at.page->editor()->toPlainText().contains(QStringLiteral("seed = 99")));
    // By the text.
    QString text = at.page->editor()->toPlainText();
    text.replace(QStringLiteral("seed = 99"), QStringLiteral("seed = 123"));
    at.page->editor()->setPlainText(text);
    QTRY_COMPARE(at.page->form()->workload().seed, std::uint64_t{123});
}

void TstLoadPage::badTextMarksItsLineAndKeepsTheForm() {
    Fixture at;
    at.page->setWorkload(shortLoad());
    at.page->editor()->setPlainText(QStringLiteral("[workload]\nseed = 1\nspeed = 2\n"));
    QTRY_VERIFY(!at.page->draft().isGood());
    QCOMPARE(at.page->editor()->extraSelections().size(), 1);
    QCOMPARE(at.page->editor()->extraSelections().first().cursor.blockNumber(), 2);
    QVERIFY(at.page->editor()->accessibleDescription().contains(u'3'));
    QVERIFY(at.page->form()->workload() == shortLoad());
    at.fake.load();
    at.page->startOrStop();
    QVERIFY(!at.fake.session.isLoadRunning());
}

void TstLoadPage::builtInsCanBeChosenAndNameThemselves() {
    Fixture at;
    auto* presets = at.page->findChild<QComboBox*>();
    QCOMPARE(presets->currentText(), QStringLiteral("demo"));
    for (const app::BuiltInWorkload& built : app::builtInWorkloads()) {
        at.page->openArgument(QString::fromStdString(built.name));
        QVERIFY(at.page->draft().isGood());
        QCOMPARE(presets->currentText(), QString::fromStdString(built.name));
    }
    at.page->setWorkload(shortLoad());
    QCOMPARE(presets->currentData().toString(), QString());
    at.page->openArgument(QStringLiteral("no-such-workload"));
    QVERIFY(!at.page->editor()->accessibleDescription().isEmpty());
}

void TstLoadPage::aFileKeepsItsComments() {
    Fixture at;
    QFile file(at.fake.folder.filePath(QStringLiteral("mine.toml")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("# my own\n" + QByteArray::fromStdString(app::workloadToml(shortLoad())));
    file.close();
    at.page->openArgument(file.fileName());
    QVERIFY(at.page->draft().workload() == shortLoad());
    QVERIFY(at.page->editor()->toPlainText().startsWith(QStringLiteral("# my own")));
}

void TstLoadPage::arrivalsAreDrawnBeforeStarting() {
    Fixture at;
    at.page->setWorkload(shortLoad());
    QTRY_COMPARE(at.page->shownPlot().xMax, 1.0);
    QCOMPARE(at.page->shownPlot().series.size(), std::size_t{2});
    QVERIFY(!at.fake.session.isLoadRunning());
}

void TstLoadPage::startRunsAndRecords() {
    Fixture at;
    at.fake.load();
    at.page->setWorkload(shortLoad());
    QTest::keyClick(at.page.get(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_VERIFY(at.fake.session.isLoadRunning());
    QTRY_VERIFY(at.page->shownPlot().series.size() == 3); // the achieved rate lies over the plan
    QTRY_VERIFY(!at.fake.session.isLoadRunning());
    QVERIFY(at.fake.session.lastRun().has_value());
    QVERIFY(at.fake.backend->submitted().size() > 10);
    // Once more, stopped by hand.
    app::Workload longer = shortLoad();
    longer.stages.front().seconds = 600.0;
    at.page->setWorkload(longer);
    at.page->startOrStop();
    QTRY_VERIFY(at.fake.session.isLoadRunning());
    at.page->startOrStop();
    QTRY_VERIFY(!at.fake.session.isLoadRunning());
}

void TstLoadPage::withoutAModelNothingStarts() {
    Fixture at;
    at.page->startOrStop();
    QVERIFY(!at.fake.session.isLoadRunning());
    QVERIFY(at.page->hasPanelBeside());
}

void TstLoadPage::aWorkloadStartedElsewhereIsShown() {
    Fixture at;
    at.fake.load();
    app::Workload other = shortLoad();
    other.name = "from the palette";
    QVERIFY(at.fake.session.startLoad(other));
    QTRY_COMPARE(at.page->draft().workload().name, other.name);
    at.fake.session.stopLoad();
    QTRY_VERIFY(!at.fake.session.isLoadRunning());
}

QTEST_MAIN(TstLoadPage)
#include "tst_load_page.moc"
