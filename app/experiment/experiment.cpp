#include "app/experiment/experiment.h"

#include "app/load/workload_limits.h"

#include <QFile>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace app {

namespace {

constexpr std::uintmax_t kMaxFileBytes = 1U << 20U;

std::unexpected<engine::Error> invalid(std::string message) {
    return std::unexpected(engine::Error{engine::ErrorCode::Invalid, std::move(message)});
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// "+15 %", "1.52x", "85 ms": the number; what it is measured in follows from the metric.
std::optional<double> leadingNumber(std::string_view text, bool mayHaveUnit = true) {
    text = trimmed(text);
    text.remove_prefix(text.starts_with('+') ? 1 : 0);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || !std::isfinite(value)) {
        return std::nullopt;
    }
    const std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const bool isUnit = std::ranges::none_of(rest, [](char c) { return c >= '0' && c <= '9'; });
    return rest.empty() || (mayHaveUnit && isUnit) ? std::optional(value) : std::nullopt;
}

// Figures of the workload that a side sets.
engine::Result<void> applyToWorkload(Workload& workload, std::string_view key,
                                     const std::string& value) {
    if (key == "workload.set") {
        workload.promptSets = {value};
        return {};
    }
    if (key == "workload.typed") {
        return {}; // read by the block that types
    }
    if (key == "workload.tenants") { // read by the block that loads
        return value == "copies" || value == "adapters"
                   ? engine::Result<void>()
                   : invalid(fmt::format("{} is \"{}\": copies or adapters", key, value));
    }
    const auto number = leadingNumber(value, false);
    if (!number) {
        return invalid(fmt::format("{} is \"{}\": it must be a number", key, value));
    }
    const double wanted = *number;
    Stage& stage = workload.stages.front();
    if (key == "workload.rate") {
        stage.ratePerSecond = stage.endRatePerSecond = wanted;
    } else if (key == "workload.users") {
        stage.users = static_cast<int>(std::clamp(wanted, 0.0, 1e9));
    } else if (key == "workload.batch_share") {
        workload.batchShare = wanted;
    } else {
        const int tokens = static_cast<int>(std::clamp(wanted, 0.0, 1e9));
        (key == "workload.prompt" ? workload.promptTokens : workload.outputTokens) = {tokens,
                                                                                      tokens};
    }
    return {};
}

} // namespace

std::string_view name(Method method) {
    constexpr std::array<std::string_view, 4> kNames = {"traffic", "load", "typing", "tokenize"};
    return kNames[static_cast<std::size_t>(method)];
}

std::string_view name(Statistic statistic) {
    constexpr std::array<std::string_view, 7> kNames = {"change", "ratio", "difference", "level",
                                                        "slope",  "best",  "crossing"};
    return kNames[static_cast<std::size_t>(statistic)];
}

std::string claimText(const Claim& claim) {
    switch (claim.kind) {
    case ClaimKind::None:
        break;
    case ClaimKind::AtLeast:
        return fmt::format(">= {}", claim.value);
    case ClaimKind::AtMost:
        return fmt::format("<= {}", claim.value);
    case ClaimKind::About:
        return fmt::format("about {}", claim.value);
    case ClaimKind::Within:
        return fmt::format("{}..{}", claim.value, claim.high);
    }
    return "none";
}

engine::Result<Claim> parseClaim(std::string_view text) {
    struct Form {
        std::string_view prefix;
        ClaimKind kind;
    };
    constexpr std::array kForms = {Form{">=", ClaimKind::AtLeast}, Form{"<=", ClaimKind::AtMost},
                                   Form{"about ", ClaimKind::About}};
    const std::string_view whole = trimmed(text);
    if (whole == "none") {
        return Claim{};
    }
    for (const Form& form : kForms) {
        if (whole.starts_with(form.prefix)) {
            if (const auto value = leadingNumber(whole.substr(form.prefix.size()))) {
                return Claim{.kind = form.kind, .value = *value};
            }
        }
    }
    if (const auto dots = whole.find(".."); dots != std::string_view::npos) {
        const auto low = leadingNumber(whole.substr(0, dots), false);
        const auto high = leadingNumber(whole.substr(dots + 2));
        if (low && high && *low <= *high) {
            return Claim{.kind = ClaimKind::Within, .value = *low, .high = *high};
        }
    }
    return invalid(fmt::format("claim is \"{}\": write \">= 1.52\", \"<= -40 %\", \"about 42\", "
                               "\"8..16\" or \"none\"",
                               text));
}

double Experiment::seconds() const {
    constexpr double kLoadSeconds = 3.0; // of a small model; a large one takes what it takes
    return method == Method::Load ? blocks * kLoadSeconds : blocks * blockSeconds();
}

