#include "app/unwritten.h"

#include "app/command/command.h"
#include "app/durations.h"
#include "app/interrupt.h"

#include <QEventLoop>
#include <QTimer>

#include <fmt/format.h>

namespace app {

std::string unwrittenText(const UnwrittenRun& run) {
    if (run.requests == 0) {
        return fmt::format("the end of run {}", run.run);
    }
    return fmt::format("{} request{} of run {}", run.requests, run.requests == 1 ? "" : "s",
                       run.run);
}

std::optional<std::string> waitUntilWritten(const Session& session, std::chrono::seconds patience) {
    const auto before = session.unwritten();
    if (!before) {
        return std::nullopt;
    }
    constexpr std::chrono::milliseconds kLook{100};
    QEventLoop loop;
    const InterruptWatch watch([&loop] { loop.quit(); }); // before Ctrl-C is offered
    printNote(fmt::format("Not in the run log yet: {}. {} Waiting for up to {}; Ctrl-C ends "
                          "without them.",
                          unwrittenText(*before), before->problem,
                          durationText(static_cast<double>(patience.count()))));
    const engine::TimePoint limit = engine::Clock::now() + patience;
    QTimer timer;
    QObject::connect(&timer, &QTimer::timeout, &loop, [&] {
        if (!session.unwritten() || engine::Clock::now() >= limit) {
            loop.quit();
        }
    });
    timer.start(kLook);
    loop.exec();
    const auto left = session.unwritten();
    if (!left) {
        printNote("All of it is in the run log now.");
        return std::nullopt;
    }
    return fmt::format("Not written to the run log, and lost: {}. {}", unwrittenText(*left),
                       left->problem);
}

} // namespace app
