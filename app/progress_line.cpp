#include "app/progress_line.h"

#include "app/command/text_table.h"
#include "app/durations.h"
#include "app/run_text.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace app {

namespace {

constexpr qint64 kRenewEvery = 200;     // ms, on a terminal
constexpr qint64 kLineEvery = 10'000;   // ms, elsewhere
constexpr double kWindowSeconds = 10.0; // of the figures
constexpr std::size_t kMostPoints = 5000;
constexpr int kColumnsForBar = 130;

std::string bar(double share) {
    constexpr int kCells = 12;
    const int full = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * kCells));
    std::string text;
    for (int cell = 0; cell < kCells; ++cell) {
        text += cell < full ? "\u2588" : "\u2591";
    }
    return text;
}

Quantiles recentTtft(const History& history, double from) {
    std::vector<double> values;
    const auto& requests = history.requests();
    const std::size_t first = requests.size() - std::min(requests.size(), kMostPoints);
    for (std::size_t at = first; at < requests.size(); ++at) {
        if (requests[at].seconds >= from && std::isfinite(requests[at].ttftMs)) {
            values.push_back(requests[at].ttftMs);
        }
    }
    return quantiles(std::move(values));
}

double recentOutput(const History& history, double from) {
    double sum = 0.0;
    int count = 0;
    const auto& samples = history.samples();
    for (auto sample = samples.rbegin(); sample != samples.rend() && sample->seconds >= from;
         ++sample) {
        sum += sample->outputPerSecond;
        ++count;
    }
    return count > 0 ? sum / count : 0.0;
}

} // namespace

std::string loadProgressText(const LoadProgress& progress, const Workload& workload,
                             const engine::Snapshot& snapshot, const History& history,
                             int columns) {
    const double from = history.endSeconds() - kWindowSeconds;
    const Quantiles ttft = recentTtft(history, from);
    const bool isDraining = progress.seconds > progress.totalSeconds;
    std::string text = workload.name + " ";
    if (columns >= kColumnsForBar && progress.totalSeconds > 0) {
        text += bar(progress.seconds / progress.totalSeconds) + " ";
    }
    text += isDraining ? fmt::format("{}, last answers", durationText(progress.seconds))
                       : fmt::format("{}/{}", durationText(progress.seconds),
                                     durationText(progress.totalSeconds));
    text += fmt::format("  {} of {} done, {} running, {} waiting", progress.finished, progress.sent,
                        snapshot.running, snapshot.waiting);
    text += fmt::format("  TTFT p50 {} p90 {} ms  {} tok/s out", figureText(ttft.p50),
                        figureText(ttft.p90), figureText(recentOutput(history, from)));
    if (!isDraining) {
        text += progress.wantedRate > 0
                    ? fmt::format("  {} of {} req/s", figureText(progress.achievedRate),
                                  figureText(progress.wantedRate))
                    : fmt::format("  {} req/s", figureText(progress.achievedRate));
        text += fmt::format("  lag {} ms{}", figureText(progress.lagP50Ms),
                            progress.isBehind ? ", the generator is behind" : "");
    }
    return text;
}

ProgressLine::ProgressLine() : m_isTerminal(isatty(STDERR_FILENO) != 0) {
    winsize size{};
    if (m_isTerminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        m_columns = size.ws_col;
    }
}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::showLoading(const QString& phase, qint64 done, qint64 total) {
    if (m_isTerminal && isDue()) {
        show(total > 1 ? fmt::format("Loading: {} {} of {}", phase.toStdString(), done, total)
                       : fmt::format("Loading: {}", phase.toStdString()));
    }
}

void ProgressLine::showLoad(const Session& session) {
    const Workload* workload = session.currentWorkload();
    if (workload != nullptr && isDue()) {
        show(loadProgressText(session.loadProgress(), *workload, session.snapshot(),
                              session.history(), m_columns));
    }
}

void ProgressLine::showText(const std::string& line) {
    if (isDue()) {
        show(line);
    }
}

void ProgressLine::clear() {
    if (m_isShown && m_isTerminal) {
        std::fputs("\r\033[K", stderr);
        std::fflush(stderr);
    }
    m_isShown = false;
}

bool ProgressLine::isDue() {
    const qint64 every = m_isTerminal ? kRenewEvery : kLineEvery;
    if (m_sinceLine.isValid() && m_sinceLine.elapsed() < every) {
        return false;
    }
    const bool isFirst = !m_sinceLine.isValid();
    m_sinceLine.start();
    return m_isTerminal || !isFirst; // elsewhere the first line comes after the first ten seconds
}

void ProgressLine::show(const std::string& text) {
    const std::string line = printable(text); // it has names of workloads and models
    if (m_isTerminal) {
        // One short of the width: a full last column makes some terminals wrap.
        std::fputs(("\r" + elided(line, m_columns - 1) + "\033[K").c_str(), stderr);
        std::fflush(stderr);
    } else {
        std::fputs((line + "\n").c_str(), stderr);
    }
    m_isShown = true;
}

} // namespace app
