// DeepSeek V3.2 and V4: tool calls in DSML, reasoning kept or dropped by turns. Written after the
// behaviour of DeepSeek's own encoders, which are programs and not templates.
#include "engine/tokenizer/chat_families.h"

#include <algorithm>

namespace engine::chat {

namespace {

constexpr std::string_view kReminder = "<\xEF\xBD\x9Clatest_reminder\xEF\xBD\x9C>";

// The text of a dialect's tools block, up to the list of tools and after it.
constexpr std::string_view kToolsHeadV32 =
    "## Tools\n"
    "\n"
    "You have access to a set of tools you can use to answer the user's question.\n"
    "You can invoke functions by writing a \"<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "function_calls>\" block like the following as part of your reply to the user:\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "function_calls>\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke name=\"$FUNCTION_NAME\">\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "parameter name=\"$PARAMETER_NAME\" string=\"true|false\">$PARAMETER_VALUE</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "parameter>\n"
    "...\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke>\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke name=\"$FUNCTION_NAME2\">\n"
    "...\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke>\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "function_calls>\n"
    "\n"
    "String and scalar parameters should be specified as is without any escaping or quotes, while "
    "lists and objects should use JSON format. The \"string\" attribute should be set to \"true\" "
    "for string type parameters and \"false\" for other types (numbers, booleans, arrays, "
    "objects).\n"
    "\n"
    "If the thinking_mode is enabled, then after function results you should strongly consider "
    "outputting a thinking block. Here is an example:\n"
    "\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "function_calls>\n"
    "...\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "function_calls>\n"
    "\n"
    "<function_results>\n"
    "...\n"
    "</function_results>\n"
    "\n"
    "<think>...thinking about results</think>\n"
    "\n"
    "Here are the functions available in JSONSchema format:\n"
    "<functions>\n";
constexpr std::string_view kToolsTailV32 = "\n</functions>\n";
constexpr std::string_view kToolsHeadV4 =
    "## Tools\n"
    "\n"
    "You have access to a set of tools to help answer the user's question. You can invoke tools by "
    "writing a \"<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "tool_calls>\" block like the following:\n"
    "\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "tool_calls>\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke name=\"$TOOL_NAME\">\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "parameter name=\"$PARAMETER_NAME\" string=\"true|false\">$PARAMETER_VALUE</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "parameter>\n"
    "...\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke>\n"
    "<\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke name=\"$TOOL_NAME2\">\n"
    "...\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "invoke>\n"
    "</\xEF\xBD\x9C"
    "DSML\xEF\xBD\x9C"
    "tool_calls>\n"
    "\n"
    "String parameters should be specified as is and set `string=\"true\"`. For all other types "
    "(numbers, booleans, arrays, objects), pass the value in JSON format and set "
    "`string=\"false\"`.\n"
    "\n"
    "If thinking_mode is enabled (triggered by <think>), you MUST output your complete reasoning "
    "inside <think>...</think> BEFORE any tool calls or final response.\n"
    "\n"
    "Otherwise, output directly after </think> with tool calls or final response.\n"
    "\n"
    "### Available Tool Schemas\n"
    "\n";
constexpr std::string_view kToolsTailV4 =
    "\n\nYou MUST strictly follow the above defined tool name and parameter schemas to invoke tool "
    "calls.\n";

void addTools(Prompt& prompt, std::string_view tools, std::string_view head,
              std::string_view tail) {
    if (tools.empty()) {
        return;
    }
    prompt.marks("\n\n").marks(head);
    bool isFirst = true;
    for (const std::string& tool : toolTexts(tools, ToolText::Function)) {
        prompt.marks(isFirst ? "" : "\n").content(tool);
        isFirst = false;
    }
    prompt.marks(tail);
}

// `tag`: function_calls or tool_calls.
void addCalls(Prompt& prompt, const std::vector<ToolCall>& calls, std::string_view tag) {
    if (calls.empty()) {
        return;
    }
    constexpr std::string_view kOpening = "<\xEF\xBD\x9C"
                                          "DSML\xEF\xBD\x9C";
    constexpr std::string_view kClosing = "</\xEF\xBD\x9C"
                                          "DSML\xEF\xBD\x9C";
    prompt.marks("\n\n").marks(kOpening).marks(tag).marks(">\n");
    for (const ToolCall& call : calls) {
        prompt.marks(kOpening).marks("invoke name=\"").content(call.name).marks("\">\n");
        bool isFirst = true;
        for (const Argument& argument : argumentsOf(call.arguments)) {
            prompt.marks(isFirst ? "" : "\n").marks(kOpening).marks("parameter name=\"");
            prompt.content(argument.name);
            prompt.marks(argument.isText ? "\" string=\"true\">" : "\" string=\"false\">");
            prompt.content(argument.value).marks(kClosing).marks("parameter>");
            isFirst = false;
        }
        prompt.marks("\n"); // also without arguments: an empty line then
        prompt.marks(kClosing).marks("invoke>\n");
    }
    prompt.marks(kClosing).marks(tag).marks(">");
}

bool isTool(const ChatMessage& message) {
    return message.role == "tool";
}

bool isQuestion(const ChatMessage& message) {
    return message.role != "system" && message.role != "assistant" && !isTool(message);
}

std::size_t lastQuestion(Messages messages) {
    for (std::size_t i = messages.size(); i > 0; --i) {
        if (isQuestion(messages[i - 1])) {
            return i - 1;
        }
    }
    return messages.size();
}

} // namespace

Pieces renderDeepseekV32(Messages messages, Thinking thinking, const FileTemplate& file) {
    const bool isThinking = thinking == Thinking::On;
    const std::size_t question = lastQuestion(messages);
    const auto isSince = [&](std::size_t i) {
        return question == messages.size() || i >= question;
    };
    const std::string_view plain = file.opensWithThinkEnd ? kThinkEnd : "<think></think>";
    Prompt prompt;
    prompt.marks(kBegin);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        const bool isLast = i + 1 == messages.size();
        if (message.role == "system") {
            prompt.content(message.content);
            addTools(prompt, message.tools, kToolsHeadV32, kToolsTailV32);
        } else if (message.role == "assistant") {
            if (isThinking && isSince(i)) {
                prompt.content(message.reasoning).marks(kThinkEnd);
            }
            prompt.content(message.content);
            addCalls(prompt, message.toolCalls, "function_calls");
            prompt.marks(kEnd);
        } else if (isTool(message)) {
            const bool isFirst = i == 0 || !isTool(messages[i - 1]);
            prompt.marks(isFirst ? "\n\n<function_results>" : "").marks("\n<result>");
            prompt.content(message.content).marks("</result>");
            if (isLast || !isTool(messages[i + 1])) {
                prompt.marks("\n</function_results>\n\n");
                prompt.marks(isThinking && isSince(i) ? kThinkBegin : kThinkEnd);
            }
        } else {
            prompt.marks(kUser).content(message.content).marks(kAssistant);
            prompt.marks(isThinking && i == question ? kThinkBegin
                         : isLast && !isThinking     ? plain
                                                     : kThinkEnd);
        }
    }
    // Nothing asks for an answer yet.
    if (messages.empty() || messages.back().role == "system") {
        prompt.marks(kAssistant).marks(isThinking ? kThinkBegin : plain);
    }
    return prompt.take();
}

