// What another server's answer says, piece by piece: server-sent events, and the objects of the
// OpenAI API in them as real servers write them. Pure; one thread.
#pragma once

#include "engine/request.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

// Cuts a stream of bytes into the data of its events, wherever the bytes were cut before.
class EventReader {
public:
    std::vector<std::string> push(std::string_view bytes);
    // A line that never ends: the rest is not read.
    bool isBroken() const { return m_isBroken; }

private:
    void takeLine(std::string_view line, std::vector<std::string>& events);

    std::string m_line, m_data;
    bool m_hasData = false;
    bool m_isError = false; // the event is named so
    bool m_isBroken = false;
};

struct RemoteUsage {
    std::optional<std::int64_t> promptTokens, outputTokens;
};

// One event, or the whole answer where the server does not stream.
struct RemotePiece {
    std::string text; // visible; what a model thinks before is not
    std::optional<engine::FinishReason> finish;
    RemoteUsage usage;
    std::string error;      // the server's words
    bool isEnd = false;     // [DONE]
    bool isForeign = false; // nothing of this is understood
};
RemotePiece readPiece(std::string_view data);

// The message of an error body, shortened; the body's beginning where it is none.
std::string errorMessage(std::string_view body);

} // namespace app
