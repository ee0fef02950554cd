// The default model under a load that is too much for it and then is not: up to level 2 and back,
// with every change in the recording. Without a window.
#include "tests/support/default_model.h"
#include "tests/support/pressed_load.h"

#include <QTemporaryDir>
#include <QTest>

class TstDegradationRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOverloadGoesUpAndComesBack();
};

void TstDegradationRun::anOverloadGoesUpAndComesBack() {
    const std::filesystem::path model = tests::defaultModel();
    if (model.empty()) {
        QSKIP("The default model is not here.");
    }
    const QTemporaryDir folder;
    const std::filesystem::path log = std::filesystem::path(folder.path().toStdString()) / "p.db";
    std::int64_t run = 0;
    {
        app::Session session(log);
        session.openModel(model, tests::pressedConfig());
        QTRY_VERIFY_WITH_TIMEOUT(session.hasModel(), tests::kPatienceMs);
        QVERIFY(tests::applyPressedSettings(session));
        QTRY_COMPARE_WITH_TIMEOUT(session.config().effective.precision,
                                  engine::WeightPrecision::FP16, tests::kPatienceMs);
        const auto begun = session.startRecording(QStringLiteral("pressure"));
        QVERIFY(begun.has_value());
        run = *begun;
        QVERIFY(tests::pressAndRecover(session));
        session.stopRecording();
    }
    const auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto data = (*store)->load(run);
    QVERIFY(data.has_value());
    const tests::PressedRun pressed = tests::pressedRun(*data);
    QVERIFY(pressed.isConnected);
    QVERIFY(std::ranges::find(pressed.levels, 2) != pressed.levels.end());
    QCOMPARE(pressed.levels.back(), 0);
    QVERIFY(pressed.effects > 0);
    // Each change is a pin on every chart, and the log has every request with what it was.
    QCOMPARE(static_cast<std::size_t>(pressed.pins), pressed.levels.size() - 1);
    QVERIFY(pressed.lightAnswers > 20);
}

QTEST_GUILESS_MAIN(TstDegradationRun)
#include "tst_degradation_run.moc"
