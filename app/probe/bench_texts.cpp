#include "app/probe/bench_texts.h"

#include "app/command/command.h"
#include "app/probe/probe_commands.h"
#include "engine/base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace app {

namespace {

// resources/prompts, as bytes; made by CMake.
constexpr unsigned char kEnglish[] = {
#include "app/probe/prompt_english.inc"
};
constexpr unsigned char kChinese[] = {
#include "app/probe/prompt_chinese.inc"
};
constexpr unsigned char kCode[] = {
#include "app/probe/prompt_code.inc"
};

template <std::size_t kSize>
BenchText builtIn(const char* name, const unsigned char (&bytes)[kSize]) {
    return {name, std::string(reinterpret_cast<const char*>(bytes), kSize)};
}

} // namespace

std::vector<BenchText> benchTexts(const std::string& folder) {
    if (folder.empty()) {
        return {builtIn("english", kEnglish), builtIn("chinese", kChinese), builtIn("code", kCode)};
    }
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        if (entry.path().extension() == ".txt") {
            files.push_back(entry.path());
        }
    }
    if (error || files.empty()) {
        throw CommandError(ExitStatus::Failed,
                           fmt::format("{} holds no .txt files to encode.", folder));
    }
    std::ranges::sort(files);
    std::vector<BenchText> texts;
    for (const auto& file : files) {
        texts.push_back({file.stem().string(), engine::repairedUtf8(readTextFile(file.string()))});
        if (texts.back().text.empty()) {
            throw CommandError(ExitStatus::Failed, fmt::format("{} is empty.", file.string()));
        }
    }
    return texts;
}

} // namespace app
