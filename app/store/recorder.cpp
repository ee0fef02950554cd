#include "app/store/recorder.h"

#include "app/store/machine_json.h"
#include "app/store/run_recording.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <iterator>
#include <mutex>
#include <thread>
#include <utility>

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

} // namespace

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

    // The recorder thread.
    engine::Result<void> changeNow(const std::function<engine::Result<void>(RunStore&)>& body);
    void loop(const std::stop_token& stop);
    void guardedTick();
    void tick();
    void openStore();
    engine::Result<std::int64_t> beginRun(RunInfo info);
    void endRun(RunState state);
    bool flush();
    bool tryToClose();
    void shutDown();
    void describeBackend(RunInfo& info) const;
    void setProblem(std::string text);
    void handOn(const std::vector<engine::Event>& events,
                const std::optional<engine::Snapshot>& snapshot);

    const std::filesystem::path file;
    const RecorderLimits limits;

    // Owned by the recorder thread.
    std::unique_ptr<RunStore> store;
    std::optional<RunRecording> recording;
    std::optional<std::pair<RunState, double>> closing; // the recording has ended, with its length
    TimePoint nextFlush{}, nextOpen{};
    bool isFailing = false;
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

    std::jthread thread; // last: joined before anything else goes
};

engine::Result<void>
Recorder::State::changeNow(const std::function<engine::Result<void>(RunStore&)>& body) {
    if (!store) {
        openStore();
    }
    if (!store) {
        return std::unexpected(openError);
    }
    try {
        return body(*store);
    } catch (const std::exception& error) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Internal,
                          std::string("The run log was not changed: ") + error.what() + "."});
    }
}

void Recorder::State::loop(const std::stop_token& stop) {
    openStore();
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
    }
}

void Recorder::State::openStore() {
    auto opened = RunStore::open(file, StoreMode::Write);
    if (opened) {
        store = std::move(*opened);
        setProblem({});
        const std::lock_guard lock(outMutex);
        interrupted = store->interruptedAtOpen();
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
        return false;
    }
    const auto& [state, seconds] = *closing;
    auto ended = store->endRun(recording->run(), state, seconds, recording->isIncomplete());
    if (!ended) {
        isFailing = true;
        nextFlush = Clock::now() + kRetryEvery;
        setProblem(ended.error().message);
        return false;
    }
    recording.reset();
    closing.reset();
    return true;
}

void Recorder::State::shutDown() {
    try {
        endRun(RunState::Finished);
        if (closing) {
            tryToClose(); // once more: a lock of another program lasts for moments
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

Recorder::Recorder(std::filesystem::path file, RecorderLimits limits)
    : m_state(std::make_unique<State>(std::move(file), limits)) {
    State* state = m_state.get();
    state->thread = std::jthread([state](const std::stop_token& stop) { state->loop(stop); });
}

Recorder::~Recorder() = default;

void Recorder::attach(engine::Backend* backend) {
    const std::lock_guard lock(m_state->backendMutex);
    if (m_state->backend != nullptr) {
        std::vector<engine::Event> last = m_state->backend->takeEvents();
        std::ranges::move(last, std::back_inserter(m_state->leftBehind));
    }
    m_state->backend = backend;
    ++m_state->backendNumber;
}

engine::Result<std::int64_t> Recorder::beginRun(RunInfo info) {
    return m_state->onThread([this, info = std::move(info)]() -> engine::Result<std::int64_t> {
        try {
            return m_state->beginRun(info);
        } catch (const std::exception& error) {
            return std::unexpected(
                engine::Error{engine::ErrorCode::Internal,
                              std::string("The run can't be recorded: ") + error.what() + "."});
        }
    });
}

void Recorder::endRun(RunState state) {
    m_state->onThread([this, state] {
        try {
            m_state->endRun(state);
        } catch (const std::exception& error) {
            m_state->setProblem(std::string("Recording failed: ") + error.what());
        }
    });
}

std::optional<std::int64_t> Recorder::currentRun() const {
    const std::lock_guard lock(m_state->outMutex);
    return m_state->currentRun;
}

void Recorder::renameRun(std::int64_t run, std::string name, std::string note, Answer answer) {
    m_state->change([run, name = std::move(name), note = std::move(note)](
                        RunStore& store) { return store.rename(run, name, note); },
                    std::move(answer));
}

void Recorder::removeRun(std::int64_t run, Answer answer) {
    m_state->change(
        [state = m_state.get(), run](RunStore& store) -> engine::Result<void> {
            if (state->recording && state->recording->run() == run) {
                return std::unexpected(
                    engine::Error{engine::ErrorCode::Busy,
                                  "The run is being recorded; end it before removing it."});
            }
            return store.remove(run);
        },
        std::move(answer));
}

void Recorder::change(std::function<engine::Result<void>(RunStore&)> body, Answer answer) {
    m_state->change(std::move(body), std::move(answer));
}

std::vector<engine::Event> Recorder::takeEvents() {
    std::deque<engine::Event> taken;
    {
        const std::lock_guard lock(m_state->outMutex);
        taken.swap(m_state->copies);
    }
    return {std::move_iterator(taken.begin()), std::move_iterator(taken.end())};
}

engine::Snapshot Recorder::snapshot() const {
    const std::lock_guard lock(m_state->outMutex);
    return m_state->latest;
}

std::string Recorder::problem() const {
    const std::lock_guard lock(m_state->outMutex);
    return m_state->problem;
}

std::vector<std::int64_t> Recorder::interruptedAtOpen() const {
    const std::lock_guard lock(m_state->outMutex);
    return m_state->interrupted;
}

} // namespace app
