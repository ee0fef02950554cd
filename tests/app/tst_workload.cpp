// Workloads: the TOML form, its refusals, and the request list a seed makes.
#include "app/durations.h"
#include "app/load/draws.h"
#include "app/load/workload.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>

using namespace app;

class TstWorkload : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writtenFormReadsBackEqual_data();
    void writtenFormReadsBackEqual();
    void refusalsNameTheLineAndTheRemedy_data();
    void refusalsNameTheLineAndTheRemedy();
    void hostileTextIsAnErrorAndNothingElse_data();
    void hostileTextIsAnErrorAndNothingElse();
    void settingsMayBeQuotedOrNested();
    void durationIsSharedByStagesWithoutSeconds();
    void otherDurationCutsOrLengthens();
    void sameSeedSameListOtherSeedAnother();
    void poissonHasTheRateAndTheVariation();
    void burstsHaveTheVariationAskedFor();
    void rampsDoubleWhereTheRateDoubles();
    void lengthsStayInsideAndFillTheRange();
    void batchShareIsKept();
    void sparseShareIsKeptAndChangesNothingElse();
    void passagesAreVariedAndValid();
    void gammaDrawsHaveMeanAndVariation_data();
    void gammaDrawsHaveMeanAndVariation();
    void durationsAreRead_data();
    void durationsAreRead();
};

namespace {

Workload parsed(std::string_view toml) {
    auto workload = parseWorkload(toml, "test.toml");
    if (!workload) {
        qFatal("%s", workload.error().message.c_str());
    }
    return std::move(*workload);
}

Workload openWorkload(double rate, double seconds) {
    Workload workload;
    workload.promptSets = {"english"};
    workload.stages = {{.ratePerSecond = rate, .endRatePerSecond = rate, .seconds = seconds}};
    return workload;
}

struct Moments {
    double mean = 0.0, variation = 0.0; // squared coefficient of variation
};

Moments momentsOf(const std::vector<double>& values) {
    double sum = 0.0, squares = 0.0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const double mean = sum / double(values.size());
    return {mean, squares / double(values.size()) / (mean * mean) - 1.0};
}

std::vector<double> gapsOf(const std::vector<PlannedRequest>& requests) {
    std::vector<double> gaps;
    double previous = 0.0;
    for (const PlannedRequest& request : requests) {
        gaps.push_back(request.atSeconds - previous);
        previous = request.atSeconds;
    }
    return gaps;
}

} // namespace

void TstWorkload::writtenFormReadsBackEqual_data() {
    QTest::addColumn<QByteArray>("toml");
    const auto builtIns = builtInWorkloads();
    QCOMPARE(builtIns.size(), std::size_t(6));
    for (const BuiltInWorkload& builtIn : builtIns) {
        QTest::newRow(builtIn.name.c_str()) << QByteArray::fromStdString(builtIn.toml);
    }
    QTest::newRow("everything") << QByteArray(R"([workload]
name = "a \"name\"\nwith everything"
seed = 9223372036854774784
temperature = 0.7
[[stage]]
kind = "gamma"
rate = 0.1
end_rate = 33.333333333333336
burstiness = 4.25
seconds = "1.5min"
[[stage]]
kind = "closed"
users = 3
seconds = 0.1
[lengths]
prompt = 5
output = [1, 32768]
fixed_output = false
[prompts]
sets = ["code", "english"]
[lanes]
batch_share = 0.25
[attention]
sparse_share = 0.5
[settings]
"batching.max_batch" = 8
"batching.policy" = "single"
)");
}

void TstWorkload::writtenFormReadsBackEqual() {
    QFETCH(QByteArray, toml);
    const Workload workload = parsed(toml.toStdString());
    const std::string written = workloadToml(workload);
    const auto again = parseWorkload(written, "other.toml");
    QVERIFY2(again.has_value(), again ? "" : (again.error().message + "\n" + written).c_str());
    QVERIFY2(*again == workload, written.c_str());
    QCOMPARE(workloadToml(*again), written);
}

