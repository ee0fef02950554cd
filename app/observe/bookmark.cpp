#include "app/observe/bookmark.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace app {

namespace {

constexpr std::string_view kName = "name";
constexpr std::string_view kAt = "at_s";

engine::Notice notice(std::string_view kind, const Bookmark& bookmark) {
    return {.kind = std::string(kind),
            .values = {{std::string(kName), bookmark.name},
                       {std::string(kAt), fmt::format("{:.3f}", bookmark.seconds)}}};
}

const std::string* value(const engine::Notice& notice, std::string_view key) {
    const auto pair =
        std::ranges::find(notice.values, key, &std::pair<std::string, std::string>::first);
    return pair != notice.values.end() ? &pair->second : nullptr;
}

std::optional<Bookmark> read(const engine::Event& event, std::string_view kind) {
    const auto* notice = std::get_if<engine::Notice>(&event.body);
    if (notice == nullptr || notice->kind != kind) {
        return std::nullopt;
    }
    const std::string* at = value(*notice, kAt);
    const std::string* name = value(*notice, kName);
    if (at == nullptr || name == nullptr) {
        return std::nullopt;
    }
    double seconds = 0.0;
    const char* end = at->data() + at->size();
    const auto [stop, error] = std::from_chars(at->data(), end, seconds);
    if (error != std::errc() || stop != end || !std::isfinite(seconds) || seconds < 0.0) {
        return std::nullopt;
    }
    return Bookmark{.seconds = seconds, .name = *name};
}

} // namespace

engine::Notice bookmarkNotice(const Bookmark& bookmark) {
    return notice(kBookmark, bookmark);
}

engine::Notice bookmarkRemovedNotice(const Bookmark& bookmark) {
    return notice(kBookmarkRemoved, bookmark);
}

std::optional<Bookmark> bookmarkOf(const engine::Event& event) {
    return read(event, kBookmark);
}

std::optional<Bookmark> removedBookmarkOf(const engine::Event& event) {
    return read(event, kBookmarkRemoved);
}

} // namespace app
