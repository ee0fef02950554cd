// The limits of a workload's numbers, one row each, for the TOML reader and the validation of a
// value made elsewhere. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace app {

struct WorkloadLimit {
    std::string_view key; // as the TOML form has it
    double minimum = 0.0;
    double maximum = 0.0;
};

inline constexpr WorkloadLimit kRateLimit{"rate", 0.0, 10'000.0};
inline constexpr WorkloadLimit kEndRateLimit{"end_rate", 0.0, 10'000.0};
inline constexpr WorkloadLimit kBurstinessLimit{"burstiness", 0.01, 100.0};
inline constexpr WorkloadLimit kUsersLimit{"users", 1.0, 4096.0};
inline constexpr WorkloadLimit kSecondsLimit{"seconds", 0.1, 86'400.0};
inline constexpr WorkloadLimit kDurationLimit{"duration", 0.1, 86'400.0};
inline constexpr WorkloadLimit kPromptLimit{"prompt", 1.0, 131'072.0};
inline constexpr WorkloadLimit kOutputLimit{"output", 1.0, 32'768.0};
inline constexpr WorkloadLimit kBatchShareLimit{"batch_share", 0.0, 1.0};
inline constexpr WorkloadLimit kSparseShareLimit{"sparse_share", 0.0, 1.0};
inline constexpr WorkloadLimit kTemperatureLimit{"temperature", 0.0, 5.0};
inline constexpr WorkloadLimit kStagesLimit{"stages", 1.0, 1000.0};
// A TOML integer is signed.
inline constexpr WorkloadLimit kSeedLimit{"seed", 0.0, 9'223'372'036'854'775'807.0};
// Requests of one workload: a day at twelve a second. About 80 MB of list at the limit.
inline constexpr double kMaxPlannedRequests = 1'100'000.0;

// Empty when the value is allowed; else a sentence with key, value, limits and nearest allowed.
std::optional<std::string> outsideLimit(const WorkloadLimit& limit, double value);

} // namespace app
