#include "app/remote/remote_backend.h"

#include "app/remote/remote_request.h"
#include "app/remote/remote_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

namespace app {

namespace {

using engine::Clock;
using engine::FinishReason;
using engine::TimePoint;

constexpr std::size_t kMostBody = 16 * 1024 * 1024; // of an answer that is not streamed
constexpr std::int64_t kShareUnits = 10'000;        // a share as blocks of a whole

// A piece may hold several tokens: the count that the server tells, over the pieces there were.
void spreadTokens(std::vector<engine::TokenStep>& steps, std::int64_t tokens) {
    const auto count = std::ssize(steps);
    for (std::int64_t i = 0; i < count; ++i) {
        steps[static_cast<std::size_t>(i)].tokens =
            static_cast<std::int32_t>(tokens * (i + 1) / count - tokens * i / count);
    }
}

} // namespace

struct RemoteBackend::Asked {
    engine::Request request;
    std::shared_ptr<engine::TokenStream> stream;
    engine::Stamps stamps;
    std::vector<engine::TokenStep> steps;
    std::shared_ptr<RemoteCall> call;
    // The hub's thread.
    EventReader events;
    RemoteHead head;
    std::string body; // where it is no stream of events
    // Under the lock.
    std::optional<FinishReason> reason;
    RemoteUsage usage;
    std::int64_t pieces = 0; // with text
    std::string error;
    std::atomic<bool> isOver{false}; // relaxed: who needs more holds the lock

    // As it stands. Under the lock.
    std::shared_ptr<engine::RequestRecord> record() const {
        auto record = std::make_shared<engine::RequestRecord>();
        record->id = stream->id();
        record->lane = request.lane;
        record->label = request.label;
        record->tags = request.tags;
        record->promptTokens = usage.promptTokens.value_or(0);
        record->outputTokens = usage.outputTokens.value_or(pieces);
        record->maxTokens = request.maxTokens;
        record->deadline = request.deadline;
        record->stamps = stamps;
        return record;
    }
};

RemoteBackend::RemoteBackend(std::unique_ptr<RemoteHub> hub, engine::Capabilities capabilities,
                             const engine::EngineConfig& config)
    : m_capabilities(std::move(capabilities)),
      m_config(config),
      m_hub(std::move(hub)) {
    m_figures.state = engine::EngineState::Idle;
    emit(engine::StateChanged{.state = engine::EngineState::Idle});
    emit(engine::Notice{
        .kind = "remote_attached",
        .values = {{"address", m_hub->address().text()}, {"model", m_capabilities.modelName}}});
    watch();
}

RemoteBackend::~RemoteBackend() {
    m_hub->stop(); // while it is there: what is called back until then uses it
    std::map<engine::RequestId, std::shared_ptr<Asked>> asked;
    {
        const std::lock_guard lock(m_mutex);
        asked = m_asked;
    }
    for (const auto& [id, open] : asked) {
        finish(open, FinishReason::Cancelled, "The server was let go.");
    }
}

std::shared_ptr<engine::TokenStream> RemoteBackend::submit(engine::Request request) {
    auto asked = std::make_shared<Asked>();
    asked->stamps.received = Clock::now();
    if (request.scheduled) {
        asked->stamps.scheduled = std::min(*request.scheduled, *asked->stamps.received);
    }
    asked->request = std::move(request);
    bool isLost = false;
    {
        const std::lock_guard lock(m_mutex);
        asked->stream = std::make_shared<engine::TokenStream>(engine::RequestId{m_nextId++});
        m_asked.emplace(asked->stream->id(), asked);
        ++m_figures.received;
        isLost = m_isLost;
    }
    if (isLost) {
        finish(asked, FinishReason::Rejected,
               fmt::format("The server {} is not there.", m_hub->address().text()));
    } else {
        begin(asked);
    }
    return asked->stream;
}

void RemoteBackend::begin(const std::shared_ptr<Asked>& asked) {
    RemoteListener listener;
    listener.onHead = [asked](const RemoteHead& head) { asked->head = head; };
    listener.onBytes = [this, asked](std::string_view bytes) {
        bool isTooLong = false;
        if (asked->head.isEventStream) {
            for (const std::string& data : asked->events.push(bytes)) {
                take(asked, readPiece(data));
            }
            isTooLong = asked->events.isBroken();
        } else {
            isTooLong = bytes.size() > kMostBody - asked->body.size();
            asked->body.append(bytes.substr(0, kMostBody - asked->body.size()));
        }
        if (isTooLong) {
            finish(asked, FinishReason::Failed, "The server's answer has no end.");
        }
    };
    listener.onEnd = [this, asked](const std::string& problem) { takeEnd(asked, problem); };
    auto call =
        m_hub->start(remoteRequest(asked->request, m_capabilities.modelName), std::move(listener));
    {
        const std::lock_guard lock(m_mutex);
        if (asked->isOver) {
            call->cancel();
        } else {
            asked->call = std::move(call);
        }
    }
    if (asked->request.deadline) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(*asked->request.deadline - Clock::now());
        m_hub->after(std::max(left, std::chrono::milliseconds(0)), [this, asked] {
            finish(asked, FinishReason::Deadline,
                   "The deadline passed before the answer was complete.");
        });
    }
}

