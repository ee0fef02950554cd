// A character may be taken as one symbol from the start where that can't change the result. Merging
// goes by rank, lowest first. Say the character's own merges have ranks up to R.
//  1. No merge across the character's borders comes in between: every rule that takes its first
//  part
//     as a right side, or its last part as a left side before something that can begin a character,
//     ranks above the character's own next merge, at each stage.
//  2. Nothing that needs the whole character is due before it is whole: every rule with the
//     character on either side ranks above R.
// Then the character is put together before anything that touches it, and what happens elsewhere in
// the meantime is the same. Trained vocabularies fulfil both for nearly all characters they know.
#include "engine/tokenizer/atomic_characters.h"

#include "engine/base/utf8.h"
#include "engine/tokenizer/byte_alphabet.h"
#include "engine/tokenizer/unicode.h"

#include <algorithm>
#include <optional>
#include <string>

namespace engine {

namespace {

bool isContinuation(std::uint8_t byte) {
    return (byte & 0xC0) == 0x80;
}

// The lowest ranks of the rules that a symbol takes part in.
struct LowestRanks {
    std::uint32_t asRight = PairTable::kNever;
    std::uint32_t asLeft = PairTable::kNever;
    std::uint32_t asLeftOfCharacter = PairTable::kNever; // of what can begin a character
};

std::vector<LowestRanks> lowestRanks(const BpeRules& rules) {
    std::vector<LowestRanks> lowest(rules.symbols());
    std::uint32_t rank = 0;
    for (const MergeRule& rule : rules.rules()) {
        LowestRanks& left = lowest[static_cast<std::size_t>(rule.left)];
        LowestRanks& right = lowest[static_cast<std::size_t>(rule.right)];
        right.asRight = std::min(right.asRight, rank);
        left.asLeft = std::min(left.asLeft, rank);
        if (!isContinuation(firstByteOfSpelling(rules.spelling(rule.right)))) {
            left.asLeftOfCharacter = std::min(left.asLeftOfCharacter, rank);
        }
        ++rank;
    }
    return lowest;
}

// The symbol that `parts` become by themselves, if that is safe.
std::optional<std::int32_t> putTogether(const BpeRules& rules, std::vector<std::int32_t> parts,
                                        const std::vector<LowestRanks>& lowest) {
    const auto of = [&](std::int32_t symbol) { return lowest[static_cast<std::size_t>(symbol)]; };
    std::uint32_t highest = 0;
    while (parts.size() > 1) {
        std::size_t best = 0;
        std::uint32_t rank = PairTable::kNever;
        for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
            const std::uint32_t found = rules.rankOf(parts[i], parts[i + 1]);
            if (found < rank) {
                rank = found;
                best = i;
            }
        }
        if (rank == PairTable::kNever || of(parts.front()).asRight <= rank ||
            of(parts.back()).asLeftOfCharacter <= rank) {
            return std::nullopt;
        }
        highest = std::max(highest, rank);
        parts[best] = rules.merged(rank);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    const LowestRanks whole = of(parts[0]);
    const bool isSafe = whole.asLeft > highest && whole.asRight > highest;
    return isSafe ? std::optional(parts[0]) : std::nullopt;
}

} // namespace

AtomicCharacters::AtomicCharacters(const BpeRules& rules,
                                   const std::array<std::int32_t, 256>& bytes)
    : m_symbols(kBasicPlane, -1) {
    const auto lowest = lowestRanks(rules);
    for (const MergeRule& rule : rules.rules()) {
        constexpr std::size_t kLongest = 6; // three bytes, two each as they are spelled
        const std::string_view spelling = rules.spelling(rule.merged);
        constexpr std::uint8_t kFirstLead = 0xC2;
        if (spelling.size() > kLongest || !rules.isToken(rule.merged) ||
            firstByteOfSpelling(spelling) < kFirstLead) {
            continue;
        }
        const std::string character = bytesOfSpelling(spelling);
        const Utf8Step step = utf8Step(character);
        if (character.size() < 2 || step.state != Utf8::Valid || step.length != character.size() ||
            step.character >= kBasicPlane) {
            continue; // a file may spell a character as itself: four bytes are as short then
        }
        std::vector<std::int32_t> parts;
        for (const char byte : character) {
            parts.push_back(bytes[static_cast<unsigned char>(byte)]);
        }
        m_symbols[step.character] = putTogether(rules, parts, lowest).value_or(-1);
    }
}

} // namespace engine
