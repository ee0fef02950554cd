#include "app/load/load_counters.h"
#include "app/load/load_preview.h"
#include "app/load/workload_draft.h"

#include <QTest>

#include <cmath>

class TstLoadPreview : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void draftKeepsTextAndValueEqual();
    void badTextKeepsTheLastGoodValueAndNamesTheLine();
    void equalValueLeavesCommentsAlone();
    void invalidValueIsAProblemWithoutALine();
    void everyBuiltInHasAPreview();
    void binsHoldEveryArrival();
    void closedLoopsHaveNoRate();
    void achievedRateLiesOverThePreview();
    void whatComesAfterTheLastSendIsNoRate();
    void timeLeftNeverFallsBelowZero();
};

namespace {

app::Workload poisson(double rate, double seconds) {
    app::Workload workload;
    workload.promptSets = {"english"};
    workload.stages = {{.ratePerSecond = rate, .endRatePerSecond = rate, .seconds = seconds}};
    return workload;
}

} // namespace

void TstLoadPreview::draftKeepsTextAndValueEqual() {
    app::WorkloadDraft draft(poisson(12, 60));
    QVERIFY(draft.isGood());
    QVERIFY(*app::parseWorkload(draft.text(), "x") == draft.workload());
    draft.setText("[workload]\nseed = 7\n[[stage]]\nkind = \"closed\"\nusers = 3\nseconds = 5\n"
                  "[lengths]\nprompt = [8, 16]\noutput = [4, 8]\n[prompts]\nsets = [\"code\"]\n");
    QVERIFY(draft.isGood());
    QCOMPARE(draft.workload().seed, std::uint64_t{7});
    QCOMPARE(draft.workload().stages.front().users, 3);
    app::Workload changed = draft.workload();
    changed.seed = 8;
    draft.setWorkload(changed);
    QVERIFY(draft.text().find("seed = 8") != std::string::npos);
    QVERIFY(*app::parseWorkload(draft.text(), "x") == changed);
}

void TstLoadPreview::badTextKeepsTheLastGoodValueAndNamesTheLine() {
    app::WorkloadDraft draft(poisson(12, 60));
    const app::Workload good = draft.workload();
    draft.setText("[workload]\nseed = 7\nspeed = 9\n");
    QVERIFY(!draft.isGood());
    QCOMPARE(*draft.problem()->line, 3);
    QVERIFY(draft.problem()->message.find("speed") != std::string::npos);
    QVERIFY(draft.problem()->message.find("workload:") == std::string::npos);
    QVERIFY(draft.workload() == good);
    draft.setText("[workload\n");
    QVERIFY(draft.problem()->line.has_value());
    draft.setText(app::workloadToml(good));
    QVERIFY(draft.isGood());
}

void TstLoadPreview::equalValueLeavesCommentsAlone() {
    app::WorkloadDraft draft;
    const std::string text = "# mine\n" + draft.text();
    draft.setText(text);
    draft.setWorkload(draft.workload());
    QCOMPARE(draft.text(), text);
}

void TstLoadPreview::invalidValueIsAProblemWithoutALine() {
    app::WorkloadDraft draft;
    app::Workload wrong = draft.workload();
    wrong.stages.front().seconds = -1.0;
    draft.setWorkload(wrong);
    QVERIFY(!draft.isGood());
    QVERIFY(!draft.problem()->message.empty());
}

void TstLoadPreview::everyBuiltInHasAPreview() {
    for (const app::BuiltInWorkload& built : app::builtInWorkloads()) {
        const auto workload = app::parseWorkload(built.toml, built.name);
        QVERIFY(workload);
        const app::LoadPreview preview = app::previewLoad(*workload);
        QVERIFY(preview.seconds > 0.0);
        QVERIFY(preview.hasClosedLoop || preview.requests > 0);
        QVERIFY(preview.plot.yMax > 0.0);
        for (const app::Series& series : preview.plot.series) {
            for (std::size_t i = 1; i < series.points.size(); ++i) {
                QVERIFY(series.points[i].x() >= series.points[i - 1].x());
            }
        }
    }
}

