// The table of alarms over the window: what it says of each state, and what its buttons ask for.
#include "app/observe/alarms.h"
#include "ui/frame/alarm_card.h"
#include "ui/frame/strip_buttons.h"
#include "ui/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace app;

namespace {

// Alarms of a machine whose memory is used to a share.
class Machine {
public:
    Machine() { m_history.reset(engine::TimePoint{}); }
    void run(double share, double seconds) {
        for (int second = 0; second < static_cast<int>(seconds); ++second) {
            Sample sample;
            sample.seconds = ++m_seconds;
            sample.machineShare = share;
            m_history.addSample(sample);
            alarms.evaluate({m_history, {}, {}}, m_seconds);
        }
    }
    Alarms alarms;

private:
    History m_history;
    double m_seconds = 0.0;
};

std::size_t memoryRule() {
    return static_cast<std::size_t>(findAlarm("memory") - alarmTable().data());
}

QString textsOf(const QWidget& card) {
    QStringList texts;
    for (const QLabel* label : card.findChildren<QLabel*>()) {
        texts << label->text();
    }
    return texts.join(QLatin1Char('|'));
}

QPushButton* buttonOf(const QWidget& card, const QString& name) {
    for (QPushButton* button : card.findChildren<QPushButton*>()) {
        if (button->accessibleName() == name) {
            return button;
        }
    }
    return nullptr;
}

} // namespace

class TstAlarmCard : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }

    void everyRuleHasARowThatCanBeMuted() {
        QWidget window;
        window.resize(1200, 800);
        ui::AlarmCard card(&window);
        const Machine machine;
        card.follow(machine.alarms);
        for (const AlarmRule& rule : alarmTable()) {
            const auto* mute =
                buttonOf(card, QStringLiteral("Mute: ") + QString::fromUtf8(rule.label.data()));
            QVERIFY2(mute != nullptr, rule.key.data());
        }
    }

    void aRaisedAlarmIsAcknowledgedFromItsRow() {
        QWidget window;
        window.resize(1200, 800);
        window.show();
        ui::AlarmCard card(&window);
        Machine machine;
        card.follow(machine.alarms);
        auto* acknowledge = buttonOf(card, QStringLiteral("Acknowledge: Memory of the machine"));
        QVERIFY(acknowledge != nullptr);
        QVERIFY(!acknowledge->isEnabled());
        machine.run(0.9, 3);
        card.follow(machine.alarms);
        QVERIFY(textsOf(card).contains(QStringLiteral("over, being held")));
        machine.run(0.9, 10);
        card.follow(machine.alarms);
        QVERIFY(textsOf(card).contains(QStringLiteral("90.0 %|clears below 82.0 %|raised")));
        card.open();
        QSignalSpy asked(&card, &ui::AlarmCard::acknowledged);
        QTest::keyClick(acknowledge, Qt::Key_Space);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked.front().front().value<std::size_t>(), memoryRule());
        machine.alarms.acknowledge(memoryRule());
        card.follow(machine.alarms);
        QVERIFY(textsOf(card).contains(QStringLiteral("acknowledged")));
        QVERIFY(!acknowledge->isEnabled());
    }

    void theBadgeGrowsWithItsCount() {
        ui::AlarmButton badge(nullptr);
        const int empty = badge.sizeHint().width();
        badge.setCounts(1, 2, {});
        QCOMPARE(badge.text(), QStringLiteral("2"));
        QVERIFY(badge.sizeHint().width() > empty);
        badge.setCounts(0, 0, {});
        QCOMPARE(badge.sizeHint().width(), empty);
    }
};

QTEST_MAIN(TstAlarmCard)
#include "tst_alarm_card.moc"
