// Finds the tokens that are matched in raw text before anything else: leftmost, longest first. Time
// is linear in the text for a given vocabulary. Immutable; any thread.
#pragma once

#include "engine/request.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine {

class SpecialMatcher {
public:
    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        TokenId id = 0;
    };

    // Longer texts are never matched: no real token is, and the bound keeps matching linear.
    static constexpr std::size_t kLongestText = 512;

    // The first of equal texts counts; empty and too long ones are left out.
    void add(std::string_view text, TokenId id);
    // The next match at or after `from`.
    std::optional<Match> next(std::string_view text, std::size_t from) const;

private:
    struct Node {
        std::optional<TokenId> id;
    };

    std::uint32_t child(std::uint32_t node, char byte) const; // 0: none

    std::vector<Node> m_nodes{Node{}};
    std::unordered_map<std::uint64_t, std::uint32_t> m_children; // node * 256 + byte
    std::array<bool, 256> m_startsOne{};
};

} // namespace engine
