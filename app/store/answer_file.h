// Stored answers as a file: JSON, readable by its owner only. Any thread.
#pragma once

#include "engine/error.h"
#include "engine/serving.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace app {

// Replaces the file at once or not at all. Answers whose prompt is no UTF-8 are left out. Errors:
// Io, with the file's name and the remedy.
engine::Result<void> writeAnswers(const std::filesystem::path& file,
                                  const std::vector<engine::KeptAnswer>& answers);

// None where there is no file. Errors: Io; Invalid for a file that holds something else or more
// than `mostBytes` of it: it stays as it is until answers are written.
engine::Result<std::vector<engine::KeptAnswer>> readAnswers(const std::filesystem::path& file,
                                                            std::uint64_t mostBytes);

} // namespace app
