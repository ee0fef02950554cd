// `headway simulate` from the outside, on a run log whose machine was fast at first and slow later.
#include "app/load/workload.h"
#include "app/store/run_store.h"
#include "tests/support/json_schema.h"
#include "tests/support/program.h"
#include "tests/support/scripted_run.h"

#include <QFile>
#include <QTest>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

using nlohmann::json;
using tests::ProgramEnd;
using tests::ProgramRunner;
using namespace std::chrono_literals;

namespace {

constexpr engine::TimePoint kStart{std::chrono::hours(3)};

app::Workload load(double rate) {
    app::Workload workload;
    workload.stages = {{.kind = app::ArrivalKind::Poisson,
                        .ratePerSecond = rate,
                        .endRatePerSecond = rate,
                        .seconds = 20.0}};
    workload.promptTokens = {.minimum = 20, .maximum = 200};
    workload.outputTokens = {.minimum = 4, .maximum = 20};
    workload.promptSets = {"english"};
    return workload;
}

// Steps of 5 ms and 0.2 ms a token; what 200 of them with 10 tokens each took, where it is told.
engine::Event costs(double seconds, std::optional<double> factor) {
    engine::Notice notice{.kind = "step_cost", .values = {}};
    for (std::size_t i = 0; i < 7; ++i) {
        const double ns = i == 0 ? 5e6 : i < 5 ? 2e5 : 0.0;
        notice.values.emplace_back(fmt::format("ns_{}", i), fmt::format("{}", ns));
    }
    if (factor) {
        const std::array sums = {200.0, 800.0, 1200.0};
        for (std::size_t i = 0; i < sums.size(); ++i) {
            notice.values.emplace_back(fmt::format("sum_{}", i), fmt::format("{}", sums[i]));
        }
        notice.values.emplace_back("took_ns", fmt::format("{}", 14e8 * *factor));
    }
    engine::Event event;
    event.time = kStart + engine::Nanoseconds(std::llround(seconds * 1e9));
    event.body = std::move(notice);
    return event;
}

enum class Told { Costs, Paces };

void record(const std::string& log, const app::Workload& workload, Told told) {
    auto store = app::RunStore::open(log, app::StoreMode::Write);
    app::RunInfo info;
    info.workloadToml = app::workloadToml(workload);
    const auto run = (*store)->beginRun(info, {});
    app::RunStore::Batch batch;
    batch.settings = {{.timeNs = 0,
                       .field = "kv.blocks",
                       .requested = "400",
                       .effective = "400",
                       .state = "in force",
                       .reason = ""}};
    for (int i = 1; i <= 10; ++i) {
        const double factor = i <= 5 ? 0.7 : 1.4;
        batch.events.push_back(
            costs(2.0 * i, told == Told::Paces ? std::optional(factor) : std::nullopt));
    }
    std::uint64_t id = 0;
    for (const app::PlannedRequest& planned : app::planRequests(workload)) {
        engine::RequestRecord each =
            tests::makeRecord(kStart, planned.atSeconds * 1e3, 40.0, 5.0, planned.maxTokens);
        each.id = engine::RequestId{++id};
        each.promptTokens = planned.promptTokens;
        engine::Event event;
        event.time = *each.stamps.finished;
        event.body = engine::RequestFinished{std::make_shared<engine::RequestRecord>(each)};
        batch.events.push_back(std::move(event));
    }
    if (!run || !(*store)->append(*run, kStart, batch) ||
        !(*store)->endRun(*run, app::RunState::Finished, 21.0, false)) {
        qFatal("the run can't be written");
    }
}

void write(const QString& path, const app::Workload& workload) {
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        qFatal("the workload can't be written");
    }
    file.write(QByteArray::fromStdString(app::workloadToml(workload)));
}

} // namespace

class TstSimulateProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresHaveTheirRange_data();
    void figuresHaveTheirRange();
    void tablesSayWhereAFigureIsChance();
    void runsOfEarlierVersionsHaveNoRange();

private:
    ProgramEnd simulate(double rate, Told told, const QStringList& more = {}) {
        const QString log = m_headway.path(QStringLiteral("%1.db").arg(++m_logs));
        record(log.toStdString(), load(rate), told);
        const QString file = m_headway.path(QStringLiteral("load.toml"));
        write(file, load(rate));
        return m_headway.run(QStringList{QStringLiteral("simulate"), file,
                                         QStringLiteral("--profile"), log + QStringLiteral(":1")} +
                             more);
    }
    ProgramRunner m_headway{QStringLiteral("headway")};
    int m_logs = 0;
};

void TstSimulateProgram::figuresHaveTheirRange_data() {
    QTest::addColumn<QString>("policy");
    for (const char* policy : {"single", "dynamic", "continuous", "selective"}) {
        QTest::newRow(policy) << QString::fromLatin1(policy);
    }
}

void TstSimulateProgram::figuresHaveTheirRange() {
    QFETCH(const QString, policy);
    const ProgramEnd end = simulate(
        6.0, Told::Paces, {QStringLiteral("--json"), QStringLiteral("--batching"), policy});
    QVERIFY2(end.status == 0, end.err.constData());
    const json document = json::parse(end.out.toStdString());
    const json schema = json::parse(
        m_headway.run({QStringLiteral("schema"), QStringLiteral("simulate")}).out.toStdString());
    const std::string problem = tests::schemaProblem(document, schema, schema);
    QVERIFY2(problem.empty(), problem.c_str());
    QCOMPARE(document["simulations"].get<int>(), 10);
    QCOMPARE(document["is_same_workload"].get<bool>(), policy == QStringLiteral("continuous"));
    const json& range = document["ranges"]["ttft_p50_ms"];
    const double middle = document["simulated"]["ttft_ms"]["p50"];
    QVERIFY(range[0] <= middle && middle <= range[1]);
    QVERIFY(range[0] < range[1]);
    const json& requests = document["ranges"]["requests"];
    QCOMPARE(requests[0].get<double>(), requests[1].get<double>()); // each met the same
}

void TstSimulateProgram::tablesSayWhereAFigureIsChance() {
    const ProgramEnd light = simulate(2.0, Told::Paces);
    QVERIFY2(light.status == 0, light.err.constData());
    QVERIFY(light.out.contains("range"));
    QVERIFY(light.out.contains("10 simulations"));
    QVERIFY2(!light.out.contains("chance"), light.out.constData());
    const ProgramEnd heavy = simulate(40.0, Told::Paces);
    QVERIFY2(heavy.out.contains("chance"), heavy.out.constData());
}

void TstSimulateProgram::runsOfEarlierVersionsHaveNoRange() {
    const ProgramEnd table = simulate(6.0, Told::Costs);
    QVERIFY2(table.status == 0, table.err.constData());
    QVERIFY(!table.out.contains("range") && !table.out.contains("Range"));
    const ProgramEnd end = simulate(6.0, Told::Costs, {QStringLiteral("--json")});
    const json document = json::parse(end.out.toStdString());
    QCOMPARE(document["simulations"].get<int>(), 1);
    QVERIFY(document["ranges"].empty());
}

QTEST_GUILESS_MAIN(TstSimulateProgram)
#include "tst_simulate_program.moc"
