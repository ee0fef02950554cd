#include "tests/support/pressed_load.h"

#include "app/load/workload.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tests {

using namespace std::chrono_literals;

engine::EngineConfig pressedConfig() {
    engine::EngineConfig config;
    config.maxWaiting = 96;
    config.kvBlocks = 400;
    return config;
}

bool applyPressedSettings(app::Session& session) {
    const auto workload = app::loadWorkload("pressure");
    bool isWell = workload.has_value();
    for (std::size_t at = 0; isWell && at < workload->settings.size(); ++at) {
        const auto& [key, value] = workload->settings[at];
        isWell = session.setField(key, value).has_value();
    }
    return isWell && session
                         .edit([](engine::EngineConfig& config) {
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
                         })
                         .has_value();
}

Asking::Asking(app::Session& session, std::chrono::milliseconds pause, int atOnce)
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

Asking::~Asking() {
    m_timer.stop();
    for (const auto& stream : m_streams) {
        m_session.cancel(stream->id());
    }
}

bool pressAndRecover(app::Session& session) {
    const auto becomes = [](auto condition) { return QTest::qWaitFor(condition, kPatienceMs); };
    {
        const Asking much(session, 50ms, 10);
        const bool isPressed =
            becomes([&session] { return session.servingStatus()->level == 2; }) &&
            becomes([&session] {
                return session.servingStatus()->light.state ==
                       engine::LightModelStatus::State::Ready;
            }) &&
            becomes([&session] { return session.snapshot().lightAnswers > 20; });
        if (!isPressed) {
            return false;
        }
    }
    const Asking little(session, 700ms, 1);
    return becomes([&session] {
        const engine::ServingStatus status = *session.servingStatus();
        return status.level == 0 && !status.isTrying;
    });
}

PressedRun pressedRun(const app::RunData& data) {
    PressedRun run{.levels = {0}};
    for (const app::StoredEvent& event : data.events) {
        const auto payload = nlohmann::json::parse(event.payloadJson, nullptr, false);
        if (event.kind == "degradation_changed") {
            run.isConnected = run.isConnected && payload["before"].get<std::string>() ==
                                                     std::to_string(run.levels.back());
            run.levels.push_back(std::stoi(payload["after"].get<std::string>()));
        }
        run.effects += event.kind == "degradation_effect" ? 1 : 0;
    }
    run.pins = std::ranges::count_if(data.history.markers(), [](const auto& marker) {
        const auto* notice = std::get_if<engine::Notice>(&marker.event.body);
        return notice != nullptr && notice->kind == "degradation_changed";
    });
    run.lightAnswers = std::ranges::count_if(data.requests, [](const auto& request) {
        return (request.record.tags & static_cast<std::uint32_t>(engine::SampleTag::LightModel)) !=
               0;
    });
    return run;
}

} // namespace tests
