// How a tokenizer.json treats text before its model sees it: normaliser and pre-tokenizer, as a
// list of splits. Pure functions, any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace engine::hf {

struct SplitStepText {
    std::string pattern;
    std::string behavior = "Isolated"; // as tokenizer.json calls it
    bool isLiteral = false;
    bool inverts = false;
};

struct SplitSteps {
    std::vector<SplitStepText> steps;
    bool isByteLevel = false;   // the model's symbols are bytes
    bool isSpaced = false;      // spaces become U+2581, as SentencePiece has it
    bool prependsSpace = false; // one before every text
    bool prependsOnce = false;  // but for texts that begin with one
    bool normalizesToC = false;
};

// Throws Failure (Unsupported) for kinds that are not known, by name, without a full stop.
SplitSteps readSplitSteps(const nlohmann::json& tokenizer);

} // namespace engine::hf
