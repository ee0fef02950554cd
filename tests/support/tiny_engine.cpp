#include "tests/support/tiny_engine.h"

#include <stdexcept>
#include <thread>

namespace tests {

using namespace std::chrono_literals;

Ended readToEnd(engine::TokenStream& stream) {
    Ended ended;
    const auto patience = engine::Clock::now() + 60s;
    while (const auto chunk = stream.waitNext(200ms)) {
        ended.text += chunk->text;
        ended.ids.insert(ended.ids.end(), chunk->ids.begin(), chunk->ids.end());
        if (engine::Clock::now() > patience) {
            ended.message = "no end";
            return ended;
        }
    }
    ended.reason = stream.finishReason().value_or(engine::FinishReason::Failed);
    ended.message = stream.message();
    ended.record = stream.record();
    return ended;
}

TinyEngine::TinyEngine(engine::EngineConfig config, const TinyModel& model) {
    const std::filesystem::path file = m_folder.path().toStdString() + "/tiny.gguf";
    writeTinyModel(file, model);
    auto started = engine::startEngine(file, {.config = config,
                                              .progress = {},
                                              .stop = {},
                                              .makeOps = watchedOps(m_control),
                                              .readBytesPerSecond = 1e10});
    if (!started) {
        throw std::runtime_error(started.error().message);
    }
    m_engine = std::move(*started);
}

engine::EngineConfig TinyEngine::smallConfig() {
    engine::EngineConfig config;
    config.maxBatch = 8;
    config.tokenBudget = 64;
    config.prefillChunk = 32;
    config.kvBlocks = 64;
    config.blockTokens = 16;
    config.threads = 1;
    config.warmupRequests = 1;
    config.checksQuality = false; // it would compute beside what is tested
    return config;
}

engine::Request TinyEngine::request(std::string prompt, int maxTokens) {
    engine::Request request;
    request.prompt = std::move(prompt);
    request.maxTokens = maxTokens;
    request.ignoreEnd = true;
    return request;
}

std::shared_ptr<engine::TokenStream> TinyEngine::submitHeld(engine::Request request) {
    const std::int64_t before = m_control->products();
    m_control->hold();
    auto stream = m_engine->submit(std::move(request));
    const auto patience = engine::Clock::now() + 10s;
    while (m_control->products() == before && engine::Clock::now() < patience) {
        std::this_thread::sleep_for(1ms);
    }
    return stream;
}

bool TinyEngine::waitForEvent(const std::function<bool(const engine::Event&)>& isIt) {
    const auto patience = engine::Clock::now() + 10s;
    while (engine::Clock::now() < patience) {
        events();
        while (m_searched < m_events.size()) {
            if (isIt(m_events[m_searched++])) {
                return true;
            }
        }
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

engine::Snapshot
TinyEngine::waitForFigures(const std::function<bool(const engine::Snapshot&)>& isIt) {
    const auto patience = engine::Clock::now() + 10s;
    engine::Snapshot snapshot = m_engine->snapshot();
    while (!isIt(snapshot) && engine::Clock::now() < patience) {
        std::this_thread::sleep_for(1ms);
        snapshot = m_engine->snapshot();
    }
    return snapshot;
}

const std::vector<engine::Event>& TinyEngine::events() {
    for (engine::Event& event : m_engine->takeEvents()) {
        m_events.push_back(std::move(event));
    }
    return m_events;
}

} // namespace tests
