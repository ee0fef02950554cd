// A tokenizer.json read into lists: the large ones as they come, the small rest as a tree. One
// pass, bounded by the file. Pure functions, any thread.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace engine::hf {

struct TokenizerJson {
    std::vector<std::string> tokens; // id = index, without the added ones; gaps are empty
    std::vector<std::string> merges; // "left right", most frequent first
    bool hasScores = false;          // the vocabulary is a list of pieces with scores (Unigram)
    nlohmann::json rest;             // everything but model.vocab and model.merges
};

// Throws Failure that starts with `what`.
TokenizerJson parseTokenizerJson(std::string_view text, const std::string& what);

} // namespace engine::hf
