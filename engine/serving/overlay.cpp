#include "engine/serving/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace engine {

namespace {

constexpr std::string_view kPolicyField = "batching.policy";
constexpr std::string_view kPrecisionFlag = "--precision"; // where weights can be changed at all
constexpr int kLightBits = 8;

std::string_view weightsValue(LevelWeights weights) {
    return weights == LevelWeights::Int4 ? "int4" : "int8";
}

int bitsOfWeights(LevelWeights weights) {
    return weights == LevelWeights::Int4 ? 4 : kLightBits;
}

const FieldStatus* statusOf(const ConfigStatus& status, std::string_view key) {
    const auto found = std::ranges::find(status.fields, key, &FieldStatus::key);
    return found == status.fields.end() ? nullptr : &*found;
}

// What the engine says of a field that its level holds.
void follow(LevelAction& action, const ConfigStatus& status) {
    const FieldStatus* field = statusOf(status, action.target);
    if (field == nullptr) {
        return;
    }
    switch (field->state) {
    case FieldState::InForce:
    case FieldState::Held:
        action.state = ActionState::InForce;
        break;
    case FieldState::Pending:
    case FieldState::Preparing:
        action.state = ActionState::Preparing;
        action.reason = field->reason;
        break;
    case FieldState::Unavailable:
        action.state = ActionState::Unavailable;
        action.reason = field->reason;
        break;
    }
}

LevelAction batchingAction(int level, const EngineConfig& requested, const ConfigStatus& status) {
    const Field& field = *findField(kPolicyField);
    LevelAction action{.level = 1, .field = "degradation.batching", .target = field.key};
    action.before = action.after = valueText(field, requested);
    if (requested.serving.level1Batching == LevelBatching::Keep) {
        action.state = ActionState::Skipped;
        action.reason = "The setting says to keep it.";
    } else if (requested.batching != Batching::Dynamic) {
        action.state = ActionState::Skipped;
        action.reason = "Only the dynamic policy lets requests wait for a window.";
    } else {
        EngineConfig under = requested;
        under.batching = Batching::Continuous;
        action.after = valueText(field, under);
        if (level >= 1) {
            follow(action, status);
        }
    }
    return action;
}

// Before its level is in force.
void tellAhead(LevelAction& action, const WeightsAhead& ahead) {
    switch (ahead.state) {
    case WeightsAhead::State::None:
        action.reason = "They are converted when the level begins.";
        break;
    case WeightsAhead::State::Preparing:
        action.reason = "They are being converted in advance.";
        break;
    case WeightsAhead::State::Ready:
        action.reason = "They are ready.";
        break;
    case WeightsAhead::State::Failed:
        action.reason = ahead.reason;
        break;
    }
}

LevelAction weightsAction(int level, const EngineConfig& requested, const ConfigStatus& status,
                          std::string_view fileFormat, const WeightsAhead& ahead) {
    const LevelWeights wanted = requested.serving.level1Weights;
    LevelAction action{.level = 1, .field = "degradation.weights"};
    const Field* field = findField(kPrecisionFlag);
    if (wanted == LevelWeights::Keep) {
        action.state = ActionState::Skipped;
        action.reason = "The setting says to keep it.";
        return action;
    }
    action.after = weightsValue(wanted);
    if (field == nullptr) {
        action.before = fileFormat;
        action.state = ActionState::Unavailable;
        action.reason = "Weights are computed with as the file has them.";
        return action;
    }
    action.target = field->key;
    action.before = valueText(*field, requested);
    if (weightBitsOf(requested, fileFormat) <= bitsOfWeights(wanted)) {
        action.after = action.before;
        action.state = ActionState::Skipped;
        action.reason = "The weights in use are that light already.";
    } else if (level >= 1) {
        follow(action, status);
    } else {
        tellAhead(action, ahead);
    }
    return action;
}

LevelAction answersAction(int level, const EngineConfig& requested) {
    LevelAction action{.level = 2, .field = "degradation.answers"};
    if (!requested.serving.usesAnswersAtLevel2) {
        action.state = ActionState::Skipped;
        action.reason = "The setting says not to.";
    } else if (level >= 2) {
        action.state = ActionState::InForce;
    }
    return action;
}

LevelAction lightAction(int level, const EngineConfig& requested, const LightModelStatus& light) {
    LevelAction action{.level = 2, .field = "degradation.light", .after = light.model};
    if (!requested.serving.usesLightModelAtLevel2) {
        action.state = ActionState::Skipped;
        action.reason = "The setting says not to.";
        return action;
    }
    switch (light.state) {
    case LightModelStatus::State::None:
        action.state = ActionState::Unavailable;
        action.reason = "No light model is chosen (setting light.model).";
        break;
    case LightModelStatus::State::Loading:
        action.state = ActionState::Preparing;
        action.reason = "It is being loaded.";
        break;
    case LightModelStatus::State::Failed:
        action.state = ActionState::Unavailable;
        action.reason = light.reason;
        break;
    case LightModelStatus::State::Ready:
        action.state = level >= 2 ? ActionState::InForce : ActionState::Ready;
        break;
    }
    return action;
}

} // namespace