engine::Result<void> validateExperiment(const Experiment& experiment) {
    const auto sides = static_cast<int>(experiment.sides.size());
    if (sides == 0) {
        return invalid("an experiment needs a side");
    }
    if (experiment.workload.stages.size() != 1) {
        return invalid("the workload of an experiment has one stage");
    }
    if (experiment.blocks < sides || experiment.blocks % sides != 0) {
        const int nearest = std::max(1, experiment.blocks / sides) * sides;
        return invalid(fmt::format("blocks is {}: {} sides take turns, so it must be a multiple of "
                                   "{}, the nearest is {}",
                                   experiment.blocks, sides, sides, nearest));
    }
    const bool isSweep = !experiment.sweepKey.empty();
    const bool wantsSweep = experiment.statistic == Statistic::Slope ||
                            experiment.statistic == Statistic::Best ||
                            experiment.statistic == Statistic::Crossing;
    const bool wantsPair = experiment.statistic == Statistic::Change ||
                           experiment.statistic == Statistic::Ratio ||
                           experiment.statistic == Statistic::Difference;
    if (wantsSweep && !isSweep) {
        return invalid(fmt::format("statistic {} needs a [sweep]", name(experiment.statistic)));
    }
    if (wantsPair && (isSweep || sides != 2)) {
        return invalid(
            fmt::format("statistic {} compares [b] with [a]; both are needed and no sweep",
                        name(experiment.statistic)));
    }
    for (const Side& side : experiment.sides) {
        if (auto made = workloadOf(experiment, side, 0, 1.0); !made) {
            return std::unexpected(made.error());
        }
    }
    return {};
}

engine::Result<Workload> workloadOf(const Experiment& experiment, const Side& side, int round,
                                    double rateFactor) {
    Workload workload = experiment.workload;
    for (const auto& [key, value] : side.settings) {
        if (key.starts_with("workload.")) {
            if (auto applied = applyToWorkload(workload, key, value); !applied) {
                return std::unexpected(applied.error());
            }
        }
    }
    Stage& stage = workload.stages.front();
    stage.seconds = experiment.blockSeconds();
    stage.ratePerSecond *= rateFactor;
    stage.endRatePerSecond *= rateFactor;
    // Sides of a round send the same requests; another round sends others.
    workload.seed += static_cast<std::uint64_t>(round);
    workload.settings.clear(); // the experiment holds them
    if (auto valid = validateWorkload(workload); !valid) {
        return std::unexpected(valid.error());
    }
    return workload;
}

std::vector<std::string> variedFields(const Experiment& experiment) {
    std::vector<std::string> fields;
    for (const Side& side : experiment.sides) {
        for (const auto& [key, value] : side.settings) {
            const bool isNew = std::ranges::find(fields, key) == fields.end();
            if (!key.starts_with("workload.") && isNew) {
                fields.push_back(key);
            }
        }
    }
    return fields;
}

std::optional<std::string> missingNeed(const Experiment& experiment,
                                       const engine::Capabilities* capabilities) {
    for (const std::string& need : experiment.needs) {
        constexpr std::string_view kContext = "context:";
        if (need.starts_with(kContext)) {
            const auto tokens = leadingNumber(std::string_view(need).substr(kContext.size()));
            if (capabilities != nullptr && tokens &&
                static_cast<double>(capabilities->contextTokens) < *tokens) {
                return need;
            }
        } else if (need == "cuda") {
            if (capabilities == nullptr || !capabilities->device.starts_with("CUDA")) {
                return need;
            }
        } else if (engine::findField(need) == nullptr) {
            return need;
        }
    }
    return std::nullopt;
}

// The claims table is in this order; a file of the resources that is not named here is an error
// of the build, found by a test.
std::vector<BuiltInExperiment> builtInExperiments() {
    constexpr std::array kNames = {
        "map-or-read",       "warm-up",          "kernels-ahead",    "cuda-graphs",
        "prompt-slope",      "long-prompts",     "ledger-kv",        "ledger-weights",
        "ledger-compute",    "queue-saturation", "priority",         "tokenize-english",
        "tokenize-chinese",  "tokenize-code",    "tokenize-memory",  "int8-throughput",
        "fp8-throughput",    "batch-size",       "dynamic-time-out", "dynamic-tail",
        "continuous-single", "selective",        "selective-ttft",   "sparse-attention",
        "kv-int4",           "cold-blocks",      "tenants",          "streaming-prefill",
        "degradation-1"};
    std::vector<BuiltInExperiment> list;
    for (const char* entry : kNames) {
        QFile file(QStringLiteral(":/headway/experiments/%1.toml").arg(QLatin1String(entry)));
        if (file.open(QIODevice::ReadOnly)) {
            list.push_back({.name = entry, .toml = file.readAll().toStdString()});
        }
    }
    return list;
}

engine::Result<Experiment> loadExperiment(const std::string& nameOrPath) {
    const auto builtIn = builtInExperiments();
    const auto found = std::ranges::find(builtIn, nameOrPath, &BuiltInExperiment::name);
    if (found != builtIn.end()) {
        return parseExperiment(found->toml, found->name);
    }
    std::error_code error;
    const auto size = std::filesystem::file_size(nameOrPath, error);
    if (error) {
        return std::unexpected(engine::Error{
            engine::ErrorCode::NotFound,
            fmt::format("\"{}\" is no experiment of the library and no file that can be read; "
                        "`headway experiment list` names the library.",
                        nameOrPath)});
    }
    if (size > kMaxFileBytes) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::TooLarge,
                          fmt::format("{} has {} bytes; an experiment has at most {}.", nameOrPath,
                                      size, kMaxFileBytes)});
    }
    std::ifstream stream(nameOrPath, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    return parseExperiment(content.str(), nameOrPath);
}

} // namespace app
