// What long runs cost the charts: a history fed with ten samples a second, and the charts of a run
// panned over it.
// bench_charts [--samples 10000000] [--requests-per-second 12] [--frames 120] [--span 3600]
// Prints one JSON object: memory by million samples fed, time to feed, and for a view of `span`
// seconds and one of a day: frames a second of a page of four charts that pans, each frame with
// every chart made anew and painted, with the curves of the frame before at hand and without.
#include "app/observe/history.h"
#include "app/plot/charts.h"
#include "app/plot/curve_cache.h"
#include "ui/charts/chart_group.h"
#include "ui/charts/chart_view.h"
#include "ui/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QGridLayout>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <random>

namespace {

struct Arguments {
    std::int64_t samples = 10'000'000;
    double requestsPerSecond = 12.0;
    int frames = 120;
    double span = 3600.0;
};

double residentMiB() {
    std::ifstream file("/proc/self/statm");
    double total = 0.0, resident = 0.0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// Ten samples a second, requests in between. Values wander, so that nothing is drawn for free.
nlohmann::json feed(app::History& history, const Arguments& arguments) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(0.0, 1.0);
    std::exponential_distribution<double> gap(arguments.requestsPerSecond);
    history.reset(engine::TimePoint{});
    double nextRequest = gap(random);
    nlohmann::json memory = nlohmann::json::array();
    QElapsedTimer clock;
    clock.start();
    for (std::int64_t i = 1; i <= arguments.samples; ++i) {
        const double now = 0.1 * static_cast<double>(i);
        const double wave = std::sin(now / 600.0);
        for (; nextRequest < now; nextRequest += gap(random)) {
            history.addRequest({.seconds = nextRequest,
                                .ttftMs = 60.0 * std::exp(0.4 * noise(random) + wave),
                                .tpotMs = 9.0,
                                .e2eMs = 500.0,
                                .outputTokens = 50,
                                .promptTokens = 80,
                                .ledgerMs = {},
                                .hasLedger = true});
        }
        history.addSample({.seconds = now,
                           .running = 8.0 + 4.0 * wave + noise(random),
                           .waiting = std::max(0.0, 4.0 * wave),
                           .slots = 16.0,
                           .outputPerSecond = 320.0 + 40.0 * noise(random),
                           .promptPerSecond = 700.0 + 90.0 * noise(random),
                           .requestsPerSecond = arguments.requestsPerSecond,
                           .kvShare = 0.4,
                           .busyShare = 0.7,
                           .processBytes = 7e8,
                           .machineShare = 0.4});
        if (i % 1'000'000 == 0) {
            memory.push_back(residentMiB());
        }
    }
    return {{"seconds", static_cast<double>(clock.elapsed()) / 1000.0},
            {"resident_mib_by_million", memory},
            {"samples_kept", history.samples().size()},
            {"requests_kept", history.requests().size()}};
}

nlohmann::json pan(const app::History& history, double span, int frames, bool isCached) {
    ui::ChartGroup group(nullptr);
    QWidget page;
    page.resize(1440, 700);
    auto* grid = new QGridLayout(&page);
    std::vector<ui::ChartView*> charts;
    std::vector<const app::ChartRow*> rows;
    for (const app::ChartRow& row : app::chartTable()) {
        if (row.isDefault) {
            const auto place = static_cast<int>(charts.size());
            charts.push_back(new ui::ChartView(group, &page));
            rows.push_back(&row);
            grid->addWidget(charts.back(), place / 2, place % 2);
        }
    }
    page.show();
    QCoreApplication::processEvents();
    const double end = history.endSeconds();
    group.beginRun(end, end);
    group.setFollowing(false);
    group.zoom(span / end, end);
    app::CurveCache cache; // as for a run that is over
    std::vector<double> milliseconds;
    for (int frame = 0; frame < frames; ++frame) {
        QElapsedTimer clock;
        clock.start();
        group.pan(frame < frames / 2 ? -0.02 : 0.02);
        for (std::size_t i = 0; i < charts.size(); ++i) {
            charts[i]->setPlot(rows[i]->make(history, {.from = group.view().from(),
                                                       .to = group.view().to(),
                                                       .maxPoints = charts[i]->plotWidth(),
                                                       .cache = isCached ? &cache : nullptr}));
            charts[i]->viewport()->repaint();
        }
        milliseconds.push_back(static_cast<double>(clock.nsecsElapsed()) / 1e6);
    }
    qDeleteAll(charts);
    std::ranges::sort(milliseconds);
    const auto at = [&milliseconds](double share) {
        return milliseconds[static_cast<std::size_t>(share *
                                                     static_cast<double>(milliseconds.size() - 1))];
    };
    return {{"span_s", span},
            {"is_cached", isCached},
            {"frame_p50_ms", at(0.5)},
            {"frame_p95_ms", at(0.95)},
            {"frames_per_second", 1000.0 / at(0.5)}};
}

} // namespace

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    Arguments arguments;
    CLI::App parser("What long runs cost the charts");
    parser.add_option("--samples", arguments.samples)->check(CLI::Range(1'000, 100'000'000));
    parser.add_option("--requests-per-second", arguments.requestsPerSecond)
        ->check(CLI::Range(0.1, 1000.0));
    parser.add_option("--frames", arguments.frames)->check(CLI::Range(10, 10'000));
    parser.add_option("--span", arguments.span)->check(CLI::Range(10.0, 86'400.0));
    CLI11_PARSE(parser, argc, argv);
    ui::applyTheme(application, ui::ThemeKind::Dark);
    app::History history;
    nlohmann::json result = {{"samples", arguments.samples}};
    result["feed"] = feed(history, arguments);
    const double day = std::min(86'400.0, history.endSeconds());
    result["pan"] = nlohmann::json::array();
    for (const double span : {std::min(arguments.span, day), day}) {
        for (const bool isCached : {true, false}) {
            result["pan"].push_back(pan(history, span, arguments.frames, isCached));
        }
    }
    std::printf("%s\n", result.dump(2).c_str());
    return 0;
}
