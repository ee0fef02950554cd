// What the chat formats are made of: a prompt in pieces of template text and content, and JSON as
// templates print it. Any thread.
#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine::chat {

using Pieces = std::vector<PromptPiece>;
using Messages = std::span<const ChatMessage>;

inline constexpr std::string_view kThinkBegin = "<think>";
inline constexpr std::string_view kThinkEnd = "</think>";

// Neighbouring pieces of the same rule are joined, empty ones left out.
class Prompt {
public:
    Prompt& marks(std::string_view text) { return add(text, SpecialTokens::Parse); }
    Prompt& content(std::string_view text) { return add(text, SpecialTokens::Escape); }
    Pieces take() { return std::move(m_pieces); }

private:
    Prompt& add(std::string_view text, SpecialTokens special);

    Pieces m_pieces;
};

constexpr std::string_view kBlank = " \t\r\n\v\f";
std::string_view trimmed(std::string_view text, std::string_view what);
std::string_view leftTrimmed(std::string_view text, std::string_view what);

// What an answer says after its reasoning; all of it where there is none.
std::string_view afterReasoning(std::string_view text);
bool startsWithSystem(Messages messages);
// The last message that asks for an answer: of the role "user". messages.size() where there is
// none.
std::size_t lastUser(Messages messages);

// One tool as a template prints it.
enum class ToolText { Whole, Function }; // as it was listed, or what stands under "function"
// Each tool of a JSON array in Python's spelling of JSON. Throws Failure where it is none.
std::vector<std::string> toolTexts(std::string_view tools, ToolText what);
// The same with line breaks and `indent` blanks a level.
std::vector<std::string> indentedToolTexts(std::string_view tools, int indent);
// The tools that a conversation lists, in its first message that lists some; empty without.
std::string_view toolsOf(Messages messages);

// A JSON text in Python's spelling: ", " and ": ", other alphabets as they are. A text that is no
// JSON comes back as it is.
std::string pythonJson(std::string_view json);
std::string quotedJson(std::string_view text);

struct Argument {
    std::string name;
    std::string value; // text as it is, anything else as JSON
    bool isText = false;
};
// The members of a JSON object; of anything else one argument named "arguments".
std::vector<Argument> argumentsOf(std::string_view json);

} // namespace engine::chat
