// What this machine is: processor, memory, instruction sets that matter for speed. Read from the
// operating system when asked; any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace app {

struct Machine {
    std::string processor;       // "Intel(R) Xeon(R) ...", empty where unknown
    int threads = 0;             // that this process may use
    std::string instructionSets; // "AVX-512 VNNI, BF16"
    std::uint64_t memoryBytes = 0;
    std::uint64_t availableBytes = 0;
    std::string gpu; // name of the first NVIDIA device, empty where none is found
};

Machine readMachine();
// The same from files of this shape; `root` stands for "/".
Machine readMachine(const std::filesystem::path& root, int threads);

} // namespace app
