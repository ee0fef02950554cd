// A tiny model of tests/golden/architectures: its checkpoint, and what an independent
// implementation computed with it. The weights are a hash of their names, made here as
// tiny_models.py makes them.
#pragma once

#include "engine/request.h"
#include "tests/support/memory_checkpoint.h"

#include <filesystem>
#include <string>
#include <vector>

namespace tests {

struct GoldenPrompt {
    std::vector<engine::TokenId> ids;
    std::vector<engine::TokenId> greedy; // what follows
    std::vector<float> logits;           // of the last positions, [positions][vocabulary]
};

struct GoldenModel {
    MemoryCheckpoint checkpoint;
    std::int64_t vocabulary = 0;
    std::int64_t storedPositions = 0;
    std::vector<GoldenPrompt> prompts;
};

std::vector<std::string> goldenNames();
// The same model as transformers saves it: config.json and BF16 safetensors.
std::filesystem::path goldenFolder(const std::string& name);
GoldenModel readGoldenModel(const std::string& name);

} // namespace tests