void RemoteBackend::take(const std::shared_ptr<Asked>& asked, const RemotePiece& piece) {
    std::shared_ptr<const engine::RequestRecord> first; // with the first text
    {
        const std::lock_guard lock(m_mutex);
        if (asked->isOver) {
            return;
        }
        if (!piece.error.empty()) {
            asked->error = piece.error;
        }
        asked->reason = piece.finish ? piece.finish : asked->reason;
        if (piece.isEnd && asked->pieces > 0 && asked->error.empty()) {
            asked->reason = asked->reason.value_or(FinishReason::Stop);
        }
        if (piece.usage.promptTokens) {
            asked->usage.promptTokens = piece.usage.promptTokens;
        }
        if (piece.usage.outputTokens) {
            asked->usage.outputTokens = piece.usage.outputTokens;
        }
        if (piece.text.empty()) {
            return; // a role alone, the counts, an end: no token that anybody sees
        }
        const TimePoint now = Clock::now();
        asked->stamps.firstVisible = asked->stamps.firstVisible.value_or(now);
        asked->stamps.lastToken = now;
        asked->steps.push_back({.time = now, .tokens = 1});
        ++asked->pieces;
        ++m_figures.outputTokens;
        if (asked->pieces == 1) {
            first = asked->record();
        }
    }
    if (first) {
        emit(engine::FirstToken{.record = first});
    }
    // Without the model's own ids a piece counts as one token until the server tells the counts.
    asked->stream->push(piece.text, engine::TokenId{0});
}

void RemoteBackend::takeEnd(const std::shared_ptr<Asked>& asked, const std::string& problem) {
    if (asked->isOver) {
        return;
    }
    const bool isRefused = asked->head.status != 0 && asked->head.status != 200;
    if (isRefused) {
        const std::string message = errorMessage(asked->body);
        finish(
            asked, reasonOfStatus(asked->head.status, message),
            fmt::format("The server refused it with status {}: {}", asked->head.status, message));
        return;
    }
    if (problem.empty() && !asked->head.isEventStream) {
        take(asked, readPiece(asked->body)); // a server that does not stream
    }
    if (!asked->error.empty()) {
        finish(asked, FinishReason::Failed, "The server broke off: " + asked->error);
    } else if (asked->reason) {
        finish(asked, *asked->reason, {});
    } else if (!problem.empty()) {
        finish(asked, FinishReason::Failed, problem);
    } else {
        finish(asked, asked->pieces > 0 ? FinishReason::Stop : FinishReason::Failed,
               asked->pieces > 0 ? "" : "The server's answer was not understood.");
    }
}

void RemoteBackend::finish(const std::shared_ptr<Asked>& asked, FinishReason reason,
                           std::string message) {
    std::shared_ptr<engine::RequestRecord> record;
    {
        const std::lock_guard lock(m_mutex);
        if (m_asked.erase(asked->stream->id()) == 0) {
            return; // told already
        }
        asked->isOver = true;
        // The call's listener holds the request: kept here as well they would hold each other.
        if (const auto call = std::exchange(asked->call, nullptr)) {
            call->cancel();
        }
        if (engine::outcome(reason) == engine::Outcome::Completed && asked->pieces == 0) {
            reason = FinishReason::Failed;
            message = "The answer has no text.";
        }
        record = asked->record();
        record->reason = reason;
        record->message = message;
        record->stamps.finished = Clock::now();
        record->steps = std::move(asked->steps);
        spreadTokens(record->steps, record->outputTokens);
        m_figures.promptTokens += static_cast<std::uint64_t>(record->promptTokens);
        // A counter never falls: what was counted by pieces stays.
        m_figures.outputTokens += static_cast<std::uint64_t>(
            std::max<std::int64_t>(0, record->outputTokens - asked->pieces));
        switch (engine::outcome(reason)) {
        case engine::Outcome::Completed:
            ++m_figures.completed;
            break;
        case engine::Outcome::Cancelled:
            ++m_figures.cancelled;
            break;
        case engine::Outcome::Failed:
            ++m_figures.failed;
            break;
        case engine::Outcome::Rejected:
            ++m_figures.rejected;
            break;
        }
        if (const auto met = record->metDeadline(); met && record->lane == engine::Lane::Batch) {
            ++(*met ? m_figures.deadlinesMet : m_figures.deadlinesMissed);
        }
    }
    emit(engine::RequestFinished{.record = record});
    asked->stream->finish(reason, std::move(message), record);
}

