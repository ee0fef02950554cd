// A config.json of transformers, old or new dialect, told as the metadata of a GGUF file. Pure
// functions, any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace engine::hf {

// Keys in the order they were set.
struct Metadata {
    std::vector<std::string> keys;
    std::unordered_map<std::string, MetadataValue> values;

    void set(const std::string& key, MetadataValue value);
};

struct Config {
    std::string modelType;    // "deepseek_v3"
    std::string architecture; // "deepseek2"; the model type where nobody here knows it
    nlohmann::json model;     // what describes the text model (text_config of a wrapper)
    std::int64_t layers = 0;  // num_hidden_layers; 0 where the config has none
    // One divisor a rotated pair, as the tensor rope_freqs.weight of GGUF files; or empty.
    std::vector<float> ropeDivisors;
    std::optional<bool> isTied; // tie_word_embeddings, where the config says
    std::int64_t blockRows = 0; // of a scale of FP8 weights; 0: none
    std::int64_t blockColumns = 0;
    Metadata metadata;
};

// `document` is the whole config.json. Throws Failure with the key for values that make no sense,
// or that ask for what no graph here does.
Config readConfig(const nlohmann::json& document, const std::string& what);

} // namespace engine::hf
