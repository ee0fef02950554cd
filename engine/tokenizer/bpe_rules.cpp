#include "engine/tokenizer/bpe_rules.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"

#include <fmt/format.h>

namespace engine {

BpeRules::BpeRules(const Vocabulary& vocabulary, std::span<const std::string> merges)
    : m_vocabulary(vocabulary),
      m_pairs(std::min<std::size_t>(merges.size(), PairTable::kMostRanks)) {
    if (merges.size() > PairTable::kMostRanks) {
        throw Failure(ErrorCode::TooLarge, fmt::format("The vocabulary has {} merges; at most {} "
                                                       "are supported.",
                                                       merges.size(), PairTable::kMostRanks));
    }
    m_rules.reserve(merges.size());
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const MergeRule rule = parsed(merges[rank], rank);
        m_rules.push_back(rule);
        m_pairs.add(rule.left, rule.right, static_cast<std::uint32_t>(rank));
    }
}

// At the first space that parts two known spellings; at the first of all where none does.
// (Spellings with spaces occur where vocabularies are not byte-level.)
MergeRule BpeRules::parsed(std::string_view merge, std::size_t rank) {
    const std::size_t first = merge.find(' ', 1);
    if (first == std::string_view::npos || first + 1 == merge.size()) {
        throw Failure(ErrorCode::Corrupt, fmt::format("Merge {} of the vocabulary, \"{}\", is no "
                                                      "pair.",
                                                      rank, displayText(merge)));
    }
    MergeRule rule;
    std::size_t space = first;
    for (; space != std::string_view::npos && space + 1 < merge.size();
         space = merge.find(' ', space + 1)) {
        rule.left = known(merge.substr(0, space));
        rule.right = known(merge.substr(space + 1));
        if (rule.left >= 0 && rule.right >= 0) {
            break;
        }
    }
    if (rule.left < 0 || rule.right < 0) {
        space = first;
        rule.left = intern(merge.substr(0, space));
        rule.right = intern(merge.substr(space + 1));
    }
    std::string both(merge);
    both.erase(space, 1);
    // Trained vocabularies list what merges make in the order of the merges.
    const TokenId guess = m_lastMerged + 1;
    const bool isGuessed = !m_vocabulary.hasTwins() && m_vocabulary.piece(guess) == both &&
                           !m_vocabulary.isReserved(guess);
    rule.merged = isGuessed ? guess : intern(both);
    m_lastMerged = rule.merged;
    return rule;
}

std::int32_t BpeRules::known(std::string_view spelling) const {
    const auto id = m_vocabulary.find(spelling);
    if (id && !m_vocabulary.isReserved(*id)) {
        return *id;
    }
    if (m_strays.empty()) {
        return -1;
    }
    const auto stray = m_strayNumbers.find(std::string(spelling));
    return stray == m_strayNumbers.end() ? -1 : stray->second;
}

std::int32_t BpeRules::intern(std::string_view spelling) {
    const std::int32_t symbol = known(spelling);
    if (symbol >= 0) {
        return symbol;
    }
    const auto next = static_cast<std::int32_t>(symbols());
    if (next + 1 >= PairTable::kMostSymbols) {
        throw Failure(ErrorCode::TooLarge, "The vocabulary's merges make too many texts that are "
                                           "no tokens.");
    }
    m_strays.emplace_back(spelling);
    m_strayNumbers.emplace(spelling, next);
    return next;
}

std::string_view BpeRules::spelling(std::int32_t symbol) const {
    return isToken(symbol) ? m_vocabulary.piece(symbol)
                           : m_strays[static_cast<std::size_t>(symbol - m_vocabulary.size())];
}

} // namespace engine
