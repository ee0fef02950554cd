#include "app/fail_rule.h"

#include "app/run_text.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace app {

namespace {

using Value = std::optional<double>;

struct RuleMetric {
    std::string_view name;
    Value (*get)(const RunSummary&);
};

constexpr std::array kMetrics = {
    RuleMetric{"ttft_p50_ms", [](const RunSummary& run) { return run.ttftMs.p50; }},
    RuleMetric{"ttft_p90_ms", [](const RunSummary& run) { return run.ttftMs.p90; }},
    RuleMetric{"ttft_p95_ms", [](const RunSummary& run) { return run.ttftMs.p95; }},
    RuleMetric{"ttft_p99_ms", [](const RunSummary& run) { return run.ttftMs.p99; }},
    RuleMetric{"ttft_max_ms", [](const RunSummary& run) { return run.ttftMs.maximum; }},
    RuleMetric{"tpot_p50_ms", [](const RunSummary& run) { return run.tpotMs.p50; }},
    RuleMetric{"tpot_p99_ms", [](const RunSummary& run) { return run.tpotMs.p99; }},
    RuleMetric{"itl_p50_ms", [](const RunSummary& run) { return run.itlMs.p50; }},
    RuleMetric{"itl_p99_ms", [](const RunSummary& run) { return run.itlMs.p99; }},
    RuleMetric{"e2e_p50_ms", [](const RunSummary& run) { return run.e2eMs.p50; }},
    RuleMetric{"e2e_p99_ms", [](const RunSummary& run) { return run.e2eMs.p99; }},
    RuleMetric{"prefix_hit_share", [](const RunSummary& run) { return run.hitShare; }},
    RuleMetric{"output_tokens_per_s", [](const RunSummary& run) { return run.outputPerSecond; }},
    RuleMetric{"prompt_tokens_per_s", [](const RunSummary& run) { return run.promptPerSecond; }},
    RuleMetric{"requests_per_s", [](const RunSummary& run) { return run.requestsPerSecond; }},
    RuleMetric{"goodput_per_s", [](const RunSummary& run) { return run.goodputPerSecond; }},
    RuleMetric{"achieved_rate", [](const RunSummary& run) { return run.achievedRate; }},
    RuleMetric{"lag_p50_ms", [](const RunSummary& run) { return run.lagP50Ms; }},
    RuleMetric{"lag_p99_ms", [](const RunSummary& run) { return run.lagP99Ms; }},
    RuleMetric{"completed", [](const RunSummary& run) { return Value(double(run.completed)); }},
    RuleMetric{"cancelled", [](const RunSummary& run) { return Value(double(run.cancelled)); }},
    RuleMetric{"failed", [](const RunSummary& run) { return Value(double(run.failed)); }},
    RuleMetric{"alarms", [](const RunSummary& run) { return Value(double(run.alarms)); }},
    RuleMetric{"rejected", [](const RunSummary& run) { return Value(double(run.rejected)); }},
};

struct RelationSign {
    std::string_view sign; // the longer ones first
    Relation relation;
};
constexpr std::array kSigns = {
    RelationSign{">=", Relation::AtLeast},
    RelationSign{"<=", Relation::AtMost},
    RelationSign{">", Relation::Above},
    RelationSign{"<", Relation::Below},
};

const RuleMetric* findMetric(std::string_view name) {
    for (const RuleMetric& metric : kMetrics) {
        if (metric.name == name) {
            return &metric;
        }
    }
    return nullptr;
}

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(' ');
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

bool holds(Relation relation, double value, double limit) {
    switch (relation) {
    case Relation::Above:
        return value > limit;
    case Relation::AtLeast:
        return value >= limit;
    case Relation::Below:
        return value < limit;
    case Relation::AtMost:
        break;
    }
    return value <= limit;
}

std::unexpected<engine::Error> invalid(std::string message) {
    return std::unexpected(engine::Error{engine::ErrorCode::Invalid, std::move(message)});
}

} // namespace

std::vector<std::string> ruleMetrics() {
    std::vector<std::string> names;
    for (const RuleMetric& metric : kMetrics) {
        names.emplace_back(metric.name);
    }
    return names;
}

engine::Result<FailRule> parseFailRule(std::string_view text) {
    for (const RelationSign& sign : kSigns) {
        const std::size_t at = text.find(sign.sign);
        if (at == std::string_view::npos) {
            continue;
        }
        const std::string_view metric = trimmed(text.substr(0, at));
        const std::string_view number = trimmed(text.substr(at + sign.sign.size()));
        double limit = 0.0;
        const auto [end, error] =
            std::from_chars(number.data(), number.data() + number.size(), limit);
        if (error != std::errc{} || end != number.data() + number.size() || !std::isfinite(limit)) {
            return invalid(fmt::format("\"{}\" is no rule: \"{}\" is not a number.", text, number));
        }
        if (findMetric(metric) == nullptr) {
            return invalid(fmt::format("\"{}\" is no figure of a run; known are {}.", metric,
                                       fmt::join(ruleMetrics(), ", ")));
        }
        return FailRule{.text = std::string(text),
                        .metric = std::string(metric),
                        .relation = sign.relation,
                        .limit = limit};
    }
    return invalid(
        fmt::format("\"{}\" is no rule; write it like ttft_p99_ms>300 or failed>0.", text));
}

std::optional<std::string> violation(const FailRule& rule, const RunSummary& summary) {
    const RuleMetric* metric = findMetric(rule.metric);
    const Value value = metric == nullptr ? std::nullopt : metric->get(summary);
    if (!value) {
        return fmt::format("{} has no value in this run, so {} can't be excluded", rule.metric,
                           rule.text);
    }
    if (!holds(rule.relation, *value, rule.limit)) {
        return std::nullopt;
    }
    return fmt::format("{} is {}: {}", rule.metric, figureText(value), rule.text);
}

} // namespace app
