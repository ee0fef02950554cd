#include "engine/checkpoint/model_folder.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/checkpoint/json_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace engine {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kIndexName = "model.safetensors.index.json";
constexpr std::string_view kIndexEnding = ".safetensors.index.json";
constexpr std::string_view kEnding = ".safetensors";
constexpr std::uint64_t kLargestIndex = std::uint64_t{128} << 20;
constexpr std::size_t kMostShards = 1000; // files mapped at once
constexpr std::size_t kMostTensors = std::size_t{1} << 20;

std::string shownName(const fs::path& file) {
    return displayText(file.filename().string());
}

[[noreturn]] void refuse(const fs::path& file, const std::string& problem,
                         ErrorCode code = ErrorCode::Corrupt) {
    throw Failure(code, fmt::format("{}: {}.", shownName(file), problem));
}

// {"metadata": {...}, "weight_map": {"tensor": "file", ...}}
class IndexReader final : public JsonEvents {
public:
    IndexReader(const std::string& what, std::unordered_map<std::string, std::string>& files)
        : JsonEvents(what),
          m_files(files) {}

    bool start_object(std::size_t) override {
        ++m_depth;
        if (m_depth > kDeepest) {
            fail("values are nested too deep");
        }
        m_isInMap = m_isInMap || (m_depth == 2 && m_key == "weight_map");
        if (m_isInMap && m_depth > 2) {
            unexpected("an object");
        }
        return true;
    }
    bool end_object() override {
        --m_depth;
        m_isInMap = m_isInMap && m_depth >= 2;
        return true;
    }
    bool start_array(std::size_t) override {
        if (m_isInMap) {
            unexpected("an array");
        }
        if (++m_depth > kDeepest) {
            fail("values are nested too deep");
        }
        return true;
    }
    bool end_array() override {
        --m_depth;
        return true;
    }
    bool key(std::string& text) override {
        m_key = text;
        return true;
    }
    bool string(std::string& text) override {
        if (m_isInMap) {
            if (!m_files.try_emplace(m_key, text).second) {
                fail(fmt::format("tensor \"{}\" occurs twice", displayText(m_key)));
            }
            if (m_files.size() > kMostTensors) {
                fail(fmt::format("more than {} tensors are not supported", kMostTensors),
                     ErrorCode::TooLarge);
            }
        }
        return true;
    }
    bool null() override { return other("null"); }
    bool boolean(bool) override { return other("a truth value"); }
    bool number_integer(std::int64_t) override { return other("a number"); }
    bool number_unsigned(std::uint64_t) override { return other("a number"); }
    bool number_float(double, const std::string&) override { return other("a number"); }

protected:
    std::string misplaced(std::string_view what) const override {
        return fmt::format("tensor \"{}\" has {} where the name of its file is expected",
                           displayText(m_key), what);
    }

private:
    static constexpr int kDeepest = 16;

    bool other(std::string_view what) {
        if (m_isInMap) {
            unexpected(what);
        }
        return true;
    }

    std::unordered_map<std::string, std::string>& m_files;
    std::string m_key;
    int m_depth = 0;
    bool m_isInMap = false;
};

// A plain name, and no link that leads out of the folder. The cache of the Hugging Face hub keeps
// its files in blobs/ and links to them from snapshots/REVISION/: those are its own.
void checkShard(const fs::path& index, const std::string& name) {
    const auto fail = [&](std::string_view rule) {
        refuse(index, fmt::format("the file \"{}\" that it names {}", displayText(name), rule));
    };
    if (name.empty() || name == "." || name == ".." ||
        name.find_first_of(std::string_view("/\\\0", 3)) != std::string::npos) {
        fail("is no plain name in its folder");
    }
    std::error_code error;
    const fs::path file = index.parent_path() / name;
    if (!fs::exists(file, error)) {
        fail("is missing; download it again, into the same folder");
    }
    const fs::path target = fs::canonical(file, error).parent_path();
    const fs::path folder = fs::canonical(index.parent_path(), error);
    const bool isCached = folder.parent_path().filename() == "snapshots" &&
                          target == folder.parent_path().parent_path() / "blobs";
    if (error || (target != folder && !isCached)) {
        fail("is a link that leads out of the folder");
    }
}

