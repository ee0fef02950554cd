// The default model under a load that is too much for it and then is not: up to level 2 and back,
// with every change in the recording. In scaled times; what takes how long is the machine's.
#include "app/session.h"
#include "app/store/run_store.h"
#include "tests/support/default_model.h"

#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <nlohmann/json.hpp>

#include <deque>

using nlohmann::json;
using namespace std::chrono_literals;

class TstDegradationRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void anOverloadGoesUpAndComesBack();
};

namespace {

constexpr int kPatienceMs = 240'000;

// Minutes of the rule become seconds.
engine::EngineConfig scaled() {
    engine::EngineConfig config;
    config.batching = engine::Batching::Dynamic;
    config.maxWaiting = 96;
    config.kvBlocks = 400;
    config.precision = engine::WeightPrecision::FP16;
    config.checksQuality = false;
    config.serving.degradation = engine::DegradationMode::Auto;
    config.serving.level1Ms = 500;
    config.serving.level2Ms = 800;
    config.serving.healthyMs = 450;
    config.serving.leastRequests = 10;
    config.serving.windowMs = 3000;
    config.serving.holdMs = 1000;
    config.serving.dwellMs = 2000;
    config.serving.recoveryMs = 2000;
    config.serving.recoveryCapMs = 4000;
    config.serving.trialRequests = 2;
    config.serving.trialMs = 3000;
    config.serving.lightModel = engine::LightModelChoice::Same;
    return config;
}

// Asks every so often; what is not answered in time is refused.
class Asking {
public:
    Asking(app::Session& session, std::chrono::milliseconds pause, int atOnce)
        : m_session(session) {
        QObject::connect(&m_timer, &QTimer::timeout, [this, atOnce] {
            for (int i = 0; i < atOnce; ++i) {
                engine::Request request;
                request.prompt = "Tell me about ship " + std::to_string(m_asked++) + ".";
                request.maxTokens = 16;
                request.ignoreEnd = true;
                m_streams.push_back(m_session.submit(std::move(request)));
            }
        });
        m_timer.start(pause);
    }
    void stop() {
        m_timer.stop();
        for (const auto& stream : m_streams) {
            m_session.cancel(stream->id());
        }
    }

private:
    app::Session& m_session;
    QTimer m_timer;
    int m_asked = 0;
    std::deque<std::shared_ptr<engine::TokenStream>> m_streams;
};

} // namespace

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
        session.openModel(model, scaled());
        QTRY_VERIFY_WITH_TIMEOUT(session.hasModel(), kPatienceMs);
        const auto begun = session.startRecording(QStringLiteral("pressure"));
        QVERIFY(begun.has_value());
        run = *begun;
        Asking much(session, 50ms, 10);
        QTRY_COMPARE_WITH_TIMEOUT(session.servingStatus()->level, 2, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(session.servingStatus()->light.state,
                                  engine::LightModelStatus::State::Ready, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(session.snapshot().lightAnswers > 20, kPatienceMs);
        much.stop();
        Asking little(session, 700ms, 1);
        const auto isBack = [&session] {
            const engine::ServingStatus status = *session.servingStatus();
            return status.level == 0 && !status.isTrying;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isBack(), kPatienceMs);
        little.stop();
        session.stopRecording();
    }
    const auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
    QVERIFY(store.has_value());
    const auto data = (*store)->load(run);
    QVERIFY(data.has_value());
    std::vector<int> levels = {0};
    int effects = 0;
    for (const app::StoredEvent& event : data->events) {
        const json payload = json::parse(event.payloadJson, nullptr, false);
        if (event.kind == "degradation_changed") {
            QCOMPARE(payload["before"].get<std::string>(), std::to_string(levels.back()));
            levels.push_back(std::stoi(payload["after"].get<std::string>()));
        }
        effects += event.kind == "degradation_effect" ? 1 : 0;
    }
    QVERIFY(std::ranges::find(levels, 2) != levels.end());
    QCOMPARE(levels.back(), 0);
    QVERIFY(effects > 0);
    // Each change is a pin on every chart, and the log has every request with what it was.
    const auto pins = std::ranges::count_if(data->history.markers(), [](const auto& marker) {
        const auto* notice = std::get_if<engine::Notice>(&marker.event.body);
        return notice != nullptr && notice->kind == "degradation_changed";
    });
    QCOMPARE(static_cast<std::size_t>(pins), levels.size() - 1);
    const auto light = std::ranges::count_if(data->requests, [](const auto& request) {
        return (request.record.tags & static_cast<std::uint32_t>(engine::SampleTag::LightModel)) !=
               0;
    });
    QVERIFY(light > 20);
}

QTEST_GUILESS_MAIN(TstDegradationRun)
#include "tst_degradation_run.moc"
