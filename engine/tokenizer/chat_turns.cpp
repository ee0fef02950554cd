// ChatML, Llama 3, Gemma and the generic format: turns with a head that names the role.
#include "engine/tokenizer/chat_families.h"

namespace engine::chat {

namespace {

void chatMlTurn(Prompt& prompt, std::string_view role, std::string_view text) {
    prompt.marks("<|im_start|>").content(role).marks("\n").content(text).marks("<|im_end|>\n");
}

// The system turn of a conversation with tools, as Qwen's templates word it.
void qwenTools(Prompt& prompt, std::string_view system, std::string_view tools) {
    prompt.marks("<|im_start|>system\n").content(system).marks(system.empty() ? "" : "\n\n");
    prompt.marks("# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
                 "You are provided with function signatures within <tools></tools> XML tags:\n"
                 "<tools>");
    for (const std::string& tool : toolTexts(tools, ToolText::Whole)) {
        prompt.marks("\n").content(tool);
    }
    prompt.marks("\n</tools>\n\nFor each function call, return a json object with function name "
                 "and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n"
                 "{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>"
                 "<|im_end|>\n");
}

// `lead`: whether a line break goes before the first one.
void qwenCalls(Prompt& prompt, const std::vector<ToolCall>& calls, bool lead) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
        prompt.marks(i > 0 || lead ? "\n<tool_call>\n" : "<tool_call>\n");
        prompt.content("{\"name\": \"" + calls[i].name +
                       "\", \"arguments\": " + pythonJson(calls[i].arguments) + "}");
        prompt.marks("\n</tool_call>");
    }
}

// Results side by side share a turn of the user.
void qwenResult(Prompt& prompt, Messages messages, std::size_t i) {
    const bool isFirst = i == 0 || messages[i - 1].role != "tool";
    const bool isLast = i + 1 == messages.size() || messages[i + 1].role != "tool";
    prompt.marks(isFirst ? "<|im_start|>user" : "").marks("\n<tool_response>\n");
    prompt.content(messages[i].content).marks("\n</tool_response>");
    prompt.marks(isLast ? "<|im_end|>\n" : "");
}

void qwenOpening(Prompt& prompt, Messages messages, std::string_view defaultSystem) {
    const bool hasSystem = startsWithSystem(messages);
    const std::string_view system = hasSystem ? messages[0].content : defaultSystem;
    if (const std::string_view tools = toolsOf(messages); !tools.empty()) {
        qwenTools(prompt, system, tools);
    } else if (hasSystem || !system.empty()) {
        chatMlTurn(prompt, "system", system);
    }
}

} // namespace

Pieces renderChatMl(Messages messages, Thinking, const FileTemplate& file) {
    Prompt prompt;
    qwenOpening(prompt, messages, file.defaultSystem);
    for (std::size_t i = startsWithSystem(messages) ? 1 : 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        if (message.role == "tool") {
            qwenResult(prompt, messages, i);
        } else if (!message.toolCalls.empty()) {
            prompt.marks("<|im_start|>assistant").marks(message.content.empty() ? "" : "\n");
            prompt.content(message.content);
            qwenCalls(prompt, message.toolCalls, true);
            prompt.marks("<|im_end|>\n");
        } else {
            chatMlTurn(prompt, message.role, message.content);
        }
    }
    return prompt.marks("<|im_start|>assistant\n").take();
}

namespace {

struct Answer {
    std::string_view reasoning, content;
};

// An answer's reasoning may be its own, or lead its content in tags.
Answer answerOf(const ChatMessage& message) {
    const std::string_view content = message.content;
    if (!message.reasoning.empty()) {
        return {message.reasoning, content};
    }
    if (content.find(kThinkEnd) == std::string_view::npos) {
        return {{}, content};
    }
    std::string_view reasoning = content.substr(0, content.find(kThinkEnd));
    const std::size_t begin = reasoning.rfind(kThinkBegin);
    reasoning =
        begin == std::string_view::npos ? reasoning : reasoning.substr(begin + kThinkBegin.size());
    return {reasoning, leftTrimmed(afterReasoning(content), "\n")};
}

} // namespace

