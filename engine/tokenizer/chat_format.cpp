// The chat formats of the known families, written out by hand: a file's template is a program from
// outside, so it is only looked at to tell the family. One row a family in kFamilies.
#include "engine/checkpoint/checkpoint.h"
#include "engine/tokenizer/chat_families.h"

#include <algorithm>
#include <array>
#include <utility>

namespace engine {

namespace {

using namespace chat;

struct Family {
    std::string_view name;    // as reference renderings and --format name it
    std::string_view display; // for people
    Pieces (*render)(Messages messages, Thinking thinking, const FileTemplate& file);
};

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
    Family{"generic", "generic", renderGeneric},
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

constexpr Family kGeneric{"generic", "generic", renderGeneric};

class FamilyFormat final : public ChatFormat {
public:
    FamilyFormat(const Family& family, FileTemplate file)
        : m_family(family),
          m_file(std::move(file)) {}

    std::string_view name() const override { return m_family.display; }
    bool isGeneric() const override { return &m_family == &kGeneric; }
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

std::unique_ptr<ChatFormat> chatFormatOfTemplate(std::string_view text) {
    for (const Fingerprint& fingerprint : kFingerprints) {
        const bool isIt = std::ranges::all_of(fingerprint.signs, [&](std::string_view sign) {
            return text.find(sign) != std::string_view::npos;
        });
        if (isIt) {
            const bool spellsBoth = text.find("<think></think>") != std::string_view::npos;
            return std::make_unique<FamilyFormat>(
                *findFamily(fingerprint.family),
                FileTemplate{.defaultSystem = defaultSystemOf(text),
                             .opensWithThinkEnd = !spellsBoth});
        }
    }
    return std::make_unique<FamilyFormat>(kGeneric, FileTemplate{});
}

std::unique_ptr<ChatFormat> makeChatFormat(const Checkpoint& checkpoint) {
    const auto text = checkpoint.text("tokenizer.chat_template");
    return text ? chatFormatOfTemplate(*text) : nullptr;
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
