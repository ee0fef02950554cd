#include "engine/loop/engine.h"

#include "engine/base/failure.h"
#include "engine/loop/kv_size.h"

#include <fmt/format.h>

#include <algorithm>

namespace engine {

namespace {

// The recorder takes events 20 times a second; this is minutes of a stalled one.
constexpr std::size_t kEventBound = 65536;
// An idle engine looks after its figures this often.
constexpr auto kIdleTick = std::chrono::milliseconds(250);

// Operators of its own for every file: those of the model are the engine thread's, and with their
// pool they would hold on to memory when the adapters are gone.
struct Preparing {
    kernels::ThreadPool pool{1};
    std::unique_ptr<kernels::Ops> ops;
};
AdapterShelf::PrepareMaker adapterPreparer(kernels::Device device, const OpsFactory& makeOps) {
    return [device, makeOps]() -> AdapterShelf::Prepare {
        auto preparing = std::make_shared<Preparing>();
        preparing->ops = device == kernels::Device::Cpu || !makeOps
                             ? kernels::makeCpuOps(preparing->pool)
                             : makeOps(preparing->pool);
        return [preparing](const kernels::View& matrix) {
            return preparing->ops->prepare(matrix, kernels::WeightLayout::Packed);
        };
    };
}

} // namespace

Engine::Engine(LoadedModel loaded, const LoadSettings& settings)
    : m_loaded(std::move(loaded)),
      m_gate(settings.gate),
      m_requested(settings.config),
      m_events(kEventBound),
      m_nextId(settings.firstId),
      m_capabilities(describe(m_loaded)),
      m_applied(settings.config),
      m_effective(settings.config),
      m_wanted(settings.config),
      m_seenConfig(m_requested.version()) {
    const EngineConfig& config = settings.config;
    m_cold = std::make_unique<ColdWorker>([this] { m_inbox.wake(); });
    const auto memory = std::make_shared<MemoryClaims>(); // promised to one of both at a time
    m_weights = std::make_unique<WeightPreparer>(memory, [this] { m_inbox.wake(); });
    m_quality = std::make_unique<QualityChecker>(
        memory, [this](Notice notice) { post(EventSource::Engine, std::move(notice)); });
    m_adapters = std::make_unique<AdapterShelf>(
        adapterBaseOf(m_loaded.model->spec(), *m_loaded.checkpoint),
        adapterPreparer(m_loaded.ops->device(), settings.makeOps), memory,
        [this](Notice notice) { post(EventSource::Engine, std::move(notice)); });
    m_schedule.blockTokens = config.blockTokens;
    m_effective.maxContext = contextLimit(config, m_loaded.model->spec());
    replacePolicy(config);
    resizeScratch(config);
    resizePool(config);
    changeAttention(config);
    replaceKv(config);
    m_quality->trust(m_effective);
    m_figures.weightsBytes = weightsMemory();
    m_readBytesPerSecond = m_loaded.readBytesPerSecond;
    m_capabilities.readBytesPerSecond = m_readBytesPerSecond;
    publishConfig();
    m_encoder = std::make_unique<PromptEncoder>(*m_loaded.tokenizer, m_loaded.chat.get(),
                                                capacity().contextTokens, m_inbox, m_updates);
}

Engine::~Engine() {
    m_thread = {};     // stops and joins
    m_encoder.reset(); // hands on what it holds
    endEverything(FinishReason::Cancelled, "The engine was closed.");
}

void Engine::warmUp(const LoadSettings& settings) {
    const std::int64_t count = settings.config.warmupRequests;
    // A prompt of whole groups of rows and one step of decoding: both paths have run once.
    const std::int64_t promptTokens = std::min<std::int64_t>(32, capacity().limitTokens() - 2);
    if (promptTokens < 1) {
        return;
    }
    m_policy = &policyFor(Batching::Continuous); // closed batches would wait for others
    timedPhase(m_loaded, "warm-up", 0, [&] {
        for (std::int64_t i = 0; i < count; ++i) {
            if (settings.progress) {
                settings.progress({.phase = "warm-up", .done = i, .total = count});
            }
            Request blank;
            blank.maxTokens = 2;
            blank.ignoreEnd = true;
            blank.tenant = fmt::format("warm-up {}", i); // none is a hit
            auto answer = std::make_unique<Answer>(RequestId{m_nextId.fetch_add(1)},
                                                   std::move(blank), Origin::WarmUp);
            answer->stamps.received = Clock::now();
            answer->stamps.tokenized = answer->stamps.received;
            answer->prompt.assign(static_cast<std::size_t>(promptTokens), TokenId{0});
            m_inbox.push(std::move(answer));
            while (step(settings.stop)) {
            }
        }
        return true;
    });
    replacePolicy(m_effective);
}

void Engine::start() {
    m_schedule.prefix.reset(m_schedule.pool); // what warming up left
    m_idleSince = Clock::now();
    for (PhaseTimed& phase : m_loaded.phases) {
        emit(std::move(phase), Delivery::Droppable);
    }
    std::vector<std::string> notices = m_loaded.checkpoint->notices();
    notices.insert(notices.end(), m_loaded.model->spec().notices.begin(),
                   m_loaded.model->spec().notices.end());
    for (const std::string& notice : notices) {
        emit(Notice{.kind = "model_notice", .values = {{"text", notice}}}, Delivery::Droppable);
    }
    if (m_loaded.chat && m_loaded.chat->isGeneric()) {
        emit(Notice{.kind = "chat_format_generic",
                    .values = {{"format", "System, User, Assistant"}}},
             Delivery::Droppable);
    }
    setState(EngineState::Idle);
    publish();
    m_encoder->start();
    m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

// The time of arrival, and the way to cancel.
std::shared_ptr<TokenStream> Engine::receive(Answer& answer) {
    answer.stamps.received = Clock::now();
    if (answer.request.scheduled) {
        // Sent before its time: there is no lag then.
        answer.stamps.scheduled = std::min(*answer.request.scheduled, *answer.stamps.received);
    }
    {
        const std::lock_guard lock(m_cancellationMutex);
        constexpr std::size_t kSweepFrom = 1024;
        if (m_cancellations.size() >= kSweepFrom) {
            std::erase_if(m_cancellations,
                          [](const auto& entry) { return entry.second.expired(); });
        }
        m_cancellations.emplace(answer.id, answer.cancellation);
    }
    answer.refusal = refuseAtOnce(answer.request);
    if (!answer.refusal) {
        answer.refusal = takeAdapter(answer);
    }
    return answer.stream;
}

// Held from here on: it may be unloaded while the request waits or runs.
std::optional<Refusal> Engine::takeAdapter(Answer& answer) const {
    const std::string& name = answer.request.adapter;
    if (name.empty()) {
        return std::nullopt;
    }
    answer.adapter = m_adapters->find(name);
    return answer.adapter ? std::nullopt
                          : std::optional(Refusal{.message = m_adapters->missing(name)});
}

std::shared_ptr<TokenStream> Engine::submit(Request request) {
    auto answer =
        std::make_unique<Answer>(RequestId{m_nextId.fetch_add(1, std::memory_order_relaxed)},
                                 std::move(request), Origin::Served);
    auto stream = receive(*answer);
    m_received.fetch_add(1, std::memory_order_relaxed);
    if (answer->refusal) {
        m_inbox.push(std::move(answer));
    } else {
        m_encoder->submit(std::move(answer));
    }
    return stream;
}

std::optional<Refusal> Engine::refuseAtOnce(const Request& request) const {
    if (m_hasFailed.load(std::memory_order_acquire)) {
        return Refusal{.message = m_failure};
    }
    if (request.maxTokens < 1) {
        return Refusal{.message = fmt::format("The answer may have {} tokens; ask for at least 1.",
                                              request.maxTokens)};
    }
    return refuseOverload();
}

std::optional<Refusal> Engine::refuseOverload() const {
    const std::int64_t limit = m_requested.value().maxWaiting;
    if (const std::int64_t waiting = waitingRequests(); waiting >= limit) {
        return Refusal{.reason = FinishReason::Overloaded,
                       .message = fmt::format("{} requests wait already; the setting "
                                              "batching.max_waiting allows {}.",
                                              waiting, limit)};
    }
    return std::nullopt;
}

std::int64_t Engine::waitingRequests() const {
    return m_received.load(std::memory_order_relaxed) -
           m_leftWaiting.load(std::memory_order_relaxed);
}

void Engine::cancel(RequestId id) {
    {
        const std::lock_guard lock(m_cancellationMutex);
        const auto entry = m_cancellations.find(id);
        const auto source = entry == m_cancellations.end() ? nullptr : entry->second.lock();
        if (!source) {
            return;
        }
        source->request_stop();
    }
    m_cancels.fetch_add(1, std::memory_order_release);
    m_encoder->handOnCancelled();
    m_inbox.wake();
}

Result<void> Engine::edit(const std::function<void(EngineConfig&)>& change) {
    auto result = m_requested.edit(change);
    if (result) {
        m_inbox.wake();
    }
    return result;
}

ConfigStatus Engine::config() const {
    // Version first: a value newer than its version is only called "not yet considered".
    const std::uint64_t version = m_requested.version();
    const EngineConfig requested = m_requested.value();
    const std::lock_guard lock(m_statusMutex);
    ConfigStatus status =
        overlay(requested, version, m_inForce, m_started.load(std::memory_order_relaxed));
    addWeightReasons(status);
    addPreparing(status);
    return status;
}

Capabilities Engine::capabilities() const {
    const std::lock_guard lock(m_statusMutex);
    return m_capabilities;
}

std::vector<Event> Engine::takeEvents() {
    std::vector<Event> events = m_events.take();
    if (const std::uint64_t dropped = m_events.dropped(); dropped != m_droppedTold) {
        Event notice;
        notice.step = m_step.load(std::memory_order_relaxed);
        notice.time = Clock::now();
        notice.body = Notice{.kind = "events_dropped",
                             .values = {{"count", fmt::format("{}", dropped - m_droppedTold)}}};
        events.push_back(std::move(notice));
        m_droppedTold = dropped;
    }
    for (Event& event : events) {
        event.sequence = m_nextEvent++;
    }
    return events;
}

void Engine::resetPrefixCache() {
    m_prefixResets.fetch_add(1, std::memory_order_relaxed);
    m_inbox.wake();
}

void Engine::post(EventSource source, Notice notice) {
    Event event;
    event.step = m_step.load(std::memory_order_relaxed);
    event.time = Clock::now();
    event.source = source;
    event.body = std::move(notice);
    m_events.push(std::move(event), Delivery::Droppable);
}

Result<std::vector<TokenId>> Engine::tokenize(std::string_view text) const {
    return atTheDoor([&] { return m_loaded.tokenizer->encode(text, SpecialTokens::Escape); });
}

Result<std::string> Engine::detokenize(std::span<const TokenId> ids) const {
    return atTheDoor([&] { return engine::detokenize(*m_loaded.tokenizer, ids); });
}

Result<std::string> Engine::tokenBytes(TokenId id) const {
    return atTheDoor([&] {
        std::string bytes;
        m_loaded.tokenizer->appendBytes(id, bytes, true);
        return bytes;
    });
}

void Engine::emit(decltype(Event::body) body, Delivery delivery) {
    Event event;
    event.step = m_step.load(std::memory_order_relaxed);
    event.time = Clock::now();
    event.body = std::move(body);
    m_events.push(std::move(event), delivery);
}

void Engine::setState(EngineState state) {
    m_state = state;
    emit(StateChanged{.state = state}, Delivery::Droppable);
}

// The engine thread's root: whatever is thrown ends the requests, never the process.
void Engine::run(const std::stop_token& stop) {
    try {
        while (!stop.stop_requested()) {
            if (!step(stop)) {
                publish();
                if (!m_updates.isEmpty()) {
                    continue; // it came while the inbox was emptied, and so was its call to wake
                }
                const TimePoint tick = Clock::now() + kIdleTick;
                m_inbox.waitUntil(stop, std::min(m_wakeAt.value_or(tick), tick));
            }
        }
    } catch (const Interrupted&) {
        return; // closing
    } catch (const std::exception& fault) {
        fail(fault.what());
    } catch (...) {
        fail("an unknown fault");
    }
    while (!stop.stop_requested() && m_state == EngineState::Failed) {
        endEverything(FinishReason::Rejected, m_failure);
        m_inbox.waitUntil(stop, Clock::now() + kIdleTick);
    }
}

void Engine::fail(const std::string& reason) {
    m_failure = fmt::format("The engine has stopped: {}. Load the model again.", reason);
    m_hasFailed.store(true, std::memory_order_release);
    const auto running = static_cast<std::int64_t>(m_answers.size());
    endEverything(FinishReason::Failed, m_failure);
    emit(Failed{.message = m_failure, .requestsFailed = running}, Delivery::Guaranteed);
    setState(EngineState::Failed);
    publish();
}

// Ends every request that is here or has arrived, whatever state a fault left them in.
void Engine::endEverything(FinishReason reason, const std::string& message) {
    for (auto& arrived : m_inbox.take()) {
        const RequestId id = arrived->id;
        m_answers.emplace(id, std::move(arrived));
    }
    m_updates.take();
    m_openPrompts.clear();
    m_schedule.streams.clear();
    m_schedule.queue = {};
    m_schedule.running.clear();
    m_cold->drain();
    m_cold->takePacked();
    m_cold->takeUnpacked();
    m_schedule.resetBlocks(m_schedule.pool.total());
    while (!m_answers.empty()) {
        const std::unique_ptr<Answer> answer = std::move(m_answers.begin()->second);
        m_answers.erase(m_answers.begin());
        try {
            conclude(*answer, answer->refusal ? answer->refusal->reason : reason,
                     answer->refusal ? answer->refusal->message : message);
        } catch (const std::exception&) {
            // Its books are broken too: the reader still learns of the end.
            answer->stream->finish(reason, message, nullptr);
        }
    }
    publish();
}

} // namespace engine
