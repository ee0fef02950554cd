#include "app/compare/dialect.h"

#include "app/store/summary.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace app {

namespace {

using engine::RequestRecord;

QString say(const char* english) {
    return QCoreApplication::translate("dialects", english);
}

double toSeconds(engine::TimePoint time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// What those tools would have seen of the run.
struct Seen {
    std::vector<const RequestRecord*> completed;
    double seconds = 0.0; // from the first arrival to the last end
    std::int64_t failed = 0;
    double promptTokens = 0.0, outputTokens = 0.0;
};

Seen look(const RunData& run) {
    Seen seen;
    std::optional<engine::TimePoint> first, last;
    for (const StoredRequest& request : run.requests) {
        const RequestRecord& record = request.record;
        if (engine::outcome(record.reason) != engine::Outcome::Completed) {
            ++seen.failed;
            continue;
        }
        const engine::Stamps& stamps = record.stamps;
        if (!stamps.received || !stamps.firstVisible || !stamps.lastToken) {
            continue;
        }
        seen.completed.push_back(&record);
        seen.promptTokens += static_cast<double>(record.promptTokens);
        seen.outputTokens += static_cast<double>(record.outputTokens);
        first = std::min(first.value_or(*stamps.received), *stamps.received);
        last = std::max(last.value_or(*stamps.lastToken), *stamps.lastToken);
    }
    if (first && last) {
        seen.seconds = toSeconds(*last) - toSeconds(*first);
    }
    return seen;
}

// A figure of each request, or of each gap; empty where a request has none.
using Values = std::vector<double> (*)(const RequestRecord&);

std::vector<double> firstToken(const RequestRecord& record) {
    return {milliseconds(*record.stamps.firstVisible - *record.stamps.received)};
}

std::vector<double> secondToken(const RequestRecord& record) {
    return record.steps.size() < 2
               ? std::vector<double>()
               : std::vector<double>{milliseconds(record.steps[1].time - record.steps[0].time)};
}

std::vector<double> latency(const RequestRecord& record) {
    return {milliseconds(*record.stamps.lastToken - *record.stamps.received)};
}

std::vector<double> latencySeconds(const RequestRecord& record) {
    return {latency(record).front() / 1000.0};
}

std::vector<double> pace(const RequestRecord& record) {
    const auto tpot = milliseconds(record.tpot());
    return tpot ? std::vector<double>{*tpot} : std::vector<double>();
}

std::vector<double> tokensPerSecondOfUser(const RequestRecord& record) {
    const auto tpot = milliseconds(record.tpot());
    return tpot && *tpot > 0.0 ? std::vector<double>{1000.0 / *tpot} : std::vector<double>();
}

std::vector<double> paceWithFirst(const RequestRecord& record) {
    return record.outputTokens > 0 ? std::vector<double>{latency(record).front() /
                                                         static_cast<double>(record.outputTokens)}
                                   : std::vector<double>();
}

std::vector<double> gaps(const RequestRecord& record) {
    std::vector<double> values;
    for (std::size_t i = 1; i < record.steps.size(); ++i) {
        values.push_back(milliseconds(record.steps[i].time - record.steps[i - 1].time));
    }
    return values;
}

std::vector<double> promptLength(const RequestRecord& record) {
    return {static_cast<double>(record.promptTokens)};
}

std::vector<double> answerLength(const RequestRecord& record) {
    return {static_cast<double>(record.outputTokens)};
}

class Reading {
public:
    explicit Reading(const RunData& run) : m_seen(look(run)) {}
    const Seen& seen() const { return m_seen; }

    void each(const char* name, const char* unit, Values values, const QString& note = {}) {
        std::vector<double> all;
        for (const RequestRecord* record : m_seen.completed) {
            std::ranges::copy(values(*record), std::back_inserter(all));
        }
        DialectFigure figure{.name = QLatin1String(name),
                             .unit = QLatin1String(unit),
                             .n = static_cast<std::int64_t>(all.size()),
                             .note = note};
        if (!all.empty()) {
            figure.mean =
                std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
        }
        const Quantiles found = quantiles(std::move(all));
        figure.p50 = found.p50;
        figure.p90 = found.p90;
        figure.p95 = found.p95;
        figure.p99 = found.p99;
        m_figures.push_back(std::move(figure));
    }
    void one(const char* name, const char* unit, std::optional<double> value,
             const QString& note = {}) {
        m_figures.push_back({.name = QLatin1String(name),
                             .unit = QLatin1String(unit),
                             .value = value,
                             .n = static_cast<std::int64_t>(m_seen.completed.size()),
                             .note = note});
    }
    std::optional<double> perSecond(double count) const {
        return m_seen.seconds > 0.0 ? std::optional(count / m_seen.seconds) : std::nullopt;
    }
    double count() const { return static_cast<double>(m_seen.completed.size()); }
    std::vector<DialectFigure> take() { return std::move(m_figures); }

private:
    Seen m_seen;
    std::vector<DialectFigure> m_figures;
};

QString fromArrival() {
    return say(QT_TRANSLATE_NOOP("dialects", "from arrival: the schedule’s lag is not in it"));
}

QString ourTpot() {
    return say(QT_TRANSLATE_NOOP("dialects", "our TPOT"));
}

QString summed() {
    return say(QT_TRANSLATE_NOOP("dialects", "prompt and output added, prefix hits included"));
}

std::vector<DialectFigure> asVllm(const RunData& run) {
    Reading reading(run);
    const Seen& seen = reading.seen();
    reading.one("Successful requests", "", reading.count());
    reading.one("Benchmark duration", "s", seen.seconds);
    reading.one("Total input tokens", "", seen.promptTokens);
    reading.one("Total generated tokens", "", seen.outputTokens);
    reading.one("Request throughput", "req/s", reading.perSecond(reading.count()));
    reading.one("Output token throughput", "tok/s", reading.perSecond(seen.outputTokens));
    reading.one("Total token throughput", "tok/s",
                reading.perSecond(seen.promptTokens + seen.outputTokens), summed());
    const auto good = std::ranges::count_if(seen.completed, [&](const RequestRecord* record) {
        const auto tpot = milliseconds(record->tpot());
        return firstToken(*record).front() <= run.summary.run.sloTtftMs &&
               (!tpot || *tpot <= run.summary.run.sloTpotMs);
    });
    reading.one("Request goodput", "req/s", reading.perSecond(static_cast<double>(good)),
                fromArrival());
    reading.each("TTFT", "ms", firstToken, fromArrival());
    reading.each("TPOT (excl. 1st token)", "ms", pace);
    reading.each("ITL", "ms", gaps,
                 say(QT_TRANSLATE_NOOP("dialects", "between steps; there between chunks")));
    reading.each("E2EL", "ms", latency, fromArrival());
    return reading.take();
}

std::vector<DialectFigure> asAiPerf(const RunData& run) {
    Reading reading(run);
    const Seen& seen = reading.seen();
    reading.each("Time to First Token", "ms", firstToken, fromArrival());
    reading.each("Time to Second Token", "ms", secondToken,
                 say(QT_TRANSLATE_NOOP("dialects", "from the first step to the second")));
    reading.each("Request Latency", "ms", latency,
                 say(QT_TRANSLATE_NOOP("dialects", "our E2EL, from arrival")));
    reading.each("Inter Token Latency", "ms", pace, ourTpot());
    reading.each("Output Token Throughput Per User", "tokens/sec/user", tokensPerSecondOfUser,
                 say(QT_TRANSLATE_NOOP("dialects", "1 ÷ TPOT of each request")));
    reading.each("Output Sequence Length", "tokens", answerLength);
    reading.each("Input Sequence Length", "tokens", promptLength);
    reading.one("Output Token Throughput", "tokens/sec", reading.perSecond(seen.outputTokens));
    reading.one("Request Throughput", "requests/sec", reading.perSecond(reading.count()));
    reading.one("Request Count", "requests", reading.count());
    return reading.take();
}

std::vector<DialectFigure> asGuideLlm(const RunData& run) {
    Reading reading(run);
    const Seen& seen = reading.seen();
    reading.one("Requests per second", "req/s", reading.perSecond(reading.count()));
    double busy = 0.0;
    for (const RequestRecord* record : seen.completed) {
        busy += latencySeconds(*record).front();
    }
    reading.one("Concurrency", "", reading.perSecond(busy),
                say(QT_TRANSLATE_NOOP("dialects", "mean number of requests under way")));
    reading.one("Output tokens per second", "tok/s", reading.perSecond(seen.outputTokens));
    reading.one("Total tokens per second", "tok/s",
                reading.perSecond(seen.promptTokens + seen.outputTokens), summed());
    reading.each("Request Latency", "s", latencySeconds,
                 say(QT_TRANSLATE_NOOP("dialects", "our E2EL, from arrival")));
    reading.each("TTFT", "ms", firstToken, fromArrival());
    reading.each("ITL", "ms", pace, ourTpot());
    reading.each("TPOT", "ms", paceWithFirst,
                 say(QT_TRANSLATE_NOOP("dialects", "includes the first token: (lastToken − "
                                                   "received) ÷ tokens")));
    reading.one("Completed requests", "", reading.count());
    reading.one("Incomplete or errored requests", "", static_cast<double>(seen.failed),
                say(QT_TRANSLATE_NOOP("dialects", "cancelled, failed and rejected together")));
    return reading.take();
}

} // namespace

QString dialectName(Dialect dialect) {
    switch (dialect) {
    case Dialect::Vllm:
        return QStringLiteral("vLLM");
    case Dialect::AiPerf:
        return QStringLiteral("AIPerf");
    case Dialect::GuideLlm:
        break;
    }
    return QStringLiteral("GuideLLM");
}

std::vector<DialectFigure> readAs(Dialect dialect, const RunData& run) {
    switch (dialect) {
    case Dialect::Vllm:
        return asVllm(run);
    case Dialect::AiPerf:
        return asAiPerf(run);
    case Dialect::GuideLlm:
        break;
    }
    return asGuideLlm(run);
}

} // namespace app
