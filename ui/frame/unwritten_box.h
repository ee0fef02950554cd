// What the console says at its end where the log can't take the rest of a run: a box that closes by
// itself once all of it is written. UI thread.
#pragma once

namespace app {
class Session;
}

namespace ui {

// Returns at once where nothing is left to write; else when it is, or when the operator gives up.
void waitUntilWritten(const app::Session& session);

} // namespace ui
