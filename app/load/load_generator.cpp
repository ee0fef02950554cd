#include "app/load/load_generator.h"

#include "app/load/load_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <span>
#include <thread>
#include <unordered_map>
#include <utility>

namespace app {

namespace {

using engine::Clock;
using engine::TimePoint;

// A user of a closed loop whose request was refused asks again after this time; at once would keep
// the refusing side busy with nothing else.
constexpr std::chrono::milliseconds kAfterRefusal{100};
// How long a stopped run waits for the ends of what it cancelled, so that they are in its record.
constexpr std::chrono::seconds kStopPatience{2};

struct Ended {
    engine::RequestId id{};
    TimePoint time;
};

// Answers that ended, handed from the engine's thread to the load thread.
struct EndedBox {
    std::mutex mutex;
    std::condition_variable_any changed;
    std::vector<Ended> ended;

    void push(engine::RequestId id) {
        {
            const std::lock_guard lock(mutex);
            ended.push_back({id, Clock::now()});
        }
        changed.notify_one();
    }
};

std::chrono::nanoseconds nanoseconds(double seconds) {
    return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

engine::Notice stageNotice(int index, const Stage& stage) {
    engine::Notice notice{
        "stage", {{"stage", std::to_string(index + 1)}, {"kind", std::string(name(stage.kind))}}};
    if (stage.kind == ArrivalKind::Closed) {
        notice.values.emplace_back("users", std::to_string(stage.users));
    } else {
        notice.values.emplace_back("rate", fmt::format("{}", stage.ratePerSecond));
        if (stage.endRatePerSecond != stage.ratePerSecond) {
            notice.values.emplace_back("to_rate", fmt::format("{}", stage.endRatePerSecond));
        }
    }
    notice.values.emplace_back("seconds", fmt::format("{}", stage.seconds));
    return notice;
}

} // namespace

// The load thread's own: only `m_counters`, `m_box` and the stop token are shared.
class LoadGenerator::Runner {
public:
    Runner(engine::Backend& backend, Workload workload, std::vector<PlannedRequest> requests,
           PromptLibrary library, std::function<void()> onFinished)
        : m_backend(backend),
          m_workload(std::move(workload)),
          m_requests(std::move(requests)),
          m_library(std::move(library)),
          m_onFinished(std::move(onFinished)),
          m_counters(m_workload.seconds(), countOpen()) {}

    void start() {
        m_thread = std::jthread([this](const std::stop_token& stop) {
            try {
                run(stop);
            } catch (const std::exception& error) {
                post({"workload_stopped",
                      {{"workload", m_workload.name}, {"reason", error.what()}}});
            }
            m_counters.end(Clock::now());
            if (m_onFinished) {
                m_onFinished();
            }
        });
    }

    void stop() { m_thread.request_stop(); }
    LoadProgress progress() const { return m_counters.progress(Clock::now()); }
    const Workload& workload() const { return m_workload; }

private:
    struct InFlight {
        std::shared_ptr<engine::TokenStream> stream;
        bool isUser = false; // of a closed loop
    };

    std::int64_t countOpen() const {
        return std::count_if(m_requests.begin(), m_requests.end(), [this](const auto& request) {
            return stageOf(request.stage).kind != ArrivalKind::Closed;
        });
    }

    const Stage& stageOf(int index) const {
        return m_workload.stages[static_cast<std::size_t>(index)];
    }

    void run(const std::stop_token& stop) {
        m_sendsChat = !m_backend.capabilities().chatFormat.empty() &&
                      m_backend.capabilities().chatFormat != "none";
        const TimePoint start = Clock::now();
        m_counters.begin(start);
        post({"workload_started", {{"workload", m_workload.name}}});
        std::size_t first = 0;
        double begin = 0.0;
        for (int index = 0; index < static_cast<int>(m_workload.stages.size()); ++index) {
            const Stage& stage = stageOf(index);
            std::size_t last = first;
            while (last < m_requests.size() && m_requests[last].stage == index) {
                ++last;
            }
            const TimePoint from = start + nanoseconds(begin);
            const TimePoint until = from + nanoseconds(stage.seconds);
            if (!waitUntil(from, stop)) {
                break;
            }
            m_counters.beginStage(index, stage, from);
            post(stageNotice(index, stage));
            if (stage.kind == ArrivalKind::Closed) {
                runClosed(stage, {m_requests.data() + first, last - first}, from, until, stop);
            } else {
                runOpen({m_requests.data() + first, last - first}, start, stop);
            }
            begin += stage.seconds;
            first = last;
        }
        waitUntil(start + nanoseconds(begin), stop);
        finish(stop);
    }

    void runOpen(std::span<const PlannedRequest> requests, TimePoint start,
                 const std::stop_token& stop) {
        for (const PlannedRequest& request : requests) {
            const TimePoint due = start + nanoseconds(request.atSeconds);
            if (!waitUntil(due, stop)) {
                return;
            }
            send(request, due, false);
        }
    }

    // Users that still wait for an answer to an earlier stage's request count as this stage's.
    void runClosed(const Stage& stage, std::span<const PlannedRequest> requests, TimePoint from,
                   TimePoint until, const std::stop_token& stop) {
        std::size_t next = 0;
        m_users = stage.users;
        m_freed.assign(static_cast<std::size_t>(std::max(m_users - m_usersBusy, 0)), from);
        while (!requests.empty()) {
            while (!m_freed.empty() && m_freed.front() <= Clock::now() && m_freed.front() < until) {
                if (stop.stop_requested()) {
                    return;
                }
                const TimePoint due = m_freed.front();
                m_freed.pop_front();
                send(requests[next], due, true);
                next = (next + 1) % requests.size();
            }
            const TimePoint wake =
                m_freed.empty() ? until : std::min(until, std::max(m_freed.front(), from));
            if (!waitForEnded(wake, stop) || Clock::now() >= until) {
                return;
            }
        }
    }

