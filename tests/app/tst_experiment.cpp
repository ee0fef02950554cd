// Experiments as values and as TOML, the library that is built in, and their claims.
#include "app/experiment/block.h"
#include "app/experiment/claims.h"
#include "app/experiment/experiment.h"
#include "app/experiment/experiment_labels.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

using app::ClaimKind;
using app::Experiment;
using app::parseExperiment;

namespace {

const std::string kPair = R"([experiment]
title = "Two sizes"
metric = "ttft_p99_ms"
claim = "<= -60 %"
blocks = 8
measure = "2s"
warmup = "500ms"
drain = 5
stop = "5 %"
workload = "chat"

[a]
"batching.max_batch" = 4

[b]
"batching.max_batch" = 16
)";

std::string refusal(const std::string& toml) {
    const auto parsed = parseExperiment(toml, "own.toml");
    return parsed ? std::string() : parsed.error().message;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

} // namespace

class TstExperiment : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPairIsReadWhole();
    void refusalsNameTheirLine_data();
    void refusalsNameTheirLine();
    void writingAndReadingAgree();
    void claimsHaveOneForm_data();
    void claimsHaveOneForm();
    void theLibraryReadsAndIsTranslated();
    void everyFileOfTheLibraryIsListed();
    void sidesOfARoundSendTheSame();
    void anUnknownSettingIsNeeded();
    void keptKvIsWhatItTakesUnpacked();
    void coldBlocksAreJudgedByMemory();
    void claimsTakeTheLibrarysOwnResults();
    void filesAreLoaded();
};

void TstExperiment::aPairIsReadWhole() {
    const auto experiment = parseExperiment(kPair, "own.toml");
    QVERIFY2(experiment, experiment ? "" : experiment.error().message.c_str());
    QCOMPARE(experiment->name, std::string("own"));
    QCOMPARE(experiment->title, std::string("Two sizes"));
    QCOMPARE(experiment->claim.kind, ClaimKind::AtMost);
    QCOMPARE(experiment->claim.value, -60.0);
    QCOMPARE(experiment->rounds(), 4);
    QCOMPARE(experiment->measureSeconds, 2.0);
    QCOMPARE(experiment->warmupSeconds, 0.5);
    QCOMPARE(experiment->drainSeconds, 5.0);
    QCOMPARE(experiment->stopAt, 0.05);
    QCOMPARE(experiment->sides.size(), std::size_t{2});
    QCOMPARE(experiment->workload.stages.front().seconds, 2.5);
    QCOMPARE(app::variedFields(*experiment), std::vector<std::string>{"batching.max_batch"});
}

void TstExperiment::refusalsNameTheirLine_data() {
    QTest::addColumn<std::string>("toml");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, const std::string& toml, const char* expected) {
        QTest::newRow(name) << toml << std::string(expected);
    };
    row("unknown key", with(kPair, "drain = 5", "drian = 5"), "own.toml:8: unknown key \"drian\"");
    row("unknown metric", with(kPair, "ttft_p99_ms", "ttft_p98_ms"),
        "own.toml:3: there is no metric \"ttft_p98_ms\"");
    row("claim without form", with(kPair, "<= -60 %", "sixty"), "own.toml:4: claim is \"sixty\"");
    row("unknown setting", with(kPair, "\"batching.max_batch\" = 16", "\"batching.max\" = 16"),
        "own.toml:16: there is no setting \"batching.max\"");
    row("value out of range", with(kPair, "= 16", "= 100000"), "own.toml:16:");
    row("odd blocks", with(kPair, "blocks = 8", "blocks = 7"), "blocks is 7");
    row("no workload of that name", with(kPair, "\"chat\"", "\"chart\""), "own.toml:1:");
    row("a workload of four stages", with(kPair, "\"chat\"", "\"ramp\""), "has 4 stages");
    row("no experiment", "[a]\n", "there is no [experiment]");
    row("no side", "[experiment]\n", "there is no [a]");
    row("one side compared", "[experiment]\n[a]\n", "both are needed");
    row("sweep and sides", kPair + "[sweep]\nkey = \"workload.users\"\nvalues = [1, 2]\n",
        "not both");
    row("slope of a pair", with(kPair, "claim =", "statistic = \"slope\"\nclaim ="),
        "needs a [sweep]");
    row("no such figure of a workload",
        with(kPair, "\"batching.max_batch\" = 16", "\"workload.lanes\" = 16"),
        "own.toml:16: there is no \"workload.lanes\"");
    row("users out of range", with(kPair, "\"batching.max_batch\" = 16", "\"workload.users\" = 0"),
        "users is 0");
    row("measured for no time", with(kPair, "\"2s\"", "0"), "own.toml:6: measure is 0");
    row("no TOML at all", "[experiment", "own.toml:1:");
    row("a stop of 200 %", with(kPair, "\"5 %\"", "\"200 %\""), "own.toml:9: stop is");
    row("workload twice", kPair + "[[stage]]\nkind = \"closed\"\nusers = 1\n",
        "the workload is \"chat\" already");
}

