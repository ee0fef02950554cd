// Words that tests of prompts written piece by piece have in common.
#pragma once

#include "tests/support/tiny_engine.h"

#include <string>

namespace tests {

inline std::string words(std::size_t bytes, unsigned salt) {
    std::string text;
    for (std::size_t i = 0; text.size() < bytes; ++i) {
        text += static_cast<char>('a' + (i * 7 + salt * 13 + i * i) % 26);
        if (i % 5 == 4) {
            text += ' ';
        }
    }
    return text;
}

inline engine::Completion complete(int tokens) {
    return {.maxTokens = tokens, .sampling = {}, .scheduled = std::nullopt};
}

// A tiny random model may answer with tokens that have no text.
inline bool isTextless(const Ended& ended) {
    return ended.reason == engine::FinishReason::Failed &&
           ended.message.find("has no text") != std::string::npos;
}

// Everything that was given back lies free after the prefix cache is emptied.
inline bool isWholeAgain(TinyEngine& engine) {
    engine->resetPrefixCache();
    const engine::Snapshot after = engine.waitForFigures(
        [](const engine::Snapshot& s) { return s.kvBlocksUsed == 0 && s.kvBlocksKept == 0; });
    return after.kvBlocksUsed == 0 && after.kvBlocksKept == 0;
}

} // namespace tests
