#include "app/remote/remote_request.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

Json messagesOf(const std::vector<engine::ChatMessage>& messages) {
    Json list = Json::array();
    for (const engine::ChatMessage& message : messages) {
        Json row = {{"role", message.role}, {"content", message.content}};
        if (!message.toolCallId.empty()) {
            row["tool_call_id"] = message.toolCallId;
        }
        list.push_back(std::move(row));
    }
    return list;
}

} // namespace

RemoteRequest remoteRequest(const engine::Request& request, std::string_view model) {
    Json body;
    RemoteRequest result{.method = "POST", .path = "/v1/completions"};
    body["model"] = request.adapter.empty() ? std::string(model) : request.adapter;
    if (const auto* messages = std::get_if<std::vector<engine::ChatMessage>>(&request.prompt)) {
        result.path = "/v1/chat/completions";
        body["messages"] = messagesOf(*messages);
    } else if (const auto* ids = std::get_if<std::vector<engine::TokenId>>(&request.prompt)) {
        body["prompt"] = *ids;
    } else {
        body["prompt"] = std::get<std::string>(request.prompt);
    }
    body["max_tokens"] = request.maxTokens;
    const engine::Sampling& sampling = request.sampling;
    body["temperature"] = sampling.temperature;
    if (sampling.temperature > 0.0F) {
        body["top_p"] = sampling.topP;
        if (sampling.topK > 0) {
            body["top_k"] = sampling.topK;
        }
        if (sampling.minP > 0.0F) {
            body["min_p"] = sampling.minP;
        }
        // Seeds of others are 32 bits wide at times.
        body["seed"] = static_cast<std::int64_t>(sampling.seed & 0x7FFFFFFFU);
    }
    if (!request.stop.empty()) {
        body["stop"] = request.stop;
    }
    if (request.ignoreEnd) {
        body["ignore_eos"] = true; // vLLM's word for it
    }
    if (request.attention) { // another Headway understands it
        body["attention"] = *request.attention == engine::Attention::Sparse ? "sparse" : "full";
    }
    if (!request.tenant.empty()) {
        body["cache_salt"] = request.tenant;
    }
    body["stream"] = true;
    body["stream_options"] = {{"include_usage", true}};
    result.body = body.dump(-1, ' ', false, Json::error_handler_t::replace);
    result.headers = {request.lane == engine::Lane::Batch ? std::pair("X-Batch", "true")
                                                          : std::pair("X-Mode", "realtime")};
    return result;
}

} // namespace app