void RemoteBackend::cancel(engine::RequestId id) {
    std::shared_ptr<Asked> asked;
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_asked.find(id);
        if (found == m_asked.end()) {
            return;
        }
        asked = found->second;
    }
    finish(asked, FinishReason::Cancelled, "The request was cancelled.");
}

// Its own settings stay its own; what stands around it here can be changed.
engine::Result<void> RemoteBackend::edit(const std::function<void(engine::EngineConfig&)>& change) {
    const std::lock_guard lock(m_mutex);
    engine::EngineConfig edited = m_config;
    change(edited);
    if (auto valid = engine::validate(edited); !valid) {
        return valid;
    }
    engine::EngineConfig own = edited;
    own.serving = m_config.serving;
    if (own != m_config) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Unsupported,
            "An attached server keeps its own settings; change them where it was started."});
    }
    if (edited != m_config) {
        const auto changes = engine::diff(m_config, edited);
        m_config = edited;
        ++m_version;
        engine::Event event;
        event.time = Clock::now();
        event.body = engine::ConfigApplied{.changes = changes, .fromStep = 0};
        m_events.push_back(std::move(event));
    }
    return {};
}

engine::ConfigStatus RemoteBackend::config() const {
    const std::lock_guard lock(m_mutex);
    engine::ConfigStatus status{
        .version = m_version, .requested = m_config, .effective = m_config, .fields = {}};
    for (const engine::Field& field : engine::fieldTable()) {
        const std::string value = engine::valueText(field, m_config);
        status.fields.push_back({.key = field.key,
                                 .requested = value,
                                 .effective = value,
                                 .state = engine::FieldState::InForce,
                                 .reason = {},
                                 .progress = 0.0F});
    }
    return status;
}

engine::Snapshot RemoteBackend::snapshot() {
    const std::lock_guard lock(m_mutex);
    engine::Snapshot figures = m_figures;
    figures.timeNs =
        std::chrono::duration_cast<engine::Nanoseconds>(Clock::now().time_since_epoch()).count();
    for (const auto& [id, asked] : m_asked) {
        ++(asked->pieces > 0 ? figures.running : figures.waiting);
    }
    if (m_imported.running) {
        figures.running = static_cast<std::int64_t>(*m_imported.running);
        figures.waiting = static_cast<std::int64_t>(m_imported.waiting.value_or(0.0));
    }
    if (m_imported.kvShare) {
        figures.kvBlocksTotal = kShareUnits;
        figures.kvBlocksUsed = static_cast<std::int64_t>(std::min(1.0, *m_imported.kvShare) *
                                                         static_cast<double>(kShareUnits));
    }
    if (m_imported.prefixQueries && m_imported.prefixHits) {
        figures.prefixQueries = static_cast<std::uint64_t>(*m_imported.prefixQueries);
        figures.prefixHits = static_cast<std::uint64_t>(*m_imported.prefixHits);
    }
    if (m_imported.preemptions) {
        figures.preemptions = static_cast<std::uint64_t>(*m_imported.preemptions);
    }
    if (!m_isLost && !m_asked.empty()) {
        figures.state = engine::EngineState::Running;
    }
    return figures;
}

std::vector<engine::Event> RemoteBackend::takeEvents() {
    const std::lock_guard lock(m_mutex);
    std::vector<engine::Event> events = std::exchange(m_events, {});
    for (engine::Event& event : events) {
        event.sequence = m_nextEvent++;
    }
    return events;
}

void RemoteBackend::post(engine::EventSource source, engine::Notice notice) {
    engine::Event event;
    event.time = Clock::now();
    event.source = source;
    event.body = std::move(notice);
    const std::lock_guard lock(m_mutex);
    m_events.push_back(std::move(event));
}

void RemoteBackend::emit(decltype(engine::Event::body) body) {
    engine::Event event;
    event.time = Clock::now();
    event.body = std::move(body);
    const std::lock_guard lock(m_mutex);
    m_events.push_back(std::move(event));
}

engine::Result<std::vector<engine::TokenId>> RemoteBackend::tokenize(std::string_view) const {
    return std::unexpected(engine::Error{engine::ErrorCode::Unsupported,
                                         "An attached server does not tell its tokens."});
}

} // namespace app
