// The texts that quality checks are computed over, and short prompts whose answers anybody can
// judge. Built in; any thread.
#pragma once

#include <span>
#include <string_view>

namespace engine {

struct SampleText {
    std::string_view name; // "english"
    std::string_view text; // UTF-8
};

std::span<const SampleText> qualityTexts();  // more than 16k tokens of any vocabulary in all
std::span<const SampleText> canaryPrompts(); // "counting", "repetition", "chinese", "code"

} // namespace engine
