#include "app/probe/probe_commands.h"

#include "kernels/ops.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace app {

namespace {

constexpr std::uintmax_t kMaxTextBytes = 64U << 20U;

} // namespace

std::vector<engine::TokenId> parseIds(std::string_view text) {
    std::vector<engine::TokenId> ids;
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    while (at < end) {
        if (*at == ',' || *at == ' ' || *at == '\n') {
            ++at;
            continue;
        }
        engine::TokenId id = 0;
        const auto [next, error] = std::from_chars(at, end, id);
        if (error != std::errc{} || id < 0) {
            const std::string_view rest(at, static_cast<std::size_t>(end - at));
            throw CommandError(ExitStatus::Usage,
                               fmt::format("--ids: \"{}\" is no token id; write them like 1,2,3.",
                                           rest.substr(0, rest.find_first_of(", \n"))));
        }
        ids.push_back(id);
        at = next;
    }
    return ids;
}

std::string idsText(const std::vector<engine::TokenId>& ids) {
    return fmt::format("{}", fmt::join(ids, ","));
}

std::string readTextFile(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("There is no file {}; check the name.", path));
    }
    if (std::filesystem::file_size(path, error) > kMaxTextBytes) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("{} is larger than 64 MiB; cut it into pieces.", path));
    }
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    if (!stream) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("{} can't be read; check its permissions.", path));
    }
    return text.str();
}

std::string bytesText(std::uint64_t bytes) {
    constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024.0 && unit + 1 < kUnits.size()) {
        value /= 1024.0;
        ++unit;
    }
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

void addIsa(CLI::App& command, std::string& isa) {
    const std::vector<std::string> names = kernels::cpuIsas();
    command
        .add_option("--isa", isa,
                    fmt::format("Instruction set: {} (default: the best)", fmt::join(names, ", ")))
        ->check(CLI::IsMember(names))
        ->type_name("NAME");
}

} // namespace app
