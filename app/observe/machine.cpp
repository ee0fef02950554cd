#include "app/observe/machine.h"

#include <sys/sysinfo.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <fstream>
#include <sched.h>

namespace app {

namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    const auto end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? std::string_view()
                                           : text.substr(begin, end - begin + 1);
}

// The value of the first "key: value" line.
std::string valueOf(const std::filesystem::path& file, std::string_view key) {
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::size_t colon = line.find(':');
        if (colon != std::string::npos && trimmed(std::string_view(line).substr(0, colon)) == key) {
            return std::string(trimmed(std::string_view(line).substr(colon + 1)));
        }
    }
    return {};
}

std::uint64_t kibibytes(std::string_view text) { // "24564120 kB"
    std::uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value * 1024;
}

bool hasFlag(std::string_view flags, std::string_view flag) {
    const std::string padded = " " + std::string(flags) + " ";
    return padded.find(" " + std::string(flag) + " ") != std::string::npos;
}

// The widest set first, then what it can multiply beyond plain floats.
std::string instructionSets(std::string_view flags) {
    std::string text;
    if (hasFlag(flags, "avx512f") && hasFlag(flags, "avx512bw")) {
        text = hasFlag(flags, "avx512_vnni") ? "AVX-512 VNNI" : "AVX-512";
    } else if (hasFlag(flags, "avx2")) {
        text = hasFlag(flags, "avx_vnni") ? "AVX2 VNNI" : "AVX2";
    } else if (hasFlag(flags, "asimd")) {
        text = hasFlag(flags, "asimddp") ? "NEON dot product" : "NEON";
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMore = {{
        {"avx512_bf16", "BF16"},
        {"avx512_fp16", "FP16"},
        {"amx_int8", "AMX"},
    }};
    for (const auto& [flag, name] : kMore) {
        if (hasFlag(flags, flag)) {
            text += (text.empty() ? "" : ", ") + std::string(name);
        }
    }
    return text;
}

std::string firstGpu(const std::filesystem::path& root) {
    std::error_code error;
    const std::filesystem::path folder = root / "proc/driver/nvidia/gpus";
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string name = valueOf(entry.path() / "information", "Model");
        if (!name.empty()) {
            return name;
        }
    }
    return {};
}

int allowedThreads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        return CPU_COUNT(&set);
    }
    return get_nprocs();
}

} // namespace

Machine readMachine() {
    return readMachine("/", allowedThreads());
}

Machine readMachine(const std::filesystem::path& root, int threads) {
    const std::filesystem::path processors = root / "proc/cpuinfo";
    const std::filesystem::path memory = root / "proc/meminfo";
    std::string flags = valueOf(processors, "flags");
    if (flags.empty()) {
        flags = valueOf(processors, "Features"); // Arm
    }
    return {.processor = valueOf(processors, "model name"),
            .threads = threads,
            .instructionSets = instructionSets(flags),
            .memoryBytes = kibibytes(valueOf(memory, "MemTotal")),
            .availableBytes = kibibytes(valueOf(memory, "MemAvailable")),
            .gpu = firstGpu(root)};
}

} // namespace app
