// The pages that only tell and ask: Help with its definitions, Settings with its choices.
#include "app/definitions.h"
#include "app/preferences.h"
#include "tests/support/fake_session.h"
#include "ui/pages/help_page.h"
#include "ui/pages/settings_page.h"
#include "ui/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFrame>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

class TstHelpAndSettings : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Light); }
    void everyFigureHasItsFormula();
    void definitionsAreFoundByWordAndByKey();
    void wideWindowsHaveTwoColumns();
    void choicesAreToldOnce();
    void aTargetIsTold();
};

void TstHelpAndSettings::everyFigureHasItsFormula() {
    tests::FakeSession fake;
    ui::HelpPage page(fake.session, nullptr);
    page.show();
    QCOMPARE(static_cast<std::size_t>(page.shown().size()), app::definitions().size());
    QStringList texts;
    for (const QLabel* label : page.findChildren<QLabel*>()) {
        texts << label->text();
    }
    for (const app::Definition& definition : app::definitions()) {
        QVERIFY(texts.contains(app::definitionName(definition)));
        QVERIFY(texts.contains(app::definitionFormula(definition)));
        QVERIFY(texts.contains(app::definitionMeaning(definition)));
    }
}

void TstHelpAndSettings::definitionsAreFoundByWordAndByKey() {
    tests::FakeSession fake;
    ui::HelpPage page(fake.session, nullptr);
    page.show();
    auto* filter = page.findChild<QLineEdit*>();
    filter->setText(QStringLiteral("coordinated omission"));
    QCOMPARE(page.shown(), QStringList{QStringLiteral("lag")});
    filter->setText(QStringLiteral("no such figure"));
    QVERIFY(page.shown().isEmpty());
    page.openArgument(QStringLiteral("ttft_p99_ms")); // a measure leads to its definition
    QCOMPARE(page.current(), QStringLiteral("ttft"));
    QVERIFY(page.shown().size() > 10);
}

void TstHelpAndSettings::wideWindowsHaveTwoColumns() {
    tests::FakeSession fake;
    ui::HelpPage page(fake.session, nullptr);
    const auto places = [&page] {
        QSet<int> lefts;
        for (const QFrame* card : page.findChildren<QFrame*>()) {
            if (card->property("surface").toString() == QStringLiteral("card")) {
                lefts.insert(card->mapTo(&page, QPoint(0, 0)).x());
            }
        }
        return lefts.size();
    };
    page.resize(1000, 700);
    page.show();
    QTRY_COMPARE(places(), 1);
    page.resize(1400, 800);
    QTRY_COMPARE(places(), 2);
    page.resize(1000, 700);
    QTRY_COMPARE(places(), 1);
}

void TstHelpAndSettings::choicesAreToldOnce() {
    tests::FakeSession fake;
    ui::SettingsPage page(fake.session, nullptr);
    const app::Preferences preferences(fake.folder.path().toStdString() + "/headway.ini");
    QSignalSpy language(&page, &ui::SettingsPage::languageChosen);
    QSignalSpy theme(&page, &ui::SettingsPage::themeChosen);
    page.setChoices(preferences, app::ThemeKind::Dark); // shows, and tells nobody
    QCOMPARE(language.count() + theme.count(), 0);
    page.show();
    for (QComboBox* box : page.findChildren<QComboBox*>()) {
        QVERIFY2(!box->accessibleName().isEmpty(), qPrintable(box->currentText()));
        const int chinese = box->findText(QStringLiteral("简体中文"));
        if (chinese >= 0) {
            box->setCurrentIndex(chinese);
            Q_EMIT box->activated(chinese);
        }
    }
    QCOMPARE(language.count(), 1);
    QCOMPARE(language[0][0].toString(), QStringLiteral("zh_CN"));
}

void TstHelpAndSettings::aTargetIsTold() {
    tests::FakeSession fake;
    ui::SettingsPage page(fake.session, nullptr);
    page.setChoices(app::Preferences(fake.folder.path().toStdString() + "/headway.ini"),
                    app::ThemeKind::Dark);
    page.show();
    QSignalSpy target(&page, &ui::SettingsPage::targetChosen);
    const auto boxes = page.findChildren<QDoubleSpinBox*>();
    QVERIFY(boxes.size() >= 2);
    boxes.front()->setValue(250.0);
    Q_EMIT boxes.front()->editingFinished();
    QVERIFY(target.count() >= 1);
    QCOMPARE(target.back()[0].toDouble(), 250.0);
}

QTEST_MAIN(TstHelpAndSettings)
#include "tst_help_and_settings.moc"
