#include "app/remote/stream_reader.h"

#include "app/json_depth.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace app {

namespace {

using nlohmann::json;

constexpr std::size_t kLongestLine = 4 * 1024 * 1024;
constexpr std::size_t kShownError = 400;

json parsed(std::string_view text) {
    return isDeeperThan(text, kDeepestJson) ? json() : json::parse(text, nullptr, false);
}

std::string textOf(const json& object, const char* name) {
    if (!object.is_object()) {
        return {};
    }
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::int64_t> countOf(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number()) {
        return std::nullopt;
    }
    const double value = found->get<double>();
    return value >= 0.0 && value < 1e15 ? std::optional(static_cast<std::int64_t>(value))
                                        : std::nullopt;
}

engine::FinishReason finishOf(const std::string& word) {
    if (word == "length") {
        return engine::FinishReason::Length;
    }
    if (word == "abort" || word == "cancelled") {
        return engine::FinishReason::Cancelled;
    }
    return word == "error" ? engine::FinishReason::Failed : engine::FinishReason::Stop;
}

void readChoice(const json& choice, RemotePiece& piece) {
    if (!choice.is_object()) {
        return;
    }
    for (const char* part : {"delta", "message"}) {
        if (const auto found = choice.find(part); found != choice.end()) {
            piece.text += textOf(*found, "content");
        }
    }
    piece.text += textOf(choice, "text");
    if (const std::string reason = textOf(choice, "finish_reason"); !reason.empty()) {
        piece.finish = finishOf(reason);
    }
}

// As the servers write errors that have an object of their own around them.
std::string errorEvent(const std::string& data) {
    const json object = parsed(data);
    const bool isWrapped = object.is_object() && object.contains("error");
    return isWrapped ? data
           : object.is_discarded() || object.is_null()
               ? json{{"error", data}}.dump(-1, ' ', false, json::error_handler_t::replace)
               : json{{"error", object}}.dump();
}

std::string messageOf(const json& error) {
    if (error.is_string()) {
        return error;
    }
    const std::string message = textOf(error, "message");
    return message.empty() ? "The server told of an error without a message." : message;
}

} // namespace

std::vector<std::string> EventReader::push(std::string_view bytes) {
    std::vector<std::string> events;
    for (const char c : bytes) {
        if (m_isBroken) {
            break;
        }
        if (c != '\n') {
            m_line += c;
            m_isBroken = m_line.size() + m_data.size() > kLongestLine;
            continue;
        }
        if (m_line.ends_with('\r')) {
            m_line.pop_back();
        }
        takeLine(m_line, events);
        m_line.clear();
    }
    return events;
}

void EventReader::takeLine(std::string_view line, std::vector<std::string>& events) {
    if (line.empty()) {
        if (m_hasData) {
            events.push_back(m_isError ? errorEvent(m_data) : m_data);
        }
        m_data.clear();
        m_hasData = m_isError = false;
        return;
    }
    const std::size_t colon = line.find(':');
    const std::string_view name = line.substr(0, colon);
    line = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (line.starts_with(' ')) {
        line.remove_prefix(1);
    }
    if (name == "event") {
        m_isError = line == "error";
        return;
    }
    m_isError = m_isError || name == "error"; // a field of its own, as llama.cpp writes it
    if (name != "data" && name != "error") {
        return; // a comment, an id
    }
    m_data += (m_hasData ? "\n" : "");
    m_data += line;
    m_hasData = true;
}

RemotePiece readPiece(std::string_view data) {
    RemotePiece piece;
    if (data == "[DONE]") {
        piece.isEnd = true;
        return piece;
    }
    const json object = parsed(data);
    if (!object.is_object()) {
        piece.isForeign = true;
        return piece;
    }
    if (const auto error = object.find("error"); error != object.end() && !error->is_null()) {
        piece.error = messageOf(*error).substr(0, kShownError);
        return piece;
    }
    if (const auto usage = object.find("usage"); usage != object.end() && usage->is_object()) {
        piece.usage = {.promptTokens = countOf(*usage, "prompt_tokens"),
                       .outputTokens = countOf(*usage, "completion_tokens")};
    }
    const auto choices = object.find("choices");
    if (choices != object.end() && choices->is_array()) {
        if (!choices->empty()) {
            readChoice(choices->front(), piece);
        }
    } else if (!piece.usage.outputTokens) {
        piece.isForeign = true;
    }
    return piece;
}

std::string errorMessage(std::string_view body) {
    const json object = parsed(body);
    if (object.is_object()) {
        for (const char* name : {"error", "detail", "message"}) {
            if (const auto found = object.find(name); found != object.end()) {
                return messageOf(*found).substr(0, kShownError);
            }
        }
    }
    return std::string(body.substr(0, kShownError));
}

} // namespace app
