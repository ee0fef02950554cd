#include "app/simulated_run.h"

#include "app/replay.h"
#include "app/store/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace app {

namespace {

using engine::Nanoseconds;
using engine::TimePoint;

Nanoseconds nanoseconds(double seconds) {
    return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// What the engine told of its steps: once every few seconds.
struct ToldCost {
    double seconds = 0.0; // of the run
    std::array<std::optional<double>, engine::CostModel::kTerms> ns;
    engine::CostFit::Sum sum;
};

std::optional<double> numberOf(const nlohmann::json& payload, const std::string& key) {
    const auto text = payload.is_object() ? payload.find(key) : payload.end();
    if (text == payload.end() || !text->is_string()) {
        return std::nullopt;
    }
    const double value = std::strtod(text->get<std::string>().c_str(), nullptr);
    return std::isfinite(value) ? std::max(0.0, value) : 0.0;
}

std::vector<ToldCost> toldCosts(const RunData& run) {
    std::vector<ToldCost> told;
    for (const StoredEvent& event : run.events) {
        if (event.kind != "step_cost") {
            continue;
        }
        const auto payload = nlohmann::json::parse(event.payloadJson, nullptr, false);
        ToldCost& each = told.emplace_back();
        each.seconds = static_cast<double>(event.timeNs) / 1e9;
        for (std::size_t i = 0; i < each.ns.size(); ++i) {
            each.ns[i] = numberOf(payload, fmt::format("ns_{}", i));
            each.sum.terms[i] = numberOf(payload, fmt::format("sum_{}", i)).value_or(0.0);
        }
        each.sum.ns = numberOf(payload, "took_ns").value_or(0.0);
    }
    return told;
}

// The last costs that the engine told.
engine::CostModel costOf(const RunData& run, const std::vector<ToldCost>& told) {
    engine::CostModel cost;
    for (const ToldCost& each : told) {
        for (std::size_t i = 0; i < cost.ns.size(); ++i) {
            cost.ns[i] = each.ns[i].value_or(cost.ns[i]);
        }
    }
    double sum = 0.0;
    double count = 0.0;
    for (const StoredRequest& request : run.requests) {
        if (request.record.ledgerNs) {
            for (const engine::Stage stage :
                 {engine::Stage::Lag, engine::Stage::ChatFormat, engine::Stage::Tokenize}) {
                sum += static_cast<double>(
                    (*request.record.ledgerNs)[static_cast<std::size_t>(stage)]);
            }
            ++count;
        }
    }
    cost.arrivalNs = count > 0 ? sum / count : 0.0;
    return cost;
}

using Sent = std::vector<const engine::RequestRecord*>;

Sent sentOf(const RunData& run) {
    Sent sent;
    for (const StoredRequest& request : run.requests) {
        if (request.record.stamps.scheduled && request.record.promptTokens > 0) {
            sent.push_back(&request.record);
        }
    }
    std::ranges::sort(sent, {}, [](const auto* record) { return record->id; });
    return sent;
}

// How long the steps of each span took beside what `cost` expects of them.
std::vector<PaceSpan> pacesOf(const std::vector<ToldCost>& told, const engine::CostModel& cost,
                              double loadBegin) {
    // Less is a stall or two, and no pace.
    constexpr double kLeastNs = 5e8;
    constexpr double kMost = 4.0;
    std::vector<PaceSpan> paces;
    double begin = loadBegin;
    double took = 0.0;
    double expected = 0.0;
    for (const ToldCost& each : told) {
        if (each.seconds <= loadBegin) {
            continue;
        }
        took += each.sum.ns;
        expected += std::inner_product(cost.ns.begin(), cost.ns.end(), each.sum.terms.begin(), 0.0);
        if (took >= kLeastNs && expected > 0.0 && each.seconds > begin) {
            paces.push_back({.seconds = each.seconds - begin,
                             .factor = std::clamp(took / expected, 1.0 / kMost, kMost)});
            begin = each.seconds;
            took = expected = 0.0;
        }
    }
    return paces;
}

double secondsOf(TimePoint time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// A line through asked and real lengths, request by request in the order of sending.
void fitLengths(const std::vector<PlannedRequest>& planned, const Sent& sent,
                SimulationProfile& profile) {
    const std::size_t count = std::min(planned.size(), sent.size());
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double asked = planned[i].promptTokens;
        const auto real = static_cast<double>(sent[i]->promptTokens);
        n += 1;
        x += asked;
        y += real;
        xx += asked * asked;
        xy += asked * real;
    }
    const double spread = n * xx - x * x;
    if (n > 0 && spread > 0) {
        profile.perToken = std::max(0.0, (n * xy - x * y) / spread);
        profile.fixedTokens = (y - profile.perToken * x) / n;
    } else if (x > 0) {
        profile.perToken = y / x;
    }
}

// Of those whose prompts were computed.
double hitShareOf(const Sent& sent) {
    double hits = 0.0;
    double tokens = 0.0;
    for (const engine::RequestRecord* record : sent) {
        if (record->stamps.planned) {
            hits += static_cast<double>(record->hitTokens);
            tokens += static_cast<double>(record->promptTokens);
        }
    }
    return tokens > 0.0 ? hits / tokens : 0.0;
}

// The arrivals of a workload; closed loops go on as answers end.
class Arrivals {
public:
    Arrivals(const Workload& workload, const std::vector<PlannedRequest>& requests,
             const SimulationProfile& profile, bool keepsPrefixes)
        : m_workload(workload),
          m_profile(profile),
          m_computedShare(keepsPrefixes ? 1.0 - profile.hitShare : 1.0),
          m_planned(requests) {
        double begin = 0.0;
        int users = 0;
        for (std::size_t stage = 0; stage < workload.stages.size(); ++stage) {
            const Stage& each = workload.stages[stage];
            m_begins.push_back(begin);
            const bool isClosed = each.kind == ArrivalKind::Closed;
            for (int user = users; isClosed && user < each.users; ++user) {
                m_first.push_back(next(stage, begin));
            }
            users = isClosed ? each.users : users;
            begin += each.seconds;
        }
        for (const PlannedRequest& request : m_planned) {
            if (workload.stages[static_cast<std::size_t>(request.stage)].kind !=
                ArrivalKind::Closed) {
                m_first.push_back(arrivalOf(request, request.atSeconds, 0));
            }
        }
    }

    const std::vector<engine::Arrival>& first() const { return m_first; }

    // A user whose answer has ended asks again.
    void goOn(const engine::Arrival& ended, Nanoseconds now, std::vector<engine::Arrival>& more) {
        const double seconds = std::chrono::duration<double>(now).count();
        if (ended.tag == 0 || seconds >= m_workload.seconds()) {
            return;
        }
        const auto later = std::ranges::upper_bound(m_begins, seconds);
        const auto stage = static_cast<std::size_t>(later - m_begins.begin() - 1);
        if (m_workload.stages[stage].kind == ArrivalKind::Closed) {
            more.push_back(next(stage, seconds));
        }
    }

private:
    engine::Arrival next(std::size_t stage, double seconds) {
        std::vector<std::size_t>& list = listOf(stage);
        const PlannedRequest& request = m_planned[list[m_used[stage]++ % list.size()]];
        return arrivalOf(request, seconds, static_cast<std::int64_t>(stage) + 1);
    }

    std::vector<std::size_t>& listOf(std::size_t stage) {
        if (m_lists.empty()) {
            m_lists.resize(m_workload.stages.size());
            m_used.resize(m_workload.stages.size());
            for (std::size_t i = 0; i < m_planned.size(); ++i) {
                m_lists[static_cast<std::size_t>(m_planned[i].stage)].push_back(i);
            }
        }
        return m_lists[stage];
    }

    engine::Arrival arrivalOf(const PlannedRequest& request, double seconds,
                              std::int64_t tag) const {
        const double tokens = m_profile.fixedTokens + m_profile.perToken * request.promptTokens;
        engine::Arrival arrival;
        arrival.at = nanoseconds(seconds);
        arrival.promptTokens = std::max<std::int64_t>(1, std::llround(tokens * m_computedShare));
        arrival.outputTokens = request.maxTokens;
        arrival.lane = request.lane;
        arrival.tag = tag;
        return arrival;
    }

    const Workload& m_workload;
    const SimulationProfile& m_profile;
    const double m_computedShare; // of prompt tokens
    const std::vector<PlannedRequest>& m_planned;
    std::vector<double> m_begins;
    std::vector<std::vector<std::size_t>> m_lists; // planned requests of each stage
    std::vector<std::size_t> m_used;
    std::vector<engine::Arrival> m_first;
};

// Until the load is over and its queue, however long, has been served.
std::vector<engine::Pace> pacesFrom(const std::vector<PaceSpan>& spans, std::size_t first,
                                    double loadSeconds) {
    constexpr double kDrain = 4.0;
    std::vector<engine::Pace> paces;
    double until = 0.0;
    for (std::size_t i = first; !spans.empty() && until < loadSeconds * kDrain; ++i) {
        const PaceSpan& span = spans[i % spans.size()];
        until += span.seconds;
        paces.push_back({.until = nanoseconds(until), .factor = span.factor});
    }
    return paces;
}

engine::RequestRecord recordOf(const engine::SimulatedRequest& request, std::size_t index) {
    const auto at = [](Nanoseconds time) { return TimePoint{} + time; };
    engine::RequestRecord record;
    record.id = engine::RequestId{index + 1};
    record.lane = request.arrival.lane;
    record.reason = request.reason;
    record.promptTokens = request.arrival.promptTokens;
    record.outputTokens = request.outputTokens;
    record.maxTokens = request.arrival.outputTokens;
    record.stamps.scheduled = record.stamps.received = at(request.arrival.at);
    record.stamps.finished = at(request.finished);
    if (request.firstToken) {
        record.stamps.firstVisible = record.stamps.prefillDone = at(*request.firstToken);
        record.stamps.lastToken = at(request.finished);
        record.steps.push_back({.time = at(request.finished),
                                .tokens = static_cast<std::int32_t>(request.outputTokens)});
    }
    return record;
}

} // namespace

LaneSummaries laneSummaries(const RunInfo& info,
                            const std::vector<const engine::RequestRecord*>& records) {
    LaneSummaries summaries;
    for (const engine::Lane lane : {engine::Lane::Realtime, engine::Lane::Batch}) {
        SummaryBuilder builder(info);
        bool isEmpty = true;
        for (const engine::RequestRecord* record : records) {
            if (record->lane == lane) {
                builder.add(*record);
                isEmpty = false;
            }
        }
        if (!isEmpty) {
            summaries[static_cast<std::size_t>(lane)] = builder.finish({});
        }
    }
    return summaries;
}

engine::Result<SimulationProfile> profileOf(const RunData& run) {
    SimulationProfile profile;
    for (const SettingRow& row : run.summary.settings) {
        if (const engine::Field* field = engine::findField(row.field)) {
            // A value of another version stays at its default.
            static_cast<void>(engine::setFromText(*field, profile.config, row.effective));
        }
    }
    const std::vector<ToldCost> told = toldCosts(run);
    profile.cost = costOf(run, told);
    if (!profile.cost.isKnown()) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("Run {} holds no step costs: it is too short, or was recorded by an "
                        "earlier version. Record one with: headway load demo",
                        run.summary.run.id)});
    }
    const auto replay = replayOf(run);
    const bool isOwnList = replay && replay->isOwnList;
    const auto planned = isOwnList ? replay->requests : std::vector<PlannedRequest>{};
    const Sent sent = sentOf(run);
    fitLengths(planned, sent, profile);
    profile.hitShare = hitShareOf(sent);
    if (!sent.empty()) {
        const double first = planned.empty() ? 0.0 : planned.front().atSeconds;
        profile.paces =
            pacesOf(told, profile.cost, secondsOf(*sent.front()->stamps.scheduled) - first);
    }
    profile.sloTtftMs = run.summary.run.sloTtftMs;
    profile.sloTpotMs = run.summary.run.sloTpotMs;
    return profile;
}

