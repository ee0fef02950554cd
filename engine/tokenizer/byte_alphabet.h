// The printable spelling of the 256 bytes in byte-level vocabularies: 33-126, 161-172 and 174-255
// are themselves, the other 68 in order U+0100 and up. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace engine {

// Character of each byte.
const std::array<char32_t, 256>& byteAlphabet();
std::string byteSpelling(std::uint8_t byte);
// Back from a spelling; characters that spell no byte stand for themselves.
// The first of them. Precondition: the spelling is not empty.
std::uint8_t firstByteOfSpelling(std::string_view spelling);
void appendBytesOfSpelling(std::string_view spelling, std::string& out);
std::string bytesOfSpelling(std::string_view spelling);

} // namespace engine
