#include "engine/config.h"

#include <QTest>

#include <random>
#include <set>
#include <thread>

using engine::EngineConfig;
using engine::Field;
using engine::FieldType;

class TstConfig : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tableIsWhole();
    void defaultsAreTheTablesDefaultsAndValid();
    void everyValueSurvivesItsText();
    void textIsRangeCheckedWithTheNearestValue_data();
    void textIsRangeCheckedWithTheNearestValue();
    void unitsScale_data();
    void unitsScale();
    void rulesAcrossFields_data();
    void rulesAcrossFields();
    void diffNamesExactlyWhatChanged();
    void idleFieldsSayWhy();
    void boxRefusesAndKeepsItsValue();
    void boxVersionGrowsOnlyWithChanges();
    void concurrentEditsAreNotLost();
};

void TstConfig::tableIsWhole() {
    std::set<std::string_view> keys, flags, labels;
    for (const Field& field : engine::fieldTable()) {
        QVERIFY(keys.insert(field.key).second);
        QVERIFY(flags.insert(field.flag).second);
        QVERIFY(labels.insert(field.label).second);
        QVERIFY2(field.flag.substr(0, 2) == "--", field.flag.data());
        QVERIFY(!field.group.empty() && field.help.ends_with('.'));
        QVERIFY(field.get != nullptr && field.set != nullptr && field.idleReason != nullptr);
        QVERIFY(field.minimum <= field.defaultValue && field.defaultValue <= field.maximum);
        if (field.type == FieldType::Choice) {
            QCOMPARE(field.maximum, std::ssize(field.choices) - 1);
        }
        QCOMPARE(engine::findField(field.key), &field);
        QCOMPARE(engine::findField(field.flag), &field);
    }
    QVERIFY(engine::findField("--nonsense") == nullptr);
    QVERIFY(engine::findField("") == nullptr);
    // sizeof tells when a member was added without a row: 38 and 22 members in 32 and 15 words.
    QCOMPARE(engine::fieldTable().size(), std::size_t{38 + 22});
    QCOMPARE(sizeof(EngineConfig), std::size_t{(32 + 15) * 8});
}

void TstConfig::defaultsAreTheTablesDefaultsAndValid() {
    const EngineConfig config;
    for (const Field& field : engine::fieldTable()) {
        QCOMPARE(field.get(config), field.defaultValue);
    }
    QVERIFY(engine::validate(config).has_value());
}

void TstConfig::everyValueSurvivesItsText() {
    const auto seed = std::random_device{}();
    std::mt19937_64 random(seed);
    for (const Field& field : engine::fieldTable()) {
        for (int i = 0; i < 50; ++i) {
            EngineConfig config;
            const std::int64_t value =
                std::uniform_int_distribution(field.minimum, field.maximum)(random);
            field.set(config, value);
            EngineConfig parsed;
            const auto result =
                engine::setFromText(field, parsed, engine::valueText(field, config));
            QVERIFY2(result.has_value(), qPrintable(QString::number(seed)));
            QCOMPARE(field.get(parsed), value);
            QVERIFY(parsed == config);
        }
    }
}

void TstConfig::textIsRangeCheckedWithTheNearestValue_data() {
    QTest::addColumn<QString>("flag");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("below") << "--max-batch"
                           << "0"
                           << "nearest allowed value is 1.";
    QTest::newRow("above") << "--max-batch"
                           << "99999"
                           << "nearest allowed value is 1024";
    QTest::newRow("huge") << "--kv-blocks"
                          << "1e300"
                          << "nearest allowed value is 16777216";
    QTest::newRow("negative") << "--threads"
                              << "-3"
                              << "nearest allowed value is 0";
    QTest::newRow("fraction") << "--max-batch"
                              << "2.6"
                              << "nearest allowed value is 3";
    QTest::newRow("word") << "--max-batch"
                          << "many"
                          << "\"many\" is not a number";
    QTest::newRow("empty") << "--max-batch"
                           << ""
                           << "is not a number";
    QTest::newRow("not a number") << "--max-batch"
                                  << "nan"
                                  << "is not a number";
    QTest::newRow("wrong unit") << "--max-batch"
                                << "3 GiB"
                                << "is not a number";
    QTest::newRow("choice") << "--batching"
                            << "dynamical"
                            << "not one of single, dynamic, continuous, selective";
    QTest::newRow("block size") << "--block-tokens"
                                << "48"
                                << "not one of 16, 32, 64, 128";
}