void TstLoadPreview::binsHoldEveryArrival() {
    for (const double seconds : {0.5, 1.0, 59.5, 1000.0}) {
        const app::LoadPreview preview = app::previewLoad(poisson(20, seconds));
        double held = 0.0;
        const auto& points = preview.plot.series.front().points;
        for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
            held += points[i].y() * (points[i + 1].x() - points[i].x());
        }
        QVERIFY(std::abs(held - static_cast<double>(preview.requests)) < 1e-6);
    }
}

void TstLoadPreview::closedLoopsHaveNoRate() {
    app::Workload workload = poisson(4, 10);
    workload.stages.push_back({.kind = app::ArrivalKind::Closed, .users = 8, .seconds = 10});
    const app::LoadPreview mixed = app::previewLoad(workload);
    QVERIFY(mixed.hasClosedLoop);
    QCOMPARE(mixed.plot.shades.size(), std::size_t{1});
    QCOMPARE(mixed.plot.markers.size(), std::size_t{2});
    QVERIFY(std::isnan(mixed.plot.series[1].points.back().y()));
    workload.stages.erase(workload.stages.begin());
    const app::LoadPreview closed = app::previewLoad(workload);
    QCOMPARE(closed.requests, std::int64_t{0});
    QVERIFY(closed.plot.series.empty());
    QVERIFY(!closed.plot.emptyText.isEmpty());
}

void TstLoadPreview::achievedRateLiesOverThePreview() {
    const app::LoadPreview preview = app::previewLoad(poisson(10, 20));
    app::RateTrace trace;
    QCOMPARE(trace.over(preview.plot).series.size(), preview.plot.series.size());
    app::LoadProgress progress{.isRunning = true, .totalSeconds = 25.0};
    for (double at = 0.0; at < 25.0; at += 0.1) {
        progress.seconds = at;
        progress.achievedRate = 90.0;
        trace.add(progress);
    }
    const app::Plot plot = trace.over(preview.plot);
    QCOMPARE(plot.series.size(), preview.plot.series.size() + 1);
    const auto& points = plot.series.back().points;
    QVERIFY(points.size() >= 40 && points.size() <= 51);
    QVERIFY(plot.yMax >= 90.0);
    QVERIFY(plot.xMax >= points.back().x());
    trace.clear();
    QVERIFY(trace.isEmpty());
}

void TstLoadPreview::whatComesAfterTheLastSendIsNoRate() {
    const app::LoadPreview preview = app::previewLoad(poisson(10, 20));
    app::RateTrace trace;
    app::LoadProgress progress{
        .isRunning = true, .totalSeconds = 20.0, .sent = 200, .finished = 150};
    for (double at = 0.0; at < 40.0; at += 0.5) {
        progress.seconds = at;
        progress.achievedRate = at <= 20.0 ? 10.0 : 0.0;
        trace.add(progress);
    }
    const app::Plot plot = trace.over(preview.plot);
    QVERIFY(plot.series.back().points.back().x() <= 20.0);
    QCOMPARE(app::leftToAnswer(progress).value_or(-1), std::int64_t{50});
    QCOMPARE(app::meanRate(progress), 10.0);
    progress.seconds = 10.0;
    QVERIFY(!app::leftToAnswer(progress).has_value());
    progress.seconds = 0.0;
    QCOMPARE(app::meanRate(progress), 0.0);
    app::LoadCounters counters(1.0, 20); // of a second, the last answers come two seconds later
    const engine::TimePoint start{std::chrono::seconds{100}};
    counters.begin(start);
    for (int i = 0; i < 20; ++i) {
        const auto sent = start + std::chrono::milliseconds(i * 50);
        counters.countSent(sent, sent);
    }
    counters.end(start + std::chrono::seconds{3});
    QCOMPARE(counters.progress(start + std::chrono::seconds{9}).achievedRate, 20.0);
}

void TstLoadPreview::timeLeftNeverFallsBelowZero() {
    QCOMPARE(app::secondsLeft({.seconds = 70, .totalSeconds = 60}), 0.0);
    QCOMPARE(app::secondsLeft({.seconds = 20, .totalSeconds = 60}), 40.0);
    QCOMPARE(app::shareDone({.seconds = 70, .totalSeconds = 60}), 1.0);
    QCOMPARE(app::shareDone({}), 0.0);
}

QTEST_GUILESS_MAIN(TstLoadPreview)
#include "tst_load_preview.moc"