void TstWorkload::refusalsNameTheLineAndTheRemedy_data() {
    QTest::addColumn<QByteArray>("toml");
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("says");
    const QByteArray stage = "[[stage]]\nrate = 1\nseconds = 1\n";
    const auto row = [](const char* name, const QByteArray& toml, const char* place,
                        const char* says) {
        QTest::newRow(name) << toml << QByteArray(place) << QByteArray(says);
    };
    row("unknown key in a stage", "[[stage]]\nrate = 1\nratee = 2\nseconds = 1\n",
        "test.toml:3:", "\"ratee\"");
    row("unknown table", stage + "[promts]\n", "test.toml:4:", "\"promts\"");
    row("unknown key in lengths", stage + "[lengths]\nprompts = 4\n", "test.toml:5:", "prompts");
    row("absurd rate", "[[stage]]\nrate = 1e9\nseconds = 1\n",
        "test.toml:2:", "the nearest is 10000");
    row("negative rate", "[[stage]]\nrate = -1\nseconds = 1\n", "test.toml:2:", "the nearest is 0");
    row("endless rate", "[[stage]]\nrate = inf\nseconds = 1\n", "test.toml:2:", "nearest is 10000");
    row("no number", "[[stage]]\nrate = nan\nseconds = 1\n", "test.toml:2:", "allowed is 0");
    row("absurd time", "[[stage]]\nrate = 1\nseconds = 1e12\n", "test.toml:3:", "nearest is 86400");
    row("too many requests", "[[stage]]\nrate = 10000\nseconds = 86400\n", "Workload test",
        "lower a rate");
    row("rate of a closed stage", "[[stage]]\nkind = \"closed\"\nrate = 3\nseconds = 1\n",
        "test.toml:3:", "closed stages have users");
    row("stage without rate", "[[stage]]\nseconds = 1\n", "test.toml:1:", "rate = 12");
    row("unknown kind", "[[stage]]\nkind = \"uniform\"\nrate = 1\nseconds = 1\n",
        "test.toml:2:", "closed, poisson or gamma");
    row("no users", "[[stage]]\nkind = \"closed\"\nusers = 0\nseconds = 1\n",
        "test.toml:3:", "nearest is 1");
    row("half a user", "[[stage]]\nkind = \"closed\"\nusers = 1.5\nseconds = 1\n",
        "test.toml:3:", "whole number");
    row("unknown set", stage + "[prompts]\nsets = [\"latin\"]\n", "test.toml:5:", "english");
    row("lengths upside down", stage + "[lengths]\noutput = [9, 3]\n",
        "test.toml:5:", "must not be above");
    row("unknown setting", stage + "[settings]\n\"batching.magic\" = 1\n",
        "test.toml:5:", "headway fields");
    row("setting out of range", stage + "[settings]\n\"batching.max_batch\" = 0\n",
        "test.toml:5:", "1");
    row("no stage", "[workload]\nseed = 1\n", "test.toml", "[[stage]]");
    row("single brackets", "[stage]\nrate = 1\n", "test.toml:1:", "double brackets");
    row("times that disagree", "[workload]\nduration = 5\n" + stage,
        "test.toml:2:", "leave one out");
    row("no time at all", "[[stage]]\nrate = 1\n", "test.toml", "duration");
    row("broken syntax", "[[stage]]\nrate = = 1\n", "test.toml:2:", "");
}

void TstWorkload::refusalsNameTheLineAndTheRemedy() {
    QFETCH(QByteArray, toml);
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, says);
    const auto workload = parseWorkload(toml.toStdString(), "test.toml");
    QVERIFY(!workload.has_value());
    QCOMPARE(workload.error().code, engine::ErrorCode::Invalid);
    const QByteArray message = QByteArray::fromStdString(workload.error().message);
    QVERIFY2(message.startsWith(place), message.constData());
    QVERIFY2(message.contains(says), message.constData());
}

