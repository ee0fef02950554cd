// What the recorder's thread does: takes events and figures, writes, and tidies up between runs.
// See recorder.h.
#include "app/store/machine_json.h"
#include "app/store/recorder_state.h"

#include <iterator>

namespace app {

namespace {

using engine::Clock;
using engine::TimePoint;
using std::chrono::milliseconds;

constexpr milliseconds kTick{50};
constexpr milliseconds kFlushEvery{300}; // with a tick and a slow commit still below 500
constexpr std::size_t kFlushRows = 500;
constexpr milliseconds kRetryEvery{1000};
constexpr milliseconds kReopenEvery{5000};
constexpr milliseconds kTidyAtEnd{1000};

} // namespace

engine::Result<void>
Recorder::State::changeNow(const std::function<engine::Result<void>(RunStore&)>& body) {
    if (!store) {
        openStore();
    }
    if (!store) {
        return std::unexpected(openError);
    }
    hasHousework = true;
    try {
        return body(*store);
    } catch (const std::exception& error) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Internal,
                          std::string("The run log was not changed: ") + error.what() + "."});
    }
}

engine::Result<void> Recorder::State::flushNow() {
    guardedTick();
    try {
        if (recording && !closing) {
            flush();
        }
    } catch (const std::exception& error) {
        setProblem(std::string("Recording failed: ") + error.what());
    }
    const std::lock_guard lock(outMutex);
    return problem.empty() ? engine::Result<void>()
                           : std::unexpected(engine::Error{engine::ErrorCode::Io, problem});
}

void Recorder::State::loop(const std::stop_token& stop) {
    if (!store) {
        openStore();
    }
    while (!stop.stop_requested()) {
        guardedTick();
        std::deque<std::function<void()>> taken;
        {
            std::unique_lock lock(commandMutex);
            wake.wait_for(lock, stop, kTick, [this] { return !commands.empty(); });
            taken.swap(commands);
        }
        for (const auto& command : taken) {
            command();
        }
    }
    // What was asked for before the end is still done.
    std::deque<std::function<void()>> last;
    {
        const std::lock_guard lock(commandMutex);
        last.swap(commands);
    }
    for (const auto& command : last) {
        command();
    }
    shutDown();
}

void Recorder::State::guardedTick() {
    try {
        tick();
    } catch (const std::exception& error) {
        setProblem(std::string("Recording failed: ") + error.what());
    }
}

void Recorder::State::tick() {
    const TimePoint now = Clock::now();
    std::vector<engine::Event> events;
    std::optional<engine::Snapshot> snapshot;
    std::optional<engine::ConfigStatus> config;
    bool isOtherBackend = false;
    {
        const std::lock_guard lock(backendMutex);
        events = std::exchange(leftBehind, {});
        isOtherBackend = std::exchange(seenBackend, backendNumber) != backendNumber;
        if (backend != nullptr) {
            std::vector<engine::Event> taken = backend->takeEvents();
            events.insert(events.end(), std::move_iterator(taken.begin()),
                          std::move_iterator(taken.end()));
            snapshot = backend->snapshot();
            engine::ConfigStatus status = backend->config();
            if (isOtherBackend || status.version != seenVersion) {
                seenVersion = status.version;
                config = std::move(status);
            }
        }
    }
    if (recording && !closing) {
        recording->addEvents(events);
        if (isOtherBackend) {
            recording->forgetFigures();
        }
        if (config) {
            recording->addConfig(*config, now);
        }
        if (snapshot) {
            recording->addSnapshot(*snapshot, now);
        }
    }
    // Copies go on at once: a disk that is slow or full must not hold up the window.
    handOn(events, snapshot);
    if (recording) {
        const bool isFull = recording->pendingRows() >= kFlushRows && !isFailing;
        if (now >= nextFlush || isFull) {
            closing ? tryToClose() : flush();
        }
    } else if (!store && now >= nextOpen) {
        openStore();
    } else if (store && hasHousework) {
        tidy();
    }
}

// A piece a tick, and none while a run is measured. What fails is tried with the next change.
void Recorder::State::tidy() {
    hasHousework = store->tidySome().value_or(false);
}

void Recorder::State::openStore() {
    auto opened = RunStore::open(file, StoreMode::Write);
    if (opened) {
        takeStore(std::move(*opened));
        setProblem({});
        return;
    }
    const engine::Error& error = opened.error();
    // A lock is given back and a disk gets room; a file of another kind stays what it is.
    const bool mayPass =
        error.code == engine::ErrorCode::Busy || error.code == engine::ErrorCode::Io;
    nextOpen = mayPass ? Clock::now() + kReopenEvery : TimePoint::max();
    openError = error;
    setProblem(error.message);
}

