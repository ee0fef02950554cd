// One answer on its way from the engine to a client, whole or as a stream of events. Takes from the
// engine only what the client has read, so that a slow one holds up nobody. The server's thread.
#pragma once

#include "app/api/api_request.h"
#include "app/api/api_state.h"
#include "app/api/http_server.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace app {

struct AnswerForm {
    AnswerShape shape = AnswerShape::Chat;
    bool isStreamed = false;
    bool wantsUsage = false;
    bool wantsLogprobs = false;
    std::string model; // as the client is told
    std::string fingerprint;
    HttpHeaders headers; // of the response
};

// Sends what `stream` brings as the answer of `exchange`, and cancels it when the client leaves.
void relayAnswer(const std::shared_ptr<ApiState>& state,
                 const std::shared_ptr<HttpExchange>& exchange,
                 std::shared_ptr<engine::TokenStream> stream, AnswerForm form);

} // namespace app
