// The default model under a load that is too much for it and then is not: up to level 2 and back,
// with every change in the run. In scaled times, headless.
#include "app/store/run_store.h"
#include "tests/support/default_model.h"
#include "tests/support/program.h"

#include <QFile>
#include <QTest>

#include <nlohmann/json.hpp>

using nlohmann::json;

class TstDegradationRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOverloadGoesUpAndComesBack();
};

namespace {

constexpr const char* kPressure = R"([workload]
seed = 5

[[stage]]
kind = "poisson"
rate = 4
seconds = 4

[[stage]]
kind = "poisson"
rate = 200
seconds = 9

[[stage]]
kind = "poisson"
rate = 2
seconds = 40

[lengths]
prompt = [12, 72]
output = [8, 28]

[prompts]
sets = ["english"]

[settings]
batching.policy = "dynamic"
batching.max_waiting = 128
weights.precision = "fp16"
quality.check = "off"
degradation.mode = "auto"
degradation.level1 = "500 ms"
degradation.level2 = "800 ms"
degradation.healthy = "400 ms"
degradation.least = 10
degradation.window = "3 s"
degradation.hold = "1 s"
degradation.dwell = "2 s"
degradation.recovery = "2 s"
degradation.recovery_cap = "4 s"
degradation.trial_requests = 2
degradation.trial_time = "3 s"
light.model = "same"
)";

} // namespace

void TstDegradationRun::anOverloadGoesUpAndComesBack() {
    const std::filesystem::path model = tests::defaultModel();
    if (model.empty()) {
        QSKIP("The default model is not here.");
    }
    tests::ProgramRunner headway(QStringLiteral("headway"));
    QFile workload(headway.path(QStringLiteral("pressure.toml")));
    QVERIFY(workload.open(QIODevice::WriteOnly) && workload.write(kPressure) > 0);
    workload.close();
    const auto end =
        headway.run({QStringLiteral("load"), QStringLiteral("pressure.toml"),
                     QString::fromStdString(model.string()), QStringLiteral("--record"),
                     QStringLiteral("p.db"), QStringLiteral("--json")});
    QVERIFY2(end.status == 0, end.err.constData());
    const auto store = app::RunStore::open(headway.path(QStringLiteral("p.db")).toStdString(),
                                           app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto run = (*store)->load(1);
    QVERIFY(run.has_value());
    std::vector<int> levels = {0};
    int effects = 0;
    for (const app::StoredEvent& event : run->events) {
        const json payload = json::parse(event.payloadJson, nullptr, false);
        if (event.kind == "degradation_changed") {
            QCOMPARE(payload["before"].get<std::string>(), std::to_string(levels.back()));
            levels.push_back(std::stoi(payload["after"].get<std::string>()));
        }
        effects += event.kind == "degradation_effect" ? 1 : 0;
    }
    const auto told = [&levels] {
        QString text;
        for (const int level : levels) {
            text += QString::number(level) + QLatin1Char(' ');
        }
        return text;
    }();
    QVERIFY2(std::ranges::find(levels, 2) != levels.end(), qPrintable(told));
    QVERIFY2(levels.back() == 0, qPrintable(told));
    QVERIFY(effects > 0);
    // Each change is a pin on every chart, and the log has every request with what it was.
    const auto pins = std::ranges::count_if(run->history.markers(), [](const auto& marker) {
        const auto* notice = std::get_if<engine::Notice>(&marker.event.body);
        return notice != nullptr && notice->kind == "degradation_changed";
    });
    QCOMPARE(static_cast<std::size_t>(pins), levels.size() - 1);
    const auto light = std::ranges::count_if(run->requests, [](const auto& request) {
        return (request.record.tags & static_cast<std::uint32_t>(engine::SampleTag::LightModel)) !=
               0;
    });
    QVERIFY2(light > 0, qPrintable(told));
}

QTEST_GUILESS_MAIN(TstDegradationRun)
#include "tst_degradation_run.moc"
