// An open model file: metadata and tensors that borrow the mapped (or read) bytes. Opened by its
// magic. Immutable after opening; any thread.
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
    std::span<const std::byte> bytes;
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
    // Tells the system that the pages of this tensor are no longer needed (mapped files only).
    virtual void release(const TensorEntry& tensor) const = 0;
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

// Validates everything (gguf layout, sizes, offsets) before anything is believed. Stop is looked at
// while a file is read whole.
Result<std::unique_ptr<Checkpoint>> openCheckpoint(const std::filesystem::path& file,
                                                   LoadMode mode = LoadMode::Mmap,
                                                   std::stop_token stop = {});

} // namespace engine
