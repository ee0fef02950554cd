// A GGUF model on disk, one file or the parts of a split one. Immutable after opening; any thread.
#pragma once

#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/listing.h"

#include <filesystem>
#include <memory>
#include <stop_token>

namespace engine::gguf {

// Throw Failure.
std::unique_ptr<Checkpoint> openCheckpoint(const std::filesystem::path& file, LoadMode mode,
                                           const std::stop_token& stop);
Listing listModel(const std::filesystem::path& file);

} // namespace engine::gguf
