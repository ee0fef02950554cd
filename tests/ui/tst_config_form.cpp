#include "tests/support/fake_session.h"
#include "ui/frame/side_panel.h"
#include "ui/panels/config_form.h"
#include "ui/panels/field_row.h"
#include "ui/theme.h"
#include "ui/widgets/chip.h"
#include "ui/widgets/number_field.h"
#include "ui/widgets/toggle_switch.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

namespace {

engine::FieldStatus status(std::string_view key, const char* requested, const char* effective,
                           engine::FieldState state, const char* reason = "") {
    return {.key = key,
            .requested = requested,
            .effective = effective,
            .state = state,
            .reason = reason,
            .progress = 0.62F};
}

const engine::Field& field(std::string_view key) {
    return *engine::findField(key);
}

} // namespace

class TstConfigForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { ui::applyTheme(*qApp, ui::ThemeKind::Dark); }
    void everyFieldHasARowWithNameAndHelp();
    void statesSpeakAndNormalIsQuiet();
    void choosingEditsThroughTheSession();
    void typingEditsOnEnterAndStepsEditAtOnce();
    void refusalKeepsTheTypedValueAndOffersTheNearest();
    void escapeForgetsARefusal();
    void weightsAreToldByKind();
    void pendingShowsAndClears();
    void backendRefusalIsShownAtTheRow();
    void undoGoesBackStepByStep();
    void changedInThisRunIsNoted();
    void noRowIsWiderThanThePanel();
    void filterHidesOtherRows();
    void flagsAreCopied();
    void withoutAModelNothingCanBeEdited();
};

void TstConfigForm::everyFieldHasARowWithNameAndHelp() {
    tests::FakeSession fake;
    fake.load();
    const ui::ConfigForm form(fake.session);
    for (const engine::Field& entry : engine::fieldTable()) {
        ui::FieldRow* row = form.row(entry.key);
        QVERIFY2(row != nullptr, std::string(entry.key).c_str());
        QVERIFY(!row->editor()->accessibleName().isEmpty());
        QVERIFY(row->editor()->focusPolicy() & Qt::TabFocus);
        QVERIFY(row->toolTip().contains(QString::fromStdString(std::string(entry.flag))));
    }
    QVERIFY(form.row("no.such.field") == nullptr);
}

void TstConfigForm::statesSpeakAndNormalIsQuiet() {
    using State = engine::FieldState;
    const auto& batch = field("batching.max_batch");
    const auto look = [&](const engine::FieldStatus& entry, const ui::Refusal* refusal = nullptr) {
        return ui::describeField(field(entry.key), entry, {}, refusal);
    };
    const auto normal = look(status(batch.key, "16", "16", State::InForce));
    QCOMPARE(normal.look, ui::FieldLook::Normal);
    QVERIFY(normal.message.isEmpty() && normal.iconName.isEmpty());

    const auto pending =
        look(status(batch.key, "12", "16", State::Pending, "Waiting for 3 sequences to end."));
    QCOMPARE(pending.look, ui::FieldLook::Pending);
    QVERIFY(pending.message.contains(QStringLiteral("16")));
    QVERIFY(pending.message.contains(QStringLiteral("Waiting for 3 sequences to end")));
    QVERIFY(!pending.message.endsWith(u'.'));

    QCOMPARE(look(status(batch.key, "12", "16", State::Preparing)).percent, 62);
    QCOMPARE(look(status(batch.key, "12", "16", State::Held, "held by level 1")).look,
             ui::FieldLook::Held);
    const auto differs = look(status(batch.key, "12", "16", State::Unavailable, "no device"));
    QCOMPARE(differs.look, ui::FieldLook::Differs);
    QVERIFY(differs.message.contains(QStringLiteral("no device")));

    // What the engine chose for an automatic value is said, and is no difference.
    const auto chosen = look(status("kv.blocks", "0", "1204", State::InForce));
    QCOMPARE(chosen.look, ui::FieldLook::Normal);
    QVERIFY(chosen.message.contains(QStringLiteral("1,204")));

    const ui::Refusal refusal{
        .typed = QStringLiteral("9000"), .reason = QStringLiteral("too <b>large"), .nearest = 512};
    const auto refused = look(status(batch.key, "16", "16", State::InForce), &refusal);
    QCOMPARE(refused.look, ui::FieldLook::Refused);
    QVERIFY(refused.message.contains(QStringLiteral("&lt;b&gt;"))); // never taken for markup

    engine::EngineConfig single;
    single.batching = engine::Batching::Single;
    const auto idle =
        ui::describeField(batch, status(batch.key, "16", "16", State::InForce), single, nullptr);
    QCOMPARE(idle.look, ui::FieldLook::Disabled);
    QVERIFY(!idle.message.isEmpty());
}

