// What the HTTP statuses of attached servers mean here. Pure.
#pragma once

#include "engine/request.h"

#include <string_view>

namespace app {

// Of a request that was refused; `message` is what the server says.
engine::FinishReason reasonOfStatus(int status, std::string_view message);
// Of a page that the server does not have or does not show, rather than a server that restarts.
bool isNeverThere(int status);

} // namespace app
