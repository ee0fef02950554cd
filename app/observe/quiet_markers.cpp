#include "app/observe/quiet_markers.h"

#include <QString>

#include <algorithm>
#include <string>

namespace app {

namespace {

constexpr double kTogether = 10.0; // s without one of its kind end a burst

using Values = std::vector<std::pair<std::string, std::string>>;

double lengthOf(const Values& values) {
    return QString::fromStdString(values[1].second).toDouble();
}

} // namespace

void addToBurst(std::vector<HistoryMarker>& markers, std::string_view kind, double seconds) {
    if (seconds < 0.0) {
        return; // before the history
    }
    for (auto marker = markers.rbegin(); marker != markers.rend(); ++marker) {
        auto* notice = std::get_if<engine::Notice>(&marker->event.body);
        if (notice == nullptr || notice->kind != kind || notice->values.size() != 2 ||
            seconds < marker->seconds - kTogether) {
            continue;
        }
        const double last = marker->seconds + lengthOf(notice->values);
        if (seconds > last + kTogether) {
            break;
        }
        notice->values[0].second =
            std::to_string(QString::fromStdString(notice->values[0].second).toLongLong() + 1);
        notice->values[1].second =
            QString::number(std::max(last, seconds) - marker->seconds, 'f', 1).toStdString();
        return;
    }
    int least = 0;
    for (const HistoryMarker& marker : markers) {
        least = std::min(least, marker.number);
    }
    HistoryMarker marker{.seconds = seconds, .number = least - 1, .event = {}};
    marker.event.source = engine::EventSource::Engine;
    marker.event.body =
        engine::Notice{.kind = std::string(kind), .values = {{"count", "1"}, {"seconds", "0"}}};
    const auto place = std::ranges::upper_bound(markers, seconds, {}, &HistoryMarker::seconds);
    markers.insert(place, std::move(marker));
}

} // namespace app
