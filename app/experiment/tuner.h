// Searches the settings that can be switched live for what serves most requests within the
// operator's limits: successive halving over measured blocks, the Pareto front of TTFT p99 and
// throughput, what each setting moved; and the plain rule beside it. Pure; any thread.
#pragma once

#include "app/experiment/experiment_run.h"

#include <optional>
#include <string>
#include <vector>

namespace app {

struct ServiceLimits {
    std::optional<double> ttftP99Ms, tpotP99Ms;
};
// "ttft_p99=300ms", "tpot_p99=20ms".
engine::Result<ServiceLimits> parseLimits(const std::vector<std::string>& texts);

struct TunerPlan {
    Experiment experiment; // a side a configuration
    struct Round {
        int candidates = 0;
        double measureSeconds = 0.0;
    };
    std::vector<Round> rounds; // each with half of the candidates before
};
// About `minutes` of measuring. Precision takes part where the build has it; what changes answers
// beyond that does not. A closed loop with as many clients as slots, unless a workload is given.
engine::Result<TunerPlan> planTuner(double minutes, const std::optional<Workload>& workload);
// The same for the configurations of an earlier search.
TunerPlan resumedPlan(Experiment experiment, double minutes);
// Rounds one after the other; `before`: blocks of an earlier search that is resumed.
BlockSchedule tunerSchedule(const TunerPlan& plan, std::vector<Block> before = {});

struct TunerPoint {
    int side = 0;
    int round = 0; // the last one it was measured in
    // TTFT is absent where no request was answered in its time, TPOT also of answers of one token.
    std::optional<double> ttftP99Ms, tpotP99Ms;
    double outputPerSecond = 0.0, goodputPerSecond = 0.0;
    std::int64_t n = 0; // answered
    bool meetsLimits = false;
    bool isOnFront = false; // no other is better in both TTFT p99 and output
};
// Median change of pairs that differ in this setting only.
struct SettingEffect {
    std::string field, from, to;
    double output = 0.0, ttftP99 = 0.0; // shares: +0.58
    int pairs = 0;
};
struct TunerResult {
    std::vector<TunerPoint> points; // best goodput first, those without an answer last
    std::vector<SettingEffect> effects;
    std::optional<int> optimum;    // index into the points: most goodput within the limits
    std::optional<int> ruleChoice; // index of the rule's configuration, if it was measured
};
TunerResult tunerResult(const Experiment& experiment, const std::vector<Block>& blocks,
                        const ServiceLimits& limits);

// The chosen settings against those of `inForce`, A-B-A-B, by goodput: under the workload of the
// search, with as many clients on both sides as it had for them.
Experiment tunerProof(const Experiment& search, const SettingTexts& chosen,
                      const SettingTexts& inForce);

// The rule as the text has it: a TTFT target below 300 ms asks for realtime first, else throughput
// first.
struct Advice {
    bool isRealtime = false;
    SettingTexts settings;
};
Advice ruleFor(const ServiceLimits& limits);
inline constexpr double kRealtimeBelowMs = 300.0;

} // namespace app
