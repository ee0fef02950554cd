// Which reader opens what was given: by the magic of a file, by the contents of a folder.
#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/checkpoint/gguf.h"
#include "engine/checkpoint/hf_checkpoint.h"
#include "engine/checkpoint/listing.h"
#include "engine/checkpoint/model_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace engine {

namespace {

namespace fs = std::filesystem;

using Head = std::array<unsigned char, 16>;

struct Reader {
    std::unique_ptr<Checkpoint> (*open)(const fs::path&, LoadMode, const std::stop_token&);
    Listing (*list)(const fs::path&);
};

constexpr Reader kGguf{gguf::openCheckpoint, gguf::listModel};
constexpr Reader kSafetensors{hf::openCheckpoint, hf::listModel};

[[noreturn]] void refuse(const fs::path& file, ErrorCode code, std::string_view problem) {
    throw Failure(code, fmt::format("{}: {}", displayText(file.filename().string()), problem));
}

bool startsWith(const Head& head, std::string_view magic) {
    return std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

// A header length, then an opening brace. A length beyond reason is the reader's to refuse.
bool isSafetensors(const Head& head, const fs::path& file) {
    return head[8] == '{' || file.extension() == ".safetensors";
}

Head readHead(const fs::path& file) {
    // Mapped, so that the message for what can't be opened is the same everywhere.
    const MappedFile mapped(file, LoadMode::Mmap);
    Head head{};
    std::memcpy(head.data(), mapped.bytes().data(), std::min(head.size(), mapped.bytes().size()));
    return head;
}

struct Located {
    Reader reader;
    fs::path path;
};

Located locate(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
        const fs::path single = ggufOfFolder(path);
        return holdsSafetensors(path) || single.empty() ? Located{kSafetensors, path}
                                                        : Located{kGguf, single};
    }
    if (isModelIndex(path) || !vocabularyFolder(path).empty()) {
        return {kSafetensors, path};
    }
    const Head head = readHead(path);
    if (startsWith(head, "GGUF")) {
        return {kGguf, path};
    }
    if (startsWith(head, "PK\x03\x04")) {
        refuse(path, ErrorCode::Unsupported,
               "this is a PyTorch or other ZIP archive. Open a GGUF or safetensors file of this "
               "model.");
    }
    if (isSafetensors(head, path)) {
        return {kSafetensors, path};
    }
    refuse(path, ErrorCode::Invalid,
           "this is not a model file. Open a GGUF or safetensors file, or a model's folder.");
}

} // namespace

Result<std::unique_ptr<Checkpoint>> openCheckpoint(const fs::path& file, LoadMode mode,
                                                   std::stop_token stop) {
    return atTheDoor([&] {
        const Located located = locate(file);
        return located.reader.open(located.path, mode, stop);
    });
}

Listing listModel(const fs::path& path) {
    const Located located = locate(path);
    return located.reader.list(located.path);
}

} // namespace engine
