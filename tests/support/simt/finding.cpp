#include "tests/support/simt/finding.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <vector>

namespace simt {

namespace {

std::string withoutFolders(const std::string& path) {
    return path.substr(path.find_last_of('/') + 1);
}

// Pairs of lines: function, file:line; the innermost inlined function first.
std::vector<std::string> addressLines(std::uintptr_t address) {
    Dl_info info{};
    const auto* pointer = reinterpret_cast<const void*>(address); // NOLINT: an instruction
    if (dladdr(pointer, &info) == 0 || info.dli_fname == nullptr) {
        return {};
    }
    const std::string command =
        fmt::format("addr2line -Cfie '{}' {:#x} 2>/dev/null", info.dli_fname,
                    address - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
    std::vector<std::string> lines;
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::array<char, 2048> line{};
    while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
        std::string text = line.data();
        while (!text.empty() && text.back() == '\n') {
            text.pop_back();
        }
        lines.push_back(text);
    }
    return lines;
}

} // namespace

std::string describe(const Site& site) {
    return fmt::format("{}:{}", withoutFolders(site.file_name()), site.line());
}

bool isSame(const Site& a, const Site& b) {
    return a.line() == b.line() && a.column() == b.column() &&
           (a.file_name() == b.file_name() || std::strcmp(a.file_name(), b.file_name()) == 0);
}

std::string describeAddress(const void* instruction) {
    // A return address is that of the next instruction.
    const auto lines = addressLines(reinterpret_cast<std::uintptr_t>(instruction) - 1);
    for (std::size_t i = 0; i + 1 < lines.size(); i += 2) {
        const bool isOurs = lines[i + 1].find("/support/simt/") != std::string::npos ||
                            lines[i + 1].find("/cuda/shared.cuh") != std::string::npos;
        if (isOurs && i + 3 < lines.size()) {
            continue;
        }
        const std::string function = lines[i].substr(0, lines[i].find('('));
        return lines[i + 1].front() == '?'
                   ? function
                   : fmt::format("{} ({})", withoutFolders(lines[i + 1]), function);
    }
    return fmt::format("{}", instruction);
}

std::string nameOfFunction(const void* function) {
    const auto lines = addressLines(reinterpret_cast<std::uintptr_t>(function));
    return lines.empty() ? fmt::format("kernel at {}", function)
                         : lines[0].substr(0, lines[0].rfind('('));
}

} // namespace simt
