// A request of ours as the OpenAI API has it. Pure.
#pragma once

#include "app/remote/remote_call.h"
#include "engine/request.h"

#include <string_view>

namespace app {

RemoteRequest remoteRequest(const engine::Request& request, std::string_view model);

} // namespace app
