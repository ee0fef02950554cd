#include "engine/base/utf8.h"

#include "engine/base/display_text.h"

#include <algorithm>
#include <cstring>

namespace engine {

namespace {

struct Lead {
    std::size_t length = 0; // bytes of the whole character; 0: no lead byte
    unsigned char secondLow = 0x80, secondHigh = 0xBF;
};

Lead leadOf(unsigned char byte) {
    if (byte >= 0xC2 && byte <= 0xDF) {
        return {2, 0x80, 0xBF};
    }
    if (byte >= 0xE0 && byte <= 0xEF) {
        const bool isOverlongRow = byte == 0xE0;
        const bool isSurrogateRow = byte == 0xED;
        return {3, static_cast<unsigned char>(isOverlongRow ? 0xA0 : 0x80),
                static_cast<unsigned char>(isSurrogateRow ? 0x9F : 0xBF)};
    }
    if (byte >= 0xF0 && byte <= 0xF4) {
        return {4, static_cast<unsigned char>(byte == 0xF0 ? 0x90 : 0x80),
                static_cast<unsigned char>(byte == 0xF4 ? 0x8F : 0xBF)};
    }
    return {};
}

bool isContinuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

} // namespace

Utf8Step utf8Step(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) {
        return {.character = first, .length = 1, .state = Utf8::Valid};
    }
    const Lead lead = leadOf(first);
    if (lead.length == 0) {
        return {.length = 1, .state = Utf8::Invalid};
    }
    char32_t character = first & (0xFFU >> (lead.length + 1));
    for (std::size_t i = 1; i < lead.length; ++i) {
        if (i == text.size()) {
            return {.length = i, .state = Utf8::Incomplete};
        }
        const auto byte = static_cast<unsigned char>(text[i]);
        const unsigned char low = i == 1 ? lead.secondLow : 0x80;
        const unsigned char high = i == 1 ? lead.secondHigh : 0xBF;
        if (byte < low || byte > high) {
            return {.length = i, .state = Utf8::Invalid};
        }
        character = (character << 6) | (byte & 0x3FU);
    }
    return {.character = character, .length = lead.length, .state = Utf8::Valid};
}

bool isValidUtf8(std::string_view text) {
    // Prompts of megabytes are checked: eight bytes of ASCII at once, and the characters
    // of two and of three bytes whose second byte has no exceptions without the general rule.
    constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
    const std::size_t size = text.size();
    for (std::size_t at = 0; at < size;) {
        if (std::uint64_t eight = 0; size - at >= sizeof(eight)) {
            std::memcpy(&eight, text.data() + at, sizeof(eight));
            if ((eight & kHighBits) == 0) {
                at += sizeof(eight);
                continue;
            }
        }
        const auto lead = static_cast<unsigned char>(text[at]);
        if (lead < 0x80) {
            ++at;
        } else if (lead >= 0xC2 && lead <= 0xDF && size - at >= 2 && isContinuation(text[at + 1])) {
            at += 2;
        } else if (lead > 0xE0 && lead < 0xED && size - at >= 3 && isContinuation(text[at + 1]) &&
                   isContinuation(text[at + 2])) {
            at += 3;
        } else {
            const Utf8Step step = utf8Step(text.substr(at));
            if (step.state != Utf8::Valid) {
                return false;
            }
            at += step.length;
        }
    }
    return true;
}

std::string repairedUtf8(std::string_view text) {
    std::string repaired;
    repaired.reserve(text.size());
    while (!text.empty()) {
        const Utf8Step step = utf8Step(text);
        repaired += step.state == Utf8::Valid ? text.substr(0, step.length) : kReplacementText;
        text.remove_prefix(step.length);
    }
    return repaired;
}

void appendUtf8(char32_t character, std::string& out) {
    const auto add = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xC0 | (character >> 6));
        add(0x80 | (character & 0x3F));
    } else if (character < 0x10000) {
        add(0xE0 | (character >> 12));
        add(0x80 | ((character >> 6) & 0x3F));
        add(0x80 | (character & 0x3F));
    } else {
        add(0xF0 | (character >> 18));
        add(0x80 | ((character >> 12) & 0x3F));
        add(0x80 | ((character >> 6) & 0x3F));
        add(0x80 | (character & 0x3F));
    }
}

std::size_t utf8Floor(std::string_view text, std::size_t limit) {
    if (limit >= text.size()) {
        return text.size();
    }
    while (limit > 0 && isContinuation(text[limit])) {
        --limit;
    }
    return limit;
}

std::string displayText(std::string_view text, std::size_t limitBytes) {
    const bool isCut = text.size() > limitBytes;
    const std::string repaired = repairedUtf8(text.substr(0, utf8Floor(text, limitBytes)));
    std::string shown;
    for (std::string_view rest = repaired; !rest.empty();) {
        const Utf8Step step = utf8Step(rest);
        const bool isControl =
            step.character < 0x20 || (step.character >= 0x7F && step.character < 0xA0);
        shown += isControl ? kReplacementText : rest.substr(0, step.length);
        rest.remove_prefix(step.length);
    }
    return isCut ? shown + "\xE2\x80\xA6" : shown;
}

} // namespace engine