std::string_view name(ActionState state) {
    constexpr std::array<std::string_view, 5> kNames = {"ready", "preparing", "in force", "skipped",
                                                        "unavailable"};
    return kNames[static_cast<std::size_t>(state)];
}

int weightBitsOf(const EngineConfig& config, std::string_view fileFormat) {
    constexpr int kFullBits = 16;
    const Field* field = findField(kPrecisionFlag);
    const std::string value = field != nullptr ? valueText(*field, config) : "file";
    if (value.starts_with("int4")) {
        return 4;
    }
    if (value.ends_with("8")) { // int8, fp8
        return kLightBits;
    }
    if (value != "file") {
        return kFullBits;
    }
    const bool isFull = fileFormat.starts_with("F") || fileFormat.starts_with("BF");
    if (isFull && !fileFormat.ends_with("8")) {
        return kFullBits;
    }
    // "Q4_1", "IQ2_XS", "Q8_0": the digit tells.
    const auto digit = fileFormat.find_first_of("12345678");
    return digit == std::string_view::npos ? kFullBits : fileFormat[digit] - '0';
}

EngineConfig underLevel(int level, const EngineConfig& requested, int weightBits) {
    EngineConfig config = requested;
    if (level < 1) {
        return config;
    }
    const ServingConfig& serving = requested.serving;
    config.checksQuality = false; // no time for copies of the weights and a tenth of the cores
    if (serving.level1Batching == LevelBatching::Continuous &&
        requested.batching == Batching::Dynamic) {
        config.batching = Batching::Continuous;
    }
    const Field* precision = findField(kPrecisionFlag);
    if (precision != nullptr && serving.level1Weights != LevelWeights::Keep &&
        weightBits > bitsOfWeights(serving.level1Weights)) {
        EngineConfig light = config;
        if (setFromText(*precision, light, weightsValue(serving.level1Weights))) {
            config = light;
        }
    }
    return config;
}

std::vector<LevelAction> levelActions(int level, const EngineConfig& requested,
                                      const ConfigStatus& status, std::string_view fileFormat,
                                      const LightModelStatus& light, const WeightsAhead& ahead) {
    return {batchingAction(level, requested, status),
            weightsAction(level, requested, status, fileFormat, ahead),
            answersAction(level, requested), lightAction(level, requested, light)};
}

ConfigStatus heldStatus(int level, const EngineConfig& requested, ConfigStatus status,
                        int weightBits) {
    const EngineConfig under = underLevel(level, requested, weightBits);
    status.requested = requested;
    for (FieldStatus& row : status.fields) {
        const Field* field = findField(row.key);
        if (field == nullptr || field->get(under) == field->get(requested)) {
            continue;
        }
        row.requested = valueText(*field, requested);
        const bool isThere = row.state == FieldState::InForce;
        row.state = FieldState::Held;
        row.reason = isThere ? fmt::format("Held by level {}.", level)
                             : fmt::format("Held by level {}. {}", level, row.reason);
    }
    return status;
}

} // namespace engine
