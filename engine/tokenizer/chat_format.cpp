// The chat formats of the known families, written out by hand: a file's template is a program from
// outside, so it is only looked at to tell the family. One row a family in kFamilies.
#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/tokenizer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace engine {

namespace {

using Pieces = std::vector<PromptPiece>;
using Messages = std::span<const ChatMessage>;

constexpr std::string_view kThinkEnd = "</think>";
constexpr std::string_view kBegin = "<\xEF\xBD\x9C"
                                    "begin\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>";
constexpr std::string_view kEnd = "<\xEF\xBD\x9C"
                                  "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>";
constexpr std::string_view kUser = "<\xEF\xBD\x9CUser\xEF\xBD\x9C>";
constexpr std::string_view kAssistant = "<\xEF\xBD\x9C"
                                        "Assistant\xEF\xBD\x9C>";

// Neighbouring pieces of the same rule are joined, empty ones left out.
class Prompt {
public:
    Prompt& marks(std::string_view text) { return add(text, SpecialTokens::Parse); }
    Prompt& content(std::string_view text) { return add(text, SpecialTokens::Escape); }
    Pieces take() { return std::move(m_pieces); }

private:
    Prompt& add(std::string_view text, SpecialTokens special) {
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

    Pieces m_pieces;
};

std::string_view trimmed(std::string_view text, std::string_view what) {
    const std::size_t begin = text.find_first_not_of(what);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(what) - begin + 1);
}

std::string_view leftTrimmed(std::string_view text, std::string_view what) {
    return text.substr(std::min(text.find_first_not_of(what), text.size()));
}

constexpr std::string_view kBlank = " \t\r\n\v\f";

// What an answer says after its reasoning; all of it where there is none.
std::string_view afterReasoning(std::string_view text) {
    const std::size_t end = text.rfind(kThinkEnd);
    return end == std::string_view::npos ? text : text.substr(end + kThinkEnd.size());
}

std::size_t lastOf(Messages messages, std::string_view role) {
    std::size_t last = messages.size();
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (messages[i].role == role) {
            last = i;
        }
    }
    return last;
}

bool startsWithSystem(Messages messages) {
    return !messages.empty() && messages[0].role == "system";
}

// What a family is told about one file.
struct FileTemplate {
    std::string defaultSystem;      // ChatML: said where the conversation brings no system message
    bool opensWithThinkEnd = false; // DeepSeek V3.1: "</think>" alone, not "<think></think>"
};

struct Family {
    std::string_view name;    // as reference renderings and --format name it
    std::string_view display; // for people
    Pieces (*render)(Messages messages, Thinking thinking, const FileTemplate& file);
};

void chatMlTurn(Prompt& prompt, std::string_view role, std::string_view text) {
    prompt.marks("<|im_start|>").content(role).marks("\n").content(text).marks("<|im_end|>\n");
}

Pieces renderChatMl(Messages messages, Thinking, const FileTemplate& file) {
    Prompt prompt;
    if (!startsWithSystem(messages) && !file.defaultSystem.empty()) {
        chatMlTurn(prompt, "system", file.defaultSystem);
    }
    for (const ChatMessage& message : messages) {
        chatMlTurn(prompt, message.role, message.content);
    }
    return prompt.marks("<|im_start|>assistant\n").take();
}

// Reasoning of earlier turns is left out; of an answer after the last question it is kept.
Pieces renderQwen3(Messages messages, Thinking thinking, const FileTemplate&) {
    Prompt prompt;
    const std::size_t lastUser = lastOf(messages, "user");
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const ChatMessage& message = messages[i];
        const bool hasReasoning = message.content.find(kThinkEnd) != std::string::npos;
        if (message.role != "assistant" || (!hasReasoning && i + 1 < messages.size())) {
            chatMlTurn(prompt, message.role, message.content);
            continue;
        }
        const std::string_view answer = hasReasoning
                                            ? leftTrimmed(afterReasoning(message.content), "\n")
                                            : std::string_view(message.content);
        if (i < lastUser && lastUser < messages.size()) {
            chatMlTurn(prompt, message.role, answer);
            continue;
        }
        std::string_view reasoning;
        if (hasReasoning) {
            reasoning =
                std::string_view(message.content).substr(0, message.content.find(kThinkEnd));
            const std::size_t begin = reasoning.rfind("<think>");
            reasoning = begin == std::string_view::npos ? reasoning : reasoning.substr(begin + 7);
        }
        prompt.marks("<|im_start|>assistant\n<think>\n").content(trimmed(reasoning, "\n"));
        prompt.marks("\n</think>\n\n").content(leftTrimmed(answer, "\n")).marks("<|im_end|>\n");
    }
    prompt.marks("<|im_start|>assistant\n");
    return prompt.marks(thinking == Thinking::Off ? "<think>\n\n</think>\n\n" : "").take();
}

void llamaTurn(Prompt& prompt, std::string_view role, std::string_view text) {
    prompt.marks("<|start_header_id|>").content(role).marks("<|end_header_id|>\n\n");
    prompt.content(trimmed(text, kBlank)).marks("<|eot_id|>");
}

