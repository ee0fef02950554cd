#include "engine/tokenizer/chat_prompt.h"

#include "engine/base/failure.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace engine::chat {

namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& value, int indent = -1) {
    return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void print(const Json& value, std::string& out) {
    if (value.is_object()) {
        out += '{';
        bool isFirst = true;
        for (const auto& [key, member] : value.items()) {
            out += isFirst ? "" : ", ";
            out += dumped(key) + ": ";
            print(member, out);
            isFirst = false;
        }
        out += '}';
    } else if (value.is_array()) {
        out += '[';
        for (std::size_t i = 0; i < value.size(); ++i) {
            out += i == 0 ? "" : ", ";
            print(value[i], out);
        }
        out += ']';
    } else {
        out += dumped(value);
    }
}

std::string printed(const Json& value) {
    std::string out;
    print(value, out);
    return out;
}

// Depth-bounded: a value nested a million levels deep would overflow the stack of whoever walks it.
Json parsed(std::string_view text) {
    constexpr int kDeepest = 100;
    bool isTooDeep = false;
    const auto guard = [&isTooDeep](int depth, Json::parse_event_t, Json&) {
        isTooDeep = isTooDeep || depth > kDeepest;
        return depth <= kDeepest;
    };
    Json value = Json::parse(text, guard, false);
    return isTooDeep ? Json(Json::value_t::discarded) : value;
}

Json toolList(std::string_view tools) {
    Json list = parsed(tools);
    if (!list.is_array()) {
        throw Failure(ErrorCode::Invalid, "The tools of the conversation are no JSON array.");
    }
    return list;
}

} // namespace

Prompt& Prompt::add(std::string_view text, SpecialTokens special) {
    if (text.empty()) {
        return *this;
    }
    if (!m_pieces.empty() && m_pieces.back().special == special) {
        m_pieces.back().text += text;
    } else {
        m_pieces.push_back({std::string(text), special});
    }
    return *this;
}

std::string_view trimmed(std::string_view text, std::string_view what) {
    const std::size_t begin = text.find_first_not_of(what);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(what) - begin + 1);
}

std::string_view leftTrimmed(std::string_view text, std::string_view what) {
    return text.substr(std::min(text.find_first_not_of(what), text.size()));
}

std::string_view afterReasoning(std::string_view text) {
    const std::size_t end = text.rfind(kThinkEnd);
    return end == std::string_view::npos ? text : text.substr(end + kThinkEnd.size());
}

bool startsWithSystem(Messages messages) {
    return !messages.empty() && messages[0].role == "system";
}

std::size_t lastUser(Messages messages) {
    for (std::size_t i = messages.size(); i > 0; --i) {
        if (messages[i - 1].role == "user") {
            return i - 1;
        }
    }
    return messages.size();
}

std::vector<std::string> toolTexts(std::string_view tools, ToolText what) {
    std::vector<std::string> texts;
    for (const Json& tool : toolList(tools)) {
        const bool isWrapped = tool.is_object() && tool.contains("function");
        texts.push_back(
            printed(what == ToolText::Function && isWrapped ? tool.at("function") : tool));
    }
    return texts;
}

std::vector<std::string> indentedToolTexts(std::string_view tools, int indent) {
    std::vector<std::string> texts;
    for (const Json& tool : toolList(tools)) {
        texts.push_back(dumped(tool, indent));
    }
    return texts;
}

std::string_view toolsOf(Messages messages) {
    const auto found =
        std::ranges::find_if(messages, [](const ChatMessage& one) { return !one.tools.empty(); });
    return found == messages.end() ? std::string_view() : std::string_view(found->tools);
}

std::string pythonJson(std::string_view json) {
    const Json value = parsed(json);
    return value.is_discarded() ? std::string(json) : printed(value);
}

std::string quotedJson(std::string_view text) {
    return dumped(Json(std::string(text)));
}

std::vector<Argument> argumentsOf(std::string_view json) {
    const Json value = parsed(json);
    if (!value.is_object()) {
        return {{.name = "arguments", .value = std::string(json), .isText = true}};
    }
    std::vector<Argument> arguments;
    for (const auto& [name, member] : value.items()) {
        arguments.push_back(
            {.name = name,
             .value = member.is_string() ? member.get<std::string>() : printed(member),
             .isText = member.is_string()});
    }
    return arguments;
}

} // namespace engine::chat
