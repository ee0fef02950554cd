// What turns plain text (no special tokens in it) into ids: byte-level BPE or SentencePiece.
// Immutable; any thread.
#pragma once

#include "engine/request.h"
#include "engine/tokenizer/pretokenizer.h"
#include "engine/tokenizer/vocabulary.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

class TextModel {
public:
    virtual ~TextModel() = default;
    // Appends the ids of valid UTF-8 text.
    virtual void encode(std::string_view text, std::vector<TokenId>& out) const = 0;
    // The bytes that a token's spelling stands for.
    virtual std::string bytesOf(TokenId id) const = 0;
    // A space is put before the text, and dropped again when a whole text is decoded.
    virtual bool addsSpacePrefix() const = 0;
};

// tokenizer.ggml.model gpt2. Throws Failure.
std::unique_ptr<TextModel> makeBpe(const Checkpoint& checkpoint, const Vocabulary& vocabulary,
                                   const PreTokenizer& rules);
// tokenizer.ggml.model llama. Throws Failure.
std::unique_ptr<TextModel> makeSentencePiece(const Checkpoint& checkpoint,
                                             const Vocabulary& vocabulary);

} // namespace engine