engine::Result<SimulatedRun> simulateWorkload(const Workload& workload,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config,
                                              std::size_t firstPace) {
    return simulateRequests(workload, planRequests(workload), profile, config, firstPace);
}

engine::Result<SimulatedRun> simulateRequests(const Workload& workload,
                                              const std::vector<PlannedRequest>& requests,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config,
                                              std::size_t firstPace) {
    Arrivals arrivals(workload, requests, profile, config.keepsPrefixes);
    engine::SimulationSetup setup{.config = config,
                                  .arrivals = arrivals.first(),
                                  .cost = profile.cost,
                                  .paces = pacesFrom(profile.paces, firstPace, workload.seconds()),
                                  .onEnded = {}};
    setup.onEnded = [&arrivals](const engine::Arrival& ended, Nanoseconds now,
                                std::vector<engine::Arrival>& more) {
        arrivals.goOn(ended, now, more);
    };
    auto simulation = engine::simulate(setup);
    if (!simulation) {
        return std::unexpected(simulation.error());
    }
    RunInfo info;
    info.name = workload.name;
    info.state = RunState::Finished;
    info.seconds =
        std::max(workload.seconds(), std::chrono::duration<double>(simulation->duration).count());
    info.workloadName = workload.name;
    info.workloadToml = workloadToml(workload);
    info.sloTtftMs = profile.sloTtftMs;
    info.sloTpotMs = profile.sloTpotMs;
    SummaryBuilder builder(info);
    std::vector<engine::RequestRecord> records;
    std::vector<const engine::RequestRecord*> pointers;
    for (std::size_t i = 0; i < simulation->requests.size(); ++i) {
        records.push_back(recordOf(simulation->requests[i], i));
    }
    for (const engine::RequestRecord& record : records) {
        builder.add(record);
        pointers.push_back(&record);
    }
    return SimulatedRun{.summary = builder.finish({}),
                        .lanes = laneSummaries(info, pointers),
                        .simulation = std::move(*simulation)};
}

engine::Result<std::vector<SimulatedRun>> simulateSpread(const Workload& workload,
                                                         const SimulationProfile& profile,
                                                         const engine::EngineConfig& config) {
    constexpr std::size_t kMost = 12;
    const std::size_t count = std::clamp<std::size_t>(profile.paces.size(), 1, kMost);
    std::vector<SimulatedRun> runs;
    for (std::size_t i = 0; i < count; ++i) {
        auto run = simulateWorkload(workload, profile, config, i * profile.paces.size() / count);
        if (!run) {
            return std::unexpected(run.error());
        }
        runs.push_back(std::move(*run));
    }
    return runs;
}

} // namespace app
