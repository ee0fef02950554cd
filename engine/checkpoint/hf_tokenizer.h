// A tokenizer of the Hugging Face hub (tokenizer.json and the documents beside it), told as the
// tokenizer metadata of a GGUF file. Loading thread.
#pragma once

#include "engine/checkpoint/hf_config.h"
#include "engine/checkpoint/hf_keys.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace engine::hf {

constexpr std::uint64_t kLargestTokenizer = std::uint64_t{256} << 20;

// Adds the tokenizer's keys to the config's metadata. Throws Failure for broken files; what is
// sound but not supported becomes kUnsupportedKey: a model computes without a tokenizer as well.
void addTokenizer(const std::filesystem::path& folder, Config& config,
                  std::vector<std::string>& notices);

} // namespace engine::hf
