#include "app/simulated_run.h"

#include "app/store/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace app {

namespace {

using engine::Nanoseconds;
using engine::TimePoint;

Nanoseconds nanoseconds(double seconds) {
    return Nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
}

// The last costs that the engine told.
engine::CostModel costOf(const RunData& run) {
    engine::CostModel cost;
    for (const StoredEvent& event : run.events) {
        if (event.kind != "step_cost") {
            continue;
        }
        const auto payload = nlohmann::json::parse(event.payloadJson, nullptr, false);
        for (std::size_t i = 0; i < cost.ns.size(); ++i) {
            const auto text =
                payload.is_object() ? payload.find(fmt::format("ns_{}", i)) : payload.end();
            if (text != payload.end() && text->is_string()) {
                const double value = std::strtod(text->get<std::string>().c_str(), nullptr);
                cost.ns[i] = std::isfinite(value) ? std::max(0.0, value) : 0.0;
            }
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

// A line through asked and real lengths, request by request in the order of sending.
void fitLengths(const RunData& run, SimulationProfile& profile) {
    const auto workload = parseWorkload(run.summary.run.workloadToml, "the recorded workload");
    if (!workload) {
        return;
    }
    const std::vector<PlannedRequest> planned = planRequests(*workload);
    std::vector<const engine::RequestRecord*> sent;
    for (const StoredRequest& request : run.requests) {
        if (request.record.stamps.scheduled && request.record.promptTokens > 0) {
            sent.push_back(&request.record);
        }
    }
    std::ranges::sort(sent, {}, [](const auto* record) { return record->id; });
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

// The arrivals of a workload; closed loops go on as answers end.
class Arrivals {
public:
    Arrivals(const Workload& workload, const SimulationProfile& profile)
        : m_workload(workload),
          m_profile(profile),
          m_planned(planRequests(workload)) {
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
        arrival.promptTokens = std::max<std::int64_t>(1, std::llround(tokens));
        arrival.outputTokens = request.maxTokens;
        arrival.lane = request.lane;
        arrival.tag = tag;
        return arrival;
    }

    const Workload& m_workload;
    const SimulationProfile& m_profile;
    const std::vector<PlannedRequest> m_planned;
    std::vector<double> m_begins;
    std::vector<std::vector<std::size_t>> m_lists; // planned requests of each stage
    std::vector<std::size_t> m_used;
    std::vector<engine::Arrival> m_first;
};

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

engine::Result<SimulationProfile> profileOf(const RunData& run) {
    SimulationProfile profile;
    for (const SettingRow& row : run.summary.settings) {
        if (const engine::Field* field = engine::findField(row.field)) {
            // A value of another version stays at its default.
            static_cast<void>(engine::setFromText(*field, profile.config, row.effective));
        }
    }
    profile.cost = costOf(run);
    if (!profile.cost.isKnown()) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::Invalid,
            fmt::format("Run {} holds no step costs: it is too short, or was recorded by an "
                        "earlier version. Record one with: headway load demo",
                        run.summary.run.id)});
    }
    fitLengths(run, profile);
    profile.sloTtftMs = run.summary.run.sloTtftMs;
    profile.sloTpotMs = run.summary.run.sloTpotMs;
    return profile;
}

engine::Result<SimulatedRun> simulateWorkload(const Workload& workload,
                                              const SimulationProfile& profile,
                                              const engine::EngineConfig& config) {
    Arrivals arrivals(workload, profile);
    engine::SimulationSetup setup{
        .config = config, .arrivals = arrivals.first(), .cost = profile.cost, .onEnded = {}};
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
    for (std::size_t i = 0; i < simulation->requests.size(); ++i) {
        builder.add(recordOf(simulation->requests[i], i));
    }
    return SimulatedRun{.summary = builder.finish({}), .simulation = std::move(*simulation)};
}

} // namespace app
