// The engine: one model, one step loop. The engine thread owns everything below "engine thread";
// others reach it by the inbox, the configuration box and what it publishes.
#pragma once

#include "engine/base/mailbox.h"
#include "engine/loop/adapter_shelf.h"
#include "engine/loop/answer.h"
#include "engine/loop/batch_watch.h"
#include "engine/loop/cold_worker.h"
#include "engine/loop/config_overlay.h"
#include "engine/loop/kv_pools.h"
#include "engine/loop/kv_size.h"
#include "engine/loop/loaded_model.h"
#include "engine/loop/prompt_encoder.h"
#include "engine/loop/quality_checker.h"
#include "engine/loop/weight_preparer.h"
#include "engine/model/sampler.h"
#include "engine/schedule/batch.h"
#include "engine/schedule/commit.h"
#include "engine/schedule/policy.h"
#include "engine/serving.h"
#include "engine/simulate.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_map>
#include <vector>

namespace engine {

// Loads on the calling thread, warms up and starts. makeEngine() with a choice of operators.
Result<std::unique_ptr<Backend>> startEngine(const std::filesystem::path& model,
                                             const LoadSettings& settings);

class Engine final : public Backend, public PreparesWeights {
public:
    // Throws Failure where memory cannot be had.
    Engine(LoadedModel loaded, const LoadSettings& settings);
    ~Engine() override;

    // On the loading thread, before start(): blank requests through the step loop. Throws
    // Interrupted on stop.
    void warmUp(const LoadSettings& settings);
    void start();

    std::shared_ptr<TokenStream> submit(Request request) override;
    std::shared_ptr<TokenStream> open(Request request) override;
    void append(RequestId id, std::string text) override;
    void truncate(RequestId id, std::size_t bytes) override;
    void complete(RequestId id, Completion completion) override;
    void cancel(RequestId id) override;
    Result<void> edit(const std::function<void(EngineConfig&)>& change) override;
    ConfigStatus config() const override;
    Capabilities capabilities() const override;
    Snapshot snapshot() override { return m_snapshot.read(); }
    std::vector<Event> takeEvents() override;
    void resetPrefixCache() override;
    void post(EventSource source, Notice notice) override;
    Result<std::vector<TokenId>> tokenize(std::string_view text) const override;
    Result<std::string> detokenize(std::span<const TokenId> ids) const override;
    Result<std::string> tokenBytes(TokenId id) const override;
    void prepareWeights(std::optional<WeightPrecision> precision) override;
    WeightsAhead weightsAhead() const override;
    Adapters* adapters() override { return m_adapters.get(); }

private:
    // engine.cpp
    void run(const std::stop_token& stop);
    void fail(const std::string& reason);
    void endEverything(FinishReason reason, const std::string& message);
    std::optional<Refusal> refuseAtOnce(const Request& request) const;
    std::optional<Refusal> refuseOverload() const;
    std::int64_t waitingRequests() const;
    std::shared_ptr<TokenStream> receive(Answer& answer);
    std::optional<Refusal> takeAdapter(Answer& answer) const;
    void emit(decltype(Event::body) body, Delivery delivery);
    void setState(EngineState state);

    // admit.cpp
    void takeInbox();
    void takeCancellations();
    void admit(Answer& answer);
    void enqueue(Answer& answer, TimePoint now);
    void setDeadline(Answer& answer) const;
    std::optional<Refusal> refusePrompt(std::span<const TokenId> prompt) const;
    void tagArrival(Answer& answer, TimePoint now);
    void beginLineage(Answer& answer);
    void beginLineages();

