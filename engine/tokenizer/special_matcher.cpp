#include "engine/tokenizer/special_matcher.h"

namespace engine {

namespace {

std::uint64_t edge(std::uint32_t node, char byte) {
    return std::uint64_t{node} * 256 + static_cast<unsigned char>(byte);
}

} // namespace

std::uint32_t SpecialMatcher::child(std::uint32_t node, char byte) const {
    const auto found = m_children.find(edge(node, byte));
    return found == m_children.end() ? 0 : found->second;
}

void SpecialMatcher::add(std::string_view text, TokenId id) {
    if (text.empty() || text.size() > kLongestText) {
        return;
    }
    std::uint32_t node = 0;
    for (const char byte : text) {
        std::uint32_t following = child(node, byte);
        if (following == 0) {
            following = static_cast<std::uint32_t>(m_nodes.size());
            m_nodes.push_back(Node{});
            m_children.emplace(edge(node, byte), following);
        }
        node = following;
    }
    if (!m_nodes[node].id) {
        m_nodes[node].id = id;
    }
    m_startsOne[static_cast<unsigned char>(text[0])] = true;
}

std::optional<SpecialMatcher::Match> SpecialMatcher::next(std::string_view text,
                                                          std::size_t from) const {
    for (std::size_t begin = from; begin < text.size(); ++begin) {
        if (!m_startsOne[static_cast<unsigned char>(text[begin])]) {
            continue;
        }
        std::optional<Match> longest;
        std::uint32_t node = 0;
        for (std::size_t at = begin; at < text.size(); ++at) {
            node = child(node, text[at]);
            if (node == 0) {
                break;
            }
            if (m_nodes[node].id) {
                longest = Match{.begin = begin, .end = at + 1, .id = *m_nodes[node].id};
            }
        }
        if (longest) {
            return longest;
        }
    }
    return std::nullopt;
}

} // namespace engine
