#include "engine/tokenizer/byte_alphabet.h"

#include "engine/base/utf8.h"

namespace engine {

namespace {

constexpr char32_t kFirstSpare = 0x100;
constexpr std::size_t kSpares = 68;

constexpr bool spellsItself(char32_t byte) {
    return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
}

constexpr auto kAlphabet = [] {
    std::array<char32_t, 256> alphabet{};
    char32_t spare = kFirstSpare;
    for (char32_t byte = 0; byte < alphabet.size(); ++byte) {
        alphabet[byte] = spellsItself(byte) ? byte : spare++;
    }
    return alphabet;
}();

constexpr auto kSpareBytes = [] {
    std::array<std::uint8_t, kSpares> bytes{};
    std::size_t spare = 0;
    for (char32_t byte = 0; byte < kAlphabet.size(); ++byte) {
        if (!spellsItself(byte)) {
            bytes[spare++] = static_cast<std::uint8_t>(byte);
        }
    }
    return bytes;
}();

} // namespace

const std::array<char32_t, 256>& byteAlphabet() {
    return kAlphabet;
}

std::string byteSpelling(std::uint8_t byte) {
    std::string spelling;
    appendUtf8(kAlphabet[byte], spelling);
    return spelling;
}

namespace {

// A character of a spelling and how long it is. Vocabularies of 128k tokens are read with this: the
// two-byte characters of the alphabet don't go through the general rule.
Utf8Step spellingStep(std::string_view spelling) {
    const auto first = static_cast<unsigned char>(spelling[0]);
    if (first < 0x80) {
        return {.character = first};
    }
    if (first >= 0xC2 && first <= 0xDF && spelling.size() > 1) {
        const auto second = static_cast<unsigned char>(spelling[1]);
        return {.character = (first & 0x1FU) << 6 | (second & 0x3FU), .length = 2};
    }
    return utf8Step(spelling);
}

// -1 for a character that spells no byte.
int byteOf(char32_t character) {
    if (character < kFirstSpare) {
        return spellsItself(character) ? static_cast<int>(character) : -1;
    }
    return character < kFirstSpare + kSpares ? kSpareBytes[character - kFirstSpare] : -1;
}

} // namespace

std::uint8_t firstByteOfSpelling(std::string_view spelling) {
    const int byte = byteOf(spellingStep(spelling).character);
    return static_cast<std::uint8_t>(byte >= 0 ? byte : spelling[0]);
}

// Precondition: valid UTF-8.
void appendBytesOfSpelling(std::string_view spelling, std::string& out) {
    while (!spelling.empty()) {
        const Utf8Step step = spellingStep(spelling);
        if (const int byte = byteOf(step.character); byte >= 0) {
            out.push_back(static_cast<char>(byte));
        } else {
            out.append(spelling.substr(0, step.length));
        }
        spelling.remove_prefix(step.length);
    }
}

std::string bytesOfSpelling(std::string_view spelling) {
    std::string bytes;
    appendBytesOfSpelling(spelling, bytes);
    return bytes;
}

} // namespace engine
