// Conditions on a run's figures, "ttft_p99_ms>300", for `headway load --fail-on`. Pure; any thread.
#pragma once

#include "app/store/run_store.h"
#include "engine/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

enum class Relation : std::uint8_t { Above, AtLeast, Below, AtMost };

struct FailRule {
    std::string text; // as it was written
    std::string metric;
    Relation relation = Relation::Above;
    double limit = 0.0;
};

// Names a rule may use: "ttft_p99_ms", "output_tokens_per_s", "failed", ...
std::vector<std::string> ruleMetrics();
engine::Result<FailRule> parseFailRule(std::string_view text);
// Why the run fails by this rule, or empty. A figure that has no value fails every rule about it:
// nothing shows that the condition was met.
std::optional<std::string> violation(const FailRule& rule, const RunSummary& summary);

} // namespace app
