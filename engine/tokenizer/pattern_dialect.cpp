#include "engine/tokenizer/pattern_dialect.h"

#include <array>
#include <utility>
#include <vector>

namespace engine {

namespace {

// How an escape is spelled inside of a class. PCRE2's own \s lacks U+0085.
struct Escape {
    char letter;
    std::string_view items;
};

constexpr std::array kEscapes = {
    Escape{'s', R"(\x09-\x0d\x20\x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f})"
                R"(\x{205f}\x{3000})"},
    Escape{'S', R"(\x00-\x08\x0e-\x1f\x21-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})"
                R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff})"
                R"(\x{3001}-\x{10ffff})"},
    Escape{'w', R"(\p{L}\p{M}\p{N}\p{Pc})"},
    Escape{'d', R"(\p{Nd})"},
    Escape{'h', R"(0-9A-Fa-f)"},
};

std::string_view itemsOf(char letter) {
    for (const Escape& escape : kEscapes) {
        if (escape.letter == letter) {
            return escape.items;
        }
    }
    return {};
}

class Translation {
public:
    explicit Translation(std::string_view pattern) : m_pattern(pattern) {}

    std::string whole() {
        std::string out;
        while (m_at < m_pattern.size()) {
            if (m_pattern[m_at] == '\\') {
                out += escapeOutside();
            } else if (m_pattern[m_at] == '[') {
                out += expressionOf(characterClass(0));
            } else {
                out += m_pattern[m_at++];
            }
        }
        return out;
    }

private:
    static constexpr int kDeepest = 32; // of classes in classes; deeper ones are left to PCRE2

    // The members of a class, as items between brackets and as patterns of their own.
    struct Members {
        std::string items;
        std::vector<std::string> patterns;
    };
    struct Class {
        bool isNegated = false;
        std::vector<Members> operands; // of &&
    };

    static std::string expressionOf(const Members& members) {
        if (members.patterns.empty()) {
            return members.items.empty() ? "(?!)" : "[" + members.items + "]";
        }
        std::string out = "(?:";
        if (!members.items.empty()) {
            out += "[" + members.items + "]|";
        }
        for (std::size_t i = 0; i < members.patterns.size(); ++i) {
            out += (i == 0 ? "" : "|") + members.patterns[i];
        }
        return out + ")";
    }

    static std::string expressionOf(const Class& parsed) {
        const bool isPlain = parsed.operands.size() == 1 && parsed.operands[0].patterns.empty();
        if (isPlain && parsed.isNegated && !parsed.operands[0].items.empty()) {
            return "[^" + parsed.operands[0].items + "]";
        }
        std::string all;
        for (std::size_t i = 0; i < parsed.operands.size(); ++i) {
            const std::string one = expressionOf(parsed.operands[i]);
            all += i + 1 < parsed.operands.size() ? "(?=" + one + ")" : one;
        }
        if (parsed.operands.size() > 1) {
            all = "(?:" + all + ")";
        }
        return parsed.isNegated ? "(?:(?!" + all + ")(?s:.))" : all;
    }

    bool has(std::string_view text) const { return m_pattern.substr(m_at).starts_with(text); }

    // From the opening bracket to after the closing one.
    Class characterClass(int depth) {
        ++m_at;
        Class parsed;
        parsed.isNegated = has("^");
        m_at += parsed.isNegated ? 1 : 0;
        parsed.operands.emplace_back();
        for (bool isFirst = true; m_at < m_pattern.size(); isFirst = false) {
            Members& members = parsed.operands.back();
            if (has("]") && !isFirst) {
                ++m_at;
                return parsed;
            }
            if (has("&&")) {
                m_at += 2;
                parsed.operands.emplace_back();
            } else if (has("[:")) {
                posixClass(members);
            } else if (has("[") && depth < kDeepest) {
                add(characterClass(depth + 1), members);
            } else if (has("\\")) {
                members.items += escapeInside();
            } else if (has("[") || has("]")) {
                members.items += {'\\', m_pattern[m_at++]};
            } else {
                members.items += m_pattern[m_at++];
            }
        }
        // No closing bracket: PCRE2 is to say so.
        parsed.operands.back().patterns.emplace_back("[");
        return parsed;
    }

    void posixClass(Members& members) {
        const std::size_t end = m_pattern.find(":]", m_at);
        const std::size_t stop = end == std::string_view::npos ? m_at + 2 : end + 2;
        members.items += m_pattern.substr(m_at, stop - m_at);
        m_at = stop;
    }

    static void add(const Class& nested, Members& members) {
        if (nested.isNegated || nested.operands.size() > 1) {
            members.patterns.push_back(expressionOf(nested));
            return;
        }
        members.items += nested.operands[0].items;
        for (const std::string& pattern : nested.operands[0].patterns) {
            members.patterns.push_back(pattern);
        }
    }

    // A backslash and what belongs to it, as it is spelled; \uHHHH as \x{HHHH}.
    std::string plainEscape() {
        if (has("\\u") && m_at + 6 <= m_pattern.size()) {
            const auto digits = m_pattern.substr(m_at + 2, 4);
            m_at += 6;
            return "\\x{" + std::string(digits) + "}";
        }
        const std::string_view escape = m_pattern.substr(m_at, 2);
        m_at += escape.size();
        return std::string(escape);
    }

    std::string escapeInside() {
        const char letter = m_at + 1 < m_pattern.size() ? m_pattern[m_at + 1] : '\0';
        if (const auto items = itemsOf(letter); !items.empty()) {
            m_at += 2;
            return std::string(items);
        }
        return plainEscape();
    }

    std::string escapeOutside() {
        const char letter = m_at + 1 < m_pattern.size() ? m_pattern[m_at + 1] : '\0';
        const bool isUpper = letter >= 'A' && letter <= 'Z';
        const auto lower = static_cast<char>(isUpper ? letter + ('a' - 'A') : letter);
        if (const auto items = itemsOf(lower); !items.empty()) {
            m_at += 2;
            return (isUpper ? "[^" : "[") + std::string(items) + "]";
        }
        return plainEscape();
    }

    std::string_view m_pattern;
    std::size_t m_at = 0;
};

} // namespace

std::string pcrePattern(std::string_view pattern) {
    return Translation(pattern).whole();
}

std::string literalPattern(std::string_view text) {
    std::string out;
    for (const char byte : text) {
        const bool isWord = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                            (byte >= 'a' && byte <= 'z') ||
                            static_cast<unsigned char>(byte) >= 0x80;
        if (!isWord && byte != '\n' && byte != '\0') {
            out += '\\';
        }
        out += byte;
    }
    return out;
}

} // namespace engine
