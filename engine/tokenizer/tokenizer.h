// Text to token ids and back. Immutable after construction; any thread. Vocabulary and rules come
// from the checkpoint.
#pragma once

#include "engine/error.h"
#include "engine/request.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

class Checkpoint;

enum class SpecialTokens : std::uint8_t {
    Parse,  // control tokens in the text become their ids: template text only
    Escape, // text stays text: everything a user wrote
};

// A part of a prompt, with its own rule: template text or content.
struct PromptPiece {
    std::string text;
    SpecialTokens special = SpecialTokens::Escape;
};

class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    // Invalid UTF-8 counts as U+FFFD. No BOS or EOS is added. O(n log n) in the worst case. Under
    // Escape, tokens that the file calls user-defined are matched all the same, but for those that
    // look like marks of roles or reasoning ("<|...|>", "<think>").
    virtual std::vector<TokenId> encode(std::string_view text, SpecialTokens special) const = 0;
    // The ids of the pieces as one text: words may cross from one piece into the next, special
    // tokens may not.
    virtual std::vector<TokenId> encode(std::span<const PromptPiece> pieces) const = 0;
    // Appends the bytes that a token stands for; control tokens append nothing unless asked. Ids
    // out of range: nothing.
    virtual void appendBytes(TokenId id, std::string& out, bool showControl = false) const = 0;
    virtual std::string_view pieceText(TokenId id) const = 0; // the vocabulary's own spelling
    virtual bool isEndOfGeneration(TokenId id) const = 0;
    virtual bool isControl(TokenId id) const = 0;
    virtual std::optional<TokenId> find(std::string_view piece) const = 0;
    virtual std::optional<TokenId> bos() const = 0;
    virtual bool addsBos() const = 0;
    // Decoding a whole text drops one leading space (SentencePiece with a space prefix).
    virtual bool addsSpacePrefix() const = 0;
    virtual std::int64_t size() const = 0;
    virtual std::string description() const = 0; // "gpt2 / smollm"
};

Result<std::unique_ptr<Tokenizer>> makeTokenizer(const Checkpoint& checkpoint);

// Bytes of tokens to valid UTF-8: holds back an incomplete trailing character, U+FFFD for what can
// never complete. One a sequence; not shared.
class IncrementalDecoder {
public:
    std::string push(std::string_view bytes);
    std::string flush(); // the rest, incomplete characters as U+FFFD

private:
    std::string m_pending;
};

class ChatFormat {
public:
    virtual ~ChatFormat() = default;
    virtual std::string_view name() const = 0; // "ChatML"
    // It stands in for a template that nobody here knows.
    virtual bool isGeneric() const { return false; }
    // Template text (control tokens are parsed) and content (they are not), in order. Ends where
    // the assistant's answer begins; DeepSeek V3.2 and V4 end with the conversation where that ends
    // with an answer, as their encoders do. Throws Failure for tools that are no JSON.
    virtual std::vector<PromptPiece> render(std::span<const ChatMessage> messages,
                                            Thinking thinking = Thinking::Default) const = 0;
};
// By fingerprint of the file's template, which is never executed; the generic format where nothing
// is recognised; null where the file has no template.
std::unique_ptr<ChatFormat> makeChatFormat(const Checkpoint& checkpoint);
std::unique_ptr<ChatFormat> chatFormatOfTemplate(std::string_view text);
// By family name ("qwen2.5", "llama3.1", "deepseek-v3.1", ...); null for an unknown one.
std::unique_ptr<ChatFormat> chatFormatByName(std::string_view family);
std::vector<std::string_view> chatFormatNames();

// The text of ids, whole: invalid bytes as U+FFFD.
std::string detokenize(const Tokenizer& tokenizer, std::span<const TokenId> ids,
                       bool showControl = false);

// Ids of a request's prompt: BOS where the model wants one and the pieces don't begin with it,
// pieces encoded by their own rule. An error for an empty prompt, for ids out of range, and for
// messages without a chat format.
Result<std::vector<TokenId>> encodePrompt(const Tokenizer& tokenizer, const ChatFormat* chat,
                                          const Request& request);

} // namespace engine
