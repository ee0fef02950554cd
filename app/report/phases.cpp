#include "app/report/phases.h"

#include "app/labels.h"
#include "app/report/report_text.h"
#include "app/store/summary.h"

#include <algorithm>
#include <cmath>

namespace app::report {

namespace {

constexpr double kLeastPhase = 0.5;   // s: changes closer than this are one
constexpr double kEffectSeconds = 60; // before and after

bool isStage(const engine::Event& event) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    return notice != nullptr && notice->kind == "stage";
}

bool isChange(const engine::Event& event) {
    return std::holds_alternative<engine::ConfigApplied>(event.body) || isStage(event);
}

double toSeconds(engine::TimePoint time) {
    return std::chrono::duration<double>(time.time_since_epoch()).count();
}

// What differs between phases: the fields that ever changed, then the arrivals.
class Description {
public:
    explicit Description(const RunData& run) {
        for (const HistoryMarker& marker : run.history.markers()) {
            if (const auto* applied = std::get_if<engine::ConfigApplied>(&marker.event.body)) {
                for (const engine::FieldChange& change : applied->changes) {
                    set(change.key, change.before, Overwrite::No);
                }
            }
        }
    }
    void take(const engine::Event& event) {
        if (const auto* applied = std::get_if<engine::ConfigApplied>(&event.body)) {
            for (const engine::FieldChange& change : applied->changes) {
                set(change.key, change.after, Overwrite::Yes);
            }
        } else if (isStage(event)) {
            m_arrivals = markerText(event);
        }
    }
    QString text() const {
        QStringList parts;
        for (const auto& [key, value] : m_values) {
            const engine::Field* field = engine::findField(key);
            parts << (field != nullptr
                          ? fieldLabel(*field) + QLatin1Char(' ') + choiceLabel(*field, value)
                          : report::text(key) + QLatin1Char(' ') + report::text(value));
        }
        if (!m_arrivals.isEmpty()) {
            parts << m_arrivals;
        }
        return parts.isEmpty() ? dash() : parts.join(QStringLiteral(", "));
    }

private:
    enum class Overwrite : std::uint8_t { No, Yes };
    void set(const std::string& key, const std::string& value, Overwrite overwrite) {
        const auto found =
            std::ranges::find(m_values, key, &std::pair<std::string, std::string>::first);
        if (found == m_values.end()) {
            m_values.emplace_back(key, value);
        } else if (overwrite == Overwrite::Yes) {
            found->second = value;
        }
    }
    std::vector<std::pair<std::string, std::string>> m_values;
    QString m_arrivals;
};

QString letterOf(std::size_t index) { // A ... Z, AA ...
    QString letters;
    for (std::size_t rest = index + 1; rest > 0; rest = (rest - 1) / 26) {
        letters.prepend(QChar(static_cast<char16_t>(u'A' + (rest - 1) % 26)));
    }
    return letters;
}

std::vector<Phase> cut(const RunData& run) {
    const double end = run.summary.run.seconds;
    Description description(run);
    std::vector<Phase> list(1);
    for (const HistoryMarker& marker : run.history.markers()) {
        if (!isChange(marker.event) || marker.seconds > end) {
            continue;
        }
        if (marker.seconds - list.back().from >= kLeastPhase) {
            list.back().settings = description.text();
            list.back().to = marker.seconds;
            list.emplace_back().from = marker.seconds;
        }
        description.take(marker.event);
    }
    list.back().settings = description.text();
    list.back().to = std::max(end, list.back().from);
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i].letter = letterOf(i);
    }
    return list;
}

Phase* phaseAt(std::vector<Phase>& list, double seconds) {
    if (seconds < 0 || seconds > list.back().to) {
        return nullptr;
    }
    const auto after = std::ranges::upper_bound(list, seconds, {}, &Phase::from);
    return &*(after - 1);
}

bool isSample(const engine::RequestRecord& record) {
    return engine::outcome(record.reason) == engine::Outcome::Completed && isWarm(record.tags) &&
           record.ttft().has_value();
}

std::vector<double> ttftBetween(const RunData& run, double from, double to) {
    std::vector<double> values;
    for (const StoredRequest& request : run.requests) {
        if (isSample(request.record)) {
            const double at = toSeconds(*request.record.stamps.firstVisible);
            if (at >= from && at < to) {
                values.push_back(*milliseconds(request.record.ttft()));
            }
        }
    }
    std::ranges::sort(values);
    return values;
}

} // namespace

std::vector<Phase> phases(const RunData& run) {
    std::vector<Phase> list = cut(run);
    for (const StoredRequest& request : run.requests) {
        const engine::RequestRecord& record = request.record;
        for (const engine::TokenStep& step : record.steps) {
            if (Phase* phase = phaseAt(list, toSeconds(step.time))) {
                phase->outputTokens += step.tokens;
            }
        }
        if (isSample(record)) {
            if (Phase* phase = phaseAt(list, toSeconds(*record.stamps.firstVisible))) {
                phase->ttftMs.push_back(*milliseconds(record.ttft()));
            }
        }
        if (record.stamps.finished && isGood(record, run.summary.run)) {
            if (Phase* phase = phaseAt(list, toSeconds(*record.stamps.finished))) {
                ++phase->goodRequests;
            }
        }
    }
    for (Phase& phase : list) {
        const double seconds = phase.to - phase.from;
        std::ranges::sort(phase.ttftMs);
        if (seconds > 0) {
            phase.outputPerSecond = static_cast<double>(phase.outputTokens) / seconds;
            phase.goodputPerSecond = static_cast<double>(phase.goodRequests) / seconds;
        }
        double sum = 0;
        std::int64_t n = 0;
        for (const SampleRow& row : run.samples) {
            if (row.sample.seconds > phase.from && row.sample.seconds <= phase.to) {
                sum += row.sample.running;
                ++n;
            }
        }
        if (n > 0) {
            phase.running = sum / static_cast<double>(n);
        }
    }
    return list;
}

std::optional<Effect> effectOf(const RunData& run, std::size_t marker) {
    const auto& markers = run.history.markers();
    if (!std::holds_alternative<engine::ConfigApplied>(markers[marker].event.body)) {
        return std::nullopt;
    }
    const double at = markers[marker].seconds;
    double from = std::max(0.0, at - kEffectSeconds);
    double to = std::min(run.summary.run.seconds, at + kEffectSeconds);
    for (const HistoryMarker& other : markers) {
        if (isChange(other.event) && other.seconds < at) {
            from = std::max(from, other.seconds);
        } else if (isChange(other.event) && other.seconds > at) {
            to = std::min(to, other.seconds);
        }
    }
    const std::vector<double> before = ttftBetween(run, from, at);
    const std::vector<double> after = ttftBetween(run, at, to);
    Effect effect{.before = quantile(before, 0.5),
                  .after = quantile(after, 0.5),
                  .nBefore = static_cast<std::int64_t>(before.size()),
                  .nAfter = static_cast<std::int64_t>(after.size()),
                  .interval = bootstrapQuantileDifference(before, after, 0.5),
                  .verdict = Verdict::None};
    if (effect.before && effect.after) {
        effect.verdict = judge(*findMeasure("ttft_p50_ms"), effect.before, effect.interval);
    }
    return effect;
}

} // namespace app::report
