// What a file says about its tokenizer, whichever kind of file it is: one row of functions a kind
// of file fills it. Borrows the file's lists. Loading thread.
#pragma once

#include "engine/error.h"
#include "engine/request.h"
#include "engine/tokenizer/splitter.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace engine {

class Checkpoint;
class Tokenizer;

enum class TokenModel : std::uint8_t {
    ByteBpe,      // merges by rank on bytes in their printable spelling ("gpt2")
    CharacterBpe, // merges by rank on characters, bytes for those the vocabulary lacks ("gemma4")
    SentencePiece // merges by score on characters, bytes for those the vocabulary lacks ("llama")
};

struct TokenizerSource {
    TokenModel model = TokenModel::ByteBpe;
    std::string modelName, preName; // for people: "gpt2", "smollm"
    std::span<const std::string> tokens;
    std::span<const std::int64_t> kinds; // TokenKind; empty: all normal
    std::span<const std::string> merges; // "left right", best first
    std::span<const double> scores;
    std::map<std::string, std::int64_t, std::less<>> specials; // "bos", "eos", "eot", ... -> id
    std::span<const std::int64_t> ends;                        // further ids that end an answer
    std::shared_ptr<const Splitter> splitter;                  // null: a text is one word
    bool normalizes = false;                                   // text to form C first
    bool takesWholeWords = false; // a word in the vocabulary is one token, whatever the merges say
    bool addsSpacePrefix = false;
    bool addsPrefixOnce = false; // not to a text that begins with a space
    bool addsBos = false;
};

// Of a GGUF file. Throws Failure; names what was found and what is supported.
TokenizerSource tokenizerSourceOf(const Checkpoint& checkpoint);
Result<std::unique_ptr<Tokenizer>> makeTokenizer(const TokenizerSource& source);

} // namespace engine
