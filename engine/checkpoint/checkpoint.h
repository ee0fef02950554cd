// An open model: metadata and tensors that borrow the mapped (or read) bytes, under the names and
// keys that GGUF files have. A GGUF file is opened by its magic; a safetensors file, or a folder of
// them with its config.json, is told under the same names. Immutable after opening; any thread.
#pragma once

#include "engine/config.h"
#include "engine/error.h"
#include "kernels/tensor.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace engine {

using MetadataArray = std::variant<std::vector<std::int64_t>, std::vector<double>,
                                   std::vector<std::string>, std::vector<bool>>;
using MetadataValue =
    std::variant<std::int64_t, std::uint64_t, double, bool, std::string, MetadataArray>;

struct TensorEntry {
    std::string name;
    kernels::Format format = kernels::Format::F32;
    kernels::Shape shape; // outermost first: a matrix is [rows, columns]
    // In the file; empty where the tensor is made of what the file holds: see contents().
    std::span<const std::byte> bytes;

    std::uint64_t size() const {
        return kernels::formatBytes(format, static_cast<std::size_t>(shape.elements()));
    }
};

class Checkpoint {
public:
    virtual ~Checkpoint() = default;

    virtual const std::vector<TensorEntry>& tensors() const = 0;
    virtual const TensorEntry* find(std::string_view name) const = 0;
    virtual const MetadataValue* metadata(std::string_view key) const = 0;
    virtual const std::vector<std::string>& metadataKeys() const = 0; // in file order
    virtual std::uint64_t fileBytes() const = 0;
    virtual std::string digest() const = 0; // see Capabilities::modelDigest
    // The bytes of a tensor, or of one index of its outermost dimension (an expert of a stack).
    // Those that are made (converted, put together from pieces) stay until release(); one index
    // alone costs no more than itself. Throws Failure for contents that can't be made.
    virtual std::span<const std::byte> contents(const TensorEntry& tensor) const;
    virtual std::span<const std::byte> contents(const TensorEntry& tensor,
                                                std::int64_t index) const;
    // The pages of this tensor, or what was made of them, are no longer needed.
    virtual void release(const TensorEntry& tensor) const = 0;
    // What opening left out or changed, as sentences for people.
    virtual std::vector<std::string> notices() const { return {}; }
    // An error once the file is shorter than when it was opened, or a page of it could not be read:
    // such pages read as zeros, they don't end the process. Ask after work on mapped tensors.
    virtual Result<void> stillWhole() const = 0;

    // Typed look-ups that accept any integer or float width (number() integers as well); empty when
    // absent or of another kind.
    std::optional<std::int64_t> integer(std::string_view key) const;
    std::optional<double> number(std::string_view key) const;
    std::optional<bool> boolean(std::string_view key) const;
    std::optional<std::string_view> text(std::string_view key) const;
    const std::vector<std::string>* strings(std::string_view key) const;
    const std::vector<double>* numbers(std::string_view key) const;
    const std::vector<std::int64_t>* integers(std::string_view key) const;
};

// A file or a folder. Validates everything (layout, sizes, offsets) before anything is believed.
// Stop is looked at while a file is read whole.
Result<std::unique_ptr<Checkpoint>> openCheckpoint(const std::filesystem::path& file,
                                                   LoadMode mode = LoadMode::Mmap,
                                                   std::stop_token stop = {});

} // namespace engine
