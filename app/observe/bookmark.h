// A place in a run that an operator named. It is kept as an event of the run: when it was set is
// the event's time, what it marks is in its payload, so that the past can be marked too. Values;
// any thread.
#pragma once

#include "engine/events.h"

#include <optional>
#include <string>
#include <string_view>

namespace app {

inline constexpr std::string_view kBookmark = "bookmark";
inline constexpr std::string_view kBookmarkRemoved = "bookmark_removed";

struct Bookmark {
    double seconds = 0.0; // of the run
    std::string name;
    bool operator==(const Bookmark&) const = default;
};

// Both keep milliseconds; a removal names the bookmark that goes.
engine::Notice bookmarkNotice(const Bookmark& bookmark);
engine::Notice bookmarkRemovedNotice(const Bookmark& bookmark);

// Empty for other events, and where the payload makes no sense.
std::optional<Bookmark> bookmarkOf(const engine::Event& event);
std::optional<Bookmark> removedBookmarkOf(const engine::Event& event);

} // namespace app
