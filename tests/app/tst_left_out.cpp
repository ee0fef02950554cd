// Rounds that an experiment's claim is not made of: each is told with its reason, in every form.
#include "app/experiment/left_out.h"
#include "app/report/experiment_csv.h"
#include "app/report/experiment_sections.h"
#include "app/report/markdown_writer.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

using app::Block;
using app::Experiment;
using app::ExperimentResult;
using app::LeftOutReason;
using app::LeftOutRounds;
using nlohmann::json;

namespace {

constexpr const char* kMetric = "ttft_p50_ms";

Block blockOf(int round, int side, double value) {
    return {.number = 2 * round + side + 1,
            .round = round,
            .side = side,
            .from = 10.0 * round + 5.0 * side,
            .to = 10.0 * round + 5.0 * side + 4.0,
            .isWhole = true,
            .figures = {{kMetric, {value, 30}}, {"requests_per_s", {2.5, 4}}},
            .contamination = {}};
}

// Eight rounds planned, six begun. Round 2: B cut short. Round 3: A answered nothing. Round 4: A
// took no time, so there is no ratio to it. Round 6: stopped before B's turn.
ExperimentResult spoilt() {
    ExperimentResult result;
    result.experiment.metric = kMetric;
    result.experiment.statistic = app::Statistic::Ratio;
    result.experiment.blocks = 16;
    result.experiment.sides = {{.label = "A", .settings = {}}, {.label = "B", .settings = {}}};
    for (int round = 0; round < 6; ++round) {
        result.blocks.push_back(blockOf(round, 0, 100.0 + round));
        result.blocks.push_back(blockOf(round, 1, 120.0 + round));
    }
    result.blocks.pop_back();
    result.blocks[3].isWhole = false;
    result.blocks[4].figures.clear();
    result.blocks[6].figures[kMetric].value = 0.0;
    result.blocks[0].contamination = {{.kind = "cold", .value = 1.0, .detail = {}}};
    result.blocks[2].contamination = {{.kind = "lag", .value = 7.0, .detail = {}}};
    result.verdict = app::evaluate(result.experiment, result.blocks);
    return result;
}

} // namespace

class TstLeftOut : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyReasonIsFound();
    void aWholeExperimentLeavesNothingOut();
    void placesFarOffAreNotPlanned();
    void documentsTellThem();
    void tablesHaveARowForWhatIsAbsent();
};

void TstLeftOut::everyReasonIsFound() {
    const ExperimentResult result = spoilt();
    const std::vector<LeftOutRounds> expected = {
        {.first = 1, .last = 1, .reason = LeftOutReason::Cut, .side = 1},
        {.first = 2, .last = 2, .reason = LeftOutReason::NoFigure, .side = 0},
        {.first = 3, .last = 3, .reason = LeftOutReason::NoStatistic, .side = -1},
        {.first = 5, .last = 5, .reason = LeftOutReason::NotMeasured, .side = 1},
        {.first = 6, .last = 7, .reason = LeftOutReason::NotBegun, .side = -1}};
    QVERIFY(app::leftOutRounds(result.experiment, result.blocks) == expected);
}

void TstLeftOut::aWholeExperimentLeavesNothingOut() {
    ExperimentResult result = spoilt();
    result.blocks.clear();
    for (int round = 0; round < 8; ++round) {
        result.blocks.push_back(blockOf(round, 1, 120.0 + round)); // B first
        result.blocks.push_back(blockOf(round, 0, 100.0 + round));
    }
    QVERIFY(app::leftOutRounds(result.experiment, result.blocks).empty());
    // Cut, and measured again.
    result.blocks.push_back(result.blocks.front());
    result.blocks.front().isWhole = false;
    QVERIFY(app::leftOutRounds(result.experiment, result.blocks).empty());
}

// A damaged log's round number is no reason to list a million rounds.
void TstLeftOut::placesFarOffAreNotPlanned() {
    ExperimentResult result = spoilt();
    result.blocks = {blockOf(0, 0, 1.0), blockOf(0, 1, 1.0), blockOf(900'000, 0, 1.0)};
    const auto rounds = app::leftOutRounds(result.experiment, result.blocks);
    QCOMPARE(rounds.size(), std::size_t{2});
    QCOMPARE(rounds[0].last, 7);
    QCOMPARE(rounds[1].first, 900'000);
}

void TstLeftOut::documentsTellThem() {
    const ExperimentResult result = spoilt();
    const std::string markdown =
        app::report::writeMarkdown(app::report::experimentDocument(result, nullptr));
    for (const char* line :
         {"Round 2 is left out: block B2 was cut short.",
          "Round 3 is left out: block A3 has no TTFT p50.", "Round 4 is left out: its figures",
          "Round 6 is left out: block B6 was not measured.",
          "Rounds 7 to 8 were not begun: the experiment ended before."}) {
        QVERIFY2(markdown.find(line) != std::string::npos, line);
    }
    QVERIFY(markdown.find("**4 of 8**") != std::string::npos);

    const json rounds = json::parse(app::experimentJson(result)).at("rounds");
    QCOMPARE(rounds.at("planned").get<int>(), 8);
    QCOMPARE(rounds.at("whole").get<int>(), 4);
    QCOMPARE(rounds.at("left_out").size(), std::size_t{5});
    const json cut = {{"first", 1},
                      {"last", 1},
                      {"reason", "cut"},
                      {"side", 1},
                      {"text", "block B2 was cut short"}};
    QVERIFY(rounds["left_out"][0] == cut);
    QVERIFY(rounds["left_out"][4]["side"].is_null());

    const std::string text = app::experimentText(result);
    QVERIFY(text.find("Round 3: block A3 has no ttft_p50_ms\n") != std::string::npos);
    QVERIFY(text.find("Rounds 7 to 8: not begun") != std::string::npos);
    // What is left out is not said to be counted.
    QVERIFY(text.find("counted all the same:\n  A1: cold 1") != std::string::npos);
    QVERIFY(text.find("left out:\n  A2: lag 7") != std::string::npos);
}

void TstLeftOut::tablesHaveARowForWhatIsAbsent() {
    const std::string csv = app::experimentCsv(spoilt());
    for (const char* row :
         {"\nA1,1,A,0,4,ttft_p50_ms,100,30,true,cold,\r\n",
          "\nB2,2,B,15,19,ttft_p50_ms,121,30,false,,block B2 was cut short\r\n",
          "\nA3,3,A,20,24,ttft_p50_ms,,,true,,block A3 has no ttft_p50_ms\r\n",
          "\nA3,3,A,20,24,requests_per_s,,,true,,block A3 has no ttft_p50_ms\r\n",
          "\nB6,6,B,,,,,,false,,block B6 was not measured\r\n",
          "\nA7,7,A,,,,,,false,,\"not begun, the experiment ended before\"\r\n",
          "\nB8,8,B,,,,,,false,,\"not begun, the experiment ended before\"\r\n"}) {
        QVERIFY2(csv.find(row) != std::string::npos, (row + csv).c_str());
    }
    // Eleven blocks with two metrics each, five that never came, and the heads.
    QCOMPARE(std::ranges::count(csv, '\n'), 11 * 2 + 5 + 1);
}

QTEST_MAIN(TstLeftOut)
#include "tst_left_out.moc"
