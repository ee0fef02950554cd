// Where a file that must appear whole or not at all is written.
#pragma once

#include <filesystem>
#include <string_view>

namespace engine {

// Beside its place, `suffix` appended, to be renamed once it is whole. What is there and is no
// regular file (a pipe, a device, a link such as /dev/stdout) is written straight into: a rename
// would put a file in its stead.
std::filesystem::path outputPlace(const std::filesystem::path& file, std::string_view suffix);

} // namespace engine
