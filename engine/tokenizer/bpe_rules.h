// The merges of a BPE vocabulary. Symbols are numbers: tokens by their id, then the spellings that
// only merges know ("strays", in damaged vocabularies). Immutable once made; any thread.
#pragma once

#include "engine/tokenizer/pair_table.h"
#include "engine/tokenizer/vocabulary.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

struct MergeRule {
    std::int32_t left = -1, right = -1, merged = -1;
};

class BpeRules {
public:
    // Throws Failure: merges that are no pairs, more than fit.
    BpeRules(const Vocabulary& vocabulary, std::span<const std::string> merges);

    // The symbol of a spelling, made where there is none. While a model is built only.
    std::int32_t intern(std::string_view spelling);

    bool isToken(std::int32_t symbol) const { return symbol < m_vocabulary.size(); }
    std::size_t symbols() const {
        return static_cast<std::size_t>(m_vocabulary.size()) + m_strays.size();
    }
    std::string_view spelling(std::int32_t symbol) const;
    // Of merging the pair; PairTable::kNever.
    std::uint32_t rankOf(std::int32_t left, std::int32_t right) const {
        return m_pairs.find(left, right);
    }
    std::int32_t merged(std::uint32_t rank) const { return m_rules[rank].merged; }
    std::span<const MergeRule> rules() const { return m_rules; } // by rank

private:
    MergeRule parsed(std::string_view merge, std::size_t rank);
    std::int32_t known(std::string_view spelling) const; // -1

    const Vocabulary& m_vocabulary;
    PairTable m_pairs;
    std::vector<MergeRule> m_rules;
    std::vector<std::string> m_strays;
    std::unordered_map<std::string, std::int32_t> m_strayNumbers;
    std::int32_t m_lastMerged = -1; // the next one mostly follows it
};

} // namespace engine
