// A GGUF model on disk, one file or the parts of a split one, and the Checkpoint over it. Immutable
// after opening; any thread.
#pragma once

#include "engine/base/mapped_file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf_layout.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace engine::gguf {

struct Part {
    MappedFile file;
    Layout layout;
};

// The validated parts in order; one for a file that is not split. Metadata is the first part's.
// Throws Failure.
std::vector<Part> openParts(const std::filesystem::path& file, LoadMode mode,
                            const std::stop_token& stop);

std::uint64_t totalBytes(const std::vector<Part>& parts);

// A tensor in a format nothing here computes on: a Failure, or left out (to look at a file only).
enum class Uncomputable : std::uint8_t { Refuse, LeaveOut };
std::unique_ptr<Checkpoint> makeCheckpoint(std::vector<Part> parts, Uncomputable uncomputable);

// Throws Failure.
std::unique_ptr<Checkpoint> openCheckpoint(const std::filesystem::path& file, LoadMode mode,
                                           const std::stop_token& stop);

} // namespace engine::gguf
