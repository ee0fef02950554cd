// What the window costs the engine: one closed-loop run with or without it, on a real model.
// bench_console window|headless|alternate MODEL [--seconds 30] [--threads 0] [--users 8]
//               [--record FILE]
// `alternate` shows and hides the window in turn during one run: a machine whose speed wanders then
// does so under both alike. Its pairs are output tokens a second, shown and hidden.
// Prints one JSON object: output tokens a second, turns of the UI thread, time to the first
// picture, memory by minute. console_cost.py alternates the two. The platform is the environment's:
// an X server (also a virtual one) is what an operator has; offscreen paints, but shows nothing.
#include "app/preferences.h"
#include "app/session.h"
#include "app/store/run_store.h"
#include "ui/language.h"
#include "ui/main_window.h"
#include "ui/theme.h"

#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTimer>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <fstream>

namespace {

struct Arguments {
    std::string mode, model, record;
    double seconds = 30.0;
    int threads = 0;
    int users = 8;
};

app::Workload closedLoop(const Arguments& arguments) {
    app::Workload workload;
    workload.name = "console cost";
    workload.seed = 7;
    workload.promptSets = {"english"};
    // Long answers: the rate of a few seconds is that of decoding, not of how many prompts fell in.
    workload.promptTokens = {16, 16};
    workload.outputTokens = {256, 256};
    workload.stages = {
        {.kind = app::ArrivalKind::Closed, .users = arguments.users, .seconds = arguments.seconds}};
    return workload;
}

// Resident memory of this process in MiB.
double residentMiB() {
    std::ifstream file("/proc/self/statm");
    double total = 0.0, resident = 0.0;
    file >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

double threadSeconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

nlohmann::json quantiles(std::vector<double> milliseconds) {
    if (milliseconds.empty()) {
        return nullptr;
    }
    std::ranges::sort(milliseconds);
    const auto at = [&](double share) {
        const auto last = static_cast<double>(milliseconds.size() - 1);
        return milliseconds[static_cast<std::size_t>(share * last)];
    };
    return {{"n", milliseconds.size()},
            {"p50_ms", at(0.5)},
            {"p95_ms", at(0.95)},
            {"p99_ms", at(0.99)},
            {"max_ms", at(1.0)}};
}

// From waking up to waiting again, for every turn of this thread's event loop that did something:
// the many that only look for work would hide the long ones.
class Turns {
public:
    explicit Turns(QObject* context) {
        QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance();
        QObject::connect(dispatcher, &QAbstractEventDispatcher::awake, context,
                         [this] { m_timer.start(); });
        QObject::connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, context, [this] {
            if (m_isCounting && m_timer.isValid() && m_timer.nsecsElapsed() >= kIdleNanoseconds) {
                m_milliseconds.push_back(static_cast<double>(m_timer.nsecsElapsed()) * 1e-6);
            }
            m_timer.invalidate();
        });
    }

    void setCounting(bool isCounting) { m_isCounting = isCounting; }

    nlohmann::json json() const { return quantiles(m_milliseconds); }

private:
    static constexpr qint64 kIdleNanoseconds = 100'000;

    QElapsedTimer m_timer;
    std::vector<double> m_milliseconds;
    bool m_isCounting = false;
};

// Every two seconds an endless answer that is stopped half a second later, under the load.
class Stops {
public:
    explicit Stops(app::Session& session) : m_session(session) {
        QObject::connect(&m_timer, &QTimer::timeout, &session, [this] { beginOne(); });
    }
    void start() { m_timer.start(2000); }
    void stop() { m_timer.stop(); }
    nlohmann::json json() const { return quantiles(*m_milliseconds); }

private:
    using Milliseconds = std::vector<double>;

    void beginOne() {
        engine::Request endless;
        endless.prompt = std::string("Tell a story that never ends.");
        endless.maxTokens = 4000;
        endless.ignoreEnd = true;
        const auto stream = m_session.submit(endless);
        QTimer::singleShot(500, &m_session, [this, stream] {
            QElapsedTimer timer;
            timer.start();
            m_session.cancel(stream->id());
            // On the engine's thread; taken into the list by this one.
            stream->onReady(
                [weak = std::weak_ptr(stream), list = m_milliseconds, timer, session = &m_session] {
                    if (const auto alive = weak.lock(); alive && alive->isFinished()) {
                        const double took = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
                        QMetaObject::invokeMethod(session, [list, took] { list->push_back(took); });
                    }
                });
        });
    }

    app::Session& m_session;
    QTimer m_timer;
    std::shared_ptr<Milliseconds> m_milliseconds = std::make_shared<Milliseconds>();
};

// Shown and hidden in turn; the first part of a turn, in which the window is made, is left out.
class Alternation {
public:
    Alternation(app::Session& session, QWidget& window) : m_session(session), m_window(window) {
        m_settle.setSingleShot(true);
        QObject::connect(&m_settle, &QTimer::timeout, &session, [this] { m_from = reading(); });
        QObject::connect(&m_turn, &QTimer::timeout, &session, [this] { turn(); });
    }
    void start() {
        m_turn.start(kTurnMs);
        m_settle.start(kSettleMs);
    }
    void stop() { m_turn.stop(); }
    nlohmann::json json() const { return m_pairs; }

private:
    static constexpr int kTurnMs = 2500;
    static constexpr int kSettleMs = 500;
    struct Reading {
        double seconds = 0.0;
        double tokens = 0.0;
    };

    Reading reading() const {
        const engine::Snapshot snapshot = m_session.backend()->snapshot();
        return {static_cast<double>(snapshot.timeNs) * 1e-9,
                static_cast<double>(snapshot.outputTokens)};
    }

