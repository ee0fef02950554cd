#include "tests/support/fake_backend.h"

namespace tests {

using engine::Clock;
using engine::TimePoint;

namespace {

std::uint64_t engine::Snapshot::*counterOf(engine::Outcome outcome) {
    switch (outcome) {
    case engine::Outcome::Completed:
        return &engine::Snapshot::completed;
    case engine::Outcome::Cancelled:
        return &engine::Snapshot::cancelled;
    case engine::Outcome::Failed:
        return &engine::Snapshot::failed;
    case engine::Outcome::Rejected:
        break;
    }
    return &engine::Snapshot::rejected;
}

} // namespace

FakeBackend::FakeBackend(const engine::EngineConfig& initial)
    : m_requested(initial),
      m_effective(initial) {
    m_snapshot.state = engine::EngineState::Idle;
    m_snapshot.slots = initial.maxBatch;
    m_snapshot.threads = 2;
    m_snapshot.timeNs = Clock::now().time_since_epoch().count();
}

FakeBackend::~FakeBackend() {
    std::vector<engine::RequestId> open;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& [id, request] : m_open) {
            open.push_back(id);
        }
    }
    for (const engine::RequestId id : open) {
        finish(id, engine::FinishReason::Cancelled, 0);
    }
}

void FakeBackend::setFirstId(std::uint64_t id) {
    const std::lock_guard lock(m_mutex);
    m_nextRequest = id;
}

void FakeBackend::setAnswer(Answer answer) {
    const std::lock_guard lock(m_mutex);
    m_answer = std::move(answer);
}

void FakeBackend::finish(engine::RequestId id, engine::FinishReason reason, int tokens) {
    Open open;
    auto record = std::make_shared<engine::RequestRecord>();
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_open.find(id);
        if (found == m_open.end()) {
            return;
        }
        open = std::move(found->second);
        m_open.erase(found);
        const TimePoint now = Clock::now();
        record->id = id;
        record->lane = open.request.lane;
        record->label = open.request.label;
        record->reason = reason;
        record->promptTokens = 8;
        record->outputTokens = tokens;
        record->maxTokens = open.request.maxTokens;
        record->stamps.scheduled = open.request.scheduled;
        record->stamps.received = open.received;
        record->stamps.finished = now;
        if (tokens > 0) {
            record->stamps.tokenized = record->stamps.admitted = record->stamps.planned = now;
            record->stamps.kvReady = record->stamps.prefillDone = now;
            record->stamps.firstSampled = record->stamps.firstVisible = now;
            record->stamps.lastToken = now;
            record->steps.push_back({.time = now, .tokens = tokens});
        }
        m_snapshot.outputTokens += static_cast<std::uint64_t>(tokens);
        m_snapshot.promptTokens += 8;
        ++(m_snapshot.*counterOf(engine::outcome(reason)));
        m_snapshot.timeNs = now.time_since_epoch().count();
        if (tokens > 0) {
            pushLocked({.time = now, .body = engine::FirstToken{record}});
        }
        pushLocked({.time = now, .body = engine::RequestFinished{record}});
    }
    for (int i = 0; i < tokens; ++i) {
        open.stream->push("word ", i);
    }
    open.stream->finish(reason, {}, record);
}

void FakeBackend::pushLocked(engine::Event event) {
    event.sequence = m_nextSequence++;
    if (event.time == TimePoint{}) {
        event.time = Clock::now();
    }
    m_events.push_back(std::move(event));
}

void FakeBackend::push(engine::Event event) {
    const std::lock_guard lock(m_mutex);
    pushLocked(std::move(event));
}

void FakeBackend::push(engine::RequestRecord record) {
    const auto told = std::make_shared<const engine::RequestRecord>(std::move(record));
    if (told->stamps.firstVisible) {
        push({.time = *told->stamps.firstVisible, .body = engine::FirstToken{told}});
    }
    push({.time = told->stamps.finished.value_or(Clock::now()),
          .body = engine::RequestFinished{told}});
}

void FakeBackend::setSnapshot(const std::function<void(engine::Snapshot&)>& change) {
    const std::lock_guard lock(m_mutex);
    m_snapshot.timeNs = Clock::now().time_since_epoch().count();
    change(m_snapshot);
}

void FakeBackend::setWeights(std::vector<engine::WeightGroupStatus> weights) {
    const std::lock_guard lock(m_mutex);
    m_weights = std::move(weights);
}

void FakeBackend::holdEdits() {
    const std::lock_guard lock(m_mutex);
    m_holdsEdits = true;
}

void FakeBackend::releaseEdits() {
    const std::lock_guard lock(m_mutex);
    m_holdsEdits = false;
    applyLocked();
}

void FakeBackend::refuseEdits(std::string reason) {
    const std::lock_guard lock(m_mutex);
    m_refusal = std::move(reason);
}

