// Conversations as chat APIs write them in JSON, for chat-format. Main thread.
#pragma once

#include "engine/request.h"

#include <string_view>
#include <vector>

namespace app {

// An array of messages, or an object with "messages" and, if need be, "tools". Reads role, content
// (a text, null, or parts with texts), reasoning_content, tool_calls and tool_call_id. CommandError
// that names what is wrong.
std::vector<engine::ChatMessage> chatMessages(std::string_view json);

} // namespace app
