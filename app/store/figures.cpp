#include "app/store/figures.h"

#include "app/observe/alarms.h"
#include "app/store/rows.h"
#include "app/store/run_rows.h"
#include "app/store/tiers.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>

namespace app {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kVersion = 3; // grows when a definition changes
constexpr std::int64_t kRequestsAtOnce = 1'000;

constexpr std::array kCounts = {
    std::pair{"requests", &RunSummary::requests},   std::pair{"completed", &RunSummary::completed},
    std::pair{"cancelled", &RunSummary::cancelled}, std::pair{"failed", &RunSummary::failed},
    std::pair{"rejected", &RunSummary::rejected},   std::pair{"alarms", &RunSummary::alarms}};
constexpr std::array kLatencies = {
    std::pair{"ttft_ms", &RunSummary::ttftMs}, std::pair{"tpot_ms", &RunSummary::tpotMs},
    std::pair{"e2e_ms", &RunSummary::e2eMs}, std::pair{"itl_ms", &RunSummary::itlMs}};
// Absent where the run has no length, and only there.
constexpr std::array kRates = {std::pair{"output_per_second", &RunSummary::outputPerSecond},
                               std::pair{"prompt_per_second", &RunSummary::promptPerSecond},
                               std::pair{"requests_per_second", &RunSummary::requestsPerSecond},
                               std::pair{"goodput_per_second", &RunSummary::goodputPerSecond}};
constexpr std::array kOptional = {std::pair{"achieved_rate", &RunSummary::achievedRate},
                                  std::pair{"hit_share", &RunSummary::hitShare},
                                  std::pair{"wanted_rate", &RunSummary::wantedRate},
                                  std::pair{"lag_p50_ms", &RunSummary::lagP50Ms},
                                  std::pair{"lag_p99_ms", &RunSummary::lagP99Ms}};
constexpr std::array kQuantiles = {
    std::pair{"p50", &Quantiles::p50},     std::pair{"p90", &Quantiles::p90},
    std::pair{"p95", &Quantiles::p95},     std::pair{"p99", &Quantiles::p99},
    std::pair{"min", &Quantiles::minimum}, std::pair{"max", &Quantiles::maximum}};

// Absent numbers have no key.
Json quantilesJson(const Quantiles& quantiles) {
    Json json = {{"n", quantiles.n}};
    for (const auto& [key, member] : kQuantiles) {
        if (const auto& value = quantiles.*member) {
            json[key] = *value;
        }
    }
    return json;
}

std::optional<double> numberAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() ? std::optional(found->get<double>()) : std::nullopt;
}

void takeFigures(const Json& json, RunSummary& summary) {
    for (const auto& [key, member] : kCounts) {
        summary.*member = json.at(key).get<std::int64_t>();
    }
    for (const auto& [key, member] : kLatencies) {
        const Json& stored = json.at(key);
        Quantiles& quantiles = summary.*member;
        quantiles.n = stored.at("n").get<std::int64_t>();
        for (const auto& [name, value] : kQuantiles) {
            quantiles.*value = numberAt(stored, name);
        }
    }
    for (const auto& [key, member] : kRates) {
        if (summary.run.seconds > 0) {
            summary.*member = json.at(key).get<double>();
        }
    }
    for (const auto& [key, member] : kOptional) {
        summary.*member = numberAt(json, key);
    }
}

std::int64_t lastRequest(const Database& database, std::int64_t run) {
    Statement select = database.prepare("SELECT max(n) FROM request WHERE run_id = ?");
    select.add(run);
    return select.step() ? select.integer(0) : 0;
}

} // namespace

bool readFigures(const Database& database, RunSummary& summary) {
    if (database.columns("run_figures").empty() || summary.run.state == RunState::Recording) {
        return false;
    }
    Statement select = database.prepare(
        "SELECT figures_json FROM run_figures WHERE run_id = ? AND version = ? AND last_n = ?");
    select.add(summary.run.id).add(kVersion).add(lastRequest(database, summary.run.id));
    if (!select.step()) {
        return false;
    }
    try {
        RunSummary read = summary; // all of it or nothing
        takeFigures(Json::parse(select.text(0)), read);
        summary = std::move(read);
        return true;
    } catch (const Json::exception&) {
        return false; // damaged: the requests tell the same
    }
}

void writeFigures(const Database& database, const RunSummary& summary) {
    Json json;
    for (const auto& [key, member] : kCounts) {
        json[key] = summary.*member;
    }
    for (const auto& [key, member] : kLatencies) {
        json[key] = quantilesJson(summary.*member);
    }
    const auto addPresent = [&](const auto& table) {
        for (const auto& [key, member] : table) {
            if (const auto& value = summary.*member) {
                json[key] = *value;
            }
        }
    };
    addPresent(kRates);
    addPresent(kOptional);
    Statement insert = database.prepare("INSERT OR REPLACE INTO run_figures "
                                        "(run_id, version, last_n, figures_json) "
                                        "VALUES (?, ?, ?, ?)");
    insert.add(summary.run.id).add(kVersion).add(lastRequest(database, summary.run.id));
    insert.add(json.dump()).execute();
}