ModelFolder readIndex(const fs::path& index) {
    const auto text = readSmallFile(index, kLargestIndex);
    if (!text) {
        refuse(index, "the file does not exist", ErrorCode::NotFound);
    }
    std::unordered_map<std::string, std::string> files;
    IndexReader reader(shownName(index), files);
    readJsonEvents(*text, reader);
    if (files.empty()) {
        refuse(index, "it names no tensors (weight_map)");
    }
    std::vector<std::string> names;
    for (const auto& [tensor, file] : files) {
        names.push_back(file);
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    if (names.size() > kMostShards) {
        refuse(index,
               fmt::format("{} files are more than the {} that are supported", names.size(),
                           kMostShards),
               ErrorCode::TooLarge);
    }
    ModelFolder result{.folder = index.parent_path(), .shards = {}, .shardOf = {}};
    std::unordered_map<std::string_view, std::size_t> numbers;
    for (const std::string& name : names) {
        checkShard(index, name);
        numbers.emplace(name, result.shards.size());
        result.shards.push_back(result.folder / name);
    }
    for (const auto& [tensor, file] : files) {
        result.shardOf.emplace(tensor, numbers.at(file));
    }
    return result;
}

std::vector<fs::path> filesOf(const fs::path& folder, std::string_view ending) {
    std::vector<fs::path> files;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        std::error_code isUnreadable;
        if (entry->path().filename().string().ends_with(ending) &&
            entry->is_regular_file(isUnreadable)) {
            files.push_back(entry->path());
        }
    }
    std::ranges::sort(files);
    return files;
}

// "model-00002-of-00005.safetensors": a shard, which is nothing without its index.
bool looksLikeShard(const fs::path& file) {
    const std::string stem = file.stem().string();
    const std::size_t of = stem.rfind("-of-");
    return of != std::string::npos && of + 4 < stem.size() && of > 0 &&
           stem.find_first_not_of("0123456789", of + 4) == std::string::npos;
}

ModelFolder single(const fs::path& file) {
    return {.folder = file.parent_path(), .shards = {file}, .shardOf = {}};
}

// A shard is opened with all its sisters.
ModelFolder ofFile(const fs::path& file) {
    std::error_code error;
    for (const fs::path& index : filesOf(file.parent_path(), kIndexEnding)) {
        ModelFolder whole = readIndex(index);
        if (std::ranges::find(whole.shards, file) != whole.shards.end()) {
            return whole;
        }
    }
    if (looksLikeShard(file)) {
        refuse(file, fmt::format("this is one part of a model; its index ({}) is missing beside it",
                                 kIndexName));
    }
    return single(file);
}

ModelFolder ofFolder(const fs::path& folder) {
    std::error_code error;
    if (const fs::path index = folder / kIndexName; fs::exists(index, error)) {
        return readIndex(index);
    }
    const auto indexes = filesOf(folder, kIndexEnding);
    if (indexes.size() == 1) {
        return readIndex(indexes.front());
    }
    if (const fs::path whole = folder / "model.safetensors"; fs::exists(whole, error)) {
        return single(whole);
    }
    const auto files = filesOf(folder, kEnding);
    if (files.size() == 1) {
        return ofFile(files.front());
    }
    refuse(folder,
           files.empty() ? "this folder holds no model: no safetensors files and not just "
                           "one GGUF file"
                         : "this folder holds several safetensors files and no index; open "
                           "one of the files",
           ErrorCode::Invalid);
}

} // namespace

fs::path ggufOfFolder(const fs::path& folder) {
    std::vector<fs::path> files = filesOf(folder, ".gguf");
    std::erase_if(files, [](const fs::path& file) { // later parts of a split file
        return looksLikeShard(file) && file.stem().string().find("-00001-of-") == std::string::npos;
    });
    return files.size() == 1 ? files.front() : fs::path();
}

fs::path vocabularyFolder(const fs::path& path) {
    constexpr std::string_view kTokenizer = "tokenizer.json";
    std::error_code error;
    if (path.filename() == kTokenizer && fs::is_regular_file(path, error)) {
        return fs::absolute(path, error).parent_path();
    }
    const bool isAlone = fs::is_directory(path, error) &&
                         fs::is_regular_file(path / kTokenizer, error) && !holdsSafetensors(path) &&
                         ggufOfFolder(path).empty();
    return isAlone ? path : fs::path();
}

bool holdsSafetensors(const fs::path& folder) {
    return !filesOf(folder, kEnding).empty() || !filesOf(folder, kIndexEnding).empty();
}

bool isModelIndex(const fs::path& file) {
    return file.filename().string().ends_with(kIndexEnding);
}

ModelFolder findModelFiles(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return ofFolder(path);
    }
    // An absolute path, so that a bare name has a folder too.
    const fs::path file = fs::absolute(path, error);
    return isModelIndex(file) ? readIndex(file) : ofFile(file);
}

} // namespace engine
