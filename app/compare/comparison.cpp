#include "app/compare/comparison.h"

#include "app/json_depth.h"
#include "app/store/summary.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace app {

namespace {

constexpr double kSameShare = 0.01;  // of a's value
constexpr double kSameLength = 0.05; // of the longer run
constexpr std::array kMachineKeys = {"cpu", "isa", "threads", "memory_bytes", "device"};

// Runs of one request list see the same arrivals in the same second, so their rates are compared
// second by second: what the arrivals do to both falls out.
std::optional<Interval> pairedSeconds(const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> differences(std::min(a.size(), b.size()));
    std::ranges::transform(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(differences.size()),
                           a.begin(), a.begin() + static_cast<std::ptrdiff_t>(differences.size()),
                           differences.begin(), std::minus<>());
    return bootstrapMean(differences);
}

// Arrivals pair up only where both runs let all of them come.
bool haveSameLength(const std::vector<double>& a, const std::vector<double>& b) {
    const auto longer = static_cast<double>(std::max(a.size(), b.size()));
    const auto shorter = static_cast<double>(std::min(a.size(), b.size()));
    return longer - shorter <= 0.02 * longer + 1;
}

bool haveSameRequests(const RunData& a, const RunData& b) {
    const RunInfo &ofA = a.summary.run, &ofB = b.summary.run;
    return !ofA.requestDigest.empty() && ofA.requestDigest == ofB.requestDigest;
}

std::optional<Interval> differenceInterval(const Measure& measure, const MeasureValues& a,
                                           const MeasureValues& b, bool isPaired) {
    if (!a.clusters.values.empty() && !b.clusters.values.empty()) {
        return bootstrapClusterDifference(a.clusters, b.clusters, measure.quantile);
    }
    if (measure.quantile > 0) {
        return bootstrapQuantileDifference(a.sorted, b.sorted, measure.quantile);
    }
    return isPaired && haveSameLength(a.seconds, b.seconds)
               ? pairedSeconds(a.seconds, b.seconds)
               : bootstrapMeanDifference(a.seconds, b.seconds);
}

ComparisonRow compareMeasure(const Measure& measure, const RunData& a, const RunData& b) {
    const RunInfo& limits = a.summary.run;
    const MeasureValues ofA = valuesOf(measure, a, limits), ofB = valuesOf(measure, b, limits);
    ComparisonRow row{.metric = std::string(measure.key),
                      .unit = std::string(measure.unit),
                      .a = ofA.value,
                      .b = ofB.value,
                      .difference = std::nullopt,
                      .interval = std::nullopt,
                      .verdict = Verdict::None,
                      .nA = ofA.n,
                      .nB = ofB.n};
    if (!row.a || !row.b) {
        return row;
    }
    row.difference = *row.b - *row.a;
    if (measure.leastCount() > 0) {
        row.interval = differenceInterval(measure, ofA, ofB, haveSameRequests(a, b));
        row.verdict = judge(measure, row.a, row.interval);
    }
    return row;
}

std::string machineFact(const RunData& run, const char* key) {
    const auto json = parseBounded<nlohmann::json>(run.summary.run.machineJson);
    return json.is_object() && json.contains(key) ? json[key].dump() : std::string();
}

void compareSettings(Comparison& comparison, const RunSummary& a, const RunSummary& b) {
    const auto find = [](const RunSummary& run, const std::string& field) {
        const auto row = std::ranges::find(run.settings, field, &SettingRow::field);
        return row != run.settings.end() ? *row : SettingRow{};
    };
    std::vector<std::string> fields;
    for (const RunSummary* run : {&a, &b}) {
        for (const SettingRow& row : run->settings) {
            if (std::ranges::find(fields, row.field) == fields.end()) {
                fields.push_back(row.field);
            }
        }
    }
    for (const std::string& field : fields) {
        const SettingRow ofA = find(a, field), ofB = find(b, field);
        if (ofA.requested == ofB.requested && ofA.effective == ofB.effective) {
            ++comparison.equalSettings;
        } else {
            comparison.settings.push_back({.field = field,
                                           .requestedA = ofA.requested,
                                           .effectiveA = ofA.effective,
                                           .requestedB = ofB.requested,
                                           .effectiveB = ofB.effective});
        }
    }
}

std::vector<std::string> cautions(const RunData& a, const RunData& b) {
    const RunInfo &ofA = a.summary.run, &ofB = b.summary.run;
    std::vector<std::string> kinds = {"sequential"};
    const auto add = [&kinds](bool applies, const char* kind) {
        if (applies) {
            kinds.emplace_back(kind);
        }
    };
    add(!haveSameRequests(a, b), "request_list_differs");
    add(std::ranges::any_of(
            kMachineKeys,
            [&](const char* key) { return machineFact(a, key) != machineFact(b, key); }),
        "machine_differs");
    add(ofA.modelDigest != ofB.modelDigest, "model_differs");
    add(std::abs(ofA.seconds - ofB.seconds) > kSameLength * std::max(ofA.seconds, ofB.seconds),
        "length_differs");
    add(!haveSameLimits(ofA, ofB), "limits_differ");
    add(std::max(a.summary.hitShare.value_or(0), b.summary.hitShare.value_or(0)) >= kPrefixHitShare,
        "prefix_hits");
    add(ofA.state != RunState::Finished || ofB.state != RunState::Finished, "interrupted");
    add(ofA.isIncomplete || ofB.isIncomplete, "incomplete");
    return kinds;
}

} // namespace

std::string_view name(Verdict verdict) {
    constexpr std::array<std::string_view, 5> kNames = {"better", "worse", "same", "not resolved",
                                                        "none"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Verdict judge(const Measure& measure, std::optional<double> a,
              const std::optional<Interval>& interval) {
    if (!a || !interval) {
        return Verdict::NotResolved;
    }
    const double margin = kSameShare * std::abs(*a);
    if (-margin <= interval->low && interval->high <= margin) {
        return Verdict::Same;
    }
    if (interval->low <= 0 && interval->high >= 0) {
        return Verdict::NotResolved;
    }
    const bool isHigher = interval->low > 0;
    return isHigher == (measure.better == Better::Higher) ? Verdict::Better : Verdict::Worse;
}

std::optional<std::int64_t> moreNeeded(const ComparisonRow& row) {
    const Measure* measure = findMeasure(row.metric);
    if (row.verdict != Verdict::NotResolved || measure == nullptr) {
        return std::nullopt;
    }
    const std::int64_t n = std::min(row.nA, row.nB);
    if (n < measure->leastCount()) {
        return measure->leastCount() - n;
    }
    if (!row.interval || !row.difference || *row.difference == 0) {
        return std::nullopt;
    }
    constexpr double kMost = 1e6; // beyond, nobody waits for it
    const double half = (row.interval->high - row.interval->low) / 2;
    const double times = (half / *row.difference) * (half / *row.difference);
    const double more = static_cast<double>(n) * (times - 1);
    return more > 0 && more < kMost ? std::optional(static_cast<std::int64_t>(std::ceil(more)))
                                    : std::nullopt;
}

Comparison compareRuns(const RunData& a, const RunData& b) {
    Comparison comparison;
    for (const Measure& measure : measures()) {
        comparison.rows.push_back(compareMeasure(measure, a, b));
    }
    compareSettings(comparison, a.summary, b.summary);
    comparison.cautions = cautions(a, b);
    return comparison;
}

} // namespace app