std::optional<std::int64_t> runWithoutFigures(const Database& database) {
    Statement select = database.prepare(
        "SELECT id FROM run WHERE state <> 'recording' AND id NOT IN (SELECT run_id FROM removal) "
        "AND id NOT IN (SELECT run_id FROM run_figures f WHERE f.version = ?1 AND f.last_n = "
        "coalesce((SELECT max(n) FROM request WHERE run_id = f.run_id), 0)) "
        "ORDER BY id DESC LIMIT 1");
    select.add(kVersion);
    return select.step() ? std::optional(select.integer(0)) : std::nullopt;
}

RunSummary summaryOfPages(const Database& database, RunInfo info) {
    RunSummary summary;
    summary.run = std::move(info);
    std::vector<double> ttft, tpot, e2e;
    HitCount hits;
    double output = 0, prompt = 0, good = 0, first = 0, last = 0;
    std::int64_t answered = 0;
    readPoints(database, summary.run.id, [&](const RequestPoint& point) {
        ++summary.requests;
        const auto outcome = point.outcome.value_or(engine::Outcome::Completed);
        summary.completed += outcome == engine::Outcome::Completed;
        summary.cancelled += outcome == engine::Outcome::Cancelled;
        summary.failed += outcome == engine::Outcome::Failed;
        summary.rejected += outcome == engine::Outcome::Rejected;
        output += static_cast<double>(point.outputTokens);
        if (!std::isfinite(point.ttftMs)) {
            return;
        }
        prompt += static_cast<double>(point.promptTokens - point.hitTokens);
        const double received = point.seconds - point.ttftMs / 1000.0;
        first = answered == 0 ? received : std::min(first, received);
        last = std::max(last, received);
        ++answered;
        const bool isComplete = outcome == engine::Outcome::Completed;
        if (isLatencySample(point, SampleFilter::Warm)) {
            ttft.push_back(point.ttftMs);
            tpot.push_back(point.tpotMs);
            e2e.push_back(point.e2eMs);
            if (point.hasLedger) {
                hits.add(point.hitTokens, point.promptTokens);
            }
        }
        const bool isFast = point.ttftMs <= summary.run.sloTtftMs &&
                            (!std::isfinite(point.tpotMs) || point.tpotMs <= summary.run.sloTpotMs);
        good += isComplete && isFast && (point.tags & engine::kNotComputed) == 0;
    });
    summary.ttftMs = quantiles(std::move(ttft));
    summary.tpotMs = quantiles(std::move(tpot));
    summary.e2eMs = quantiles(std::move(e2e));
    summary.hitShare = hits.share();
    if (const double seconds = summary.run.seconds; seconds > 0) {
        summary.outputPerSecond = output / seconds;
        summary.promptPerSecond = prompt / seconds;
        summary.requestsPerSecond = static_cast<double>(summary.completed) / seconds;
        summary.goodputPerSecond = good / seconds;
    }
    if (last > first) {
        summary.achievedRate = static_cast<double>(answered - 1) / (last - first);
    }
    return summary;
}

bool FiguresJob::advance(Database& database) {
    if (m_reading) {
        return readSome(database);
    }
    Transaction transaction(database);
    const auto run = runWithoutFigures(database);
    if (!run) {
        return false;
    }
    const bool hasMinutes = extendMinutes(database, *run, TierPart::Rest);
    const bool hasPages = !hasMinutes && extendPages(database, *run, TierPart::Rest);
    transaction.commit();
    if (!hasMinutes && !hasPages) {
        std::vector<RunInfo> found = readRuns(database, run);
        if (found.empty()) {
            return false;
        }
        m_reading.emplace(
            Reading{.run = *run, .last = 0, .builder = SummaryBuilder(std::move(found.front()))});
    }
    return true;
}

bool FiguresJob::readSome(Database& database) {
    Transaction transaction(database);
    std::int64_t taken = 0;
    readRequests(database, m_reading->run, {.after = m_reading->last, .count = kRequestsAtOnce},
                 [&](StoredRequest&& request) {
                     m_reading->builder.add(request.record);
                     m_reading->last = request.n;
                     ++taken;
                 });
    if (taken == kRequestsAtOnce) {
        return true;
    }
    const std::int64_t run = m_reading->run;
    const bool isThere = !readRuns(database, run).empty(); // not removed meanwhile
    RunSummary summary = m_reading->builder.finish(readSettings(database, run));
    m_reading.reset();
    if (isThere) {
        summary.alarms = countEvents(database, run, kAlarmRaised);
        writeFigures(database, summary);
        transaction.commit();
    }
    return true;
}

} // namespace app
