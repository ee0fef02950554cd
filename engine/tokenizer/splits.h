// The split patterns of the pre-tokenizers, written by hand: one function a family, which hands on
// the words of a whole text. The patterns are in pretokenizer.cpp. Any thread.
#pragma once

#include "engine/tokenizer/splitter.h"

#include <string_view>

namespace engine::splits {

void gpt2(std::string_view text, WordSink& sink);
void gpt2SingleNumbers(std::string_view text, WordSink& sink); // numbers first, each alone
void llama3(std::string_view text, WordSink& sink);
void qwen2(std::string_view text, WordSink& sink);
void qwen35(std::string_view text, WordSink& sink);
void deepseekV3(std::string_view text, WordSink& sink);
void lines(std::string_view text, WordSink& sink);
// In several passes, as their patterns are.
void deepseekLlm(std::string_view text, WordSink& sink);
void deepseekCoder(std::string_view text, WordSink& sink);
void falcon(std::string_view text, WordSink& sink);

} // namespace engine::splits
