#include "app/store/run_filter.h"

#include <algorithm>
#include <array>

namespace app {

namespace {

constexpr std::array<FilterKey, 13> kKeys = {{
    {"name", FilterValue::Text},
    {"tag", FilterValue::Text},
    {"model", FilterValue::Text},
    {"workload", FilterValue::Text},
    {"state", FilterValue::Text},
    {"id", FilterValue::Number},
    {"requests", FilterValue::Number},
    {"seconds", FilterValue::Number},
    {"p50", FilterValue::Milliseconds},
    {"p90", FilterValue::Milliseconds},
    {"p99", FilterValue::Milliseconds},
    {"output", FilterValue::Number},
    {"goodput", FilterValue::Number},
}};

std::optional<double> numberOf(const RunSummary& run, std::string_view key) {
    if (key == "id") {
        return static_cast<double>(run.run.id);
    }
    if (key == "requests") {
        return static_cast<double>(run.requests);
    }
    if (key == "seconds") {
        return run.run.seconds;
    }
    if (key == "output") {
        return run.outputPerSecond;
    }
    if (key == "goodput") {
        return run.goodputPerSecond;
    }
    return key == "p50" ? run.ttftMs.p50 : key == "p90" ? run.ttftMs.p90 : run.ttftMs.p99;
}

bool matchesTerm(const FilterTerm& term, const RunSummary& run) {
    const RunInfo& info = run.run;
    const auto hasTag = [&](auto&& condition) { return std::ranges::any_of(info.tags, condition); };
    if (term.key.empty()) {
        return occurs(term, info.name) || occurs(term, info.note) || occurs(term, info.modelName) ||
               occurs(term, info.workloadName) ||
               hasTag([&](const std::string& tag) { return occurs(term, tag); });
    }
    if (term.key == "tag") {
        return hasTag([&](const std::string& tag) { return holds(term, std::string_view(tag)); });
    }
    if (term.key == "name") {
        return occurs(term, info.name);
    }
    if (term.key == "model") { // "smol" is enough
        return occurs(term, info.modelName);
    }
    if (term.key == "workload") {
        return occurs(term, info.workloadName);
    }
    if (term.key == "state") {
        return holds(term, name(info.state));
    }
    return holds(term, numberOf(run, term.key));
}

} // namespace

engine::Result<RunFilter> RunFilter::parse(std::string_view text) {
    auto terms = parseFilter(text, kKeys);
    if (!terms) {
        return std::unexpected(terms.error());
    }
    RunFilter filter;
    filter.m_terms = std::move(*terms);
    return filter;
}

bool RunFilter::matches(const RunSummary& run) const {
    return std::ranges::all_of(m_terms, [&run](const FilterTerm& term) {
        return matchesTerm(term, run) != term.isNegated;
    });
}

} // namespace app
