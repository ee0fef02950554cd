#include "app/experiment/block_work.h"

#include "app/experiment/worker_blocks.h"
#include "app/load/load_generator.h"

#include <atomic>

namespace app {

namespace {

class TrafficWork final : public BlockWork {
public:
    TrafficWork(WorkSetup setup, PromptLibrary library)
        : m_setup(std::move(setup)),
          m_generator(*m_setup.backend, m_setup.workload, planRequests(m_setup.workload),
                      std::move(library), [this] { m_isFinished = true; }) {}

    void start() override {
        m_from = engine::Clock::now() + secondsOf(m_setup.warmupSeconds);
        m_generator.start();
    }
    void stop() override {
        if (engine::Clock::now() < measuredTo()) {
            m_wasCut = true;
        }
        m_generator.stop();
    }
    bool isFinished() const override { return m_isFinished; }
    engine::TimePoint measuredTo() const override {
        return m_from + secondsOf(m_setup.measureSeconds);
    }
    WorkOutcome outcome() const override {
        const LoadProgress progress = m_generator.progress();
        WorkOutcome outcome{.from = m_from, .to = measuredTo(), .figures = {}, .problem = {}};
        outcome.ended = progress.finished;
        outcome.lagP50Ms = progress.lagP50Ms;
        outcome.isWhole = !m_wasCut;
        const Stage& stage = m_setup.workload.stages.front();
        if (stage.kind != ArrivalKind::Closed) {
            outcome.figures["wanted_rate"] = {(stage.ratePerSecond + stage.endRatePerSecond) / 2,
                                              progress.sent};
        }
        return outcome;
    }

private:
    static std::chrono::nanoseconds secondsOf(double seconds) {
        return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9));
    }

    const WorkSetup m_setup;
    engine::TimePoint m_from{};
    bool m_wasCut = false;
    std::atomic<bool> m_isFinished = false; // set on the load thread after everything else
    LoadGenerator m_generator;              // last: joined before anything else goes
};

} // namespace

engine::Result<std::unique_ptr<BlockWork>> makeBlockWork(Method method, WorkSetup setup) {
    auto library = PromptLibrary::fromResources();
    if (!library) {
        return std::unexpected(library.error());
    }
    switch (method) {
    case Method::Traffic:
        break;
    case Method::Load:
        return makeLoadWork(std::move(setup), std::move(*library));
    case Method::Typing:
        return makeTypingWork(std::move(setup), std::move(*library));
    case Method::Tokenize:
        return makeTokenizeWork(std::move(setup), std::move(*library));
    }
    return std::make_unique<TrafficWork>(std::move(setup), std::move(*library));
}

} // namespace app