void TstConfig::textIsRangeCheckedWithTheNearestValue() {
    QFETCH(QString, flag);
    QFETCH(QString, text);
    QFETCH(QString, mentions);
    const Field& field = *engine::findField(flag.toStdString());
    EngineConfig config;
    const auto result = engine::setFromText(field, config, text.toStdString());
    QVERIFY(!result.has_value());
    QVERIFY(result.error().code == engine::ErrorCode::Invalid);
    const auto message = QString::fromStdString(result.error().message);
    QVERIFY2(message.contains(mentions), qPrintable(message));
    QVERIFY2(message.startsWith(QString::fromUtf8(field.label.data())), qPrintable(message));
    QVERIFY(config == EngineConfig{});
}

void TstConfig::unitsScale_data() {
    QTest::addColumn<QString>("unit");
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("value");
    QTest::newRow("plain") << "ms"
                           << "80" << qint64{80};
    QTest::newRow("ms") << "ms"
                        << "80ms" << qint64{80};
    QTest::newRow("spaces") << "ms"
                            << " 80 ms " << qint64{80};
    QTest::newRow("seconds") << "ms"
                             << "1.5s" << qint64{1500};
    QTest::newRow("minutes") << "ms"
                             << "2 min" << qint64{120000};
    QTest::newRow("bytes") << "B"
                           << "4096" << qint64{4096};
    QTest::newRow("KiB") << "B"
                         << "4KiB" << qint64{4096};
    QTest::newRow("GiB") << "B"
                         << "1.5 GiB" << qint64{1610612736};
    QTest::newRow("own unit") << "tok"
                              << "12 tok" << qint64{12};
    QTest::newRow("unknown suffix") << "ms"
                                    << "3 fortnights" << qint64{-1};
    QTest::newRow("size for a time") << "ms"
                                     << "3 KiB" << qint64{-1};
}

void TstConfig::unitsScale() {
    QFETCH(QString, unit);
    QFETCH(QString, text);
    QFETCH(qint64, value);
    const std::string unitText = unit.toStdString();
    Field field = *engine::findField("kv.blocks");
    field.unit = unitText;
    field.maximum = std::int64_t{1} << 40;
    EngineConfig config;
    const auto result = engine::setFromText(field, config, text.toStdString());
    QCOMPARE(result.has_value(), value >= 0);
    QCOMPARE(config.kvBlocks, value >= 0 ? value : 0);
}

void TstConfig::rulesAcrossFields_data() {
    QTest::addColumn<QString>("settings");
    QTest::addColumn<QString>("mentions");
    QTest::newRow("budget below batch")
        << "--max-batch 64 --token-budget 32 --prefill-chunk 32"
        << "Set the token budget to 64 or more, or the max batch to 32 or less";
    QTest::newRow("single ignores batch")
        << "--batching single --max-batch 64 --token-budget 32 --prefill-chunk 32"
        << "";
    QTest::newRow("chunk above budget") << "--token-budget 128"
                                        << "Set the prefill chunk to 128 or less";
    QTest::newRow("few blocks") << "--kv-blocks 8"
                                << "Set KV blocks to 16 or more";
    QTest::newRow("enough blocks") << "--kv-blocks 16"
                                   << "";
    QTest::newRow("context above cache") << "--kv-blocks 16 --max-context 1025"
                                         << "KV blocks to 17 or more";
    QTest::newRow("context fits") << "--kv-blocks 16 --max-context 1024"
                                  << "";
}

