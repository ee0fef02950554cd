// The pace of steps: what a fit sums of a while, and what a machine that is slow at times does to a
// simulation.
#include "engine/simulate.h"

#include <QTest>

#include <numeric>
#include <random>

using namespace engine;
using namespace std::chrono_literals;

namespace {

CostModel plainCost() {
    CostModel cost;
    cost.ns = {4e6, 2.5e5, 2.5e5, 2.5e5, 2.5e5, 0.0, 0.0};
    return cost;
}

// One request after the other, each with a prompt of one token and ten answered: 10 steps of
// 4.25 ms.
Simulation oneByOne(std::vector<Pace> paces) {
    EngineConfig config;
    config.kvBlocks = 100;
    SimulationSetup setup{.config = config,
                          .arrivals = {},
                          .cost = plainCost(),
                          .paces = std::move(paces),
                          .onEnded = {}};
    for (int i = 0; i < 10; ++i) {
        Arrival arrival;
        arrival.at = Nanoseconds(1s) * i;
        arrival.outputTokens = 10;
        setup.arrivals.push_back(arrival);
    }
    return *simulate(setup);
}

Nanoseconds lasted(const SimulatedRequest& request) {
    return request.finished - request.arrival.at;
}

} // namespace

class TstStepPace : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sumsAreOfTheStepsSinceTheLast();
    void stepsTakeAsLongAsThePaceSays();
    void paceChangesAtTheStepThatBeginsBehindIt();
};

void TstStepPace::sumsAreOfTheStepsSinceTheLast() {
    CostFit fit;
    QCOMPARE(fit.takeSum().ns, 0.0);
    std::mt19937_64 random(3);
    const CostModel truth = plainCost();
    double took = 0.0;
    for (int i = 0; i < 200; ++i) {
        const StepShape shape{.tokens = static_cast<std::int64_t>(1 + random() % 300),
                              .logitRows = 1,
                              .attended = static_cast<double>(random() % 5000)};
        const double ns = truth.stepNs(shape) * 1.25;
        took += ns;
        fit.add(shape, ns);
    }
    const CostFit::Sum sum = fit.takeSum();
    QCOMPARE(sum.ns, took);
    QCOMPARE(sum.terms[0], 200.0);
    const double expected =
        std::inner_product(truth.ns.begin(), truth.ns.end(), sum.terms.begin(), 0.0);
    QVERIFY(std::abs(sum.ns / expected - 1.25) < 1e-9);
    QCOMPARE(fit.takeSum().terms[0], 0.0);
}

void TstStepPace::stepsTakeAsLongAsThePaceSays() {
    const Simulation even = oneByOne({});
    const Simulation paced = oneByOne({{.until = 3500ms, .factor = 2.0},
                                       {.until = 3600ms, .factor = 9.0}, // nothing runs then
                                       {.until = 5500ms, .factor = 0.5}});
    for (std::size_t i = 0; i < even.requests.size(); ++i) {
        QCOMPARE(lasted(even.requests[i]), Nanoseconds(42500us));
        const double factor = i < 4 ? 2.0 : i < 6 ? 0.5 : 1.0; // behind the last: the model alone
        const auto expected = static_cast<std::int64_t>(42.5e6 * factor);
        QCOMPARE(lasted(paced.requests[i]).count(), expected);
    }
    QCOMPARE(even.steps, paced.steps);
}

void TstStepPace::paceChangesAtTheStepThatBeginsBehindIt() {
    // The step that begins at 8.5 ms is not over at 10 ms: it and those before go at the first
    // pace.
    const Simulation paced =
        oneByOne({{.until = 10ms, .factor = 1.0}, {.until = 1s, .factor = 3.0}});
    QCOMPARE(lasted(paced.requests[0]), Nanoseconds(3 * 4250us + 7 * 12750us));
    // Two that end at once: the later one is in force.
    const Simulation twice =
        oneByOne({{.until = 0ms, .factor = 5.0}, {.until = 10s, .factor = 2.0}});
    QCOMPARE(lasted(twice.requests[0]), Nanoseconds(85ms));
}

QTEST_APPLESS_MAIN(TstStepPace)
#include "tst_step_pace.moc"
