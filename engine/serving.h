// What stands around the engine to serve under pressure: levels of degradation, stored answers, a
// light model. Wraps any Backend and is one; its settings are fields like the others.
#pragma once

#include "engine/backend.h"

#include <optional>

namespace engine {

// One line of what a level does.
enum class ActionState : std::uint8_t {
    Ready,       // would take effect with its level
    Preparing,   // its level is in force, it is not yet
    InForce,     // its level is in force, and it is
    Skipped,     // nothing to do: it is that light already, or the setting says to keep
    Unavailable, // it can't be had, for the reason given
};
std::string_view name(ActionState state);

struct LevelAction {
    int level = 1;
    std::string_view field = {};         // of the setting that edits this line
    std::string_view target = {};        // of the setting that the level holds; empty for level 2's
    std::string before = {}, after = {}; // of the target: as requested, and under the level
    ActionState state = ActionState::Ready;
    std::string reason = {}; // English sentence of Skipped and Unavailable
};

enum class EffectVerdict : std::uint8_t { Better, Worse, NotResolved };
std::string_view name(EffectVerdict verdict);

// What a change of the level did to the time to first token: medians with what they surely lie
// between.
struct LevelEffect {
    int before = 0;
    int after = 0;
    std::optional<double> beforeMs = {}, afterMs = {};
    std::int64_t beforeN = 0, afterN = 0;
    EffectVerdict verdict = EffectVerdict::NotResolved;
};

struct LightModelStatus {
    enum class State : std::uint8_t { None, Loading, Ready, Failed };
    State state = State::None;
    std::string model = {};
    std::string reason = {}; // why it failed
    std::int64_t running = 0;
};

struct AnswerStoreStatus {
    std::int64_t entries = 0;
    std::uint64_t bytes = 0;
    std::uint64_t hits = 0, misses = 0;
    std::uint64_t changes = 0; // grows whenever the answers are other ones
};

// An answer that may be given again, as it is taken from one store into another.
struct StoredAnswer {
    std::vector<TokenStream::Chunk> pieces = {};
    FinishReason reason = FinishReason::Stop;
    std::int64_t promptTokens = 0;
    std::int64_t outputTokens = 0;
};
struct KeptAnswer {
    std::string key; // all that decides it, the prompt among it
    std::shared_ptr<const StoredAnswer> answer;
    Nanoseconds age{};
};

struct ServingStatus {
    DegradationMode mode = DegradationMode::Off;
    int level = 0;         // in force
    bool isTrying = false; // the level below the settled one, for a few requests
    std::optional<double> p90Ms = {}, lowMs = {}; // of the watched window
    std::int64_t n = 0;
    std::optional<Nanoseconds> untilTrial = {};
    Nanoseconds recovery{};
    std::vector<LevelAction> actions = {};
    std::optional<LevelEffect> effect = {}; // of the last change that was measured
    LightModelStatus light = {};
    AnswerStoreStatus answers = {};
};

class Serving {
public:
    virtual ~Serving() = default;
    virtual ServingStatus servingStatus() const = 0; // any thread
    // The file for light.model = chosen. Any thread.
    virtual void setLightModel(std::filesystem::path file) = 0;
    virtual void forgetAnswers() = 0; // any thread
    // Those that may still be given, used last first; and such ones from elsewhere. Any thread.
    virtual std::vector<KeptAnswer> keptAnswers() const = 0;
    virtual void addAnswers(std::vector<KeptAnswer> answers) = 0;
};

// Weights that are made before they are wanted, so that a level changes them between two steps.
struct WeightsAhead {
    enum class State : std::uint8_t { None, Preparing, Ready, Failed };
    State state = State::None;
    WeightPrecision precision = WeightPrecision::File;
    std::string reason = {}; // why it failed
};

class PreparesWeights {
public:
    virtual ~PreparesWeights() = default;
    // Empty: none, and their memory is given back. Any thread.
    virtual void prepareWeights(std::optional<WeightPrecision> precision) = 0;
    virtual WeightsAhead weightsAhead() const = 0; // any thread
};

// Makes the backend of a light model; on a thread of its own, ended early by `stop`.
using LightModelMaker = std::function<Result<std::unique_ptr<Backend>>(
    const std::filesystem::path& file, const EngineConfig& config, std::stop_token stop)>;

struct ServingParts {
    std::unique_ptr<Backend> main;
    PreparesWeights* ahead = nullptr;            // of main; null: it can't
    bool keepsSettings = false;                  // main's can't be changed: it runs elsewhere
    LightModelMaker makeLight = {};              // empty: there is none
    std::function<TimePoint()> now = Clock::now; // for tests
};
std::unique_ptr<Backend> withServing(ServingParts parts);

// An engine with all of that around it. See makeEngine().
Result<std::unique_ptr<Backend>>
makeServingEngine(const std::filesystem::path& model, const EngineConfig& config,
                  const std::function<void(const LoadProgress&)>& progress = {},
                  std::stop_token stop = {});

} // namespace engine