void TstConfig::rulesAcrossFields() {
    QFETCH(QString, settings);
    QFETCH(QString, mentions);
    EngineConfig config;
    const QStringList words = settings.split(QLatin1Char(' '));
    for (qsizetype i = 0; i < words.size(); i += 2) {
        const Field* field = engine::findField(words[i].toStdString());
        QVERIFY(field != nullptr);
        QVERIFY(engine::setFromText(*field, config, words[i + 1].toStdString()).has_value());
    }
    const auto result = engine::validate(config);
    QCOMPARE(result.has_value(), mentions.isEmpty());
    if (!result) {
        const auto message = QString::fromStdString(result.error().message);
        QVERIFY2(message.contains(mentions), qPrintable(message));
    }
}

void TstConfig::diffNamesExactlyWhatChanged() {
    const EngineConfig before;
    QVERIFY(engine::diff(before, before).empty());
    EngineConfig after = before;
    after.batching = engine::Batching::Single;
    after.blockTokens = 32;
    const auto changes = engine::diff(before, after);
    QCOMPARE(changes.size(), std::size_t{2});
    QCOMPARE(changes[0].key, std::string("batching.policy"));
    QCOMPARE(changes[0].before, std::string("continuous"));
    QCOMPARE(changes[0].after, std::string("single"));
    QCOMPARE(changes[1].key, std::string("kv.block_tokens"));
    QCOMPARE(changes[1].before, std::string("64"));
    QCOMPARE(changes[1].after, std::string("32"));
}

void TstConfig::idleFieldsSayWhy() {
    EngineConfig config;
    const Field& field = *engine::findField("batching.max_batch");
    QVERIFY(field.idleReason(config).empty());
    config.batching = engine::Batching::Single;
    QVERIFY(!field.idleReason(config).empty());
}

void TstConfig::boxRefusesAndKeepsItsValue() {
    engine::ConfigBox box(EngineConfig{});
    const auto version = box.version();
    const auto refused = box.edit([](EngineConfig& config) { config.maxBatch = 0; });
    QVERIFY(!refused.has_value());
    QVERIFY2(refused.error().message.find("nearest allowed value is 1") != std::string::npos,
             refused.error().message.c_str());
    const auto oddBlock = box.edit([](EngineConfig& config) { config.blockTokens = 48; });
    QVERIFY(!oddBlock.has_value());
    QVERIFY(box.value() == EngineConfig{});
    QCOMPARE(box.version(), version);
}

void TstConfig::boxVersionGrowsOnlyWithChanges() {
    engine::ConfigBox box(EngineConfig{});
    const auto version = box.version();
    QVERIFY(box.edit([](EngineConfig&) {}).has_value());
    QCOMPARE(box.version(), version);
    QVERIFY(box.edit([&box](EngineConfig& config) {
                   config.maxBatch = box.value().maxBatch + 1; // may look at the box itself
               })
                .has_value());
    QCOMPARE(box.version(), version + 1);
    QCOMPARE(box.value().maxBatch, std::int64_t{17});
}

void TstConfig::concurrentEditsAreNotLost() {
    engine::ConfigBox box(EngineConfig{});
    constexpr int kEdits = 500;
    {
        std::vector<std::jthread> editors;
        for (int i = 0; i < 2; ++i) {
            editors.emplace_back([&box] {
                for (int edit = 0; edit < kEdits; ++edit) {
                    const auto result = box.edit([](EngineConfig& config) { ++config.maxWaiting; });
                    QVERIFY(result.has_value());
                }
            });
        }
    }
    QCOMPARE(box.value().maxWaiting, std::int64_t{4096 + 2 * kEdits});
    QCOMPARE(box.version(), std::uint64_t{1 + 2 * kEdits});
}

QTEST_APPLESS_MAIN(TstConfig)
#include "tst_config.moc"
