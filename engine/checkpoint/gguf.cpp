#include "engine/checkpoint/gguf.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/gguf_layout.h"
#include "engine/checkpoint/header_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace engine::gguf {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNumberKey = "split.no";
constexpr std::string_view kCountKey = "split.count";
constexpr std::string_view kTensorsKey = "split.tensors.count";

struct Part {
    MappedFile file;
    Layout layout;
};

// A tensor in a format nothing here computes on: a Failure, or left out (to look at a file only).
enum class Uncomputable : std::uint8_t { Refuse, LeaveOut };

std::string shownName(const fs::path& file) {
    return displayText(file.filename().string());
}

std::optional<std::int64_t> integerOf(const Layout& layout, std::string_view key) {
    const auto found = layout.metadata.find(std::string(key));
    if (found == layout.metadata.end()) {
        return std::nullopt;
    }
    const auto* const number = std::get_if<std::int64_t>(&found->second);
    return number == nullptr ? std::nullopt : std::optional(*number);
}

// PREFIX of "PREFIX-00001-of-00003.gguf", when the name says just that.
std::optional<std::string> splitPrefix(const fs::path& file, std::int64_t number,
                                       std::int64_t count) {
    const std::string name = file.filename().string();
    const std::string ending = fmt::format("-{:05}-of-{:05}.gguf", number, count);
    if (name.size() <= ending.size() || !name.ends_with(ending)) {
        return std::nullopt;
    }
    return name.substr(0, name.size() - ending.size());
}

fs::path partPath(const fs::path& first, std::string_view prefix, std::int64_t number,
                  std::int64_t count) {
    return first.parent_path() / fmt::format("{}-{:05}-of-{:05}.gguf", prefix, number, count);
}

Part openPart(const fs::path& file, LoadMode mode, const std::stop_token& stop) {
    MappedFile mapped(file, mode, stop);
    Layout layout = parseLayout(mapped.bytes(), shownName(file));
    return Part{.file = std::move(mapped), .layout = std::move(layout)};
}

[[noreturn]] void fail(const fs::path& file, ErrorCode code, const std::string& problem) {
    throw Failure(code, fmt::format("{}: {}.", shownName(file), problem));
}

// What the first part says about the whole; throws unless it is the first part and well named.
std::string prefixOfFirstPart(const fs::path& file, const Layout& layout, std::int64_t count) {
    const auto number = integerOf(layout, kNumberKey);
    if (!number || *number < 0 || *number >= count) {
        fail(file, ErrorCode::Corrupt, "a split file without a valid split.no");
    }
    const auto prefix = splitPrefix(file, *number + 1, count);
    if (*number != 0) {
        const std::string hint =
            prefix ? displayText(partPath({}, *prefix, 1, count).string()) : "the first part";
        fail(file, ErrorCode::Invalid,
             fmt::format("this is part {} of {}; open {} instead", *number + 1, count, hint));
    }
    if (!prefix) {
        fail(file, ErrorCode::Invalid,
             fmt::format("a file split in {} must be named NAME-00001-of-{:05}.gguf so that its "
                         "other parts can be found",
                         count, count));
    }
    return *prefix;
}

void checkPart(const fs::path& file, const Layout& layout, std::int64_t number,
               std::int64_t count) {
    if (integerOf(layout, kCountKey) != count || integerOf(layout, kNumberKey) != number - 1) {
        fail(file, ErrorCode::Corrupt,
             fmt::format("this should be part {} of {}, but its split keys say otherwise", number,
                         count));
    }
}

void checkWhole(const fs::path& first, const std::vector<Part>& parts) {
    std::unordered_set<std::string_view> names;
    for (const Part& part : parts) {
        for (const TensorRecord& tensor : part.layout.tensors) {
            if (!names.insert(tensor.name).second) {
                fail(first, ErrorCode::Corrupt,
                     fmt::format("tensor \"{}\" occurs in two parts", displayText(tensor.name)));
            }
        }
    }
    const auto declared = integerOf(parts.front().layout, kTensorsKey);
    if (declared && *declared != std::ssize(names)) {
        fail(first, ErrorCode::Corrupt,
             fmt::format("the parts hold {} tensors, {} are declared", names.size(), *declared));
    }
}

std::string digestOf(const std::vector<Part>& parts) {
    HeaderDigest digest;
    for (const Part& part : parts) {
        const auto bytes = part.file.bytes();
        digest.add(bytes.first(std::min<std::uint64_t>(part.layout.dataBegin, bytes.size())));
        digest.add(std::uint64_t{bytes.size()});
    }
    return digest.text();
}

