#include "app/load/workload.h"

#include "app/load/workload_limits.h"
#include "engine/config.h"

#include <QFile>

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

std::optional<std::string> problemOf(const Stage& stage) {
    const auto bad = [](const WorkloadLimit& limit, double value) {
        return outsideLimit(limit, value);
    };
    if (const auto problem = bad(kSecondsLimit, stage.seconds)) {
        return problem;
    }
    if (stage.kind == ArrivalKind::Closed) {
        return bad(kUsersLimit, stage.users);
    }
    if (const auto problem = bad(kRateLimit, stage.ratePerSecond)) {
        return problem;
    }
    if (const auto problem = bad(kEndRateLimit, stage.endRatePerSecond)) {
        return problem;
    }
    return stage.kind == ArrivalKind::Gamma ? bad(kBurstinessLimit, stage.burstiness)
                                            : std::nullopt;
}

std::optional<std::string> problemOf(const LengthMix& mix, const WorkloadLimit& limit) {
    for (const int value : {mix.minimum, mix.maximum}) {
        if (const auto problem = outsideLimit(limit, value)) {
            return problem;
        }
    }
    if (mix.minimum > mix.maximum) {
        return fmt::format("{} is [{}, {}]: the first number must not be above the second",
                           limit.key, mix.minimum, mix.maximum);
    }
    return std::nullopt;
}

std::optional<std::string> problemOfSets(const std::vector<std::string>& sets) {
    const std::vector<std::string> known = promptSetNames();
    if (sets.empty()) {
        return fmt::format("sets is empty; choose from {}", fmt::join(known, ", "));
    }
    for (const std::string& set : sets) {
        if (std::find(known.begin(), known.end(), set) == known.end()) {
            return fmt::format("there is no prompt set \"{}\"; choose from {}", set,
                               fmt::join(known, ", "));
        }
    }
    return std::nullopt;
}

double expectedRequests(const Workload& workload) {
    double requests = 0.0;
    for (const Stage& stage : workload.stages) {
        if (stage.kind != ArrivalKind::Closed) {
            requests += (stage.ratePerSecond + stage.endRatePerSecond) / 2.0 * stage.seconds;
        }
    }
    return requests;
}

std::optional<std::string> problemOfSettings(const Workload& workload) {
    engine::EngineConfig config;
    for (const auto& [key, value] : workload.settings) {
        const engine::Field* field = engine::findField(key);
        if (field == nullptr) {
            return fmt::format("there is no setting \"{}\"; `headway fields` lists them", key);
        }
        if (const auto set = engine::setFromText(*field, config, value); !set) {
            return set.error().message;
        }
    }
    return std::nullopt;
}

} // namespace

std::string_view name(ArrivalKind kind) {
    constexpr std::array<std::string_view, 3> kNames = {"closed", "poisson", "gamma"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::optional<std::string> outsideLimit(const WorkloadLimit& limit, double value) {
    if (value >= limit.minimum && value <= limit.maximum) {
        return std::nullopt;
    }
    // Written so that a NaN ends here too.
    const double nearest = value > limit.maximum ? limit.maximum : limit.minimum;
    return fmt::format("{} is {}: allowed is {} to {}, the nearest is {}", limit.key, value,
                       limit.minimum, limit.maximum, nearest);
}

double Workload::seconds() const {
    double total = 0.0;
    for (const Stage& stage : stages) {
        total += stage.seconds;
    }
    return total;
}

engine::Result<void> validateWorkload(const Workload& workload) {
    if (workload.stages.empty()) {
        return invalid("The workload has no stage; add one with kind, rate or users, and seconds.");
    }
    std::optional<std::string> problem =
        outsideLimit(kStagesLimit, static_cast<double>(workload.stages.size()));
    for (const Stage& stage : workload.stages) {
        problem = problem ? problem : problemOf(stage);
    }
    problem = problem ? problem : outsideLimit(kDurationLimit, workload.seconds());
    problem = problem ? problem : problemOf(workload.promptTokens, kPromptLimit);
    problem = problem ? problem : problemOf(workload.outputTokens, kOutputLimit);
    problem = problem ? problem : outsideLimit(kBatchShareLimit, workload.batchShare);
    problem = problem ? problem : outsideLimit(kSparseShareLimit, workload.sparseShare);
    problem = problem ? problem : outsideLimit(kTemperatureLimit, double(workload.temperature));
    problem = problem ? problem : outsideLimit(kSeedLimit, static_cast<double>(workload.seed));
    problem = problem ? problem : problemOfSets(workload.promptSets);
    problem = problem ? problem : problemOfSettings(workload);
    if (!problem && expectedRequests(workload) > kMaxPlannedRequests) {
        problem = fmt::format("the stages ask for about {:.0f} requests: allowed is up to {:.0f}, "
                              "so lower a rate or the seconds",
                              expectedRequests(workload), kMaxPlannedRequests);
    }
    if (problem) {
        return invalid("Workload " + workload.name + ": " + *problem + ".");
    }
    return {};
}

Workload withDuration(Workload workload, double seconds) {
    double begin = 0.0;
    for (std::size_t index = 0; index < workload.stages.size(); ++index) {
        Stage& stage = workload.stages[index];
        const bool isLast = index + 1 == workload.stages.size();
        if (begin + stage.seconds >= seconds || isLast) {
            const double kept = seconds - begin;
            if (stage.kind != ArrivalKind::Closed && kept < stage.seconds) {
                // A ramp that is cut keeps its slope.
                stage.endRatePerSecond =
                    stage.ratePerSecond +
                    (stage.endRatePerSecond - stage.ratePerSecond) * (kept / stage.seconds);
            }
            stage.seconds = kept;
            workload.stages.resize(index + 1);
            break;
        }
        begin += stage.seconds;
    }
    return workload;
}

std::vector<BuiltInWorkload> builtInWorkloads() {
    // The order of the list is the order of the form: the default first.
    constexpr std::array<const char*, 6> kNames = {"demo",        "chat",  "ramp",
                                                   "long-prompt", "burst", "pressure"};
    std::vector<BuiltInWorkload> workloads;
    for (const char* builtIn : kNames) {
        QFile file(QStringLiteral(":/headway/workloads/%1.toml").arg(QLatin1String(builtIn)));
        if (file.open(QIODevice::ReadOnly)) {
            workloads.push_back({.name = builtIn, .toml = file.readAll().toStdString()});
        }
    }
    return workloads;
}

engine::Result<Workload> loadWorkload(const std::string& nameOrPath) {
    std::vector<std::string> names;
    for (const BuiltInWorkload& builtIn : builtInWorkloads()) {
        if (builtIn.name == nameOrPath) {
            return parseWorkload(builtIn.toml, builtIn.name);
        }
        names.push_back(builtIn.name);
    }
    std::error_code error;
    if (!std::filesystem::is_regular_file(nameOrPath, error)) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::NotFound,
                          fmt::format("There is no workload \"{}\": neither a file nor one of {}.",
                                      nameOrPath, fmt::join(names, ", "))});
    }
    if (std::filesystem::file_size(nameOrPath, error) > kMaxFileBytes || error) {
        return invalid(fmt::format("{} is too large for a workload file (above 1 MiB); is it the "
                                   "right file?",
                                   nameOrPath));
    }
    std::ifstream stream(nameOrPath, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) {
        return std::unexpected(
            engine::Error{engine::ErrorCode::Io,
                          fmt::format("{} can't be read; check its permissions.", nameOrPath)});
    }
    return parseWorkload(text.str(), nameOrPath);
}

} // namespace app
