#include "app/api/api_messages.h"

#include "app/api/api_failure.h"
#include "app/api/api_request.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace app {

namespace {

using nlohmann::json;

constexpr std::size_t kMostMessages = 4096;

[[noreturn]] void refuse(const std::string& message) {
    throw ApiFailure(400, message, {}, "messages");
}

// A text, or parts that are all text.
std::string contentOf(const json& message) {
    const auto found = message.find("content");
    if (found == message.end() || found->is_null()) {
        return {};
    }
    if (found->is_string()) {
        return *found;
    }
    if (!found->is_array()) {
        refuse("The content of a message is a text or a list of parts.");
    }
    std::string text;
    for (const json& part : *found) {
        if (!part.is_object() || part.value("type", json()) != json("text")) {
            refuse("Parts of a message must be of the type \"text\".");
        }
        text += textOf(part, "text").value_or("");
    }
    return text;
}

std::vector<engine::ToolCall> toolCallsOf(const json& message) {
    std::vector<engine::ToolCall> calls;
    const auto found = message.find("tool_calls");
    if (found == message.end() || found->is_null()) {
        return calls;
    }
    if (!found->is_array()) {
        refuse("tool_calls is a list.");
    }
    for (const json& call : *found) {
        const auto function = call.is_object() ? call.find("function") : call.end();
        if (!call.is_object() || function == call.end() || !function->is_object()) {
            refuse("A tool call holds a function with its name and arguments.");
        }
        calls.push_back({.name = textOf(*function, "name").value_or(""),
                         .arguments = textOf(*function, "arguments").value_or("{}"),
                         .id = textOf(call, "id").value_or("")});
    }
    return calls;
}

engine::ChatMessage messageOf(const json& message) {
    if (!message.is_object()) {
        refuse("A message is an object with a role and content.");
    }
    constexpr std::array<std::string_view, 4> kRoles = {"system", "user", "assistant", "tool"};
    engine::ChatMessage result;
    result.role = textOf(message, "role").value_or("");
    if (result.role == "developer") {
        result.role = "system";
    }
    if (std::ranges::find(kRoles, result.role) == kRoles.end()) {
        refuse(
            fmt::format("The role \"{}\" is not one of system, developer, user, assistant, tool.",
                        result.role.substr(0, 40)));
    }
    result.content = contentOf(message);
    result.reasoning = textOf(message, "reasoning_content").value_or("");
    result.toolCalls = toolCallsOf(message);
    result.toolCallId = textOf(message, "tool_call_id").value_or("");
    return result;
}

} // namespace

std::vector<engine::ChatMessage> chatMessages(const json& messages) {
    if (!messages.is_array() || messages.empty() || messages.size() > kMostMessages) {
        refuse(fmt::format("messages is a list of 1 to {} messages.", kMostMessages));
    }
    std::vector<engine::ChatMessage> result;
    for (const json& message : messages) {
        result.push_back(messageOf(message));
    }
    return result;
}

} // namespace app
