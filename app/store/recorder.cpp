#include "app/store/recorder.h"

#include "app/store/recorder_state.h"

#include <algorithm>
#include <iterator>

namespace app {

Recorder::Recorder(std::filesystem::path file, RecorderLimits limits)
    : m_state(std::make_unique<State>(std::move(file), limits)) {
    m_state->start();
}

Recorder::Recorder(std::unique_ptr<RunStore> opened, RecorderLimits limits)
    : m_state(std::make_unique<State>(opened->file(), limits)) {
    m_state->takeStore(std::move(opened));
    m_state->start();
}

Recorder::~Recorder() = default;

const std::filesystem::path& Recorder::file() const {
    return m_state->file;
}

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
            return store.beginRemove(run); // its rows go a piece a tick
        },
        std::move(answer));
}

void Recorder::flush(Answer answer) {
    State* state = m_state.get();
    {
        const std::lock_guard lock(state->commandMutex);
        state->commands.emplace_back(
            [state, answer = std::move(answer)] { answer(state->flushNow()); });
    }
    state->wake.notify_one();
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

std::optional<UnwrittenRun> Recorder::unwritten() const {
    const std::lock_guard lock(m_state->outMutex);
    return m_state->unwritten;
}

} // namespace app
