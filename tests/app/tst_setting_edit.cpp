#include "app/setting_edit.h"

#include <QTest>

class TstSettingEdit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nearestIsValidAndNextToRefused();
    void acceptedValuesHaveNoNearest();
    void stepsGoThereAndBackWithinLimits();
    void flagsGiveTheSameConfiguration();
};

namespace {

const engine::Field& field(std::string_view key) {
    const engine::Field* found = engine::findField(key);
    if (found == nullptr) {
        throw std::runtime_error("no such field");
    }
    return *found;
}

engine::EngineConfig with(const engine::Field& field, std::int64_t value) {
    engine::EngineConfig config;
    field.set(config, value);
    return config;
}

} // namespace

void TstSettingEdit::nearestIsValidAndNextToRefused() {
    // Beyond the field's own limit, and beyond a rule that binds two fields.
    const auto& batch = field("batching.max_batch");
    QCOMPARE(*app::nearestAllowed(batch, {}, 9'000), std::int64_t{512}); // the token budget
    QCOMPARE(*app::nearestAllowed(batch, {}, -4), std::int64_t{1});
    const auto& budget = field("batching.token_budget");
    const auto nearest = app::nearestAllowed(budget, {}, 3);
    QVERIFY(nearest);
    QVERIFY(engine::validate(with(budget, *nearest)));
    QVERIFY(!engine::validate(with(budget, *nearest - 1)));
}

void TstSettingEdit::acceptedValuesHaveNoNearest() {
    QVERIFY(!app::nearestAllowed(field("batching.max_batch"), {}, 16));
    QVERIFY(!app::nearestAllowed(field("batching.max_batch"), {}, 1));
}

void TstSettingEdit::stepsGoThereAndBackWithinLimits() {
    const auto& budget = field("batching.token_budget");
    for (const std::int64_t value : {2, 31, 32, 33, 64, 100, 512, 4096, 60'000}) {
        const std::int64_t up = app::stepped(budget, value, 1);
        const std::int64_t down = app::stepped(budget, value, -1);
        QVERIFY(up > value && down < value);
        QVERIFY(app::stepped(budget, up, -1) <= value);
    }
    QCOMPARE(app::stepped(budget, 512, 1), std::int64_t{576});
    QCOMPARE(app::stepped(budget, 576, -1), std::int64_t{512});
    QCOMPARE(app::stepped(budget, 1, -5), budget.minimum);
    QCOMPARE(app::stepped(budget, budget.maximum, 5), budget.maximum);
    QCOMPARE(app::stepped(field("threads"), 0, -1), std::int64_t{0});
    QCOMPARE(app::stepped(field("threads"), 0, 1), std::int64_t{1});
}

void TstSettingEdit::flagsGiveTheSameConfiguration() {
    QVERIFY(app::asFlags({}).empty());
    engine::EngineConfig config;
    config.maxBatch = 8;
    config.batching = engine::Batching::Single;
    config.blockTokens = 128;
    const std::string flags = app::asFlags(config);
    engine::EngineConfig read;
    const QStringList words = QString::fromStdString(flags).split(u' ');
    QCOMPARE(words.size(), 6);
    for (int i = 0; i + 1 < words.size(); i += 2) {
        QVERIFY(
            engine::setFromText(field(words[i].toStdString()), read, words[i + 1].toStdString()));
    }
    QVERIFY(read == config);
}

QTEST_APPLESS_MAIN(TstSettingEdit)
#include "tst_setting_edit.moc"