void TstWorkload::hostileTextIsAnErrorAndNothingElse_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("nothing") << QByteArray();
    QTest::newRow("zero bytes") << QByteArray(1000, '\0');
    QTest::newRow("invalid UTF-8") << QByteArray("[workload]\nname = \"\xFF\xFE\"\n");
    QTest::newRow("deep nesting") << QByteArray("x = ") + QByteArray(100'000, '[');
    QTest::newRow("tables where values belong") << QByteArray("[stage.rate.x]\n[lengths.prompt]\n");
    QTest::newRow("a value for every table")
        << QByteArray("workload = 1\nstage = 2\nlengths = 3\nprompts = 4\nlanes = 5\n");
    QTest::newRow("a picture") << QByteArray("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16);
}

void TstWorkload::hostileTextIsAnErrorAndNothingElse() {
    QFETCH(QByteArray, text);
    const auto workload = parseWorkload(text.toStdString(), "test.toml");
    QVERIFY(!workload.has_value());
    QVERIFY(!workload.error().message.empty());
}

void TstWorkload::settingsMayBeQuotedOrNested() {
    const std::string stage = "[[stage]]\nrate = 1\nseconds = 1\n";
    const Workload quoted = parsed(stage + "[settings]\n\"kv.blocks\" = 64\n");
    const Workload nested = parsed(stage + "[settings]\nkv.blocks = 64\n");
    QCOMPARE(quoted.settings.size(), std::size_t(1));
    QCOMPARE(quoted.settings.front().first, std::string("kv.blocks"));
    QVERIFY(quoted == nested);
}

void TstWorkload::durationIsSharedByStagesWithoutSeconds() {
    const Workload workload = parsed("[workload]\nduration = \"1min\"\n[[stage]]\nrate = 1\n"
                                     "seconds = 20\n[[stage]]\nrate = 2\n[[stage]]\nrate = 3\n");
    QCOMPARE(workload.stages[0].seconds, 20.0);
    QCOMPARE(workload.stages[1].seconds, 20.0);
    QCOMPARE(workload.stages[2].seconds, 20.0);
}

void TstWorkload::otherDurationCutsOrLengthens() {
    Workload workload = openWorkload(2.0, 10.0);
    workload.stages.push_back({.ratePerSecond = 2.0, .endRatePerSecond = 12.0, .seconds = 10.0});
    const Workload cut = withDuration(workload, 15.0);
    QCOMPARE(cut.stages.size(), std::size_t(2));
    QCOMPARE(cut.seconds(), 15.0);
    QCOMPARE(cut.stages[1].endRatePerSecond, 7.0);
    QCOMPARE(withDuration(workload, 5.0).stages.size(), std::size_t(1));
    QCOMPARE(withDuration(workload, 60.0).stages[1].seconds, 50.0);
    QVERIFY(withDuration(workload, 20.0) == workload);
}

void TstWorkload::sameSeedSameListOtherSeedAnother() {
    const auto library = PromptLibrary::fromResources();
    QVERIFY(library.has_value());
    const Workload workload = *loadWorkload("demo");
    const auto first = planRequests(workload);
    const std::string digest = requestListDigest(first, *library);
    QCOMPARE(requestListDigest(planRequests(workload), *library), digest);
    Workload other = workload;
    other.seed += 1;
    QVERIFY(requestListDigest(planRequests(other), *library) != digest);
    // A longer run begins with the shorter one's requests.
    const auto longer = planRequests(withDuration(workload, 90.0));
    QVERIFY(longer.size() > first.size());
    for (std::size_t at = 0; at < first.size(); ++at) {
        QCOMPARE(longer[at].atSeconds, first[at].atSeconds);
        QCOMPARE(longer[at].draw, first[at].draw);
    }
}

void TstWorkload::poissonHasTheRateAndTheVariation() {
    const auto requests = planRequests(openWorkload(50.0, 400.0)); // 20,000 expected, sd 141
    QVERIFY(std::abs(double(requests.size()) - 20'000.0) < 5 * 141);
    const Moments moments = momentsOf(gapsOf(requests));
    QVERIFY(std::abs(moments.variation - 1.0) < 0.1);
    QVERIFY(requests.back().atSeconds < 400.0);
}

void TstWorkload::burstsHaveTheVariationAskedFor() {
    Workload workload = openWorkload(50.0, 400.0);
    workload.stages[0].kind = ArrivalKind::Gamma;
    workload.stages[0].burstiness = 9.0;
    const auto requests = planRequests(workload);
    const Moments moments = momentsOf(gapsOf(requests));
    QVERIFY(std::abs(moments.mean - 0.02) < 0.002);
    QVERIFY2(std::abs(moments.variation - 9.0) < 1.5, std::to_string(moments.variation).c_str());
}

void TstWorkload::rampsDoubleWhereTheRateDoubles() {
    Workload workload = openWorkload(0.0, 100.0);
    workload.stages[0].endRatePerSecond = 100.0; // expected 50 t^2 / 100
    const auto requests = planRequests(workload);
    QVERIFY(std::abs(double(requests.size()) - 5000.0) < 5 * 71);
    const auto half = std::count_if(requests.begin(), requests.end(),
                                    [](const auto& request) { return request.atSeconds < 50.0; });
    QVERIFY(std::abs(double(half) - 1250.0) < 5 * 36);
    workload.stages[0] = {.ratePerSecond = 100.0, .endRatePerSecond = 0.0, .seconds = 100.0};
    QVERIFY(std::abs(double(planRequests(workload).size()) - 5000.0) < 5 * 71);
    workload.stages[0] = {.ratePerSecond = 0.0, .endRatePerSecond = 0.0, .seconds = 100.0};
    QVERIFY(planRequests(workload).empty());
}

void TstWorkload::lengthsStayInsideAndFillTheRange() {
    Workload workload = openWorkload(100.0, 100.0);
    workload.promptTokens = {20, 200};
    workload.outputTokens = {7, 7};
    std::set<int> seen;
    int below = 0;
    const auto requests = planRequests(workload);
    for (const PlannedRequest& request : requests) {
        seen.insert(request.promptTokens);
        below += request.promptTokens < 63; // the geometric middle of 20 and 200
        QCOMPARE(request.maxTokens, 7);
    }
    QCOMPARE(*seen.begin(), 20);
    QCOMPARE(*seen.rbegin(), 200);
    QVERIFY(std::abs(double(below) / double(requests.size()) - 0.5) < 0.03);
}

void TstWorkload::batchShareIsKept() {
    Workload workload = openWorkload(100.0, 100.0);
    workload.batchShare = 0.25;
    const auto requests = planRequests(workload);
    const auto batch = std::count_if(requests.begin(), requests.end(), [](const auto& request) {
        return request.lane == engine::Lane::Batch;
    });
    QVERIFY(std::abs(double(batch) / double(requests.size()) - 0.25) < 0.03);
}

void TstWorkload::sparseShareIsKeptAndChangesNothingElse() {
    Workload workload = openWorkload(100.0, 100.0);
    const auto full = planRequests(workload);
    workload.sparseShare = 0.4;
    const auto mixed = planRequests(workload);
    QCOMPARE(mixed.size(), full.size());
    std::size_t sparse = 0;
    for (std::size_t i = 0; i < full.size(); ++i) {
        QVERIFY(!full[i].isSparse);
        QCOMPARE(mixed[i].atSeconds, full[i].atSeconds);
        QCOMPARE(mixed[i].draw, full[i].draw);
        sparse += mixed[i].isSparse ? 1 : 0;
    }
    QVERIFY(std::abs(double(sparse) / double(mixed.size()) - 0.4) < 0.03);
    const auto library = PromptLibrary::fromResources();
    QVERIFY(requestListDigest(mixed, *library) != requestListDigest(full, *library));
}

void TstWorkload::passagesAreVariedAndValid() {
    const auto library = PromptLibrary::fromResources();
    QVERIFY(library.has_value());
    QCOMPARE(library->sets(), promptSetNames());
    for (const std::string& set : library->sets()) {
        std::set<std::string> different;
        for (std::uint64_t draw = 0; draw < 400; ++draw) {
            const std::string passage = library->passage(set, 60, draw * 7919);
            const QByteArray bytes = QByteArray::fromStdString(passage);
            QVERIFY(QString::fromUtf8(bytes).toUtf8() == bytes); // no character was cut
            QVERIFY(passage.size() > 40 && passage.size() < 300);
            different.insert(passage);
        }
        QVERIFY2(different.size() > 30, set.c_str());
        QVERIFY(library->passage(set, 100'000, 3).size() > 100'000);
        QVERIFY(!library->passage(set, 1, 3).empty());
    }
    QVERIFY(library->passage("latin", 10, 0).empty());
}

void TstWorkload::gammaDrawsHaveMeanAndVariation_data() {
    QTest::addColumn<double>("variation");
    for (const double variation : {0.05, 0.5, 1.0, 2.0, 16.0}) {
        QTest::addRow("%g", variation) << variation;
    }
}

void TstWorkload::gammaDrawsHaveMeanAndVariation() {
    QFETCH(double, variation);
    const Draws draws(1, 2);
    std::vector<double> values;
    for (std::uint64_t index = 0; index < 200'000; ++index) {
        values.push_back(draws.gamma(index, variation));
    }
    const Moments moments = momentsOf(values);
    QVERIFY(std::abs(moments.mean - 1.0) < 0.01 + 0.012 * std::sqrt(variation));
    QVERIFY2(std::abs(moments.variation / variation - 1.0) < 0.1,
             std::to_string(moments.variation).c_str());
}

void TstWorkload::durationsAreRead_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<double>("seconds"); // negative: refused
    QTest::newRow("bare") << QByteArray("60") << 60.0;
    QTest::newRow("s") << QByteArray("1.5s") << 1.5;
    QTest::newRow("ms") << QByteArray("250ms") << 0.25;
    QTest::newRow("min") << QByteArray("2 min") << 120.0;
    QTest::newRow("h") << QByteArray("1h") << 3600.0;
    for (const char* bad : {"", "s", "-1s", "1 year", "inf", "nan", "1e999s", "60s60s"}) {
        QTest::newRow(bad[0] != '\0' ? bad : "empty") << QByteArray(bad) << -1.0;
    }
}

void TstWorkload::durationsAreRead() {
    QFETCH(QByteArray, text);
    QFETCH(double, seconds);
    QCOMPARE(parseDuration(text.toStdString()).value_or(-1.0), seconds);
}

QTEST_GUILESS_MAIN(TstWorkload)
#include "tst_workload.moc"