void Recorder::State::takeStore(std::unique_ptr<RunStore> opened) {
    store = std::move(opened);
    hasHousework = true;
    const std::lock_guard lock(outMutex);
    interrupted = store->interruptedAtOpen();
}

void Recorder::State::describeBackend(RunInfo& info) const {
    std::optional<engine::Capabilities> capabilities;
    {
        const std::lock_guard lock(backendMutex);
        if (backend != nullptr) {
            capabilities = backend->capabilities();
        }
    }
    if (capabilities && info.modelName.empty()) {
        info.modelName = capabilities->modelName;
        info.modelDigest = capabilities->modelDigest;
    }
    if (info.machineJson.empty()) {
        info.machineJson = machineJson(capabilities ? &*capabilities : nullptr);
    }
}

engine::Result<std::int64_t> Recorder::State::beginRun(RunInfo info) {
    if (closing && !tryToClose()) {
        const std::lock_guard lock(outMutex);
        return std::unexpected(engine::Error{engine::ErrorCode::Busy, problem});
    }
    if (recording) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Busy, "A run is being recorded. End it before another begins."});
    }
    if (!store) {
        openStore();
    }
    if (!store) {
        return std::unexpected(openError);
    }
    tick(); // what happened until now belongs to no run
    describeBackend(info);
    engine::ConfigStatus config;
    {
        const std::lock_guard lock(backendMutex);
        if (backend != nullptr) {
            config = backend->config();
        }
    }
    const TimePoint start = Clock::now();
    auto run = store->beginRun(info, config);
    if (!run) {
        setProblem(run.error().message);
        return run;
    }
    recording.emplace(*run, start, limits);
    recording->addConfig(config, start);
    nextFlush = start + kFlushEvery;
    setProblem({});
    const std::lock_guard lock(outMutex);
    currentRun = *run;
    return run;
}

void Recorder::State::endRun(RunState state) {
    if (!recording || closing) {
        return;
    }
    tick();
    const TimePoint now = Clock::now();
    recording->close(now);
    closing.emplace(state, std::chrono::duration<double>(now - recording->start()).count());
    {
        const std::lock_guard lock(outMutex);
        currentRun.reset();
    }
    tryToClose();
}

// Of a run that has ended and could not be closed.
void Recorder::State::tellUnwritten() {
    const std::lock_guard lock(outMutex);
    unwritten = closing ? std::optional(UnwrittenRun{.run = recording->run(),
                                                     .requests = recording->pendingRequests(),
                                                     .problem = problem})
                        : std::nullopt;
}

// Everything pending in one transaction. What fails stays pending.
bool Recorder::State::flush() {
    engine::Result<void> result;
    if (!recording->pending().isEmpty()) {
        result = store->append(recording->run(), recording->start(), recording->pending());
    }
    isFailing = !result.has_value();
    nextFlush = Clock::now() + (isFailing ? kRetryEvery : kFlushEvery);
    if (isFailing) {
        setProblem(result.error().message);
        return false;
    }
    recording->written();
    setProblem({});
    return true;
}

bool Recorder::State::tryToClose() {
    if (!flush()) {
        tellUnwritten();
        return false;
    }
    const auto& [state, seconds] = *closing;
    auto ended = store->endRun(recording->run(), state, seconds, recording->isIncomplete());
    if (!ended) {
        isFailing = true;
        nextFlush = Clock::now() + kRetryEvery;
        setProblem(ended.error().message);
        tellUnwritten();
        return false;
    }
    recording.reset();
    closing.reset();
    hasHousework = true;
    tellUnwritten();
    return true;
}

void Recorder::State::shutDown() {
    try {
        endRun(RunState::Finished);
        if (closing) {
            tryToClose(); // once more: a lock of another program lasts for moments
        }
        // A program that ends with its run leaves the figures of all but the longest ones.
        const TimePoint until = Clock::now() + kTidyAtEnd;
        while (store && !recording && hasHousework && Clock::now() < until) {
            tidy();
        }
    } catch (const std::exception& error) {
        setProblem(std::string("Recording failed: ") + error.what());
    }
    store.reset();
}

void Recorder::State::setProblem(std::string text) {
    const std::lock_guard lock(outMutex);
    problem = std::move(text);
}

// Whoever takes the events finds them in the figures it reads next.
void Recorder::State::handOn(const std::vector<engine::Event>& events,
                             const std::optional<engine::Snapshot>& snapshot) {
    const std::lock_guard lock(outMutex);
    copies.insert(copies.end(), events.begin(), events.end());
    if (copies.size() > limits.copies) {
        copies.erase(copies.begin(), copies.end() - static_cast<std::ptrdiff_t>(limits.copies));
    }
    if (snapshot) {
        latest = *snapshot;
    }
}

} // namespace app