void TstConfigForm::choosingEditsThroughTheSession() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    auto* combo = qobject_cast<QComboBox*>(form.row("batching.policy")->editor());
    QVERIFY(combo != nullptr);
    combo->setFocus();
    QTest::keyClick(combo, Qt::Key_Up); // continuous -> dynamic
    QTest::keyClick(combo, Qt::Key_Up); // dynamic -> single
    QCOMPARE(fake.session.config().requested.batching, engine::Batching::Single);
    // The fields of the other policy fade and say why.
    QCOMPARE(form.row("batching.max_batch")->view().look, ui::FieldLook::Disabled);
    QVERIFY(!form.row("batching.max_batch")->editor()->isEnabled());
}

void TstConfigForm::typingEditsOnEnterAndStepsEditAtOnce() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    auto* number = qobject_cast<ui::NumberField*>(form.row("batching.max_batch")->editor());
    number->setFocus();
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("24"));
    QCOMPARE(fake.session.config().requested.maxBatch, 16); // still being typed
    QTest::keyClick(number, Qt::Key_Return);
    QCOMPARE(fake.session.config().requested.maxBatch, 24);
    QTest::keyClick(number, Qt::Key_Up);
    QCOMPARE(fake.session.config().requested.maxBatch, 25);
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("1,000"));
    QTest::keyClick(number, Qt::Key_Return);
    QCOMPARE(form.row("batching.max_batch")->view().look,
             ui::FieldLook::Refused); // over the budget
}

void TstConfigForm::refusalKeepsTheTypedValueAndOffersTheNearest() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    ui::FieldRow* row = form.row("batching.max_batch");
    auto* number = qobject_cast<ui::NumberField*>(row->editor());
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("90000"));
    QTest::keyClick(number, Qt::Key_Return);
    QCOMPARE(row->view().look, ui::FieldLook::Refused);
    QCOMPARE(fake.session.config().requested.maxBatch, 16);
    QCOMPARE(number->value(), 90000);
    QVERIFY(!number->accessibleDescription().isEmpty());
    QPushButton* nearest = nullptr;
    for (QPushButton* button : row->findChildren<QPushButton*>()) {
        nearest = button->isVisible() && button->text().contains(QStringLiteral("512")) ? button
                                                                                        : nearest;
    }
    QVERIFY(nearest != nullptr);
    nearest->click();
    QCOMPARE(fake.session.config().requested.maxBatch, 512);
    QCOMPARE(row->view().look, ui::FieldLook::Normal);
    QVERIFY(!nearest->isVisible());
}

void TstConfigForm::escapeForgetsARefusal() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    auto* number = qobject_cast<ui::NumberField*>(form.row("batching.max_batch")->editor());
    number->selectAll();
    QTest::keyClicks(number, QStringLiteral("0"));
    QTest::keyClick(number, Qt::Key_Return);
    QCOMPARE(form.row("batching.max_batch")->view().look, ui::FieldLook::Refused);
    QTest::keyClick(number, Qt::Key_Escape);
    QCOMPARE(form.row("batching.max_batch")->view().look, ui::FieldLook::Normal);
    QCOMPARE(number->value(), 16);
}

void TstConfigForm::weightsAreToldByKind() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    fake.backend->setWeights({{.group = "feed-forward",
                               .requested = "int4",
                               .effective = "Q4_1",
                               .reason = {},
                               .tensors = 3,
                               .bytes = std::uint64_t{64} << 20U},
                              {.group = "output",
                               .requested = "int4",
                               .effective = "Q8_0",
                               .reason = "Held in more.",
                               .tensors = 1,
                               .bytes = std::uint64_t{8} << 20U}});
    Q_EMIT form.row("weights.precision")->proposed(QStringLiteral("int4"));
    const QString text = form.row("weights.precision")->toolTip();
    QVERIFY2(text.contains(QStringLiteral("feed-forward: Q4_1, 64.0 MiB")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("output: Q8_0, 8")));
    QVERIFY(text.contains(QStringLiteral("Held in more.")));
    QVERIFY(!form.row("batching.max_batch")->toolTip().contains(QStringLiteral("Q8_0")));
}

void TstConfigForm::pendingShowsAndClears() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    fake.backend->holdEdits();
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("12"));
    QCOMPARE(form.row("batching.max_batch")->view().look, ui::FieldLook::Pending);
    bool isCounted = false;
    for (const ui::Tag* tag : form.findChildren<ui::Tag*>()) {
        isCounted = isCounted || (tag->isVisible() && tag->text().contains(u'1'));
    }
    QVERIFY(isCounted);
    fake.backend->releaseEdits();
    QTRY_COMPARE(form.row("batching.max_batch")->view().look, ui::FieldLook::Normal);
    QCOMPARE(fake.session.config().effective.maxBatch, 12);
}