    // step.cpp
    bool step(const std::stop_token& stop);
    StepPlan makePlan(TimePoint now);
    Limits limits() const;
    void computeSlices(const StepPlan& plan, StepTimes& times, const std::stop_token& stop);
    void claimBlocks(const StepPlan& plan);
    bool computeAll(const StepPlan& plan, StepTimes& times, const std::stop_token& stop);
    void takePart(const StepPlan& plan, std::uint32_t cache);
    bool computePart(const StepPlan& plan, KvCache& kv, StepTimes& times,
                     const std::stop_token& stop);
    std::optional<kernels::View> forward(const StepPlan& plan, const KvCache& kv,
                                         const std::stop_token& stop);
    void dropPrefixes(TimePoint now);
    void notePlan(const StepPlan& plan, const StepTimes& times);
    void noteStarts(const StepPlan& plan, const StepTimes& times);
    void noteBlocked(Answer& answer, const StepTimes& times);
    void noteSlices(const StepPlan& plan, const StepTimes& times);
    void noteBatch(const Answer& answer);
    void measureStep(const StepShape& shape, const StepTimes& times);
    void sampleRows(kernels::View logits);
    void commitStep(const StepPlan& plan, const StepTimes& times);
    Nanoseconds modelledWeightTraffic() const;
    void countPrompt(Answer& answer);
    struct Sampled;
    void commitSampled(Answer& answer, Sampled sampled, const StepTimes& times);
    void deliver(Answer& answer, const std::string& text, std::optional<TokenId> id,
                 std::optional<TokenLogprobs> logprobs = {});
    void countStep(std::int64_t tokens);
    void finish(Answer& answer, FinishReason reason, const std::string& message);
    void conclude(Answer& answer, FinishReason reason, std::string message);
    void countOutcome(const RequestRecord& record);
    void leaveWaiting(Answer& answer);
    Answer& answerOf(const Sequence& sequence) { return *m_answers.at(sequence.id()); }
    void publishIfDue();

    // streams.cpp
    void closePrompt(Answer& answer);
    void admitOpen(Answer& answer);
    void takeUpdates(std::vector<PromptUpdate> updates);
    void takeStable(Answer& answer, std::span<const TokenId> tokens);
    void completePrompt(Answer& answer, PromptUpdate& update);
    void endStreams(TimePoint now);
    std::vector<Sequence*> streamHolders() const;
    std::int64_t streamBlocks() const;
    bool freeStreamBlocks(TimePoint now);
    void noteStreamed(Answer& answer, const Slice& slice, const StepTimes& times);
    std::vector<Sequence*> streamsWithPlaces(const StepPlan& plan, TimePoint now);
    void forgetOutOfSight(Answer& answer, TimePoint now);

    // publish.cpp
    void publish();
    void publishConfig();

    // reconfigure.cpp
    struct Reconfiguration;
    static std::span<const Reconfiguration> reconfigurations();
    void applyConfig();
    EngineConfig applicable();
    void refuseKeysThatNoBlockHolds(EngineConfig& next);
    void reconfigure(const EngineConfig& next);
    bool tryApply(const Field& field, const EngineConfig& next);
    void replacePolicy(const EngineConfig& next);
    void switchPrefixes(const EngineConfig& next);
    void resizeScratch(const EngineConfig& next);
    void resizePool(const EngineConfig& next);
    void changeAttention(const EngineConfig& next);

    // kv_switch.cpp
    void replaceKv(const EngineConfig& next);
    void allocateKv(const EngineConfig& next, std::int64_t blocks);
    void takeBackKv(std::int64_t blocks);
    void switchKv(const EngineConfig& next);
    void openKv(const EngineConfig& next, const KvFormat& format, std::int64_t blocks);
    void settleKv();
    std::vector<EarlierSequence> earlierSequences();
    void noteKvFormat(const EngineConfig& next);
    void growWindows(const EngineConfig& next);
    void applyPrefixes(const EngineConfig& next);
    std::uint64_t blockBytes(const KvFormat& format) const;
    void rejectWhatNoLongerFits();

    // cold_switch.cpp
    void switchColdBlocks(const EngineConfig& next);
    void drainColdBlocks();
    void tendColdBlocks(TimePoint now);
    void takeColdResults(TimePoint now);
    void parkStreams(TimePoint limit, TimePoint now);
    void orderPacking(TimePoint limit);
    void orderRestores(TimePoint now);
    void restoreFor(Sequence& sequence, TimePoint now);
    void endRestoring(Sequence& sequence, TimePoint now);

    // weight_switch.cpp
    std::uint64_t weightsMemory() const;
    bool hasWeights();
    bool isWeightsChange() const;
    void takePrepared();
    void dropPrepared();
    void tellAhead(const WeightsAhead& ahead);
    void switchWeights(const EngineConfig& next);
    void addPreparing(ConfigStatus& status) const;
    static void addWeightReasons(ConfigStatus& status);
    void checkQuality(const std::vector<FieldChange>& changes);

    Capacity capacity() const;