    void turn() {
        const Reading to = reading();
        const double rate = (to.tokens - m_from.tokens) / (to.seconds - m_from.seconds);
        (m_window.isVisible() ? m_shown : m_hidden) = rate;
        if (m_shown && m_hidden) {
            m_pairs.push_back({*m_shown, *m_hidden});
            m_shown.reset();
            m_hidden.reset();
        }
        // A-B-B-A: within a pair neither is always first.
        if (m_shown || m_hidden) {
            m_window.setVisible(!m_window.isVisible());
        }
        m_settle.start(kSettleMs);
    }

    app::Session& m_session;
    QWidget& m_window;
    QTimer m_turn, m_settle;
    Reading m_from;
    std::optional<double> m_shown, m_hidden;
    nlohmann::json m_pairs = nlohmann::json::array();
};

int fail(const std::string& message) {
    std::fprintf(stderr, "bench_console: %s\n", message.c_str());
    return 1;
}

int run(const Arguments& arguments, double startedAtMs) {
    QTemporaryDir folder;
    const std::string base = folder.path().toStdString();
    const std::string log = arguments.record.empty() ? base + "/runs.db" : arguments.record;
    app::Session session(log);
    app::Preferences preferences(base + "/headway.ini");
    ui::Language language;
    language.set(QStringLiteral("en"));
    ui::applyTheme(*qApp, ui::ThemeKind::Dark);

    nlohmann::json result{{"mode", arguments.mode}, {"threads", arguments.threads}};
    std::unique_ptr<ui::MainWindow> window;
    if (arguments.mode != "headless") {
        window = std::make_unique<ui::MainWindow>(session, preferences, language);
        window->resize(1440, 900);
        window->show();
        QCoreApplication::processEvents();
        timespec time{};
        clock_gettime(CLOCK_MONOTONIC, &time);
        const double nowMs =
            static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
        result["window_up_ms"] = nowMs - startedAtMs;
    }
    Turns turns(&session);
    Stops stops(session);
    std::optional<Alternation> alternation;
    if (arguments.mode == "alternate") {
        alternation.emplace(session, *window);
    }
    engine::EngineConfig config;
    config.threads = arguments.threads;
    std::string problem;
    double uiSeconds = 0.0;
    std::vector<double> memory;
    QTimer minute;
    QObject::connect(&minute, &QTimer::timeout, &session, [&] { memory.push_back(residentMiB()); });
    QObject::connect(&session, &app::Session::loadFailed, &session, [&](const QString& message) {
        problem = message.toStdString();
        QCoreApplication::exit();
    });
    bool isStarted = false;
    QObject::connect(&session, &app::Session::modelChanged, &session, [&] {
        if (!session.hasModel() || isStarted) {
            return;
        }
        isStarted = true;
        if (window) {
            window->showPage(QStringLiteral("live"));
        }
        if (const auto begun = session.startLoad(closedLoop(arguments)); !begun) {
            problem = begun.error().message;
            QCoreApplication::exit();
            return;
        }
        turns.setCounting(true);
        uiSeconds = threadSeconds();
        memory.push_back(residentMiB());
        minute.start(60'000);
        if (alternation) {
            alternation->start();
        } else {
            stops.start();
        }
    });
    QObject::connect(&session, &app::Session::loadRunChanged, &session, [&] {
        if (isStarted && !session.isLoadRunning()) {
            turns.setCounting(false);
            stops.stop();
            if (alternation) {
                alternation->stop();
            }
            uiSeconds = threadSeconds() - uiSeconds;
            memory.push_back(residentMiB());
            QCoreApplication::exit();
        }
    });
    session.openModel(arguments.model, config);
    QApplication::exec();
    if (!problem.empty()) {
        return fail(problem);
    }
    const auto store = app::RunStore::open(log, app::StoreMode::ReadOnly);
    if (!store) {
        return fail(store.error().message);
    }
    const auto summary = (*store)->summary(session.lastRun().value_or(0));
    if (!summary) {
        return fail(summary.error().message);
    }
    result["output_per_s"] = summary->outputPerSecond.value_or(0.0);
    result["ttft_p50_ms"] = summary->ttftMs.p50 ? nlohmann::json(*summary->ttftMs.p50) : nullptr;
    result["completed"] = summary->completed;
    result["main_thread_share"] = uiSeconds / arguments.seconds;
    result["turns"] = turns.json();
    result["stops"] = stops.json();
    if (alternation) {
        result["shown_hidden_per_s"] = alternation->json();
    }
    result["resident_mib"] = memory;
    std::printf("%s\n", result.dump().c_str());
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    const double startedAtMs =
        static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
    // The other dispatcher signals its waiting from inside a turn.
    qputenv("QT_NO_GLIB", "1");
    Arguments arguments;
    CLI::App options("What the window costs the engine");
    options.add_option("mode", arguments.mode)
        ->required()
        ->check(CLI::IsMember({"window", "headless", "alternate"}));
    options.add_option("model", arguments.model)->required()->check(CLI::ExistingPath);
    options.add_option("--seconds", arguments.seconds)->check(CLI::Range(1.0, 86'400.0));
    options.add_option("--threads", arguments.threads)->check(CLI::Range(0, 1024));
    options.add_option("--users", arguments.users)->check(CLI::Range(1, 1024));
    options.add_option("--record", arguments.record);
    CLI11_PARSE(options, argc, argv);
    QApplication application(argc, argv);
    return run(arguments, startedAtMs);
}
