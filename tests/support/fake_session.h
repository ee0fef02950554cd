// A Session whose model is a FakeBackend, with a run log of its own. Main thread.
#pragma once

#include "app/session.h"
#include "tests/support/fake_backend.h"

#include <QTemporaryDir>
#include <QTest>

namespace tests {

class FakeSession {
public:
    FakeSession() : session(folder.path().toStdString() + "/runs.db", maker()) {}

    // Loads the fake and waits until the session has it.
    void load() {
        session.openModel("fake.gguf", {});
        QTRY_VERIFY(session.hasModel());
    }

    QTemporaryDir folder;
    FakeBackend* backend = nullptr; // owned by the session
    app::Session session;

private:
    app::BackendMaker maker() {
        return [this](const std::filesystem::path&, const engine::EngineConfig& config,
                      const std::function<void(const engine::LoadProgress&)>&,
                      std::stop_token) -> engine::Result<std::unique_ptr<engine::Backend>> {
            auto made = std::make_unique<FakeBackend>(config);
            backend = made.get();
            return made;
        };
    }
};

} // namespace tests