void TstConfigForm::backendRefusalIsShownAtTheRow() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    fake.backend->refuseEdits("Needs 124 GiB, 15.2 free.");
    Q_EMIT form.row("kv.blocks")->proposed(QStringLiteral("90000"));
    const ui::FieldView& view = form.row("kv.blocks")->view();
    QCOMPARE(view.look, ui::FieldLook::Refused);
    QVERIFY(view.message.contains(QStringLiteral("124 GiB")));
    fake.backend->refuseEdits({});
    Q_EMIT form.row("kv.blocks")->proposed(QStringLiteral("900"));
    QVERIFY(form.row("kv.blocks")->view().look != ui::FieldLook::Refused);
}

void TstConfigForm::undoGoesBackStepByStep() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    QVERIFY(!form.canUndo());
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("12"));
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("8"));
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("8")); // no change, no step
    Q_EMIT form.row("batching.token_budget")->proposed(QStringLiteral("1024"));
    form.undoLast();
    QCOMPARE(fake.session.config().requested.tokenBudget, 512);
    form.undoLast();
    QCOMPARE(fake.session.config().requested.maxBatch, 12);
    form.undoLast();
    QCOMPARE(fake.session.config().requested.maxBatch, 16);
    QVERIFY(!form.canUndo());
    form.undoLast();
    QCOMPARE(fake.session.config().requested.maxBatch, 16);
}

void TstConfigForm::changedInThisRunIsNoted() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.resize(ui::SidePanel::kWidth, 700);
    form.show();
    const auto hasNote = [&form] {
        for (const QLabel* label : form.row("batching.max_batch")->findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(QStringLiteral("00:0"))) {
                return true;
            }
        }
        return false;
    };
    QVERIFY(!hasNote());
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("12"));
    QTRY_VERIFY(hasNote());
    QVERIFY(fake.session.startRecording(QStringLiteral("next")));
    QTRY_VERIFY(!hasNote());
    fake.session.stopRecording();
}

// The panel scrolls up and down only: a row that wants more is cut, and all others with it.
void TstConfigForm::noRowIsWiderThanThePanel() {
    constexpr int kRoom = ui::SidePanel::kWidth - 48; // without margins and the scroll bar
    const engine::EngineConfig config;
    for (const engine::Field& each : engine::fieldTable()) {
        QWidget panel;
        ui::FieldRow row(each, &panel);
        row.resize(kRoom, 60);
        panel.show();
        const std::string value = engine::valueText(each, config);
        row.present(status(each.key, value.c_str(), value.c_str(), engine::FieldState::InForce),
                    config, nullptr, QStringLiteral("12:34"));
        QVERIFY2(row.minimumSizeHint().width() <= kRoom, std::string(each.key).c_str());
        row.present(status(each.key, value.c_str(), "other", engine::FieldState::Held,
                           "Held by level 2, which is in force until first tokens are well again"),
                    config, nullptr, QStringLiteral("12:34"));
        QVERIFY2(row.minimumSizeHint().width() <= kRoom, std::string(each.key).c_str());
    }
}

void TstConfigForm::filterHidesOtherRows() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    form.show();
    form.filterField()->setText(QStringLiteral("budget"));
    QVERIFY(form.row("batching.token_budget")->isVisible());
    QVERIFY(!form.row("threads")->isVisible());
    form.filterField()->setText(QStringLiteral("--threads"));
    QVERIFY(form.row("threads")->isVisible());
    form.filterField()->setText(QStringLiteral("nothing like this"));
    QVERIFY(!form.row("threads")->isVisible());
    QTest::keyClick(form.filterField(), Qt::Key_Escape);
    QVERIFY(form.row("threads")->isVisible());
}

void TstConfigForm::flagsAreCopied() {
    tests::FakeSession fake;
    fake.load();
    ui::ConfigForm form(fake.session);
    Q_EMIT form.row("batching.max_batch")->proposed(QStringLiteral("12"));
    form.copyAsFlags();
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("--max-batch 12"));
}

void TstConfigForm::withoutAModelNothingCanBeEdited() {
    tests::FakeSession fake;
    ui::ConfigForm form(fake.session);
    form.show();
    QVERIFY(!form.row("batching.max_batch")->isEnabled());
    auto* number = qobject_cast<ui::NumberField*>(form.row("batching.max_batch")->editor());
    QCOMPARE(number->value(), 16); // the default
    fake.load();
    QTRY_VERIFY(form.row("batching.max_batch")->isEnabled());
}

QTEST_MAIN(TstConfigForm)
#include "tst_config_form.moc"
