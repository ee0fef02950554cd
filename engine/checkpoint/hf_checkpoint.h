// A model as the Hugging Face hub has it: safetensors with config.json and a tokenizer beside them,
// told as a GGUF file would tell it. Immutable after opening; any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/listing.h"

namespace engine::hf {

// A folder, a safetensors file or an index. Throws Failure.
std::unique_ptr<Checkpoint> openCheckpoint(const std::filesystem::path& path, LoadMode mode,
                                           const std::stop_token& stop);
Listing listModel(const std::filesystem::path& path);

} // namespace engine::hf
