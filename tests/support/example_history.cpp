#include "tests/support/example_history.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace tests {

namespace {

bool isBurst(double seconds) {
    return seconds > 312 && seconds < 326;
}

app::RequestPoint request(double seconds, double ttftMs, std::mt19937_64& random) {
    app::RequestPoint point;
    point.seconds = seconds;
    point.ttftMs = ttftMs;
    point.tpotMs = 8.0;
    point.e2eMs = ttftMs + 500.0;
    point.outputTokens = 40;
    point.hasLedger = true;
    std::array<double, engine::kStages> shares{};
    double sum = 0.0;
    for (double& share : shares) {
        share = std::uniform_real_distribution<double>(0.0, 0.2)(random);
        sum += share;
    }
    shares[static_cast<std::size_t>(engine::Stage::Queue)] += isBurst(seconds) ? 6.0 : 0.5;
    sum += isBurst(seconds) ? 6.0 : 0.5;
    for (std::size_t stage = 0; stage < shares.size(); ++stage) {
        point.ledgerMs[stage] = static_cast<float>(ttftMs * shares[stage] / sum);
    }
    return point;
}

engine::Event marker(double seconds, engine::EventSource source,
                     decltype(engine::Event::body) body) {
    engine::Event event;
    event.time = engine::TimePoint{} + std::chrono::duration_cast<engine::Nanoseconds>(
                                           std::chrono::duration<double>(seconds));
    event.source = source;
    event.body = std::move(body);
    return event;
}

} // namespace

app::History exampleHistory(const ExampleRun& run) {
    std::mt19937_64 random(run.seed);
    app::History history;
    history.reset(engine::TimePoint{});
    std::normal_distribution<double> noise(0.0, 1.0);
    for (double t = 0.1; t < run.seconds; t += 0.1) {
        app::Sample sample;
        sample.seconds = t;
        sample.slots = 16;
        sample.running = std::max(0.0, std::round((isBurst(t) ? 15.0 : 3.0) + 1.2 * noise(random)));
        sample.waiting = isBurst(t) ? 20.0 + 4.0 * noise(random) : 0.0;
        sample.outputPerSecond = std::max(0.0, 320.0 + 150.0 * noise(random));
        sample.promptPerSecond = std::max(0.0, 600.0 + 400.0 * noise(random));
        sample.kvShare = 0.25 + 0.01 * noise(random);
        sample.busyShare = std::clamp(0.65 + 0.05 * noise(random), 0.0, 1.0);
        sample.processBytes = 742e6;
        sample.machineShare = 0.38;
        history.addSample(sample);
    }
    std::exponential_distribution<double> gap(run.requestsPerSecond);
    std::lognormal_distribution<double> spread(0.0, 0.5);
    for (double t = gap(random); t < run.seconds; t += gap(random)) {
        const double base = isBurst(t) ? 600.0 : t < 128.0 ? 180.0 : 40.0;
        history.addRequest(request(t, base * spread(random), random));
    }
    history.addEvent(
        marker(128.0, engine::EventSource::Operator,
               engine::ConfigApplied{{{"batching.policy", "single", "continuous"}}, 2914}));
    history.addEvent(marker(270.0, engine::EventSource::App,
                            engine::Notice{"stage", {{"stage", "2"}, {"rate", "16"}}}));
    history.addEvent(marker(318.0, engine::EventSource::Engine,
                            engine::Failed{"out of <blocks> & \"slots\"", 3}));
    return history;
}

} // namespace tests
