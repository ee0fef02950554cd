// Finds the tokens that are matched in raw text before anything else: leftmost, longest first. An
// Aho-Corasick automaton: a text without matches is read once. Filled, then closed, then immutable
// and for any thread.
#pragma once

#include "engine/request.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace engine {

class SpecialMatcher {
public:
    struct Match {
        std::size_t begin = 0;
        std::size_t end = 0;
        TokenId id = 0;
    };

    // Longer texts are never matched: no real token is, and after a match what was read beyond it
    // is read again.
    static constexpr std::size_t kLongestText = 512;

    // The first of equal texts counts; empty and too long ones are left out.
    void add(std::string_view text, TokenId id);
    // To be called after the last add.
    void close();
    // The next match at or after `from`.
    std::optional<Match> next(std::string_view text, std::size_t from) const;

private:
    struct Node {
        TokenId id = -1;          // of the text that ends here
        std::uint32_t depth = 0;  // bytes
        std::uint32_t suffix = 0; // the longest proper suffix of this text that is a node
        std::uint32_t output = 0; // the longest proper suffix that is a text; 0: none
    };
    struct Edge {
        std::uint64_t key = 0;   // node * 256 + byte
        std::uint32_t child = 0; // 0: a free slot
    };

    std::uint32_t child(std::uint32_t node, char byte) const; // 0: none
    void addChild(std::uint32_t node, char byte, std::uint32_t child);
    std::uint32_t following(std::uint32_t node, char byte) const;

    std::vector<Node> m_nodes{Node{}};
    std::vector<Edge> m_edges = std::vector<Edge>(64); // open addressing, a power of two
    std::size_t m_edgeCount = 0;
    std::array<std::uint32_t, 256> m_first{}; // the root's children
};

} // namespace engine
