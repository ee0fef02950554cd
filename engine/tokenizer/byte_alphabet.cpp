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

void appendBytesOfSpelling(std::string_view spelling, std::string& out) {
    while (!spelling.empty()) {
        const auto first = static_cast<unsigned char>(spelling[0]);
        const Utf8Step step = first < 0x80 ? Utf8Step{.character = first} : utf8Step(spelling);
        const char32_t character = step.character;
        if (character < kFirstSpare && spellsItself(character)) {
            out.push_back(static_cast<char>(character));
        } else if (character >= kFirstSpare && character < kFirstSpare + kSpares) {
            out.push_back(static_cast<char>(kSpareBytes[character - kFirstSpare]));
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
