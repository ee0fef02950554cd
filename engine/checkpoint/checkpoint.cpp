#include "engine/checkpoint/checkpoint.h"

#include "engine/base/display_text.h"
#include "engine/base/failure.h"
#include "engine/base/mapped_file.h"
#include "engine/checkpoint/gguf.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fstream>
#include <limits>

namespace engine {

namespace {

using Opener = std::unique_ptr<Checkpoint> (*)(const std::filesystem::path&, LoadMode,
                                               const std::stop_token&);
using Head = std::array<unsigned char, 16>;

[[noreturn]] void refuse(const std::filesystem::path& file, ErrorCode code,
                         std::string_view problem) {
    throw Failure(code, fmt::format("{}: {}", displayText(file.filename().string()), problem));
}

std::unique_ptr<Checkpoint> refuseSafetensors(const std::filesystem::path& file, LoadMode,
                                              const std::stop_token&) {
    refuse(file, ErrorCode::Unsupported,
           "safetensors checkpoints are not supported yet. Open a GGUF file of this model.");
}

std::unique_ptr<Checkpoint> refusePickle(const std::filesystem::path& file, LoadMode,
                                         const std::stop_token&) {
    refuse(file, ErrorCode::Unsupported,
           "this is a PyTorch or other ZIP archive. Open a GGUF file of this model.");
}

bool startsWith(const Head& head, std::string_view magic) {
    return std::memcmp(head.data(), magic.data(), magic.size()) == 0;
}

// A header length of at most 100 MB, then an opening brace.
bool isSafetensors(const Head& head) {
    std::uint64_t length = 0;
    std::memcpy(&length, head.data(), sizeof(length));
    return length >= 2 && length <= 100'000'000 && head[8] == '{';
}

// One row a kind of checkpoint. In order: the first that matches opens the file.
struct Kind {
    bool (*matches)(const Head&);
    Opener open;
};

constexpr std::array kKinds = {
    Kind{[](const Head& head) { return startsWith(head, "GGUF"); }, gguf::openCheckpoint},
    Kind{isSafetensors, refuseSafetensors},
    Kind{[](const Head& head) { return startsWith(head, "PK\x03\x04"); }, refusePickle},
};

Head readHead(const std::filesystem::path& file) {
    // Mapped, so that the message for what can't be opened is the same everywhere.
    const MappedFile mapped(file, LoadMode::Mmap);
    Head head{};
    std::memcpy(head.data(), mapped.bytes().data(), std::min(head.size(), mapped.bytes().size()));
    return head;
}

} // namespace

std::optional<std::int64_t> Checkpoint::integer(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (const auto* const number = std::get_if<std::int64_t>(value)) {
        return *number;
    }
    const auto* const wide = std::get_if<std::uint64_t>(value);
    constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return wide != nullptr && *wide <= kLargest ? std::optional(static_cast<std::int64_t>(*wide))
                                                : std::nullopt;
}

std::optional<double> Checkpoint::number(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const real = value == nullptr ? nullptr : std::get_if<double>(value);
    if (real != nullptr) {
        return *real;
    }
    const auto whole = integer(key);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

std::optional<bool> Checkpoint::boolean(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const truth = value == nullptr ? nullptr : std::get_if<bool>(value);
    return truth == nullptr ? std::nullopt : std::optional(*truth);
}

std::optional<std::string_view> Checkpoint::text(std::string_view key) const {
    const MetadataValue* const value = metadata(key);
    const auto* const string = value == nullptr ? nullptr : std::get_if<std::string>(value);
    return string == nullptr ? std::nullopt : std::optional<std::string_view>(*string);
}

namespace {

template <class Element>
const std::vector<Element>* arrayOf(const MetadataValue* value) {
    const auto* const array = value == nullptr ? nullptr : std::get_if<MetadataArray>(value);
    return array == nullptr ? nullptr : std::get_if<std::vector<Element>>(array);
}

} // namespace

const std::vector<std::string>* Checkpoint::strings(std::string_view key) const {
    return arrayOf<std::string>(metadata(key));
}

const std::vector<double>* Checkpoint::numbers(std::string_view key) const {
    return arrayOf<double>(metadata(key));
}

const std::vector<std::int64_t>* Checkpoint::integers(std::string_view key) const {
    return arrayOf<std::int64_t>(metadata(key));
}

Result<std::unique_ptr<Checkpoint>> openCheckpoint(const std::filesystem::path& file, LoadMode mode,
                                                   std::stop_token stop) {
    return atTheDoor([&] {
        const Head head = readHead(file);
        for (const Kind& kind : kKinds) {
            if (kind.matches(head)) {
                return kind.open(file, mode, stop);
            }
        }
        refuse(file, ErrorCode::Invalid, "this is not a model file. Open a GGUF file.");
    });
}

} // namespace engine
