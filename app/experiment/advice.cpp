#include "app/experiment/advice.h"

#include <algorithm>
#include <array>

namespace app {

namespace {

constexpr std::array<std::string_view, 4> kServing = {"batching.policy", "batching.max_batch",
                                                      "batching.token_budget", "weights.precision"};

// The last one counts: settings of a run are in order of time.
std::optional<std::string> effectiveOf(const RunSummary& run, std::string_view key) {
    std::optional<std::string> value;
    for (const SettingRow& row : run.settings) {
        if (row.field == key) {
            value = row.effective.empty() ? row.requested : row.effective;
        }
    }
    return value;
}

} // namespace

bool isWithin(const RunSummary& run, const ServiceLimits& limits) {
    return (!limits.ttftP99Ms || (run.ttftMs.p99 && *run.ttftMs.p99 <= *limits.ttftP99Ms)) &&
           (!limits.tpotP99Ms || (run.tpotMs.p99 && *run.tpotMs.p99 <= *limits.tpotP99Ms));
}

std::optional<RunSummary> bestRecorded(const std::vector<RunSummary>& runs,
                                       const ServiceLimits& limits) {
    const RunSummary* best = nullptr;
    for (const RunSummary& run : runs) {
        const bool isSure = run.ttftMs.n >= leastCount(0.99) && run.ttftMs.p99;
        if (isSure && isWithin(run, limits) &&
            (best == nullptr || run.requestsPerSecond > best->requestsPerSecond)) {
            best = &run;
        }
    }
    return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::optional<RunSummary> recordedWith(const std::vector<RunSummary>& runs,
                                       const SettingTexts& settings) {
    const RunSummary* newest = nullptr;
    for (const RunSummary& run : runs) {
        const bool isIt = std::ranges::all_of(settings, [&run](const auto& setting) {
            return effectiveOf(run, setting.first) == setting.second;
        });
        if (isIt && run.ttftMs.n > 0 && (newest == nullptr || run.run.id > newest->run.id)) {
            newest = &run;
        }
    }
    return newest != nullptr ? std::optional(*newest) : std::nullopt;
}

SettingTexts servingSettings(const RunSummary& run) {
    SettingTexts settings;
    for (const std::string_view key : kServing) {
        if (const auto value = effectiveOf(run, key)) {
            settings.emplace_back(std::string(key), *value);
        }
    }
    return settings;
}

} // namespace app