class GgufCheckpoint final : public Checkpoint {
public:
    GgufCheckpoint(std::vector<Part> parts, Uncomputable uncomputable)
        : m_parts(std::move(parts)),
          m_digest(digestOf(m_parts)) {
        for (const Part& part : m_parts) {
            for (const TensorRecord& tensor : part.layout.tensors) {
                if (tensor.type.format || uncomputable == Uncomputable::Refuse) {
                    addTensor(part, tensor);
                }
            }
        }
        for (std::size_t i = 0; i < m_tensors.size(); ++i) {
            m_byName.emplace(m_tensors[i].name, i);
        }
    }

    const std::vector<TensorEntry>& tensors() const override { return m_tensors; }

    const TensorEntry* find(std::string_view name) const override {
        const auto found = m_byName.find(name);
        return found == m_byName.end() ? nullptr : &m_tensors[found->second];
    }

    const MetadataValue* metadata(std::string_view key) const override {
        const auto& all = m_parts.front().layout.metadata;
        const auto found = all.find(std::string(key));
        return found == all.end() ? nullptr : &found->second;
    }

    const std::vector<std::string>& metadataKeys() const override {
        return m_parts.front().layout.keys;
    }

    std::uint64_t fileBytes() const override {
        std::uint64_t bytes = 0;
        for (const Part& part : m_parts) {
            bytes += part.file.bytes().size();
        }
        return bytes;
    }
    std::string digest() const override { return m_digest; }

    void release(const TensorEntry& tensor) const override {
        for (const Part& part : m_parts) {
            const auto bytes = part.file.bytes();
            if (tensor.bytes.data() >= bytes.data() &&
                tensor.bytes.data() < bytes.data() + bytes.size()) {
                part.file.release(tensor.bytes);
            }
        }
    }

    Result<void> stillWhole() const override {
        for (const Part& part : m_parts) {
            if (!part.file.isWhole()) {
                return std::unexpected(Error{
                    ErrorCode::Corrupt,
                    fmt::format("{} became shorter or unreadable while it was in use. Put the "
                                "file back and reload the model.",
                                displayText(part.file.path().string(), 400))});
            }
        }
        return {};
    }

private:
    void addTensor(const Part& part, const TensorRecord& tensor) {
        if (!tensor.type.format) {
            fail(part.file.path(), ErrorCode::Unsupported,
                 fmt::format("format {} of tensor \"{}\" is not supported", tensor.type.name,
                             displayText(tensor.name)));
        }
        m_tensors.push_back(
            TensorEntry{.name = tensor.name,
                        .format = *tensor.type.format,
                        .shape = tensor.shape,
                        .bytes = part.file.bytes().subspan(tensor.begin, tensor.bytes)});
    }

    std::vector<Part> m_parts;
    std::string m_digest;
    std::vector<TensorEntry> m_tensors;
    std::unordered_map<std::string_view, std::size_t> m_byName; // views into m_tensors
};

// The validated parts in order; one for a file that is not split. Metadata is the first part's.
std::vector<Part> openParts(const fs::path& file, LoadMode mode, const std::stop_token& stop) {
    std::vector<Part> parts;
    parts.push_back(openPart(file, mode, stop));
    const std::int64_t count = integerOf(parts.front().layout, kCountKey).value_or(1);
    if (count < 1 || count > 99'999) {
        fail(file, ErrorCode::Corrupt, fmt::format("split.count is {}", count));
    }
    if (count > 1) {
        const std::string prefix = prefixOfFirstPart(file, parts.front().layout, count);
        for (std::int64_t number = 2; number <= count; ++number) {
            const fs::path path = partPath(file, prefix, number, count);
            parts.push_back(openPart(path, mode, stop));
            checkPart(path, parts.back().layout, number, count);
        }
        checkWhole(file, parts);
    }
    return parts;
}

} // namespace

std::unique_ptr<Checkpoint> openCheckpoint(const fs::path& file, LoadMode mode,
                                           const std::stop_token& stop) {
    return std::make_unique<GgufCheckpoint>(openParts(file, mode, stop), Uncomputable::Refuse);
}

Listing listModel(const fs::path& file) {
    std::vector<Part> parts = openParts(file, LoadMode::Mmap, {});
    Listing listing;
    listing.container = "GGUF";
    listing.files = std::ssize(parts);
    for (const Part& part : parts) {
        for (const TensorRecord& tensor : part.layout.tensors) {
            listing.tensors.push_back({.name = tensor.name,
                                       .format = std::string(tensor.type.name),
                                       .shape = tensor.shape,
                                       .bytes = tensor.bytes,
                                       .loaded = tensor.type.format});
        }
    }
    listing.checkpoint = std::make_unique<GgufCheckpoint>(std::move(parts), Uncomputable::LeaveOut);
    return listing;
}

} // namespace engine::gguf