void TstExperiment::refusalsNameTheirLine() {
    QFETCH(std::string, toml);
    QFETCH(std::string, expected);
    const std::string message = refusal(toml);
    QVERIFY2(message.find(expected) != std::string::npos, message.c_str());
}

void TstExperiment::writingAndReadingAgree() {
    std::vector<std::string> texts = {kPair};
    for (const app::BuiltInExperiment& builtIn : app::builtInExperiments()) {
        texts.push_back(builtIn.toml);
    }
    texts.push_back(with(kPair, "Two sizes", "A \\\"quoted\\\" title\\n, 中文"));
    for (const std::string& text : texts) {
        const auto first = parseExperiment(text, "own.toml");
        QVERIFY2(first, first ? "" : first.error().message.c_str());
        const std::string written = app::experimentToml(*first);
        const auto second = parseExperiment(written, "own.toml");
        QVERIFY2(second, (second ? written : second.error().message + "\n" + written).c_str());
        QVERIFY2(*second == *first, written.c_str());
    }
}

void TstExperiment::claimsHaveOneForm_data() {
    QTest::addColumn<std::string>("text");
    QTest::addColumn<int>("kind");
    QTest::addColumn<double>("value");
    QTest::addColumn<double>("high");
    QTest::newRow("at least") << std::string(">= 1.52x") << int(ClaimKind::AtLeast) << 1.52 << 0.0;
    QTest::newRow("signed") << std::string(">= +15 %") << int(ClaimKind::AtLeast) << 15.0 << 0.0;
    QTest::newRow("at most") << std::string("<=-40%") << int(ClaimKind::AtMost) << -40.0 << 0.0;
    QTest::newRow("about") << std::string(" about 42 %") << int(ClaimKind::About) << 42.0 << 0.0;
    QTest::newRow("range") << std::string("8..16 req") << int(ClaimKind::Within) << 8.0 << 16.0;
    QTest::newRow("none") << std::string("none") << int(ClaimKind::None) << 0.0 << 0.0;
    QTest::newRow("infinite") << std::string(">= inf") << -1 << 0.0 << 0.0;
    QTest::newRow("turned round") << std::string("16..8") << -1 << 0.0 << 0.0;
    QTest::newRow("two numbers") << std::string(">= 1.5 2.5") << -1 << 0.0 << 0.0;
    QTest::newRow("empty") << std::string() << -1 << 0.0 << 0.0;
}

void TstExperiment::claimsHaveOneForm() {
    QFETCH(std::string, text);
    QFETCH(int, kind);
    const auto claim = app::parseClaim(text);
    QCOMPARE(claim.has_value(), kind >= 0);
    if (claim) {
        QCOMPARE(int(claim->kind), kind);
        QTEST(claim->value, "value");
        QTEST(claim->high, "high");
        const auto again = app::parseClaim(app::claimText(*claim));
        QVERIFY(again && *again == *claim);
    }
}

void TstExperiment::theLibraryReadsAndIsTranslated() {
    const auto library = app::builtInExperiments();
    QVERIFY(library.size() >= 25);
    const auto texts = app::experimentTexts();
    const auto isTranslated = [&](const std::string& text) {
        return std::ranges::any_of(texts, [&](const char* known) { return text == known; });
    };
    for (const app::BuiltInExperiment& builtIn : library) {
        const auto experiment = parseExperiment(builtIn.toml, builtIn.name);
        QVERIFY2(experiment, experiment ? "" : experiment.error().message.c_str());
        QVERIFY2(isTranslated(experiment->title), experiment->title.c_str());
        QVERIFY2(experiment->note.empty() || isTranslated(experiment->note), builtIn.name.c_str());
        QVERIFY2(!app::experimentGroupLabel(experiment->group).isEmpty(), builtIn.name.c_str());
        const bool judges = experiment->claim.kind != ClaimKind::None;
        QVERIFY2(!judges || experiment->rounds() >= app::kLeastRounds, builtIn.name.c_str());
    }
}

void TstExperiment::everyFileOfTheLibraryIsListed() {
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path(HEADWAY_SOURCE_DIR) / "resources/experiments")) {
        files += entry.path().extension() == ".toml" ? 1 : 0;
    }
    QCOMPARE(app::builtInExperiments().size(), files);
}

void TstExperiment::sidesOfARoundSendTheSame() {
    const auto experiment = *parseExperiment(kPair, "own.toml");
    const auto list = [&](int side, int round) {
        const auto workload =
            *app::workloadOf(experiment, experiment.sides[std::size_t(side)], round, 1.0);
        std::string text;
        for (const app::PlannedRequest& request : app::planRequests(workload)) {
            text += std::to_string(request.draw) + "," + std::to_string(request.maxTokens) + ";";
        }
        return text;
    };
    QCOMPARE(list(0, 0), list(1, 0));
    QCOMPARE(list(0, 3), list(1, 3));
    QVERIFY(list(0, 0) != list(0, 1));
}

