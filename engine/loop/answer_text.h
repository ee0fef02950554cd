// The visible text of one answer: bytes of tokens to whole characters, cut at the first stop
// string. Holds back what may still become a stop string. Engine thread.
#pragma once

#include "engine/tokenizer/tokenizer.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

class AnswerText {
public:
    explicit AnswerText(std::vector<std::string> stop);

    // Appends a token's bytes; returns what may be shown now.
    std::string push(std::string_view bytes);
    // The rest, at the end of the answer; nothing after a stop string.
    std::string flush();
    bool isStopped() const { return m_isStopped; }

private:
    std::string showable(std::string_view decoded);

    std::vector<std::string> m_stop; // none is empty
    IncrementalDecoder m_decoder;
    std::string m_held; // may begin a stop string
    bool m_isStopped = false;
};

} // namespace engine