Pieces renderLlama3(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks("<|begin_of_text|>");
    for (const ChatMessage& message : messages) {
        llamaTurn(prompt, message.role, message.content);
    }
    return prompt.marks("<|start_header_id|>assistant<|end_header_id|>\n\n").take();
}

// A system turn is always printed, with the template's own dates.
Pieces renderLlama31(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    const bool hasSystem = startsWithSystem(messages);
    prompt.marks("<|begin_of_text|><|start_header_id|>system<|end_header_id|>\n\n"
                 "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n");
    prompt.content(hasSystem ? trimmed(messages[0].content, kBlank) : "").marks("<|eot_id|>");
    for (const ChatMessage& message : messages.subspan(hasSystem ? 1 : 0)) {
        llamaTurn(prompt, message.role, message.content);
    }
    return prompt.marks("<|start_header_id|>assistant<|end_header_id|>\n\n").take();
}

// A system message leads the first user turn.
Pieces renderGemma(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks("<bos>");
    std::string_view lead = startsWithSystem(messages) ? messages[0].content : std::string_view();
    for (const ChatMessage& message : messages.subspan(startsWithSystem(messages) ? 1 : 0)) {
        prompt.marks("<start_of_turn>");
        prompt.content(message.role == "assistant" ? "model" : std::string_view(message.role));
        prompt.marks("\n").content(trimmed(lead, kBlank)).marks(lead.empty() ? "" : "\n\n");
        prompt.content(trimmed(message.content, kBlank)).marks("<end_of_turn>\n");
        lead = {};
    }
    return prompt.marks("<start_of_turn>model\n").take();
}

Pieces renderDeepseekV2(Messages messages, Thinking, const FileTemplate&) {
    Prompt prompt;
    prompt.marks(kBegin);
    for (const ChatMessage& message : messages) {
        if (message.role == "assistant") {
            prompt.marks("Assistant: ").content(message.content).marks(kEnd);
        } else {
            prompt.marks(message.role == "user" ? "User: " : "");
            prompt.content(message.content).marks("\n\n");
        }
    }
    return prompt.marks("Assistant:").take();
}

// What DeepSeek V3 and its successors differ in: what stands between the assistant's mark and its
// answer, in earlier turns and before the answer to come.
struct DeepseekRules {
    std::string_view earlier;
    std::string_view thinking;
    std::string_view plain;
    bool dropsReasoning = false; // of earlier answers, told by "</think>" in them
};

Pieces renderDeepseek(Messages messages, bool isThinking, const DeepseekRules& rules) {
    Prompt prompt;
    prompt.marks(kBegin);
    bool isFirstSystem = true;
    for (const ChatMessage& message : messages) {
        if (message.role == "system") { // all of them, up front
            prompt.marks(isFirstSystem ? "" : "\n\n").content(message.content);
            isFirstSystem = false;
        }
    }
    for (const ChatMessage& message : messages) {
        if (message.role == "user") {
            prompt.marks(kUser).content(message.content);
        } else if (message.role == "assistant") {
            prompt.marks(kAssistant).marks(rules.earlier);
            prompt.content(rules.dropsReasoning ? afterReasoning(message.content)
                                                : std::string_view(message.content));
            prompt.marks(kEnd);
        }
    }
    return prompt.marks(kAssistant).marks(isThinking ? rules.thinking : rules.plain).take();
}

Pieces renderDeepseekV3(Messages messages, Thinking, const FileTemplate&) {
    return renderDeepseek(messages, false, {});
}

// Always reasons.
Pieces renderDeepseekR1(Messages messages, Thinking, const FileTemplate&) {
    return renderDeepseek(
        messages, true,
        {.earlier = "", .thinking = "<think>\n", .plain = "", .dropsReasoning = true});
}

Pieces renderDeepseekV31(Messages messages, Thinking thinking, const FileTemplate& file) {
    const std::string_view plain = file.opensWithThinkEnd ? kThinkEnd : "<think></think>";
    return renderDeepseek(
        messages, thinking == Thinking::On,
        {.earlier = plain, .thinking = "<think>", .plain = plain, .dropsReasoning = true});
}

Pieces renderDeepseekV32(Messages messages, Thinking thinking, const FileTemplate&) {
    return renderDeepseek(
        messages, thinking == Thinking::On,
        {.earlier = kThinkEnd, .thinking = "<think>", .plain = "<think></think>"});
}

Pieces renderDeepseekV4(Messages messages, Thinking thinking, const FileTemplate&) {
    return renderDeepseek(messages, thinking == Thinking::On,
                          {.earlier = kThinkEnd, .thinking = "<think>", .plain = kThinkEnd});
}