    void send(const PlannedRequest& planned, TimePoint due, bool isUser) {
        engine::Request request;
        std::string text = m_library.passage(planned.promptSet, planned.promptTokens, planned.draw);
        if (m_sendsChat) {
            request.prompt =
                std::vector<engine::ChatMessage>{{.role = "user", .content = std::move(text)}};
        } else {
            request.prompt = std::move(text);
        }
        request.maxTokens = planned.maxTokens;
        request.sampling.temperature = m_workload.temperature;
        request.sampling.seed = planned.seed;
        request.lane = planned.lane;
        if (planned.isSparse) {
            request.attention = engine::Attention::Sparse;
        }
        request.ignoreEnd = m_workload.fixedOutput;
        request.scheduled = due;
        request.label = planned.promptSet;
        const TimePoint sent = Clock::now();
        auto stream = m_backend.submit(std::move(request));
        m_counters.countSent(due, sent);
        m_usersBusy += isUser ? 1 : 0;
        m_inFlight.emplace(stream->id(), InFlight{stream, isUser});
        // Both weak: an engine that ends later than this generator finds nobody to tell.
        const std::weak_ptr<EndedBox> weakBox = m_box;
        const std::weak_ptr<engine::TokenStream> weakStream = stream;
        stream->onReady([weakBox, weakStream] {
            const auto ready = weakStream.lock();
            const auto box = weakBox.lock();
            if (ready && box && ready->isFinished()) {
                box->push(ready->id());
            }
        });
    }

    // False when a stop was asked. Takes note of ended answers while it waits.
    bool waitUntil(TimePoint time, const std::stop_token& stop) {
        do {
            waitForEnded(time, stop);
        } while (!stop.stop_requested() && Clock::now() < time);
        return !stop.stop_requested();
    }

    // Returns when an answer ended, at `time`, or false when a stop was asked.
    bool waitForEnded(TimePoint time, const std::stop_token& stop) {
        std::vector<Ended> ended;
        {
            std::unique_lock lock(m_box->mutex);
            m_box->changed.wait_until(lock, stop, time, [this] { return !m_box->ended.empty(); });
            ended.swap(m_box->ended);
        }
        for (const Ended& end : ended) {
            note(end);
        }
        return !stop.stop_requested();
    }

    void note(const Ended& end) {
        const auto found = m_inFlight.find(end.id);
        if (found == m_inFlight.end()) {
            return;
        }
        const auto outcome = engine::outcome(
            found->second.stream->finishReason().value_or(engine::FinishReason::Failed));
        m_counters.countFinished(outcome);
        if (found->second.isUser) {
            --m_usersBusy;
            freeUser(outcome == engine::Outcome::Completed ? end.time : end.time + kAfterRefusal);
        }
        m_inFlight.erase(found);
    }

    // A stage with fewer users than the one before lets the surplus go.
    void freeUser(TimePoint time) {
        if (m_usersBusy + static_cast<int>(m_freed.size()) < m_users) {
            m_freed.insert(std::upper_bound(m_freed.begin(), m_freed.end(), time), time);
        }
    }

    // Waits for the answers that are under way; cancels them once a stop is asked.
    void finish(const std::stop_token& stop) {
        while (!m_inFlight.empty() && !stop.stop_requested()) {
            waitForEnded(Clock::now() + std::chrono::seconds(1), stop);
        }
        if (stop.stop_requested()) {
            for (const auto& [id, flight] : m_inFlight) {
                m_backend.cancel(id);
            }
            const TimePoint patience = Clock::now() + kStopPatience;
            while (!m_inFlight.empty() && Clock::now() < patience) {
                waitForEnded(patience, {}); // the stop is no reason to wake any more
            }
        }
        post({stop.stop_requested() ? "workload_stopped" : "workload_finished",
              {{"workload", m_workload.name}}});
    }

    void post(engine::Notice notice) {
        m_backend.post(engine::EventSource::App, std::move(notice));
    }

    engine::Backend& m_backend;
    const Workload m_workload;
    const std::vector<PlannedRequest> m_requests;
    const PromptLibrary m_library;
    const std::function<void()> m_onFinished;
    LoadCounters m_counters;
    std::shared_ptr<EndedBox> m_box = std::make_shared<EndedBox>();
    std::unordered_map<engine::RequestId, InFlight> m_inFlight;
    int m_users = 0;               // of the present or last closed stage
    int m_usersBusy = 0;           // wait for an answer
    std::deque<TimePoint> m_freed; // when the others became free, ascending
    bool m_sendsChat = false;
    std::jthread m_thread; // last: joined before anything else goes
};

LoadGenerator::LoadGenerator(engine::Backend& backend, Workload workload,
                             std::vector<PlannedRequest> requests, PromptLibrary library,
                             std::function<void()> onFinished)
    : m_runner(std::make_unique<Runner>(backend, std::move(workload), std::move(requests),
                                        std::move(library), std::move(onFinished))) {}

LoadGenerator::~LoadGenerator() = default;

void LoadGenerator::start() {
    m_runner->start();
}

void LoadGenerator::stop() {
    m_runner->stop();
}

LoadProgress LoadGenerator::progress() const {
    return m_runner->progress();
}

const Workload& LoadGenerator::workload() const {
    return m_runner->workload();
}

} // namespace app
