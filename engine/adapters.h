// Low-rank adapters (LoRA) over the one loaded model: loaded and unloaded while requests run, mixed
// in one batch. A request names its own; one that runs keeps it to its end. Any thread.
#pragma once

#include "engine/error.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace engine {

struct AdapterInfo {
    std::string name = {}; // that requests ask for it by
    std::string path = {};
    std::string digest = {};  // "xxh3:..." of what it adds: the same numbers are the same adapter
    std::int64_t rank = 0;    // the largest
    std::int64_t weights = 0; // of the model that it changes
    std::uint64_t bytes = 0;
};

struct AdapterStatus {
    std::vector<AdapterInfo> loaded; // by name
    std::uint64_t bytes = 0;         // of the loaded ones, and of the leaving
    std::int64_t leaving = 0;        // unloaded, and still finishing requests
    std::uint64_t baseBytes = 0;     // of the model's weights, held once

    std::uint64_t sharedBytes() const { return baseBytes + bytes; }
    // What a model of its own for every adapter would take; empty without an adapter.
    std::optional<std::uint64_t> separateBytes() const;
};

class Adapters {
public:
    virtual ~Adapters() = default;

    // Reads and checks on a thread of its own, a file after the other; `done` is called there and
    // must not block. Where the engine closes before, it is told so.
    virtual void loadAdapter(std::string name, std::filesystem::path file,
                             std::function<void(Result<AdapterInfo>)> done) = 0;
    // At once for new requests; those that run with it finish with it.
    virtual Result<void> unloadAdapter(const std::string& name) = 0;
    virtual AdapterStatus adapterStatus() const = 0;
    // An adapter of small random numbers over every weight that adapters may change, as a GGUF
    // file: what one costs can be measured without training any.
    virtual Result<void> writeSampleAdapter(const std::filesystem::path& file, std::int64_t rank,
                                            std::uint64_t seed) const = 0;
};

} // namespace engine
