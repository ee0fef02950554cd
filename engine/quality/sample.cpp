#include "engine/quality/sample.h"

namespace engine {

namespace {

constexpr unsigned char kEnglish[] = {
#include "engine/quality/sample_english.inc"
};
constexpr unsigned char kChinese[] = {
#include "engine/quality/sample_chinese.inc"
};
constexpr unsigned char kCode[] = {
#include "engine/quality/sample_code.inc"
};

template <std::size_t kSize>
std::string_view textOf(const unsigned char (&bytes)[kSize]) {
    return {reinterpret_cast<const char*>(bytes), kSize};
}

} // namespace

std::span<const SampleText> qualityTexts() {
    static const SampleText texts[] = {
        {"english", textOf(kEnglish)}, {"chinese", textOf(kChinese)}, {"code", textOf(kCode)}};
    return texts;
}

std::span<const SampleText> canaryPrompts() {
    static constexpr SampleText kPrompts[] = {
        {"counting", "Counting up: 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13,"},
        {"repetition", "red, blue, red, blue, red, blue, red, blue, red, blue,"},
        {"chinese", "\xE6\x98\x9F\xE6\x9C\x9F\xE4\xB8\x80\xE3\x80\x81\xE6\x98\x9F\xE6\x9C\x9F\xE4"
                    "\xBA\x8C\xE3\x80\x81\xE6\x98\x9F\xE6\x9C\x9F\xE4\xB8\x89\xE3\x80\x81"},
        {"code", "def add(a, b):\n    return a + b\n\ndef subtract(a, b):\n    return a - b\n\n"
                 "def multiply(a, b):\n"},
    };
    return kPrompts;
}

} // namespace engine
