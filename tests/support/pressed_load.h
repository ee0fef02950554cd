// The default model under a load that is too much for it and then is not, waited for step by step:
// what takes how long is the machine's. Main thread.
#pragma once

#include "app/session.h"
#include "app/store/run_store.h"

#include <QTimer>

#include <deque>

namespace tests {

// A model with few places, so that it is pressed soon.
engine::EngineConfig pressedConfig();
// The settings of the built-in workload that presses a machine, with its times made shorter and its
// limits lower still. Empty where they were refused.
bool applyPressedSettings(app::Session& session);

// Asks every so often, with prompts that nobody asked before. What is not answered when it stops is
// cancelled.
class Asking {
public:
    Asking(app::Session& session, std::chrono::milliseconds pause, int atOnce);
    ~Asking();
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

private:
    app::Session& m_session;
    QTimer m_timer;
    int m_asked = 0;
    std::deque<std::shared_ptr<engine::TokenStream>> m_streams;
};

inline constexpr int kPatienceMs = 240'000;

// Up to level 2 with answers of the light model, and back to level 0; false where it was given up.
bool pressAndRecover(app::Session& session);

// What a recording of that holds.
struct PressedRun {
    std::vector<int> levels; // in force, one after the other, from 0 on
    bool isConnected = true; // each change begins where the last one ended
    std::int64_t effects = 0, pins = 0, lightAnswers = 0;
};
PressedRun pressedRun(const app::RunData& data);

} // namespace tests
