#include "engine/tokenizer/pattern_splitter.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/utf8.h"
#include "engine/tokenizer/pattern_dialect.h"

#include <fmt/format.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>

namespace engine {

namespace {

using Pieces = std::vector<std::string_view>;

constexpr std::size_t kLongestPattern = 64 * 1024;
constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostJitStack = 1024 * 1024;
constexpr std::uint32_t kMostHeapKib = 64 * 1024; // of the interpreter, for what JIT can't do

template <auto kFree>
struct Freed {
    template <class Object>
    void operator()(Object* object) const {
        kFree(object);
    }
};
using Code = std::unique_ptr<pcre2_code, Freed<pcre2_code_free>>;
using MatchData = std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>>;
using MatchContext = std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>>;
using JitStack = std::unique_ptr<pcre2_jit_stack, Freed<pcre2_jit_stack_free>>;

PCRE2_SPTR bytes(std::string_view text) {
    return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string pcreMessage(int code) {
    std::string message(256, '\0');
    const int length = pcre2_get_error_message(code, reinterpret_cast<PCRE2_UCHAR*>(message.data()),
                                               message.size());
    message.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    return message;
}

// What one text is matched with: not shared between threads.
class Matching {
public:
    explicit Matching(const PatternLimits& limits)
        : m_data(pcre2_match_data_create(1, nullptr)),
          m_context(pcre2_match_context_create(nullptr)),
          m_end(std::chrono::steady_clock::now() + limits.whole) {
        if (!m_data || !m_context) {
            throw std::bad_alloc();
        }
        pcre2_set_match_limit(m_context.get(), limits.stepsOfMatch);
        pcre2_set_heap_limit(m_context.get(), kMostHeapKib);
    }

    int match(const pcre2_code* code, std::string_view text, std::size_t from) {
        // Each time: a match within its own bound may take most of a second.
        if (std::chrono::steady_clock::now() > m_end) {
            return PCRE2_ERROR_MATCHLIMIT;
        }
        int found = run(code, text, from, 0);
        if (found == PCRE2_ERROR_JIT_STACKLIMIT && !m_stack) {
            m_stack.reset(pcre2_jit_stack_create(32 * 1024, kMostJitStack, nullptr));
            pcre2_jit_stack_assign(m_context.get(), nullptr, m_stack.get());
            found = run(code, text, from, 0);
        }
        return found == PCRE2_ERROR_JIT_STACKLIMIT ? run(code, text, from, PCRE2_NO_JIT) : found;
    }
    std::size_t begin() const { return pcre2_get_ovector_pointer(m_data.get())[0]; }
    std::size_t end() const { return pcre2_get_ovector_pointer(m_data.get())[1]; }

private:
    int run(const pcre2_code* code, std::string_view text, std::size_t from,
            std::uint32_t options) {
        return pcre2_match(code, bytes(text), text.size(), from, PCRE2_NO_UTF_CHECK | options,
                           m_data.get(), m_context.get());
    }

    MatchData m_data;
    MatchContext m_context;
    JitStack m_stack; // where the 32 KiB that PCRE2 takes by itself don't do
    std::chrono::steady_clock::time_point m_end;
};

struct Part {
    std::string_view text;
    bool isMatch = false;
};

// Parts to pieces. What is merged lies side by side in the text.
void assemble(const std::vector<Part>& parts, SplitBehavior behavior, Pieces& out) {
    const auto isJoined = [&](std::size_t i) { // part i with the one before
        const bool before = i > 0 && parts[i - 1].isMatch;
        switch (behavior) {
        case SplitBehavior::MergedWithPrevious:
            return i > 0 && parts[i].isMatch && !before;
        case SplitBehavior::MergedWithNext:
            return i > 0 && before && !parts[i].isMatch;
        case SplitBehavior::Contiguous:
            return i > 0 && parts[i].isMatch == before;
        default:
            return false;
        }
    };
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (behavior == SplitBehavior::Removed && parts[i].isMatch) {
            continue;
        }
        if (isJoined(i)) {
            const std::size_t length = out.back().size() + parts[i].text.size();
            out.back() = std::string_view(out.back().data(), length);
        } else {
            out.push_back(parts[i].text);
        }
    }
}

class Step {
public:
    explicit Step(const SplitStep& step)
        : m_shown(displayText(step.pattern)),
          m_behavior(step.behavior),
          m_inverts(step.inverts) {
        if (step.pattern.size() > kLongestPattern) {
            throw Failure(ErrorCode::TooLarge,
                          fmt::format("A split pattern of the tokenizer has {} bytes; at most {} "
                                      "are supported.",
                                      step.pattern.size(), kLongestPattern));
        }
        const std::string pattern =
            step.isLiteral ? literalPattern(step.pattern) : pcrePattern(step.pattern);
        int code = 0;
        PCRE2_SIZE offset = 0;
        // Multi-line, as Oniguruma's ^ and $ always are.
        m_code.reset(
            pcre2_compile(bytes(pattern), pattern.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &code,
                          &offset, nullptr));
        if (!m_code) {
            throw Failure(ErrorCode::Unsupported,
                          fmt::format("The split pattern \"{}\" of the tokenizer can't be used: "
                                      "{}.",
                                      m_shown, pcreMessage(code)));
        }
        pcre2_jit_compile(m_code.get(), PCRE2_JIT_COMPLETE); // without it the interpreter does it
    }

