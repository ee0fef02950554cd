// A small valid byte-level vocabulary for synthetic models: ChatML control tokens, the 256 bytes,
// some merges, and pronounceable filler words up to the size that a shape has. Any thread.
#pragma once

#include "engine/checkpoint/gguf_writer.h"

#include <cstdint>
#include <string_view>

namespace engine {

inline constexpr std::int64_t kSmallestSyntheticVocabulary = 300;

// Writes the tokenizer.* pairs. `preTokenizer` as in tokenizer.ggml.pre.
// Precondition: size >= kSmallestSyntheticVocabulary.
void writeSyntheticVocabulary(gguf::Writer& writer, std::int64_t size,
                              std::string_view preTokenizer);

} // namespace engine
