// What turns plain text (no special tokens in it) into ids: BPE or SentencePiece. Immutable; any
// thread.
#pragma once

#include "engine/request.h"
#include "engine/tokenizer/tokenizer_source.h"
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
    // Appends the bytes that a token's spelling stands for.
    virtual void appendBytes(TokenId id, std::string& out) const = 0;
};

// They borrow the vocabulary, not the source. Throw Failure.
std::unique_ptr<TextModel> makeByteBpe(const TokenizerSource& source, const Vocabulary& vocabulary);
std::unique_ptr<TextModel> makeCharacterBpe(const TokenizerSource& source,
                                            const Vocabulary& vocabulary);
std::unique_ptr<TextModel> makeSentencePiece(const TokenizerSource& source,
                                             const Vocabulary& vocabulary);

} // namespace engine
