#include "app/observe/request_filter.h"

#include <algorithm>

namespace app {

namespace {

std::string_view laneKey(engine::Lane lane) {
    return lane == engine::Lane::Batch ? "batch" : "realtime";
}

constexpr std::array<FilterKey, 14> kPlainKeys = {{
    {"tag", FilterValue::Text},
    {"lane", FilterValue::Text},
    {"outcome", FilterValue::Text},
    {"reason", FilterValue::Text},
    {"label", FilterValue::Text},
    {"id", FilterValue::Number},
    {"prompt", FilterValue::Number},
    {"hit", FilterValue::Number},
    {"output", FilterValue::Number},
    {"preemptions", FilterValue::Number},
    {"ttft", FilterValue::Milliseconds},
    {"tpot", FilterValue::Milliseconds},
    {"e2e", FilterValue::Milliseconds},
    {"due", FilterValue::Number},
}};

std::optional<double> plainNumber(const RequestRow& row, std::string_view key) {
    if (key == "id") {
        return static_cast<double>(row.id);
    }
    if (key == "prompt") {
        return static_cast<double>(row.promptTokens);
    }
    if (key == "hit") {
        return static_cast<double>(row.hitTokens);
    }
    if (key == "output") {
        return static_cast<double>(row.outputTokens);
    }
    if (key == "preemptions") {
        return static_cast<double>(row.preemptions.size());
    }
    if (key == "ttft") {
        return row.ttftMs;
    }
    if (key == "tpot") {
        return row.tpotMs;
    }
    return key == "e2e" ? row.e2eMs : row.dueSeconds;
}

std::optional<double> stageNumber(const RequestRow& row, std::string_view key) {
    for (std::size_t i = 0; row.ledgerMs && i < engine::kStages; ++i) {
        if (engine::name(static_cast<engine::Stage>(i)) == key) {
            return static_cast<double>((*row.ledgerMs)[i]);
        }
    }
    return std::nullopt;
}

bool matchesWord(const FilterTerm& term, const RequestRow& row) {
    const auto tags = tagKeys(row.tags);
    return occurs(term, row.label) || occurs(term, row.message) ||
           occurs(term, engine::name(row.outcome)) || occurs(term, laneKey(row.lane)) ||
           std::ranges::any_of(tags, [&](std::string_view tag) { return occurs(term, tag); });
}

bool matchesTerm(const FilterTerm& term, const RequestRow& row) {
    if (term.key.empty()) {
        return matchesWord(term, row);
    }
    if (term.key == "tag") {
        const auto tags = tagKeys(row.tags);
        return std::ranges::any_of(tags, [&](std::string_view tag) { return holds(term, tag); });
    }
    if (term.key == "lane") {
        return holds(term, laneKey(row.lane));
    }
    if (term.key == "outcome") {
        return holds(term, engine::name(row.outcome));
    }
    if (term.key == "reason") {
        return holds(term, engine::name(row.reason));
    }
    if (term.key == "label") {
        return holds(term, std::string_view(row.label));
    }
    const bool isPlain = std::ranges::find(kPlainKeys, std::string_view(term.key),
                                           &FilterKey::name) != kPlainKeys.end();
    return holds(term, isPlain ? plainNumber(row, term.key) : stageNumber(row, term.key));
}

constexpr std::size_t kKeyCount = kPlainKeys.size() + engine::kStages;

std::array<FilterKey, kKeyCount> allKeys() {
    std::array<FilterKey, kKeyCount> keys;
    std::ranges::copy(kPlainKeys, keys.begin());
    for (std::size_t i = 0; i < engine::kStages; ++i) {
        keys[kPlainKeys.size() + i] = {engine::name(static_cast<engine::Stage>(i)),
                                       FilterValue::Milliseconds};
    }
    return keys;
}

} // namespace

std::span<const FilterKey> requestFilterKeys() {
    static const std::array<FilterKey, kKeyCount> kKeys = allKeys();
    return kKeys;
}

engine::Result<RequestFilter> RequestFilter::parse(std::string_view text) {
    auto terms = parseFilter(text, requestFilterKeys());
    if (!terms) {
        return std::unexpected(terms.error());
    }
    RequestFilter filter;
    filter.m_terms = std::move(*terms);
    return filter;
}

bool RequestFilter::matches(const RequestRow& row) const {
    return std::ranges::all_of(m_terms, [&row](const FilterTerm& term) {
        return matchesTerm(term, row) != term.isNegated;
    });
}

} // namespace app