constexpr std::array kFamilies = {
    Family{"chatml", "ChatML", renderChatMl},
    Family{"smollm2", "ChatML", renderChatMl},
    Family{"qwen2.5", "ChatML", renderChatMl},
    Family{"qwen3", "ChatML (Qwen3)", renderQwen3},
    Family{"llama3", "Llama 3", renderLlama3},
    Family{"llama3.1", "Llama 3.1", renderLlama31},
    Family{"llama3.2", "Llama 3.1", renderLlama31},
    Family{"gemma2", "Gemma", renderGemma},
    Family{"gemma3", "Gemma", renderGemma},
    Family{"deepseek-v2", "DeepSeek V2", renderDeepseekV2},
    Family{"deepseek-v3", "DeepSeek V3", renderDeepseekV3},
    Family{"deepseek-r1", "DeepSeek R1", renderDeepseekR1},
    Family{"r1-distill-qwen", "DeepSeek R1", renderDeepseekR1},
    Family{"r1-distill-llama", "DeepSeek R1", renderDeepseekR1},
    Family{"deepseek-v3.1", "DeepSeek V3.1", renderDeepseekV31},
    Family{"deepseek-v3.2", "DeepSeek V3.2", renderDeepseekV32},
    Family{"deepseek-v4", "DeepSeek V4", renderDeepseekV4},
    Family{"deepseek-v4-0731", "DeepSeek V4", renderDeepseekV4},
};

// Signs by which a template tells its family, the most particular first; all of a row must occur.
struct Fingerprint {
    std::string_view family;
    std::array<std::string_view, 2> signs;
};

constexpr std::array kFingerprints = {
    Fingerprint{"qwen3", {"<|im_start|>", "enable_thinking"}},
    Fingerprint{"chatml", {"<|im_start|>", "<|im_end|>"}},
    Fingerprint{"llama3.1", {"<|start_header_id|>", "Cutting Knowledge Date"}},
    Fingerprint{"llama3", {"<|start_header_id|>", "<|eot_id|>"}},
    Fingerprint{"gemma3", {"<start_of_turn>", "<end_of_turn>"}},
    Fingerprint{"deepseek-v4", {kAssistant, "latest_reminder"}},
    Fingerprint{"deepseek-v3.2", {kAssistant, "DSML"}},
    Fingerprint{"deepseek-v3.1", {kAssistant, "thinking"}},
    Fingerprint{"deepseek-r1", {kAssistant, "<think>"}},
    Fingerprint{"deepseek-v3", {kAssistant, kUser}},
    Fingerprint{"deepseek-v2", {"User: ", "Assistant:"}},
};

class FamilyFormat final : public ChatFormat {
public:
    FamilyFormat(const Family& family, FileTemplate file)
        : m_family(family),
          m_file(std::move(file)) {}

    std::string_view name() const override { return m_family.display; }
    std::vector<PromptPiece> render(std::span<const ChatMessage> messages,
                                    Thinking thinking) const override {
        return m_family.render(messages, thinking, m_file);
    }

private:
    const Family& m_family;
    FileTemplate m_file;
};

const Family* findFamily(std::string_view name) {
    const auto* const found = std::ranges::find(kFamilies, name, &Family::name);
    return found == kFamilies.end() ? nullptr : found;
}

// The system text that a ChatML template spells out: what stands between the turn's opening and its
// end within one string literal. Line breaks occur as such or as "\n".
std::string defaultSystemOf(std::string_view text) {
    constexpr std::string_view kOpening = "<|im_start|>system";
    for (std::size_t at = text.find(kOpening); at != std::string_view::npos;
         at = text.find(kOpening, at + 1)) {
        std::string_view rest = text.substr(at + kOpening.size());
        if (rest.starts_with("\\n")) {
            rest.remove_prefix(2);
        } else if (rest.starts_with('\n')) {
            rest.remove_prefix(1);
        } else {
            continue;
        }
        const std::string_view literal = rest.substr(0, rest.find("<|im_end|>"));
        if (literal.size() < rest.size() && !literal.empty() &&
            literal.find_first_of("'\"{}\\") == std::string_view::npos) {
            return std::string(literal);
        }
    }
    return {};
}

} // namespace

std::unique_ptr<ChatFormat> makeChatFormat(const Checkpoint& checkpoint) {
    const auto text = checkpoint.text("tokenizer.chat_template");
    if (!text) {
        return nullptr;
    }
    for (const Fingerprint& fingerprint : kFingerprints) {
        const bool isIt = std::ranges::all_of(fingerprint.signs, [&](std::string_view sign) {
            return text->find(sign) != std::string_view::npos;
        });
        if (isIt) {
            const bool spellsBoth = text->find("<think></think>") != std::string_view::npos;
            return std::make_unique<FamilyFormat>(
                *findFamily(fingerprint.family),
                FileTemplate{.defaultSystem = defaultSystemOf(*text),
                             .opensWithThinkEnd = !spellsBoth});
        }
    }
    return nullptr;
}

std::unique_ptr<ChatFormat> chatFormatByName(std::string_view family) {
    const Family* const found = findFamily(family);
    if (found == nullptr) {
        return nullptr;
    }
    FileTemplate file;
    if (family == "smollm2") {
        file.defaultSystem = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
    } else if (family == "qwen2.5") {
        file.defaultSystem = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.";
    }
    return std::make_unique<FamilyFormat>(*found, std::move(file));
}

std::vector<std::string_view> chatFormatNames() {
    std::vector<std::string_view> names;
    for (const Family& family : kFamilies) {
        names.push_back(family.name);
    }
    return names;
}

} // namespace engine
