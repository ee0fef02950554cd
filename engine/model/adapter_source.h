// The matrices of an adapter as they lie in its file, before they are compared with a model: one
// reader for PEFT's folders, one for GGUF. Private to adapter_file.cpp; one thread.
#pragma once

#include "engine/base/failure.h"
#include "engine/model/adapter_file.h"
#include "kernels/tensor.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace engine {

struct StoredMatrix {
    std::string name;   // in the file, for messages
    kernels::View view; // on bytes that the source holds
};

struct StoredPair {
    std::optional<StoredMatrix> a, b;
    double alpha = 0.0;
};

// What an alpha is divided by, where the adapter has one.
enum class AlphaRule : std::uint8_t { ByRank, ByRoot };

struct AdapterSource {
    std::string what;                        // begins messages
    std::map<std::string, StoredPair> pairs; // by the model's projection
    AlphaRule rule = AlphaRule::ByRank;
    std::optional<std::int64_t> rank; // that every pair is said to have
    bool alphaIsOptional = false;     // 0: the scale is 1
    bool hasPairs = false;            // rows of llama's q and k lie as GGUF files have them
    std::shared_ptr<const void> memory;
    std::function<bool()> isWhole; // the files are as long as when they were opened
};

// Throw Failure.
AdapterSource readPeftAdapter(const std::filesystem::path& path, const AdapterBase& base);
AdapterSource readGgufAdapter(const std::filesystem::path& file, const AdapterBase& base);

[[noreturn]] void refuseAdapter(const std::string& what, const std::string& problem,
                                ErrorCode code = ErrorCode::Unsupported);
// Puts a matrix in its pair. Throws where it is there already, or is no matrix of numbers.
void addMatrix(AdapterSource& source, const std::string& site, bool isA, StoredMatrix matrix);

} // namespace engine
