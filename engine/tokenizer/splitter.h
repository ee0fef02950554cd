// Cuts text into the words that byte-level BPE merges within. Immutable; any thread.
#pragma once

#include <span>
#include <string_view>

namespace engine {

// Takes the words of one text in order, some at a time. The views are into that text.
class WordSink {
public:
    virtual void take(std::span<const std::string_view> words) = 0;

protected:
    ~WordSink() = default;
};

class Splitter {
public:
    virtual ~Splitter() = default;
    // Precondition: valid UTF-8. Words are never empty. Throws Failure where a pattern gives up on
    // the text.
    virtual void split(std::string_view text, WordSink& sink) const = 0;
};

} // namespace engine
