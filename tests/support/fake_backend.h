// A Backend without a model: a test scripts its events, figures and answers. Any thread.
#pragma once

#include "engine/backend.h"

#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace tests {

class FakeBackend final : public engine::Backend {
public:
    explicit FakeBackend(const engine::EngineConfig& initial = {});
    ~FakeBackend() override; // cancels what is unanswered

    void setFirstId(std::uint64_t id); // of the next request

    // What happens with a submitted request, on the submitting thread. By default it is answered at
    // once with maxTokens words.
    using Answer =
        std::function<void(const engine::Request&, std::shared_ptr<engine::TokenStream>)>;
    void setAnswer(Answer answer);
    // Ends a stream that the answer left open: record with stamps of now, event, and figures.
    void finish(engine::RequestId id, engine::FinishReason reason, int tokens);

    // Adds an event; its sequence is given here, its time where it has none.
    void push(engine::Event event);
    // A finished request as the engine reports it.
    void push(engine::RequestRecord record);
    void setSnapshot(const std::function<void(engine::Snapshot&)>& change);

    void setWeights(std::vector<engine::WeightGroupStatus> weights);

    // While held, edits stay pending; release applies them as one step boundary would.
    void holdEdits();
    void releaseEdits();
    void refuseEdits(std::string reason); // empty: accepts again

    std::vector<engine::Request> submitted() const;
    std::vector<engine::RequestId> cancelled() const;

    std::shared_ptr<engine::TokenStream> submit(engine::Request request) override;
    void cancel(engine::RequestId id) override;
    engine::Result<void> edit(const std::function<void(engine::EngineConfig&)>& change) override;
    engine::ConfigStatus config() const override;
    engine::Capabilities capabilities() const override;
    engine::Snapshot snapshot() override;
    std::vector<engine::Event> takeEvents() override;
    void post(engine::EventSource source, engine::Notice notice) override;
    // A token is a byte.
    engine::Result<std::vector<engine::TokenId>> tokenize(std::string_view text) const override;
    engine::Result<std::string> detokenize(std::span<const engine::TokenId> ids) const override;
    engine::Result<std::string> tokenBytes(engine::TokenId id) const override;

private:
    struct Open {
        engine::Request request;
        std::shared_ptr<engine::TokenStream> stream;
        engine::TimePoint received;
    };

    void pushLocked(engine::Event event);
    void applyLocked();

    mutable std::mutex m_mutex;
    engine::EngineConfig m_requested, m_effective;
    std::uint64_t m_version = 1;
    bool m_holdsEdits = false;
    std::string m_refusal;
    Answer m_answer;
    engine::Snapshot m_snapshot;
    std::vector<engine::WeightGroupStatus> m_weights;
    std::vector<engine::Event> m_events;
    std::uint64_t m_nextSequence = 1, m_nextRequest = 1;
    std::map<engine::RequestId, Open> m_open;
    std::vector<engine::Request> m_submitted;
    std::vector<engine::RequestId> m_cancelled;
};

} // namespace tests
