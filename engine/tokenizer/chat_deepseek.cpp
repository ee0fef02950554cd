// DeepSeek V2 to V3.1: roles by marks, tool calls by marks.
#include "engine/tokenizer/chat_families.h"

namespace engine::chat {

namespace {

constexpr std::string_view kCallsBegin = "<\xEF\xBD\x9Ctool\xE2\x96\x81"
                                         "calls\xE2\x96\x81"
                                         "begin\xEF\xBD\x9C>";
constexpr std::string_view kCallsEnd = "<\xEF\xBD\x9Ctool\xE2\x96\x81"
                                       "calls\xE2\x96\x81"
                                       "end\xEF\xBD\x9C>";
constexpr std::string_view kCallBegin = "<\xEF\xBD\x9Ctool\xE2\x96\x81"
                                        "call\xE2\x96\x81"
                                        "begin\xEF\xBD\x9C>";
constexpr std::string_view kCallEnd = "<\xEF\xBD\x9Ctool\xE2\x96\x81"
                                      "call\xE2\x96\x81"
                                      "end\xEF\xBD\x9C>";
constexpr std::string_view kOutputsBegin = "<\xEF\xBD\x9Ctool\xE2\x96\x81outputs\xE2\x96\x81"
                                           "begin\xEF\xBD\x9C>";
constexpr std::string_view kOutputsEnd = "<\xEF\xBD\x9Ctool\xE2\x96\x81outputs\xE2\x96\x81"
                                         "end\xEF\xBD\x9C>";
constexpr std::string_view kOutputBegin = "<\xEF\xBD\x9Ctool\xE2\x96\x81output\xE2\x96\x81"
                                          "begin\xEF\xBD\x9C>";
constexpr std::string_view kOutputEnd = "<\xEF\xBD\x9Ctool\xE2\x96\x81output\xE2\x96\x81"
                                        "end\xEF\xBD\x9C>";
constexpr std::string_view kSeparator = "<\xEF\xBD\x9Ctool\xE2\x96\x81sep\xEF\xBD\x9C>";

// What DeepSeek V3 and its successors differ in.
struct Rules {
    // Between the assistant's mark and its answer: in earlier turns, and before the one to come.
    std::string_view earlier, thinking, plain;
    bool dropsReasoning = false; // of earlier answers, told by "</think>" in them
    // V3 and R1 fence a call's arguments and put its results between marks; V3.1 does neither.
    bool isFenced = true;
};

class Rendering {
public:
    Rendering(Messages messages, const Rules& rules) : m_messages(messages), m_rules(rules) {}

    Pieces pieces(bool isThinking) {
        m_prompt.marks(kBegin);
        system();
        for (std::size_t i = 0; i < m_messages.size(); ++i) {
            const ChatMessage& message = m_messages[i];
            if (message.role == "system") {
                continue;
            }
            if (message.role == "assistant") {
                answer(message, followsTool(i));
            } else if (message.role == "tool") {
                result(i);
            } else {
                m_prompt.marks(kUser).content(message.content);
            }
        }
        // After a tool's result the answer goes on by itself.
        if (m_messages.empty() || m_messages.back().role != "tool") {
            m_prompt.marks(kAssistant).marks(isThinking ? m_rules.thinking : m_rules.plain);
        }
        return m_prompt.take();
    }

private:
    // All system messages, up front.
    void system() {
        bool isFirst = true;
        for (const ChatMessage& message : m_messages) {
            if (message.role == "system") {
                m_prompt.marks(isFirst ? "" : "\n\n").content(message.content);
                isFirst = false;
            }
        }
    }

    bool followsTool(std::size_t i) const { return i > 0 && m_messages[i - 1].role == "tool"; }

    void answer(const ChatMessage& message, bool goesOn) {
        if (!goesOn) {
            m_prompt.marks(kAssistant).marks(m_rules.earlier);
        }
        m_prompt.content(m_rules.dropsReasoning && !goesOn ? afterReasoning(message.content)
                                                           : std::string_view(message.content));
        bool isFirst = true;
        for (const ToolCall& call : message.toolCalls) {
            m_prompt.marks(isFirst ? kCallsBegin : m_rules.isFenced ? "\n" : "");
            m_prompt.marks(kCallBegin);
            if (m_rules.isFenced) {
                m_prompt.marks("function").marks(kSeparator).content(call.name);
                m_prompt.marks("\n```json\n").content(call.arguments).marks("\n```");
            } else {
                m_prompt.content(call.name).marks(kSeparator).content(call.arguments);
            }
            m_prompt.marks(kCallEnd);
            isFirst = false;
        }
        m_prompt.marks(isFirst ? "" : kCallsEnd).marks(kEnd);
    }

    void result(std::size_t i) {
        if (m_rules.isFenced) {
            m_prompt.marks(followsTool(i) ? "\n" : kOutputsBegin);
        }
        m_prompt.marks(kOutputBegin).content(m_messages[i].content).marks(kOutputEnd);
        const bool isLast = i + 1 == m_messages.size() || m_messages[i + 1].role != "tool";
        m_prompt.marks(m_rules.isFenced && isLast ? kOutputsEnd : "");
    }

    Messages m_messages;
    const Rules& m_rules;
    Prompt m_prompt;
};

} // namespace

Pieces renderDeepseekV2(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks(kBegin);
    for (const ChatMessage& message : messages) {
        if (message.role == "assistant") {
            prompt.marks("Assistant: ").content(message.content).marks(kEnd);
        } else {
            prompt.marks(message.role == "system" ? "" : "User: ");
            prompt.content(message.content).marks("\n\n");
        }
    }
    return prompt.marks("Assistant:").take();
}

Pieces renderDeepseekV3(Messages messages, Thinking, const FileTemplate&) {
    const Rules rules;
    return Rendering(messages, rules).pieces(false);
}

// Always reasons.
Pieces renderDeepseekR1(Messages messages, Thinking, const FileTemplate&) {
    const Rules rules{.earlier = "", .thinking = "<think>\n", .plain = "", .dropsReasoning = true};
    return Rendering(messages, rules).pieces(true);
}

Pieces renderDeepseekV31(Messages messages, Thinking thinking, const FileTemplate& file) {
    const std::string_view plain = file.opensWithThinkEnd ? kThinkEnd : "<think></think>";
    const Rules rules{.earlier = plain,
                      .thinking = kThinkBegin,
                      .plain = plain,
                      .dropsReasoning = true,
                      .isFenced = false};
    return Rendering(messages, rules).pieces(thinking == Thinking::On);
}

} // namespace engine::chat
