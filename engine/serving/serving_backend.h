// The Backend around the engine: watches first tokens, holds the level of degradation, and puts its
// overlay over what the operator asks for. Any thread, as Backend says; the breaker runs where
// events are taken, so the recorder's thread is its clock.
#pragma once

#include "engine/adapters.h"
#include "engine/serving.h"
#include "engine/serving/answer_store.h"
#include "engine/serving/breaker.h"
#include "engine/serving/level_effect.h"
#include "engine/serving/light_model.h"
#include "engine/serving/relayed_stream.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <unordered_map>

namespace engine {

// A request that was not begun: it may be asked of somebody else.
bool isRefusal(const RequestRecord& record);

class ServingBackend final : public Backend, public Serving {
public:
    explicit ServingBackend(ServingParts parts);
    ~ServingBackend() override;

    std::shared_ptr<TokenStream> submit(Request request) override;
    std::shared_ptr<TokenStream> open(Request request) override;
    void append(RequestId id, std::string text) override;
    void truncate(RequestId id, std::size_t bytes) override;
    void complete(RequestId id, Completion completion) override;
    void cancel(RequestId id) override;
    Result<void> edit(const std::function<void(EngineConfig&)>& change) override;
    ConfigStatus config() const override;
    Capabilities capabilities() const override;
    Snapshot snapshot() override;
    std::vector<Event> takeEvents() override;
    void resetPrefixCache() override;
    void post(EventSource source, Notice notice) override;
    Result<std::vector<TokenId>> tokenize(std::string_view text) const override;
    Result<std::string> detokenize(std::span<const TokenId> ids) const override;
    Result<std::string> tokenBytes(TokenId id) const override;
    Serving* serving() override { return this; }
    Adapters* adapters() override { return m_main->adapters(); }

    ServingStatus servingStatus() const override;
    void setLightModel(std::filesystem::path file) override;
    void forgetAnswers() override;
    std::vector<KeptAnswer> keptAnswers() const override;
    void addAnswers(std::vector<KeptAnswer> answers) override;

private:
    int level() const { return m_level.load(std::memory_order_relaxed); }
    EngineConfig requested() const;
    EngineConfig under(int level, const EngineConfig& requested) const;
    // The requested value, under the level in force, to the engine. False where it was refused.
    Result<void> apply(const EngineConfig& requested);
    bool isInForce() const;
    // submit.cpp
    std::shared_ptr<TokenStream> replay(const StoredAnswer& answer, const Request& request);
    // `adapter`: the digest that the key holds.
    std::shared_ptr<TokenStream> submitToMain(Request request, std::string key,
                                              const std::string& adapter);
    std::shared_ptr<TokenStream> submitToLight(LightModel::Hold light, Request request);
    bool handsToLight(const ServingConfig& settings);
    bool endLight(RelayedStream& relay, const TokenStream& source, Request& request);
    void askMainInstead(RelayedStream& relay, Request request);
    std::string adapterDigest(const Request& request) const;
    std::string keyOf(const Request& request, const std::string& adapter,
                      const EngineConfig& wanted) const;

    void limitAnswers(const ServingConfig& settings);
    void prepareLight(const EngineConfig& wanted);
    void tellLight();
    void prepareWeights(const EngineConfig& wanted);
    void watch(const std::vector<Event>& events);
    void evaluate(TimePoint now);
    void announce(const BreakerChange& change);
    void announce(const LevelEffect& effect);

    const std::function<TimePoint()> m_now;
    // Relaxed: what they decide is decided again for each request.
    std::atomic<int> m_level{0};
    std::atomic<bool> m_isTryingMain{
        false}; // level 2 is on trial below: a few go to the main model
    std::atomic<std::int64_t> m_trialLeft{0};      // of those few
    std::atomic<bool> m_isEvaluationDue{true};     // the operator has changed something
    std::atomic<std::uint64_t> m_storedAnswers{0}; // given
    std::atomic<std::uint64_t> m_lightAnswers{0};  // asked for
    std::atomic<std::uint64_t> m_lightFailures{0}; // of these, and not asked of the main one
    AnswerStore m_answers;

    mutable std::mutex m_configMutex; // of the requested value; never held while `change` runs
    EngineConfig m_requested;
    std::uint64_t m_version = 0;

    mutable std::mutex m_statusMutex;
    ServingStatus m_status; // of the last evaluation
    std::filesystem::path m_lightFile;

    std::mutex m_routesMutex;
    struct Route {
        std::optional<RequestId> main = {}; // the light model refused it: main's id
        bool isCancelled = false;
    };
    std::unordered_map<RequestId, Route> m_routes; // what the light model was asked, until it ends
    std::vector<Event> m_ownEvents;                // of stored answers
    std::uint64_t m_nextStoredId = kFirstStoredId;

    // The thread that takes events.
    Breaker m_breaker;
    LevelEffectWatch m_effects;
    std::optional<TimePoint> m_evaluated;
    LightModelStatus::State m_toldLight = LightModelStatus::State::None;
    std::minstd_rand m_random; // jitter only: nothing that is compared depends on it
    std::uint64_t m_nextEvent = 1;

    // Last: what they still answer when they go ends up in what is above, and what the light model
    // gives back when it goes first is asked of the main one.
    const std::unique_ptr<Backend> m_main;
    PreparesWeights* const m_ahead; // m_main's, or null
    const bool m_keepsSettings;     // m_main's own can't be changed
    const std::string m_fileFormat, m_modelPath, m_digest;
    LightModel m_light;
};

} // namespace engine