    void split(std::string_view piece, Matching& matching, Pieces& out) const {
        std::vector<Part> parts;
        std::size_t gap = 0;
        for (std::size_t from = 0; from < piece.size();) {
            const int found = matching.match(m_code.get(), piece, from);
            if (found == PCRE2_ERROR_NOMATCH) {
                break;
            }
            if (found < 0) {
                giveUp(found);
            }
            const std::size_t end = matching.end();
            // \K in a lookahead may move the beginning behind the end, or before the last match.
            const std::size_t begin = std::min(std::max(matching.begin(), gap), end);
            if (begin > gap) {
                parts.push_back({piece.substr(gap, begin - gap), m_inverts});
                gap = begin;
            }
            if (end > begin) {
                parts.push_back({piece.substr(begin, end - begin), !m_inverts});
                gap = end;
            }
            from = end > from && end > begin ? end : nextCharacter(piece, std::max(from, end));
        }
        if (gap < piece.size()) {
            parts.push_back({piece.substr(gap), m_inverts});
        }
        assemble(parts, m_behavior, out);
    }

private:
    static std::size_t nextCharacter(std::string_view text, std::size_t at) {
        return at < text.size() ? at + utf8Step(text.substr(at)).length : at + 1;
    }

    [[noreturn]] void giveUp(int code) const {
        throw Failure(ErrorCode::TooLarge,
                      fmt::format("The tokenizer's split pattern \"{}\" takes too much work on "
                                  "this text ({}). A shorter text may do.",
                                  m_shown, pcreMessage(code)));
    }

    std::string m_shown;
    SplitBehavior m_behavior;
    bool m_inverts;
    Code m_code;
};

class PatternSplitter final : public Splitter {
public:
    PatternSplitter(const std::vector<SplitStep>& steps, PatternLimits limits) : m_limits(limits) {
        if (steps.size() > kMostSteps) {
            throw Failure(ErrorCode::TooLarge,
                          fmt::format("The tokenizer splits text in {} steps; at most {} are "
                                      "supported.",
                                      steps.size(), kMostSteps));
        }
        for (const SplitStep& step : steps) {
            m_steps.emplace_back(step);
        }
    }

    void split(std::string_view text, WordSink& sink) const override {
        if (text.empty()) {
            return;
        }
        Matching matching(m_limits);
        Pieces pieces = {text};
        Pieces finer;
        for (const Step& step : m_steps) {
            finer.clear();
            for (const std::string_view piece : pieces) {
                step.split(piece, matching, finer);
            }
            pieces.swap(finer);
        }
        sink.take(pieces);
    }

private:
    std::vector<Step> m_steps;
    PatternLimits m_limits;
};

} // namespace

std::unique_ptr<Splitter> makePatternSplitter(const std::vector<SplitStep>& steps,
                                              PatternLimits limits) {
    return std::make_unique<PatternSplitter>(steps, limits);
}

} // namespace engine