void TstExperiment::anUnknownSettingIsNeeded() {
    const std::string awaited =
        with(with(kPair, "title =", "needs = [\"flux.capacitor\", \"context:4096\"]\ntitle ="),
             "\"batching.max_batch\" = 16", "\"flux.capacitor\" = \"on\"");
    const auto experiment = parseExperiment(awaited, "own.toml");
    QVERIFY2(experiment, experiment ? "" : experiment.error().message.c_str());
    QCOMPARE(app::missingNeed(*experiment, nullptr), std::optional<std::string>("flux.capacitor"));
    const auto large = parseExperiment(with(awaited, "\"flux.capacitor\", ", ""), "own.toml");
    QVERIFY(!large); // without the need the setting is a mistake
    engine::Capabilities small;
    small.contextTokens = 2048;
    const auto context =
        parseExperiment(with(kPair, "title =", "needs = [\"context:4096\"]\ntitle ="), "own.toml");
    QCOMPARE(app::missingNeed(*context, &small), std::optional<std::string>("context:4096"));
    small.contextTokens = 4096;
    QVERIFY(!app::missingNeed(*context, &small));
}

void TstExperiment::filesAreLoaded() {
    QTemporaryDir folder;
    const std::string file = folder.filePath(QStringLiteral("mine.toml")).toStdString();
    std::ofstream(file) << kPair;
    const auto experiment = app::loadExperiment(file);
    QVERIFY(experiment);
    QCOMPARE(experiment->name, std::string("mine"));
    QCOMPARE(app::loadExperiment("no-such").error().code, engine::ErrorCode::NotFound);
    std::ofstream(file) << std::string(2U << 20U, '#');
    QCOMPARE(app::loadExperiment(file).error().code, engine::ErrorCode::TooLarge);
    QVERIFY(app::loadExperiment("priority"));
}

void TstExperiment::keptKvIsWhatItTakesUnpacked() {
    engine::Snapshot snapshot;
    QVERIFY(!app::keptKv(snapshot)); // nothing is kept
    snapshot.kvBlocksKept = 6;
    QCOMPARE(app::keptKv(snapshot), (app::BlockFigure{100.0, 6}));
    snapshot.kvBlocksPacked = 2;
    snapshot.kvUnpackedBytes = 2000;
    snapshot.kvPackedBytes = 1200;
    QCOMPARE(app::keptKv(snapshot), (app::BlockFigure{90.0, 8})); // 6 of 1000, and 1200
    snapshot.kvBlocksKept = 0;
    QCOMPARE(app::keptKv(snapshot), (app::BlockFigure{60.0, 2}));
}

void TstExperiment::coldBlocksAreJudgedByMemory() {
    const auto experiment = app::loadExperiment("cold-blocks");
    QVERIFY(experiment);
    QCOMPARE(experiment->metric, std::string("kept_kv_percent"));
}

void TstExperiment::claimsTakeTheLibrarysOwnResults() {
    const auto resultOf = [](std::int64_t run, const std::function<void(Experiment&)>& change) {
        app::ExperimentResult result;
        result.run.id = run;
        result.experiment = *app::loadExperiment("priority");
        change(result.experiment);
        result.verdict.wholeRounds = result.experiment.rounds();
        return result;
    };
    const auto rowOf = [](const std::vector<app::ExperimentResult>& results) {
        const auto rows = app::claimRows(results, {}, nullptr);
        const auto row = std::ranges::find_if(
            rows, [](const app::ClaimRow& each) { return each.experiment.name == "priority"; });
        return row != rows.end() ? *row : app::ClaimRow{};
    };
    const auto whole = resultOf(1, [](Experiment&) {});
    const auto longer = resultOf(2, [](Experiment& e) { e.blocks *= 2; });
    const auto shorter = resultOf(3, [](Experiment& e) {
        e.measureSeconds /= 2;
        e.workload.stages.front().seconds = e.blockSeconds();
    });
    const auto another = resultOf(4, [](Experiment& e) { e.metric = "requests_per_s"; });
    QVERIFY(!rowOf({another}).run); // of the same name
    QCOMPARE(rowOf({another, longer, whole}).run->id, 2);
    QVERIFY(!rowOf({longer}).isShortened);
    QCOMPARE(rowOf({shorter, whole}).run->id, 1);
    QCOMPARE(rowOf({shorter, another}).run->id, 3);
    QVERIFY(rowOf({shorter}).isShortened);
    auto stopped = whole;
    stopped.run.id = 5;
    stopped.verdict.wholeRounds = whole.experiment.rounds() - 1;
    QVERIFY(rowOf({stopped}).isShortened);
    QCOMPARE(rowOf({stopped, whole}).run->id, 1);
    QVERIFY(app::claimsText({rowOf({shorter})}).find("shortened") != std::string::npos);
    QVERIFY(app::claimsText({rowOf({whole})}).find("shortened") == std::string::npos);
}

QTEST_GUILESS_MAIN(TstExperiment)
#include "tst_experiment.moc"
