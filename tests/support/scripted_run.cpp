#include "tests/support/scripted_run.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <random>
#include <stdexcept>

namespace tests {

namespace {

using engine::Nanoseconds;
using engine::Stage;
using engine::TimePoint;

constexpr double kBlocks = 200;

Nanoseconds fromMs(double milliseconds) {
    return Nanoseconds(std::llround(milliseconds * 1e6));
}

struct Arrival {
    double atMs = 0;
    int promptTokens = 0, outputTokens = 0;
};

struct Running {
    engine::RequestRecord record;
    int left = 0;
};

// Steps in virtual time; everything in milliseconds of the run.
class Simulation {
public:
    Simulation(const ScriptedRun& script, TimePoint start)
        : m_script(script),
          m_start(start),
          m_random(script.seed) {
        plan();
    }

    app::RunStore::Batch play();

private:
    void plan();
    void step(const ScriptedPhase& phase);
    engine::RequestRecord admitted(const Arrival& arrival, double prefillMs);
    void sampleUpTo(double ms, const ScriptedPhase& phase);
    void finish(Running& running);
    TimePoint at(double ms) const { return m_start + fromMs(ms); }
    double endMs() const;

    const ScriptedRun& m_script;
    TimePoint m_start;
    std::mt19937_64 m_random;
    std::deque<Arrival> m_arrivals; // in order of time
    std::vector<Running> m_running;
    app::RunStore::Batch m_batch;
    double m_nowMs = 0, m_busyMs = 0, m_nextSampleMs = 1000;
    double m_secondOutput = 0, m_secondPrompt = 0, m_secondFinished = 0, m_kvPeak = 0;
    std::uint64_t m_id = 0;
};

double Simulation::endMs() const {
    double seconds = 0;
    for (const ScriptedPhase& phase : m_script.phases) {
        seconds += phase.seconds;
    }
    return seconds * 1000;
}

void Simulation::plan() {
    std::uniform_real_distribution<double> uniform(1e-9, 1.0);
    double from = 0;
    for (const ScriptedPhase& phase : m_script.phases) {
        const double to = from + phase.seconds * 1000;
        for (double at = from;;) {
            at -= std::log(uniform(m_random)) / phase.ratePerSecond * 1000;
            if (at >= to) {
                break;
            }
            m_arrivals.push_back(
                {.atMs = at,
                 .promptTokens = static_cast<int>(20 * std::exp(uniform(m_random) * 2.08)),
                 .outputTokens = static_cast<int>(16 * std::exp(uniform(m_random) * 1.1))});
        }
        from = to;
    }
}

engine::RequestRecord Simulation::admitted(const Arrival& arrival, double prefillMs) {
    engine::RequestRecord record;
    record.id = engine::RequestId{++m_id};
    record.label = m_id % 3 == 0 ? "code" : "english";
    record.lane = m_id % 10 == 0 ? engine::Lane::Batch : engine::Lane::Realtime;
    record.reason = engine::FinishReason::Length;
    record.promptTokens = arrival.promptTokens;
    record.maxTokens = arrival.outputTokens;
    record.tags = m_id <= 3 ? static_cast<std::uint32_t>(engine::SampleTag::Cold) : 0U;
    const double lag = 0.2 + 0.1 * static_cast<double>(m_id % 5);
    const double ready = std::max(m_nowMs, arrival.atMs + lag + 0.6);
    engine::Stamps& stamps = record.stamps;
    stamps.scheduled = at(arrival.atMs);
    stamps.received = at(arrival.atMs + lag);
    stamps.tokenized = at(arrival.atMs + lag + 0.5);
    stamps.admitted = at(arrival.atMs + lag + 0.6);
    stamps.planned = at(ready);
    stamps.kvReady = at(ready + 0.1);
    stamps.prefillDone = at(ready + prefillMs - 0.4);
    stamps.firstSampled = at(ready + prefillMs - 0.3);
    stamps.firstVisible = at(ready + prefillMs);
    auto& ledger = record.ledgerNs.emplace();
    const auto put = [&](Stage stage, double ms) {
        ledger[static_cast<std::size_t>(stage)] = fromMs(ms).count();
    };
    const double own = arrival.promptTokens * m_script.promptTokenMs;
    put(Stage::Lag, lag);
    put(Stage::ChatFormat, 0.1);
    put(Stage::Tokenize, 0.4);
    put(Stage::Admission, 0.1);
    put(Stage::Queue, ready - arrival.atMs - lag - 0.6);
    put(Stage::Kv, 0.1);
    put(Stage::BatchMates, std::max(0.0, prefillMs - own - m_script.stepMs - 0.5));
    put(Stage::PrefillWeights, m_script.stepMs - 0.4);
    put(Stage::PrefillCompute, own);
    put(Stage::Sample, 0.2);
    put(Stage::Deliver, 0.2);
    std::int64_t rest = (*stamps.firstVisible - *stamps.scheduled).count();
    for (const std::int64_t stage : ledger) {
        rest -= stage;
    }
    ledger[static_cast<std::size_t>(Stage::Remainder)] = rest;
    return record;
}

void Simulation::finish(Running& running) {
    engine::RequestRecord& record = running.record;
    record.stamps.lastToken =
        record.steps.empty() ? record.stamps.firstVisible : std::optional(record.steps.back().time);
    if (static_cast<std::uint64_t>(record.id) % 97 == 0) {
        record.reason = engine::FinishReason::Cancelled;
    }
    record.stamps.finished = *record.stamps.lastToken + fromMs(0.2);
    engine::Event event;
    event.time = *record.stamps.finished;
    event.body = engine::RequestFinished{std::make_shared<engine::RequestRecord>(record)};
    m_batch.events.push_back(std::move(event));
    m_secondFinished += 1;
}

void Simulation::step(const ScriptedPhase& phase) {
    double cost = m_script.stepMs + m_script.sequenceMs * static_cast<double>(m_running.size());
    std::vector<Arrival> taken;
    while (!m_arrivals.empty() && m_arrivals.front().atMs + 1.2 <= m_nowMs && taken.size() < 2 &&
           m_running.size() + taken.size() < static_cast<std::size_t>(phase.maxBatch)) {
        cost += m_arrivals.front().promptTokens * m_script.promptTokenMs;
        taken.push_back(m_arrivals.front());
        m_arrivals.pop_front();
    }
    for (Running& running : m_running) {
        running.record.steps.push_back({.time = at(m_nowMs + cost), .tokens = 1});
        ++running.record.outputTokens;
        --running.left;
        m_secondOutput += 1;
    }
    for (const Arrival& arrival : taken) {
        Running running{.record = admitted(arrival, cost), .left = arrival.outputTokens - 1};
        running.record.steps.push_back({.time = *running.record.stamps.firstVisible, .tokens = 1});
        running.record.outputTokens = 1;
        m_secondPrompt += arrival.promptTokens;
        m_secondOutput += 1;
        m_running.push_back(std::move(running));
    }
    std::erase_if(m_running, [this](Running& running) {
        if (running.left > 0) {
            return false;
        }
        finish(running);
        return true;
    });
    m_nowMs += cost;
    m_busyMs += cost;
    m_kvPeak = std::max(m_kvPeak, 2 * static_cast<double>(m_running.size()) / kBlocks);
}

void Simulation::sampleUpTo(double ms, const ScriptedPhase& phase) {
    while (m_nextSampleMs <= ms) {
        app::SampleRow row;
        row.sample.seconds = m_nextSampleMs / 1000;
        row.sample.running = static_cast<double>(m_running.size());
        row.sample.waiting = static_cast<double>(std::ranges::count_if(
            m_arrivals, [this](const Arrival& arrival) { return arrival.atMs < m_nowMs; }));
        row.sample.slots = phase.maxBatch;
        row.sample.outputPerSecond = m_secondOutput;
        row.sample.promptPerSecond = m_secondPrompt;
        row.sample.requestsPerSecond = m_secondFinished;
        row.sample.kvShare = 2 * row.sample.running / kBlocks;
        row.kvSharePeak = std::max(m_kvPeak, row.sample.kvShare);
        row.sample.busyShare = std::min(1.0, m_busyMs / 1000);
        row.sample.processBytes = 240e6 + 1e5 * row.sample.running;
        row.processBytesPeak = row.sample.processBytes + 1e5;
        row.sample.machineShare = 0.2;
        row.metrics.assign(engine::metricTable().size(), std::nullopt);
        row.metrics[0] = row.sample.running;
        m_batch.samples.push_back(std::move(row));
        m_secondOutput = m_secondPrompt = m_secondFinished = m_busyMs = m_kvPeak = 0;
        m_nextSampleMs += 1000;
    }
}

app::RunStore::Batch Simulation::play() {
    double phaseEnd = 0;
    for (std::size_t i = 0; i < m_script.phases.size(); ++i) {
        const ScriptedPhase& phase = m_script.phases[i];
        if (i > 0) {
            const ScriptedPhase& before = m_script.phases[i - 1];
            engine::Event event;
            event.time = at(phaseEnd);
            if (before.maxBatch != phase.maxBatch) {
                event.source = engine::EventSource::Operator;
                event.body =
                    engine::ConfigApplied{.changes = {{.key = "batching.max_batch",
                                                       .before = std::to_string(before.maxBatch),
                                                       .after = std::to_string(phase.maxBatch)}},
                                          .fromStep = 100 * i};
                m_batch.settings.push_back({.timeNs = fromMs(phaseEnd).count(),
                                            .field = "batching.max_batch",
                                            .requested = std::to_string(phase.maxBatch),
                                            .effective = std::to_string(phase.maxBatch),
                                            .state = "in force",
                                            .reason = {}});
            } else {
                event.source = engine::EventSource::App;
                event.body = engine::Notice{
                    .kind = "stage",
                    .values = {{"stage", std::to_string(i + 1)},
                               {"kind", "poisson"},
                               {"rate", std::to_string(std::lround(phase.ratePerSecond))}}};
            }
            m_batch.events.push_back(std::move(event));
        }
        phaseEnd += phase.seconds * 1000;
        while (m_nowMs < phaseEnd) {
            if (m_running.empty() &&
                (m_arrivals.empty() || m_arrivals.front().atMs + 1.2 > m_nowMs)) {
                const double next = m_arrivals.empty() ? phaseEnd : m_arrivals.front().atMs + 1.2;
                m_nowMs = std::min(phaseEnd, std::max(m_nowMs + 0.1, next));
            } else {
                step(phase);
            }
            sampleUpTo(std::min(m_nowMs, endMs()), phase);
        }
    }
    std::ranges::stable_sort(m_batch.events, {}, &engine::Event::time);
    return std::move(m_batch);
}

template <class T>
T valueOf(engine::Result<T> result) {
    if (!result) {
        throw std::runtime_error(result.error().message);
    }
    if constexpr (!std::is_void_v<T>) {
        return std::move(*result);
    }
}

engine::ConfigStatus statusOf(int maxBatch) {
    engine::ConfigStatus status;
    status.requested.maxBatch = status.effective.maxBatch = maxBatch;
    for (const engine::Field& field : engine::fieldTable()) {
        const std::string text = engine::valueText(field, status.requested);
        status.fields.push_back({.key = field.key,
                                 .requested = text,
                                 .effective = text,
                                 .state = engine::FieldState::InForce,
                                 .reason = {},
                                 .progress = 0.0F});
    }
    return status;
}

} // namespace

std::int64_t writeScriptedRun(app::RunStore& store, const ScriptedRun& script) {
    const TimePoint start{std::chrono::hours(1)};
    app::RunInfo info;
    info.name = script.name;
    info.startedUtc = "2026-11-30T14:31:07.000Z";
    info.modelName = "SmolLM2-135M-Instruct";
    info.modelDigest = "xxh3:b179c9523d0e6a0f";
    info.workloadName = "demo";
    info.requestDigest = script.requestDigest;
    info.seed = script.seed;
    info.machineJson = R"({"cpu":"Test processor","isa":"AVX-512 VNNI","threads":2,)"
                       R"("device":"CPU","memory_bytes":16000000000,"headway":"0.1.0"})";
    info.sloTtftMs = 300;
    info.sloTpotMs = 50;
    info.tags = {"demo"};
    const std::int64_t run =
        valueOf(store.beginRun(info, statusOf(script.phases.front().maxBatch)));
    valueOf(store.append(run, start, Simulation(script, start).play()));
    if (script.hasEnd) {
        double seconds = 0;
        for (const ScriptedPhase& phase : script.phases) {
            seconds += phase.seconds;
        }
        valueOf(store.endRun(run, app::RunState::Finished, seconds, false));
    }
    return run;
}

engine::RequestRecord makeRecord(TimePoint start, double atMs, double ttftMs, double tokenMs,
                                 int tokens) {
    engine::RequestRecord record;
    record.id = engine::RequestId{static_cast<std::uint64_t>(atMs * 1000) + 1};
    record.label = "english";
    record.reason = engine::FinishReason::Length;
    record.promptTokens = 40;
    record.outputTokens = tokens;
    record.maxTokens = tokens;
    const TimePoint scheduled = start + fromMs(atMs);
    const TimePoint visible = scheduled + fromMs(ttftMs);
    engine::Stamps& stamps = record.stamps;
    stamps.scheduled = scheduled;
    stamps.received = scheduled + fromMs(ttftMs * 0.05);
    stamps.tokenized = scheduled + fromMs(ttftMs * 0.1);
    stamps.admitted = stamps.planned = stamps.tokenized;
    stamps.kvReady = scheduled + fromMs(ttftMs * 0.2);
    stamps.prefillDone = scheduled + fromMs(ttftMs * 0.9);
    stamps.firstSampled = stamps.prefillDone;
    stamps.firstVisible = visible;
    for (int i = 0; i < tokens; ++i) {
        record.steps.push_back({.time = visible + fromMs(tokenMs * i), .tokens = 1});
    }
    stamps.lastToken = visible + fromMs(tokenMs * std::max(0, tokens - 1));
    stamps.finished = *stamps.lastToken + fromMs(0.1);
    auto& ledger = record.ledgerNs.emplace();
    ledger[static_cast<std::size_t>(Stage::PrefillCompute)] = (visible - scheduled).count();
    return record;
}

} // namespace tests
