// An engine on a tiny random model, and the few words that tests of it need.
#pragma once

#include "engine/loop/engine.h"
#include "tests/support/tiny_model.h"
#include "tests/support/watched_ops.h"

#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tests {

struct Ended {
    std::string text;
    std::vector<engine::TokenId> ids;
    engine::FinishReason reason = engine::FinishReason::Failed;
    std::string message;
    std::shared_ptr<const engine::RequestRecord> record;
};

// Reads the stream to its end. Fails the test's patience after a minute: reason Failed, message
// "no end".
Ended readToEnd(engine::TokenStream& stream);

class TinyEngine {
public:
    explicit TinyEngine(engine::EngineConfig config = smallConfig(), const TinyModel& model = {});

    // Small steps and few blocks, so that little traffic reaches every path; one thread.
    static engine::EngineConfig smallConfig();

    engine::Backend& operator*() { return *m_engine; }
    engine::Backend* operator->() { return m_engine.get(); }
    OpsControl& ops() { return *m_control; }
    void close() { m_engine.reset(); }

    // A greedy request with a fixed length, so that end tokens of a random model don't matter.
    static engine::Request request(std::string prompt, int maxTokens);
    Ended run(engine::Request request) { return readToEnd(*m_engine->submit(std::move(request))); }

    // Holds the operators, submits, and returns once the engine stands inside the request's step.
    std::shared_ptr<engine::TokenStream> submitHeld(engine::Request request);

    // Waits for an event after the one last waited for, at most ten seconds; all so far are in
    // events().
    bool waitForEvent(const std::function<bool(const engine::Event&)>& isIt);
    // The figures once `isIt` holds; the last ones after ten seconds.
    engine::Snapshot waitForFigures(const std::function<bool(const engine::Snapshot&)>& isIt);
    const std::vector<engine::Event>& events();

private:
    QTemporaryDir m_folder;
    std::shared_ptr<OpsControl> m_control = std::make_shared<OpsControl>();
    std::unique_ptr<engine::Backend> m_engine;
    std::vector<engine::Event> m_events;
    std::size_t m_searched = 0;
};

} // namespace tests
