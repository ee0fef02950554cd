// An experiment as a value: what varies, under which workload, in how many blocks, and what is
// claimed of it; its TOML form; and the library that is built in. Pure; any thread.
#pragma once

#include "app/compare/comparison.h"
#include "app/load/workload.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace app {

// How a block is made. Traffic: a workload runs; Load: a second copy of the model is loaded and
// asked once; Typing: prompts are written piece by piece; Tokenize: texts are encoded, nothing
// runs.
enum class Method : std::uint8_t { Traffic, Load, Typing, Tokenize };
std::string_view name(Method method);

// What is made of the blocks of one round, and is claimed. Change, Ratio and Difference are B
// against A; Level is the value itself; Slope, Best and Crossing are of a sweep: growth of the
// metric with the swept value, the value with the best metric, and where the metric passes 1.
enum class Statistic : std::uint8_t { Change, Ratio, Difference, Level, Slope, Best, Crossing };
std::string_view name(Statistic statistic);

enum class ClaimKind : std::uint8_t { None, AtLeast, AtMost, About, Within };
// About: within a tenth of the value. Change is in percent.
struct Claim {
    ClaimKind kind = ClaimKind::None;
    double value = 0.0, high = 0.0; // `high`: of Within
    bool operator==(const Claim&) const = default;
};
inline constexpr double kAboutShare = 0.1;
// ">= 1.52", "<= -40", "about 42", "8..16", "none".
std::string claimText(const Claim& claim);
engine::Result<Claim> parseClaim(std::string_view text);

using SettingTexts = std::vector<std::pair<std::string, std::string>>;

// What holds in a block: settings of the engine, and workload.* for the workload's own figures
// (prompt, output, users, rate, batch_share, set, typed, tenants).
struct Side {
    std::string label; // "A", "B", or the swept value
    SettingTexts settings;
    double x = 0.0; // of a sweep
    bool operator==(const Side&) const = default;
};

struct Experiment {
    std::string name = "own"; // of the file, without its extension
    std::string title, group, note;
    std::vector<std::string> needs; // "cuda", "context:16384", or a setting's key
    Method method = Method::Traffic;
    std::string metric = "output_tokens_per_s";
    Statistic statistic = Statistic::Change;
    Claim claim;
    std::string lane; // only requests of that lane are measured; empty: all
    // Rates are in units of this share of what the engine can do, which is measured first. 0: they
    // are requests a second.
    double saturation = 0.0;
    int blocks = 8; // of all sides together, whole rounds
    double measureSeconds = 20.0, warmupSeconds = 3.0, drainSeconds = 15.0;
    double stopAt = 0.0;  // ends when the interval's half is this share of the estimate; 0: never
    std::string sweepKey; // empty: A against B, or A alone
    std::string workloadName; // built in; empty: `workload` is the file's own
    Workload workload;        // one stage; its settings hold on every side
    std::vector<Side> sides;

    int rounds() const { return sides.empty() ? 0 : blocks / static_cast<int>(sides.size()); }
    double blockSeconds() const { return warmupSeconds + measureSeconds; }
    double seconds() const; // about, drains and loading not counted
    bool operator==(const Experiment&) const = default;
};

// Least rounds that a verdict takes.
inline constexpr int kLeastRounds = 4;

engine::Result<Experiment> parseExperiment(std::string_view toml, std::string_view sourceName);
std::string experimentToml(const Experiment& experiment); // parse(toml(e)) == e
engine::Result<void> validateExperiment(const Experiment& experiment);

struct BuiltInExperiment {
    std::string name, toml;
};
std::vector<BuiltInExperiment> builtInExperiments(); // in the order of the claims table
// A built-in name or a file's path.
engine::Result<Experiment> loadExperiment(const std::string& nameOrPath);

// The workload of one side and round: its figures, the block's length, the round's seed.
engine::Result<Workload> workloadOf(const Experiment& experiment, const Side& side, int round,
                                    double rateFactor);
// Keys of the engine's settings that differ between sides.
std::vector<std::string> variedFields(const Experiment& experiment);
// Empty, or what this build, model or machine lacks for it: an entry of `needs`.
std::optional<std::string> missingNeed(const Experiment& experiment,
                                       const engine::Capabilities* capabilities);

// What a metric of experiments is called and measured in: those of comparisons, and some more.
std::span<const Measure> experimentMeasures();
const Measure* findExperimentMeasure(std::string_view key);

} // namespace app