namespace {

// V4: what users and tools say between two answers is one turn.
class RenderingV4 {
public:
    RenderingV4(Messages messages, bool isThinking)
        : m_messages(messages),
          m_isThinking(isThinking),
          m_keepsReasoning(!toolsOf(messages).empty() || std::ranges::any_of(messages, isTool)),
          m_question(lastQuestion(messages)) {}

    Pieces pieces() {
        m_prompt.marks(kBegin);
        for (std::size_t i = 0; i < m_messages.size();) {
            const ChatMessage& message = m_messages[i];
            if (message.role == "system") {
                m_prompt.content(message.content);
                addTools(m_prompt, message.tools, kToolsHeadV4, kToolsTailV4);
                ++i;
            } else if (message.role == "latest_reminder") {
                m_prompt.marks(kReminder).content(message.content);
                ++i;
            } else if (message.role == "assistant") {
                answer(message);
                ++i;
            } else {
                i = turn(i);
            }
        }
        const bool isAsked = !m_messages.empty() &&
                             (m_messages.back().role == "assistant" || isInTurn(m_messages.back()));
        if (!isAsked) {
            m_prompt.marks(kAssistant).marks(m_isThinking ? kThinkBegin : kThinkEnd);
        }
        return m_prompt.take();
    }

private:
    static bool isInTurn(const ChatMessage& message) {
        return message.role != "system" && message.role != "assistant" &&
               message.role != "latest_reminder";
    }

    // From message `first` on; returns where it ends.
    std::size_t turn(std::size_t first) {
        std::size_t end = first;
        while (end < m_messages.size() && isInTurn(m_messages[end])) {
            ++end;
        }
        m_prompt.marks(kUser);
        bool isFirst = true;
        for (const ChatMessage* const message : inOrder(first, end)) {
            m_prompt.marks(isFirst ? "" : "\n\n");
            if (isTool(*message)) {
                m_prompt.marks("<tool_result>").content(message->content).marks("</tool_result>");
            } else {
                m_prompt.content(message->content);
            }
            isFirst = false;
        }
        const bool isLast = m_question == m_messages.size() || end > m_question;
        m_reasons = m_isThinking && (m_keepsReasoning || isLast);
        m_prompt.marks(kAssistant).marks(m_reasons ? kThinkBegin : kThinkEnd);
        return end;
    }

    // Results in the order of their calls.
    std::vector<const ChatMessage*> inOrder(std::size_t first, std::size_t end) const {
        const std::vector<ToolCall> none;
        const auto& calls = first > 0 ? m_messages[first - 1].toolCalls : none;
        const auto placeOf = [&](const ChatMessage* message) {
            return std::ranges::find(calls, message->toolCallId, &ToolCall::id) - calls.begin();
        };
        std::vector<const ChatMessage*> ordered;
        for (std::size_t i = first; i < end; ++i) {
            ordered.push_back(&m_messages[i]);
        }
        for (auto at = ordered.begin(); at != ordered.end();) {
            const auto stop = std::find_if_not(at, ordered.end(),
                                               [](const ChatMessage* one) { return isTool(*one); });
            std::stable_sort(at, stop, [&](const ChatMessage* a, const ChatMessage* b) {
                return placeOf(a) < placeOf(b);
            });
            at = stop == ordered.end() ? stop : stop + 1;
        }
        return ordered;
    }

    void answer(const ChatMessage& message) {
        if (m_reasons) {
            m_prompt.content(message.reasoning).marks(kThinkEnd);
        }
        m_reasons = false;
        m_prompt.content(message.content);
        addCalls(m_prompt, message.toolCalls, "tool_calls");
        m_prompt.marks(kEnd);
    }

    Messages m_messages;
    bool m_isThinking, m_keepsReasoning;
    std::size_t m_question;
    bool m_reasons = false; // the turn before opened an answer with reasoning
    Prompt m_prompt;
};

} // namespace

Pieces renderDeepseekV4(Messages messages, Thinking thinking, const FileTemplate&) {
    return RenderingV4(messages, thinking == Thinking::On).pieces();
}

} // namespace engine::chat
