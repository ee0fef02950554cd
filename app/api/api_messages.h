// The messages of a conversation, as the OpenAI API writes them. Throws ApiFailure. Any thread.
#pragma once

#include "engine/request.h"

#include <nlohmann/json_fwd.hpp>

#include <vector>

namespace app {

std::vector<engine::ChatMessage> chatMessages(const nlohmann::json& messages);

} // namespace app
