#include "engine/loop/config_overlay.h"

#include <fmt/format.h>

namespace engine {

namespace {

FieldStatus statusOf(const Field& field, const EngineConfig& requested,
                     const ConfigInForce& inForce, bool isConsidered, std::int64_t waiting) {
    FieldStatus status;
    status.key = field.key;
    status.requested = valueText(field, requested);
    status.effective = valueText(field, inForce.effective);
    if (field.get(requested) == field.get(inForce.applied)) {
        const auto reason = inForce.reasons.find(field.key);
        if (status.requested == status.effective) {
            return status;
        }
        if (reason != inForce.reasons.end()) {
            status.reason = reason->second;
        } else {
            status.reason = fmt::format("{} means {}: {}.", status.requested, field.zeroMeans,
                                        status.effective);
        }
        return status;
    }
    const auto refusal = inForce.refused.find(field.key);
    if (isConsidered && refusal != inForce.refused.end()) {
        status.state = FieldState::Unavailable;
        status.reason = refusal->second;
        return status;
    }
    switch (field.takesEffect) {
    case TakesEffect::NextStep:
        status.state = FieldState::Pending;
        status.reason = "Takes effect at the next step.";
        break;
    case TakesEffect::Drained:
        status.state = FieldState::Pending;
        status.reason = fmt::format("Waiting for {} {} to end.", waiting,
                                    waiting == 1 ? "sequence" : "sequences");
        break;
    case TakesEffect::Reload:
        status.state = FieldState::Unavailable;
        status.reason = "Takes effect when the model is loaded again.";
        break;
    }
    return status;
}

} // namespace

ConfigStatus overlay(const EngineConfig& requested, std::uint64_t requestedVersion,
                     const ConfigInForce& inForce, std::int64_t waiting) {
    const bool isConsidered = requestedVersion == inForce.consideredVersion;
    ConfigStatus status;
    status.version = requestedVersion + inForce.version;
    status.requested = requested;
    status.effective = inForce.effective;
    status.weights = inForce.weights;
    for (const Field& field : fieldTable()) {
        status.fields.push_back(statusOf(field, requested, inForce, isConsidered, waiting));
    }
    return status;
}

} // namespace engine
