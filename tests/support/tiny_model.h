// Writes small random llama checkpoints, valid in every respect, for tests of what loads and runs
// models: two layers of 64, four heads on two, a byte-level vocabulary of 320 with ChatML.
#pragma once

#include "kernels/formats.h"

#include <cstdint>
#include <filesystem>

namespace tests {

struct TinyModel {
    kernels::Format format = kernels::Format::F32; // rows that are no whole blocks fall back
    std::int64_t layers = 2;
    std::int64_t hidden = 64;
    std::int64_t heads = 4;
    std::int64_t kvHeads = 2;
    std::int64_t headDim = 16;
    std::int64_t feedForward = 256; // rows of ffn_down: whole blocks of every format
    std::int64_t vocabulary = 320;
    std::int64_t context = 512;
    bool isTied = true;
    std::int64_t window = 0; // a gemma3 then, all layers but every sixth with it
    std::uint64_t seed = 1;
};

// Throws where the disk refuses.
void writeTinyModel(const std::filesystem::path& file, const TinyModel& model = {});

} // namespace tests
