#include "app/probe/chat_messages.h"

#include "app/command/command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {

namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& message) {
    throw CommandError(ExitStatus::Failed, message);
}

std::string dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A text; of parts, their texts; of null or nothing, none.
std::string textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) {
        return {};
    }
    if (found->is_string()) {
        return found->get<std::string>();
    }
    if (!found->is_array()) {
        return dumped(*found);
    }
    std::string text;
    for (const Json& part : *found) {
        text += part.is_object() ? textOf(part, "text") : std::string();
    }
    return text;
}

engine::ToolCall callOf(const Json& call) {
    if (!call.is_object()) {
        fail("A tool call is no JSON object.");
    }
    const Json& function =
        call.contains("function") && call.at("function").is_object() ? call.at("function") : call;
    return {.name = textOf(function, "name"),
            .arguments = textOf(function, "arguments"),
            .id = textOf(call, "id")};
}

engine::ChatMessage messageOf(const Json& value, std::size_t number) {
    if (!value.is_object() || !value.contains("role") || !value.at("role").is_string()) {
        fail(fmt::format("Message {} has no role; each must be an object with role and content.",
                         number));
    }
    engine::ChatMessage message;
    message.role = textOf(value, "role");
    message.content = textOf(value, "content");
    message.reasoning =
        textOf(value, value.contains("reasoning_content") ? "reasoning_content" : "reasoning");
    message.toolCallId = textOf(value, "tool_call_id");
    if (value.contains("tools") && value.at("tools").is_array()) {
        message.tools = dumped(value.at("tools"));
    }
    if (value.contains("tool_calls") && value.at("tool_calls").is_array()) {
        for (const Json& call : value.at("tool_calls")) {
            message.toolCalls.push_back(callOf(call));
        }
    }
    return message;
}

} // namespace

std::vector<engine::ChatMessage> chatMessages(std::string_view json) {
    const Json document = Json::parse(json, nullptr, false);
    if (document.is_discarded()) {
        fail("The messages are no JSON.");
    }
    const bool isWrapped = document.is_object() && document.contains("messages");
    const Json& list = isWrapped ? document.at("messages") : document;
    if (!list.is_array()) {
        fail("The messages are no JSON array, nor an object with an array \"messages\".");
    }
    std::vector<engine::ChatMessage> messages;
    for (const Json& value : list) {
        messages.push_back(messageOf(value, messages.size() + 1));
    }
    if (isWrapped && document.contains("tools") && document.at("tools").is_array()) {
        const auto system = std::ranges::find(messages, "system", &engine::ChatMessage::role);
        auto& holder = system != messages.end()
                           ? *system
                           : *messages.insert(messages.begin(), {.role = "system", .content = ""});
        holder.tools = dumped(document.at("tools"));
    }
    return messages;
}

} // namespace app
