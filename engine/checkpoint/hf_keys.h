// Metadata keys beyond GGUF's, for what a tokenizer.json says more.
#pragma once

namespace engine::hf {

// How text is split: lists of one value a step.
constexpr const char* kSplitPatternsKey = "tokenizer.hf.split.patterns";
constexpr const char* kSplitBehaviorsKey = "tokenizer.hf.split.behaviors";
constexpr const char* kSplitLiteralsKey = "tokenizer.hf.split.literals";
constexpr const char* kSplitInvertsKey = "tokenizer.hf.split.inverts";
// "NFC" or "none"; whether words of the vocabulary are one token; all ids that end an answer; why
// there is no tokenizer.
constexpr const char* kNormalizerKey = "tokenizer.hf.normalizer";
constexpr const char* kIgnoreMergesKey = "tokenizer.hf.ignore_merges";
// The space before a text is left out where the text begins with one.
constexpr const char* kPrefixOnceKey = "tokenizer.hf.prefix_once";
constexpr const char* kEndIdsKey = "tokenizer.hf.eos_token_ids";
constexpr const char* kUnsupportedKey = "tokenizer.hf.unsupported";

} // namespace engine::hf
