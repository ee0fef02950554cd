// Which files make up a model that was given as a folder, as a safetensors file or as its index:
// the shards and the documents beside them. Any thread.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace engine {

struct ModelFolder {
    std::filesystem::path folder;
    std::vector<std::filesystem::path> shards; // sorted by name, at least one
    // Tensor to shard, as the index says; empty for a single file without one.
    std::unordered_map<std::string, std::size_t> shardOf;
};

// Whether the folder holds safetensors files.
bool holdsSafetensors(const std::filesystem::path& folder);
// Whether the name is that of an index of shards.
bool isModelIndex(const std::filesystem::path& file);

// The folder of a tokenizer without weights: given as the file tokenizer.json, or as a folder that
// holds one and neither safetensors nor GGUF. Empty where it is something else.
std::filesystem::path vocabularyFolder(const std::filesystem::path& path);

// The one GGUF file of a folder (the first part of a split one); empty where there is none or a
// choice between several.
std::filesystem::path ggufOfFolder(const std::filesystem::path& folder);

// Throws Failure: nothing to open there, a broken index, a shard that is missing or lies elsewhere.
ModelFolder findModelFiles(const std::filesystem::path& path);

} // namespace engine