// Reasoning of earlier turns is left out; of an answer after the last question it is kept.
Pieces renderQwen3(Messages messages, Thinking thinking, const FileTemplate&) {
    Prompt prompt;
    qwenOpening(prompt, messages, {});
    const std::size_t question = lastUser(messages);
    for (std::size_t i = startsWithSystem(messages) ? 1 : 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        if (message.role == "tool") {
            qwenResult(prompt, messages, i);
            continue;
        }
        if (message.role != "assistant") {
            chatMlTurn(prompt, message.role, message.content);
            continue;
        }
        const Answer answer = answerOf(message);
        const bool isRecent = question == messages.size() || i > question;
        prompt.marks("<|im_start|>assistant\n");
        std::string_view content = answer.content;
        if (isRecent && (i + 1 == messages.size() || !answer.reasoning.empty())) {
            content = leftTrimmed(content, "\n");
            prompt.marks("<think>\n").content(trimmed(answer.reasoning, "\n"));
            prompt.marks("\n</think>\n\n");
        }
        prompt.content(content);
        qwenCalls(prompt, message.toolCalls, !answer.content.empty());
        prompt.marks("<|im_end|>\n");
    }
    prompt.marks("<|im_start|>assistant\n");
    return prompt.marks(thinking == Thinking::Off ? "<think>\n\n</think>\n\n" : "").take();
}

namespace {

void llamaHead(Prompt& prompt, std::string_view role) {
    prompt.marks("<|start_header_id|>").content(role).marks("<|end_header_id|>\n\n");
}

void llamaTurn(Prompt& prompt, std::string_view role, std::string_view text) {
    llamaHead(prompt, role);
    prompt.content(trimmed(text, kBlank)).marks("<|eot_id|>");
}

// A question that follows what may be called, as Llama 3.1's template words it.
void llamaToolsTurn(Prompt& prompt, std::string_view tools, std::string_view question) {
    llamaHead(prompt, "user");
    prompt.marks("Given the following functions, please respond with a JSON for a function call "
                 "with its proper arguments that best answers the given prompt.\n\nRespond in the "
                 "format {\"name\": function name, \"parameters\": dictionary of argument name and "
                 "its value}.Do not use variables.\n\n");
    for (const std::string& tool : indentedToolTexts(tools, 4)) {
        prompt.content(tool).marks("\n\n");
    }
    prompt.content(trimmed(question, kBlank)).marks("<|eot_id|>");
}

} // namespace

Pieces renderLlama3(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks("<|begin_of_text|>");
    for (const ChatMessage& message : messages) {
        llamaTurn(prompt, message.role, message.content);
    }
    llamaHead(prompt, "assistant");
    return prompt.take();
}

// A system turn is always printed, with the template's own dates.
Pieces renderLlama31(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    const bool hasSystem = startsWithSystem(messages);
    std::string_view tools = toolsOf(messages);
    prompt.marks("<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n");
    prompt.marks(tools.empty() ? "" : "Environment: ipython\n");
    prompt.marks("Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n");
    prompt.content(hasSystem ? trimmed(messages[0].content, kBlank) : "").marks("<|eot_id|>");
    for (const ChatMessage& message : messages.subspan(hasSystem ? 1 : 0)) {
        if (message.role == "user" && !tools.empty()) {
            llamaToolsTurn(prompt, tools, message.content);
            tools = {}; // listed with the first question
        } else if (message.role == "tool" || message.role == "ipython") {
            llamaHead(prompt, "ipython");
            prompt.content(quotedJson(message.content)).marks("<|eot_id|>");
        } else if (!message.toolCalls.empty()) {
            for (const ToolCall& call : message.toolCalls) {
                llamaHead(prompt, "assistant");
                prompt.content("{\"name\": \"" + call.name +
                               "\", \"parameters\": " + pythonJson(call.arguments) + "}");
                prompt.marks("<|eot_id|>");
            }
        } else {
            llamaTurn(prompt, message.role, message.content);
        }
    }
    llamaHead(prompt, "assistant");
    return prompt.take();
}

// A system message leads the first user turn.
Pieces renderGemma(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks("<bos>");
    std::string_view lead = startsWithSystem(messages) ? messages[0].content : std::string_view();
    for (const ChatMessage& message : messages.subspan(startsWithSystem(messages) ? 1 : 0)) {
        prompt.marks("<start_of_turn>");
        prompt.content(message.role == "assistant" ? "model" : std::string_view(message.role));
        prompt.marks("\n").content(lead).marks(lead.empty() ? "" : "\n\n");
        prompt.content(trimmed(message.content, kBlank)).marks("<end_of_turn>\n");
        lead = {};
    }
    return prompt.marks("<start_of_turn>model\n").take();
}

// Plain text that any instruction-tuned model can follow, without a mark of its own.
Pieces renderGeneric(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    for (const ChatMessage& message : messages) {
        const std::string_view head = message.role == "system"      ? "System: "
                                      : message.role == "assistant" ? "Assistant: "
                                      : message.role == "tool"      ? "Tool: "
                                                                    : "User: ";
        prompt.marks(head).content(message.content).marks("\n\n");
    }
    return prompt.marks("Assistant:").take();
}

} // namespace engine::chat