    // Any thread.
    LoadedModel m_loaded;             // the engine thread changes pool, ops and model only
    std::shared_ptr<StepGate> m_gate; // null: nobody shares the cores
    ConfigBox m_requested;
    Outbox<Event> m_events;
    LatestValue<Snapshot> m_snapshot;
    PromptEncoder::Arrivals m_inbox;
    PromptEncoder::Updates m_updates;
    std::atomic<std::uint64_t> m_nextId;
    // Relaxed: counts alone, no data is ordered by them.
    std::atomic<std::int64_t> m_received{0};
    std::atomic<std::int64_t> m_leftWaiting{0}; // started, or ended before; engine thread writes
    std::atomic<std::int64_t> m_started{0};     // that run or were preempted; engine thread writes
    std::atomic<std::uint64_t> m_cancels{0};    // a version: something was cancelled
    std::atomic<std::uint64_t> m_prefixResets{0}; // a version: relaxed, no data is ordered by it
    static constexpr int kNoneAhead = -1;
    std::atomic<int> m_wantedAhead{kNoneAhead}; // a WeightPrecision: relaxed, it is all there is
    std::atomic<std::uint64_t> m_step{0};
    std::atomic<bool> m_hasFailed{false}; // released after the reason is written
    std::mutex m_cancellationMutex;       // submit and cancel only, never a step
    std::unordered_map<RequestId, std::weak_ptr<std::stop_source>> m_cancellations;
    mutable std::mutex m_statusMutex; // taken by the engine thread when configuration changes
    ConfigInForce m_inForce;
    Capabilities m_capabilities;
    std::string m_failure;

    // Consumer of events.
    std::uint64_t m_nextEvent = 1;
    std::uint64_t m_droppedTold = 0;

    // Engine thread.
    EngineState m_state = EngineState::Loading; // Idle stands for running as well
    const Policy* m_policy = nullptr;
    Schedule m_schedule;
    KvPools m_kv;
    std::uint64_t m_kvBudget = 0; // bytes for keys and values, whatever their format
    std::int64_t m_kvWanted = 0;  // blocks of the current format within it
    Batch m_batch;
    std::vector<std::size_t> m_partOrder; // their places in the plan, those of an adapter together
    std::vector<Slice> m_part;            // slices of the step that live in one cache
    std::vector<std::size_t> m_partRows;  // their places in the plan, with logits only
    std::vector<Sampler> m_samplers;      // one a worker
    struct Sampled {
        std::optional<TokenId> token; // empty: a logit was no number
        std::optional<TokenLogprobs> logprobs;
    };
    std::vector<Sequence*> m_sampling; // whose logits were computed
    std::vector<Sampled> m_sampled;    // next tokens, by slice of the plan
    double m_readBytesPerSecond = 0.0;
    std::unordered_map<RequestId, std::unique_ptr<Answer>> m_answers;
    EngineConfig m_applied;
    EngineConfig m_effective;
    std::map<std::string_view, std::string> m_refused;
    EngineConfig m_wanted; // the requested value of version m_seenConfig
    std::uint64_t m_seenConfig = 0;
    int m_seenAhead = kNoneAhead;
    std::uint64_t m_seenCancels = 0;
    std::uint64_t m_seenPrefixResets = 0;
    std::optional<TimePoint> m_wakeAt; // where the policy has something to do then
    TimePoint m_streamsRestUntil{};    // open prompts alone are not computed before
    std::vector<RequestId> m_openPrompts;
    BatchWatch m_batchWatch;
    CostFit m_costFit;
    TimePoint m_costTold;
    bool m_isDraining = false;
    bool m_isCold = true; // nothing was computed yet
    std::optional<TimePoint> m_idleSince;
    TimePoint m_lastPublished;
    TimePoint m_lastMemoryReading;
    Snapshot m_figures; // counters and what changes seldom
    std::string m_tokenBytes;

    std::optional<PreparedWeights> m_preparedWeights; // to be put in place
    WeightsAhead m_ahead;                             // under m_statusMutex

    // Last: their threads end before anything above goes.
    std::unique_ptr<ColdWorker> m_cold;
    std::unique_ptr<WeightPreparer> m_weights;
    std::unique_ptr<AdapterShelf> m_adapters;
    std::unique_ptr<QualityChecker> m_quality;
    std::unique_ptr<PromptEncoder> m_encoder;
    std::jthread m_thread;
};

} // namespace engine
