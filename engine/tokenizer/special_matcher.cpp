#include "engine/tokenizer/special_matcher.h"

#include <algorithm>

namespace engine {

namespace {

std::uint64_t edgeKey(std::uint32_t node, char byte) {
    return std::uint64_t{node} * 256 + static_cast<unsigned char>(byte);
}

std::size_t slotOf(std::uint64_t key, std::size_t size) {
    return (key * 0x9E3779B97F4A7C15ULL >> 32) & (size - 1);
}

} // namespace

std::uint32_t SpecialMatcher::child(std::uint32_t node, char byte) const {
    if (node == 0) {
        return m_first[static_cast<unsigned char>(byte)];
    }
    const std::uint64_t key = edgeKey(node, byte);
    std::size_t at = slotOf(key, m_edges.size());
    for (; m_edges[at].child != 0; at = (at + 1) & (m_edges.size() - 1)) {
        if (m_edges[at].key == key) {
            return m_edges[at].child;
        }
    }
    return 0;
}

void SpecialMatcher::addChild(std::uint32_t node, char byte, std::uint32_t child) {
    if (node == 0) {
        m_first[static_cast<unsigned char>(byte)] = child;
        return;
    }
    const auto insert = [this](const Edge& edge) {
        std::size_t at = slotOf(edge.key, m_edges.size());
        while (m_edges[at].child != 0) {
            at = (at + 1) & (m_edges.size() - 1);
        }
        m_edges[at] = edge;
    };
    if (2 * ++m_edgeCount > m_edges.size()) {
        std::vector<Edge> old(2 * m_edges.size());
        old.swap(m_edges);
        for (const Edge& edge : old) {
            if (edge.child != 0) {
                insert(edge);
            }
        }
    }
    insert({edgeKey(node, byte), child});
}

void SpecialMatcher::add(std::string_view text, TokenId id) {
    if (text.empty() || text.size() > kLongestText) {
        return;
    }
    std::uint32_t node = 0;
    for (const char byte : text) {
        std::uint32_t next = child(node, byte);
        if (next == 0) {
            next = static_cast<std::uint32_t>(m_nodes.size());
            m_nodes.push_back(Node{.depth = m_nodes[node].depth + 1});
            addChild(node, byte, next);
        }
        node = next;
    }
    if (m_nodes[node].id < 0) {
        m_nodes[node].id = id;
    }
}

// The node for what was read and this byte, or for the longest suffix of it that is one.
std::uint32_t SpecialMatcher::following(std::uint32_t node, char byte) const {
    for (;; node = m_nodes[node].suffix) {
        const std::uint32_t next = child(node, byte);
        if (next != 0 || node == 0) {
            return next;
        }
    }
}

void SpecialMatcher::close() {
    // Shallow nodes first: what a suffix leads to is complete by then.
    struct Link {
        std::uint32_t parent, node;
        char byte;
    };
    std::vector<Link> links;
    for (const Edge& edge : m_edges) {
        if (edge.child != 0) {
            links.push_back({static_cast<std::uint32_t>(edge.key / 256), edge.child,
                             static_cast<char>(edge.key % 256)});
        }
    }
    std::ranges::sort(links, {}, [this](const Link& link) { return m_nodes[link.node].depth; });
    for (const Link& link : links) { // the root's children keep the root as their suffix
        Node& node = m_nodes[link.node];
        node.suffix = following(m_nodes[link.parent].suffix, link.byte);
        const Node& suffix = m_nodes[node.suffix];
        node.output = suffix.id >= 0 ? node.suffix : suffix.output;
    }
}

std::optional<SpecialMatcher::Match> SpecialMatcher::next(std::string_view text,
                                                          std::size_t from) const {
    std::optional<Match> best; // leftmost so far, and the longest of those
    std::uint32_t state = 0;
    for (std::size_t at = from; at < text.size(); ++at) {
        if (state == 0) {
            while (at < text.size() && m_first[static_cast<unsigned char>(text[at])] == 0) {
                ++at;
            }
            if (at == text.size()) {
                break;
            }
        }
        state = following(state, text[at]);
        const std::size_t end = at + 1;
        // What is being read began too late to beat the match that there is.
        if (best && end - m_nodes[state].depth > best->begin) {
            break;
        }
        const std::uint32_t ending = m_nodes[state].id >= 0 ? state : m_nodes[state].output;
        if (ending != 0) {
            const std::size_t begin = end - m_nodes[ending].depth;
            if (!best || begin <= best->begin) {
                best = Match{.begin = begin, .end = end, .id = m_nodes[ending].id};
            }
        }
    }
    return best;
}

} // namespace engine