std::vector<engine::Request> FakeBackend::submitted() const {
    const std::lock_guard lock(m_mutex);
    return m_submitted;
}

std::vector<engine::RequestId> FakeBackend::cancelled() const {
    const std::lock_guard lock(m_mutex);
    return m_cancelled;
}

std::shared_ptr<engine::TokenStream> FakeBackend::submit(engine::Request request) {
    Answer answer;
    std::shared_ptr<engine::TokenStream> stream;
    {
        const std::lock_guard lock(m_mutex);
        const engine::RequestId id{m_nextRequest++};
        stream = std::make_shared<engine::TokenStream>(id);
        m_open[id] = {.request = request, .stream = stream, .received = Clock::now()};
        m_submitted.push_back(request);
        ++m_snapshot.received;
        answer = m_answer;
    }
    if (answer) {
        answer(request, stream);
    } else {
        finish(stream->id(), engine::FinishReason::Length, request.maxTokens);
    }
    return stream;
}

void FakeBackend::cancel(engine::RequestId id) {
    {
        const std::lock_guard lock(m_mutex);
        m_cancelled.push_back(id);
    }
    finish(id, engine::FinishReason::Cancelled, 0);
}

void FakeBackend::applyLocked() {
    engine::ConfigApplied applied;
    applied.changes = engine::diff(m_effective, m_requested);
    applied.fromStep = m_snapshot.step;
    if (applied.changes.empty()) {
        return;
    }
    m_effective = m_requested;
    ++m_version;
    engine::Event event;
    event.source = engine::EventSource::Operator;
    event.body = std::move(applied);
    pushLocked(std::move(event));
}

engine::Result<void> FakeBackend::edit(const std::function<void(engine::EngineConfig&)>& change) {
    const std::lock_guard lock(m_mutex);
    if (!m_refusal.empty()) {
        return std::unexpected(engine::Error{engine::ErrorCode::Invalid, m_refusal});
    }
    engine::EngineConfig wanted = m_requested;
    change(wanted);
    if (auto valid = engine::validate(wanted); !valid) {
        return valid;
    }
    m_requested = wanted;
    ++m_version;
    if (!m_holdsEdits) {
        applyLocked();
    }
    return {};
}

engine::ConfigStatus FakeBackend::config() const {
    const std::lock_guard lock(m_mutex);
    engine::ConfigStatus status{
        .version = m_version, .requested = m_requested, .effective = m_effective, .fields = {}};
    status.weights = m_weights;
    for (const engine::Field& field : engine::fieldTable()) {
        engine::FieldStatus row{.key = field.key,
                                .requested = engine::valueText(field, m_requested),
                                .effective = engine::valueText(field, m_effective),
                                .state = engine::FieldState::InForce,
                                .reason = {},
                                .progress = 0.0F};
        if (row.requested != row.effective) {
            row.state = engine::FieldState::Pending;
            row.reason = "Taken at the next step.";
        }
        status.fields.push_back(std::move(row));
    }
    return status;
}

engine::Capabilities FakeBackend::capabilities() const {
    engine::Capabilities capabilities;
    capabilities.modelName = "Fake-1M";
    capabilities.modelDigest = "xxh3:0123456789abcdef";
    capabilities.architecture = "llama";
    capabilities.fileFormat = "Q4_1";
    capabilities.computing = "INT8 x Q4_1";
    capabilities.chatFormat = "ChatML";
    capabilities.device = "CPU";
    capabilities.isa = "AVX2";
    capabilities.cpu = "Test processor";
    capabilities.parameters = 1'000'000;
    capabilities.contextTokens = 2048;
    capabilities.vocabulary = 256;
    return capabilities;
}

engine::Snapshot FakeBackend::snapshot() {
    const std::lock_guard lock(m_mutex);
    return m_snapshot;
}

std::vector<engine::Event> FakeBackend::takeEvents() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_events, {});
}

void FakeBackend::post(engine::EventSource source, engine::Notice notice) {
    engine::Event event;
    event.source = source;
    event.body = std::move(notice);
    push(std::move(event));
}

engine::Result<std::vector<engine::TokenId>> FakeBackend::tokenize(std::string_view text) const {
    std::vector<engine::TokenId> ids;
    for (const char c : text) {
        ids.push_back(static_cast<unsigned char>(c));
    }
    return ids;
}

engine::Result<std::string> FakeBackend::detokenize(std::span<const engine::TokenId> ids) const {
    std::string text;
    for (const engine::TokenId id : ids) {
        text += static_cast<char>(id);
    }
    return text;
}

engine::Result<std::string> FakeBackend::tokenBytes(engine::TokenId id) const {
    return std::string(1, static_cast<char>(id));
}

} // namespace tests
