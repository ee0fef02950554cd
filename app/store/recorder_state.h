// What a Recorder is made of, and what its thread does. Private to recorder*.cpp.
#pragma once

#include "app/store/recorder.h"
#include "app/store/run_recording.h"

#include <condition_variable>
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <utility>

namespace app {

struct Recorder::State {
    State(std::filesystem::path path, RecorderLimits bounds)
        : file(std::move(path)),
          limits(bounds) {}

    // Runs `body` on the recorder thread and returns what it returns.
    template <class Body>
    auto onThread(Body body) {
        std::packaged_task<decltype(body())()> task(std::move(body));
        auto result = task.get_future();
        {
            const std::lock_guard lock(commandMutex);
            commands.emplace_back([&task] { task(); });
        }
        wake.notify_one();
        return result.get();
    }

    // Runs a change of the log on the recorder thread, later.
    void change(std::function<engine::Result<void>(RunStore&)> body, Answer answer) {
        {
            const std::lock_guard lock(commandMutex);
            commands.emplace_back([this, body = std::move(body), answer = std::move(answer)] {
                answer(changeNow(body));
            });
        }
        wake.notify_one();
    }

    void start() {
        thread = std::jthread([this](const std::stop_token& stop) { loop(stop); });
    }

    // The recorder thread.
    engine::Result<void> changeNow(const std::function<engine::Result<void>(RunStore&)>& body);
    engine::Result<void> flushNow();
    void loop(const std::stop_token& stop);
    void guardedTick();
    void tick();
    void tidy();
    void openStore();
    void takeStore(std::unique_ptr<RunStore> opened); // also before the thread starts
    engine::Result<std::int64_t> beginRun(RunInfo info);
    void endRun(RunState state);
    bool flush();
    bool tryToClose();
    void shutDown();
    void describeBackend(RunInfo& info) const;
    void setProblem(std::string text);
    void tellUnwritten();
    void handOn(const std::vector<engine::Event>& events,
                const std::optional<engine::Snapshot>& snapshot);

    const std::filesystem::path file;
    const RecorderLimits limits;

    // Owned by the recorder thread.
    std::unique_ptr<RunStore> store;
    std::optional<RunRecording> recording;
    std::optional<std::pair<RunState, double>> closing; // the recording has ended, with its length
    engine::TimePoint nextFlush{}, nextOpen{};
    bool isFailing = false;
    bool hasHousework = false; // removed rows, tiers and figures: done while nothing is recorded
    engine::Error openError;
    std::uint64_t seenBackend = 0, seenVersion = 0;

    // Held only while the backend is called: attach() never waits for the disk.
    mutable std::mutex backendMutex;
    engine::Backend* backend = nullptr;
    std::uint64_t backendNumber = 0;       // grows with every attach
    std::vector<engine::Event> leftBehind; // of backends that were let go

    std::mutex commandMutex;
    std::condition_variable_any wake;
    std::deque<std::function<void()>> commands;

    mutable std::mutex outMutex;
    std::deque<engine::Event> copies;
    engine::Snapshot latest;
    std::string problem;
    std::optional<std::int64_t> currentRun;
    std::vector<std::int64_t> interrupted;
    std::optional<UnwrittenRun> unwritten;

    std::jthread thread; // last: joined before anything else goes
};

} // namespace app
